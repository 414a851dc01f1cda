"""Parts that the pages of the dashboard share."""

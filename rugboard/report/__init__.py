"""A run on paper: what people say about its model, and the report that is made of both."""

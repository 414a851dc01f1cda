"""The rules of a model in tables, one opened in detail, and sliders that re-weight them."""

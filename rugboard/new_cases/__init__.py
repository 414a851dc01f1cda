"""People whom the model has not seen: decided one by one in a form, or many from a file."""

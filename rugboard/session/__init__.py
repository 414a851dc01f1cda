"""What the server and a visitor share across pages: runs that are open, models as adjusted, what is worked out once."""

"""What is said about one person: the decision, its reasons, and what would change it."""

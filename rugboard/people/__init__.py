"""Who uses the dashboard: persons and their roles, what an operator has set, and what a sign-in must say."""

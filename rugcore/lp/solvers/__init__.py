"""The solvers of the linear programs, one file each, and the choice among them."""

"""Past runs: what tells them apart in a list, and two of them side by side."""

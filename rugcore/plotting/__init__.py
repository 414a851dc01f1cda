"""What a notebook shows: small tables in HTML, and charts. Labels and numbers in, pictures out; it knows no rules."""

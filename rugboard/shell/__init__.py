"""What any page of any dashboard needs: theme, words, numbers, charts, tables, downloads, a guard against errors."""

"""Models and pools as files: checked on the way in, and nothing in them can be executed."""

"""The dashboard. Floors, low to high: runs, shell, session, one folder per feature; pages and app.py stand on top."""

"""The dashboard. Floors, low to high: runs, shell, session, one folder a feature; pages and app.py stand on top."""

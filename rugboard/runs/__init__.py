"""Training runs in processes of their own, with results that outlive the page, the browser and the server.

Nothing in here knows of Streamlit.
"""

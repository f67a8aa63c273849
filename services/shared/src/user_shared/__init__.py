"""What the user services share, so that their data and the form of their settings cannot drift."""

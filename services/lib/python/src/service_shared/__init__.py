"""What the reference services share, so that the form of their settings and their servers cannot drift."""

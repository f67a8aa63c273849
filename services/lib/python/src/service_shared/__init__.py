"""Common parts of the reference services, so that the form of their settings and their servers cannot drift."""

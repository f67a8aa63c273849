"""The user service over REST: Flask, behind gunicorn or on its own development server."""

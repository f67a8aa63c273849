"""Layers around the application, each in a file of its own: JSON, ETags, stores, extra work, other servers."""

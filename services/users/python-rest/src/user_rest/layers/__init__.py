"""Layers around the application, each in a separate file: JSON, ETags, stores, extra work, other servers."""

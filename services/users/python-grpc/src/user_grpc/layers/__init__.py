"""Layers around the servicer, each in a file of its own: stores, extra work, an event loop instead of threads."""

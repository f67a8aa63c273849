"""Layers around the servicer, each in a separate file: stores, extra work, an event loop instead of threads."""

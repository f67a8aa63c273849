"""The payload service in Python: a requested number of large objects, over HTTP in two forms, and over gRPC."""

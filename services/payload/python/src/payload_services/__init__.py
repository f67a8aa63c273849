"""The payload service in Python: as many large objects as are asked for, over HTTP in two forms, and over gRPC."""

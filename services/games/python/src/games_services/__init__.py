"""The games service over REST, gRPC, GraphQL and WebSocket, with a document database."""

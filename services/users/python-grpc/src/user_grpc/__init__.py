"""The user service over gRPC: grpcio with a pool of threads."""

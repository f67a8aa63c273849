"""Runs the gRPC service: `python -m user_grpc`."""

import sys

from user_shared.command import Program, run
from user_shared.port import reachable_host, take_port
from user_shared.users import load_users

from user_grpc.settings import Settings, read_settings


def serve(settings: Settings) -> None:
    """Answer calls until SIGTERM; raises SettingError where the users or the port cannot be had."""
    from user_grpc import server

    users = load_users(settings.users_file)
    # grpcio binds by itself, but says what is wrong with the port in its own words and lines.
    take_port(settings.host, settings.port).close()
    server.serve(users, settings)


def is_healthy(settings: Settings) -> bool:
    """Return whether the service that runs with these settings says that it is serving."""
    import grpc
    from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse

    with grpc.insecure_channel(f"{reachable_host(settings.host)}:{settings.port}") as channel:
        check = channel.unary_unary(
            "/grpc.health.v1.Health/Check",
            request_serializer=HealthCheckRequest.SerializeToString,
            response_deserializer=HealthCheckResponse.FromString,
        )
        try:
            return check(HealthCheckRequest(), timeout=2).status == HealthCheckResponse.SERVING
        except grpc.RpcError:
            return False


if __name__ == "__main__":
    sys.exit(run(Program("user_grpc", read_settings, serve, is_healthy)))

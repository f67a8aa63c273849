"""Runs the gRPC service: `python -m user_grpc`."""

import sys

from service_shared.command import Program, run
from service_shared.health import is_healthy_over_grpc
from service_shared.users import load_users

from user_grpc.settings import Settings, read_settings


def serve(settings: Settings) -> None:
    """Answer calls until SIGTERM; raises SettingError if the users cannot be read or the port cannot be used."""
    # Imported here, since a health check needs no contract and takes CPU time from the running service.
    from user_grpc.layers.layered import serve_layered

    serve_layered(load_users(settings.users_file), settings)


def is_healthy(settings: Settings) -> bool:
    """Return whether the service that runs with these settings reports that it is serving."""
    return is_healthy_over_grpc(settings.host, settings.port)


if __name__ == "__main__":
    sys.exit(run(Program("user_grpc", read_settings, serve, is_healthy)))

"""Runs the games service over gRPC: `python -m games_services.over_grpc`."""

import sys
from functools import partial

from service_shared.command import Program, run
from service_shared.environment import SettingError
from service_shared.health import is_healthy_over_grpc

from games_services.settings import OverGrpcSettings, read_over_grpc_settings


def serve(settings: OverGrpcSettings) -> None:
    """Answer calls until SIGTERM; raises SettingError if the port or the database cannot be used."""
    # Imported here, since a health check needs none of it and takes CPU time from the running service.
    from games.v1 import games_pb2, games_pb2_grpc
    from service_shared import grpc_server

    from games_services.database import open_games
    from games_services.games import DatabaseError
    from games_services.servicer import GameServicer

    try:
        games = open_games(settings.database)
    except DatabaseError as error:
        raise SettingError(f"DATABASE_URL: {error}") from error
    operations = grpc_server.Operations(
        service_name=games_pb2.DESCRIPTOR.services_by_name["GameService"].full_name,
        add_to=partial(games_pb2_grpc.add_GameServiceServicer_to_server, GameServicer(games)),
    )
    grpc_server.serve(operations, settings.grpc, (settings.host, settings.port))


def is_healthy(settings: OverGrpcSettings) -> bool:
    """Return whether the service that runs with these settings reports that it is serving."""
    return is_healthy_over_grpc(settings.host, settings.port)


if __name__ == "__main__":
    sys.exit(run(Program("games_services.over_grpc", read_over_grpc_settings, serve, is_healthy)))

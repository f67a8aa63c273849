"""Runs the games service over WebSocket: `python -m games_services.over_websocket`."""

import sys

from service_shared.command import Program, run
from service_shared.environment import SettingError
from service_shared.health import is_healthy_over_http

from games_services.settings import OverWebSocketSettings, read_over_websocket_settings


def serve(settings: OverWebSocketSettings) -> None:
    """Answer messages until SIGTERM; raises SettingError if the port or the database cannot be used."""
    # Imported here, since a health check needs none of it and takes CPU time from the running service.
    from games_services import websocket_server
    from games_services.database import open_games
    from games_services.games import DatabaseError
    from games_services.messages import Messages

    try:
        games = open_games(settings.database)
    except DatabaseError as error:
        raise SettingError(f"DATABASE_URL: {error}") from error
    websocket_server.serve(Messages(games).answer, settings)


def is_healthy(settings: OverWebSocketSettings) -> bool:
    """Return whether the service that runs with these settings is healthy."""
    return is_healthy_over_http(settings.host, settings.port)


if __name__ == "__main__":
    sys.exit(run(Program("games_services.over_websocket", read_over_websocket_settings, serve, is_healthy)))

"""Serves an application with the games behind gunicorn, for REST and for GraphQL."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from service_shared.health import is_healthy_over_http
from service_shared.port import take_port

from games_services.settings import OverHttpSettings

if TYPE_CHECKING:
    from flask import Flask

    from games_services.games import Games


def serve(create_app: "Callable[[Games], Flask]", settings: OverHttpSettings) -> None:
    """Answer requests until SIGTERM; raises SettingError if the port is taken."""
    from service_shared import http_server

    def create() -> "Flask":
        # Imported in the worker, after gevent has replaced the calls that block.
        from games_services.database import open_games

        return create_app(open_games(settings.database))

    http_server.serve(create, settings.http, take_port(settings.host, settings.port))


def is_healthy(settings: OverHttpSettings) -> bool:
    """Return whether the service that runs with these settings is healthy."""
    return is_healthy_over_http(settings.host, settings.port)

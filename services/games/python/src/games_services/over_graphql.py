"""Runs the games service over GraphQL: `python -m games_services.over_graphql`."""

import sys

from service_shared.command import Program, run

from games_services import over_http
from games_services.settings import OverHttpSettings, read_over_http_settings


def serve(settings: OverHttpSettings) -> None:
    """Answer requests until SIGTERM; raises SettingError if the port cannot be used."""
    # Imported here, since a health check needs none of it and takes CPU time from the running service.
    from games_services.graphql_app import create_app

    over_http.serve(create_app, settings)


if __name__ == "__main__":
    sys.exit(run(Program("games_services.over_graphql", read_over_http_settings, serve, over_http.is_healthy)))

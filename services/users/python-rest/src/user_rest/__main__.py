"""Runs the REST service: `python -m user_rest`."""

import sys

from service_shared.command import Program, run
from service_shared.health import is_healthy_over_http
from service_shared.port import take_port
from service_shared.users import load_users

from user_rest.settings import Settings, read_settings


def serve(settings: Settings) -> None:
    """Answer requests until SIGTERM; raises SettingError if the users cannot be read or the port cannot be used."""
    users = load_users(settings.users_file)
    listener = take_port(settings.host, settings.port)
    # Imported here, since a health check needs neither Flask nor a server and takes CPU time from the running service.
    from user_rest.layers.layered import serve_layered

    serve_layered(users, settings, listener)


def is_healthy(settings: Settings) -> bool:
    """Return whether the service that runs with these settings is healthy."""
    return is_healthy_over_http(settings.host, settings.port)


if __name__ == "__main__":
    sys.exit(run(Program("user_rest", read_settings, serve, is_healthy)))

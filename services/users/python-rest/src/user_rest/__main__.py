"""Runs the REST service: `python -m user_rest`."""

import sys
from importlib import import_module

from service_shared.command import Program, run
from service_shared.health import is_healthy_over_http
from service_shared.more_users import with_more
from service_shared.port import take_port
from service_shared.users import load_users

from user_rest.settings import Settings, read_settings

# What serves, by the setting SERVER.
_MODULES = {
    "gunicorn": "production",
    "development": "development",
    "granian": "over_granian",
    "uvicorn": "over_uvicorn",
}


def serve(settings: Settings) -> None:
    """Answer requests until SIGTERM; raises SettingError if the users cannot be read or the port cannot be used."""
    given = load_users(settings.users_file)
    # A store makes more by itself, in each worker.
    users = with_more(given, settings.store.users) if settings.store.is_memory else given
    listener = take_port(settings.host, settings.port)
    # Here, since a health check needs neither Flask nor a server and takes CPU time from the running service.
    server = import_module(f"user_rest.{_MODULES[settings.server]}")
    server.serve(users, settings, listener)


def is_healthy(settings: Settings) -> bool:
    """Return whether the service that runs with these settings is healthy."""
    return is_healthy_over_http(settings.host, settings.port)


if __name__ == "__main__":
    sys.exit(run(Program("user_rest", read_settings, serve, is_healthy)))

"""Runs the service: `python -m sample_service`."""

import sys
from functools import partial

from service_shared.command import Program, run
from service_shared.health import is_healthy_over_http
from service_shared.port import take_port

from sample_service.settings import Settings, read_settings


def serve(settings: Settings) -> None:
    """Answer requests until SIGTERM; raises SettingError if the port is not available."""
    # Imported here, since a health check needs neither Flask nor gunicorn and takes CPU time from the running service.
    from service_shared import http_server

    from sample_service.app import create_app

    listener = take_port(settings.host, settings.port)
    http_server.serve(partial(create_app, settings.greeting), settings.http, listener)


def is_healthy(settings: Settings) -> bool:
    """Return whether the service that runs with these settings is healthy."""
    return is_healthy_over_http(settings.host, settings.port)


if __name__ == "__main__":
    sys.exit(run(Program("sample_service", read_settings, serve, is_healthy)))

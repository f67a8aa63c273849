"""Runs the REST service: `python -m user_rest`."""

import http.client
import sys

from user_shared.command import Program, run
from user_shared.port import reachable_host, take_port
from user_shared.users import load_users

from user_rest.settings import Settings, read_settings


def serve(settings: Settings) -> None:
    """Answer requests until SIGTERM; raises SettingError where the users or the port cannot be had."""
    # Here, since a health check needs neither Flask nor a server and takes CPU time from the running service.
    from user_rest import development, production

    users = load_users(settings.users_file)
    listener = take_port(settings.host, settings.port)
    server = production if settings.server == "gunicorn" else development
    server.serve(users, settings, listener)


def is_healthy(settings: Settings) -> bool:
    """Return whether the service that runs with these settings answers on /health."""
    connection = http.client.HTTPConnection(reachable_host(settings.host), settings.port, timeout=2)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


if __name__ == "__main__":
    sys.exit(run(Program("user_rest", read_settings, serve, is_healthy)))

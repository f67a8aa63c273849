"""Serves the application behind gunicorn."""

import socket
from collections.abc import Mapping
from functools import partial

from service_shared import http_server
from service_shared.users import User

from user_rest.app import create_app
from user_rest.settings import Settings
from user_rest.stored_app import create_worker


def serve(users: Mapping[int, User], settings: Settings, listener: socket.socket) -> None:
    """Answer requests on the listener until SIGTERM."""
    create = partial(create_app, users, settings.extra_iterations, settings.json, settings.caching)
    if not settings.store.is_memory:
        create = partial(create_worker, users, settings)
    http_server.serve(create, settings.http, listener)

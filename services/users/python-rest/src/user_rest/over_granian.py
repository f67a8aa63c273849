"""Serves the application by granian."""

import socket
from collections.abc import Mapping
from functools import partial

from service_shared import granian_server
from service_shared.users import User

from user_rest.app import create_app
from user_rest.settings import Settings


def serve(users: Mapping[int, User], settings: Settings, listener: socket.socket) -> None:
    """Answer requests until SIGTERM, each worker with an application of its own."""
    create = partial(create_app, users, settings.extra_iterations, settings.json)
    granian_server.serve(create, settings.http, listener)

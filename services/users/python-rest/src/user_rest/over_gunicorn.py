"""Serves the application behind gunicorn."""

import socket
from collections.abc import Callable

from flask import Flask
from service_shared import http_server

from user_rest.settings import Settings


def serve(create: Callable[[], Flask], settings: Settings, listener: socket.socket) -> None:
    """Answer requests on the listener until SIGTERM, each worker with an application of its own."""
    http_server.serve(create, settings.http, listener)

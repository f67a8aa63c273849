"""Serves the application with granian."""

import socket
from collections.abc import Callable

from flask import Flask
from service_shared import granian_server

from user_rest.settings import Settings


def serve(create: Callable[[], Flask], settings: Settings, listener: socket.socket) -> None:
    """Answer requests until SIGTERM, each worker with an application of its own."""
    granian_server.serve(create, settings.http, listener)

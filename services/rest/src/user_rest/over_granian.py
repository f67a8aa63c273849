"""Serves the application by granian: Rust handles its connections, and each worker has a pool of threads for Python."""

import socket
from collections.abc import Mapping
from functools import partial

from granian.constants import Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server import Server
from service_shared.users import User

from user_rest.app import create_app
from user_rest.settings import Settings


def serve(users: Mapping[int, User], settings: Settings, listener: socket.socket) -> None:
    """Answer requests until SIGTERM, each worker with an application of its own."""
    http = settings.http
    # granian binds by itself.
    listener.close()
    server = Server(
        # What it would import; the loader below makes the application instead.
        "user_rest.app",
        address=settings.host,
        port=settings.port,
        interface=Interfaces.WSGI,
        workers=http.workers,
        blocking_threads=http.threads,
        backlog=http.backlog,
        http1_settings=HTTP1Settings(keep_alive=http.keep_alive_seconds > 0),
        log_level=LogLevels.info if http.access_log else LogLevels.error,
        log_access=http.access_log,
        workers_kill_timeout=http.graceful_seconds,
    )
    load = partial(create_app, users, settings.extra_iterations, settings.json)
    server.serve(target_loader=load, wrap_loader=False)

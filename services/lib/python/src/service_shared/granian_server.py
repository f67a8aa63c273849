"""Serves an application with granian: Rust handles connections, and each worker has a thread pool for Python."""

import socket
from collections.abc import Callable

from flask import Flask
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server import Server

from service_shared.http_settings import HttpSettings


def serve(create_app: Callable[[], Flask], settings: HttpSettings, listener: socket.socket) -> None:
    """Answer requests on the listener until SIGTERM, with one application per worker.

    It serves HTTP/1.1 and HTTP/2 without TLS (h2c) on the same port.
    """
    host, port = listener.getsockname()[:2]
    # granian binds the port itself.
    listener.close()
    server = Server(
        # It would import this module; the loader below makes the application instead.
        __name__,
        address=host,
        port=port,
        interface=Interfaces.WSGI,
        workers=settings.workers,
        blocking_threads=settings.threads,
        backlog=settings.backlog,
        http=HTTPModes.auto,
        http1_settings=HTTP1Settings(keep_alive=settings.keep_alive_seconds > 0),
        log_level=LogLevels.info if settings.access_log else LogLevels.error,
        log_access=settings.access_log,
        workers_kill_timeout=settings.graceful_seconds,
    )
    server.serve(target_loader=create_app, wrap_loader=False)

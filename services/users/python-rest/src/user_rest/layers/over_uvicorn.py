"""Serves the application with uvicorn, an ASGI server: a2wsgi runs it in a pool of threads."""

import socket
from collections.abc import Callable
from functools import partial

import uvicorn
from a2wsgi import WSGIMiddleware
from flask import Flask
from uvicorn.supervisors import Multiprocess

from user_rest.settings import Settings


def asgi_app(create: Callable[[], Flask], threads: int) -> WSGIMiddleware:
    """Return the application as ASGI; called in each worker."""
    # Its types require positional names that Flask lacks.
    return WSGIMiddleware(create(), workers=threads)  # type: ignore[arg-type]


def serve(create: Callable[[], Flask], settings: Settings, listener: socket.socket) -> None:
    """Answer requests on the listener until SIGTERM, each worker with an application of its own."""
    http = settings.http
    config = uvicorn.Config(
        partial(asgi_app, create, http.threads),
        factory=True,
        workers=http.workers,
        loop="uvloop",
        http="httptools",
        ws="none",
        lifespan="off",
        backlog=http.backlog,
        timeout_keep_alive=http.keep_alive_seconds,
        timeout_graceful_shutdown=http.graceful_seconds,
        access_log=http.access_log,
        log_level="info" if http.access_log else "error",
    )
    # Also for one worker: a server without this parent process ends by the signal itself, not with exit code 0.
    Multiprocess(config, sockets=[listener]).run()

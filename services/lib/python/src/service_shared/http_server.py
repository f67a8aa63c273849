"""Serves an application behind gunicorn."""

import socket
from collections.abc import Callable, Mapping
from pathlib import Path

import gevent
from flask import Flask
from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter

from service_shared.http_settings import HttpSettings


class Application(BaseApplication):
    """gunicorn with our settings and none from the command line, a file or the environment."""

    def __init__(self, create_app: Callable[[], Flask], options: Mapping[str, object]) -> None:
        """Store what gunicorn reads while it starts."""
        self.create_app = create_app
        self.options = options
        super().__init__()

    def load_config(self) -> None:
        """Pass the options to gunicorn, which checks each."""
        for name, value in self.options.items():
            self.cfg.set(name, value)

    def load(self) -> Flask:  # type: ignore[override] # gunicorn's types ask for any mapping, WSGI for a dict
        """Return the application; called in each worker, after gevent has replaced the blocking calls there."""
        return self.create_app()


def give_way(_worker: object, _request: object, _environ: object, _response: object) -> None:
    """Give the other connections a turn; gunicorn calls it after each answer.

    Otherwise a client that is quick with its next request keeps the worker to itself: gevent switches only when it
    must wait, and the request has already arrived.
    """
    gevent.sleep(0)


def serve(
    create_app: Callable[[], Flask], settings: HttpSettings, listener: socket.socket, *, silence_seconds: int = 30
) -> None:
    """Answer requests on the listener until SIGTERM, with one application per worker.

    A worker that shows no sign of life for this long, even while it makes its application, is replaced.
    """

    def set_nodelay(arbiter: Arbiter) -> None:
        for taken in arbiter.LISTENERS:
            # gunicorn sets it; accepted connections inherit it.
            taken.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, settings.tcp_nodelay)

    shared_memory = Path("/dev/shm")
    options: dict[str, object] = {
        "bind": f"fd://{listener.detach()}",
        "worker_class": settings.worker_class,
        "workers": settings.workers,
        # With threads, gunicorn turns a sync worker into a gthread one.
        "threads": settings.threads if settings.worker_class == "gthread" else 1,
        "worker_connections": settings.worker_connections,
        "keepalive": settings.keep_alive_seconds,
        "backlog": settings.backlog,
        "graceful_timeout": settings.graceful_seconds,
        "timeout": silence_seconds,
        "accesslog": "-" if settings.access_log else None,
        "when_ready": set_nodelay,
        # Both would write to the file system, which may be read-only.
        "control_socket_disable": True,
        "worker_tmp_dir": str(shared_memory) if shared_memory.is_dir() else None,
    }
    if settings.worker_class == "gevent" and settings.give_way:
        options["post_request"] = give_way
    Application(create_app, options).run()

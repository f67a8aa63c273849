"""Serves the application behind gunicorn."""

import socket
from collections.abc import Mapping
from pathlib import Path

import gevent
from flask import Flask
from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter
from user_shared.users import User

from user_rest.app import create_app
from user_rest.settings import Settings


class Application(BaseApplication):
    """gunicorn with our settings and nothing from the command line, a file or the environment."""

    def __init__(self, users: Mapping[int, User], settings: Settings, options: Mapping[str, object]) -> None:
        """Keep what gunicorn asks for while it starts."""
        self.users = users
        self.settings = settings
        self.options = options
        super().__init__()

    def load_config(self) -> None:
        """Hand the options to gunicorn, which checks each."""
        for name, value in self.options.items():
            self.cfg.set(name, value)

    def load(self) -> Flask:  # type: ignore[override] # gunicorn's types ask for any mapping, WSGI for a dict
        """Return the application; called in each worker, after gevent has replaced the blocking calls there."""
        return create_app(self.users, self.settings.extra_iterations)


def give_way(_worker: object, _request: object, _environ: object, _response: object) -> None:
    """Let the other connections have their turn; gunicorn calls it after each answer.

    Else a client that is quick with its next request keeps the worker to itself: gevent switches only where it must
    wait, and the request is already there.
    """
    gevent.sleep(0)


def serve(users: Mapping[int, User], settings: Settings, listener: socket.socket) -> None:
    """Answer requests on the listener until SIGTERM."""

    def set_nodelay(arbiter: Arbiter) -> None:
        for taken in arbiter.LISTENERS:
            # gunicorn switches it on; accepted connections inherit it.
            taken.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, settings.tcp_nodelay)

    shared_memory = Path("/dev/shm")
    options: dict[str, object] = {
        "bind": f"fd://{listener.detach()}",
        "worker_class": settings.worker_class,
        "workers": settings.workers,
        # Given threads, gunicorn makes a gthread worker of a sync one.
        "threads": settings.threads if settings.worker_class == "gthread" else 1,
        "worker_connections": settings.worker_connections,
        "keepalive": settings.keep_alive_seconds,
        "backlog": settings.backlog,
        "graceful_timeout": settings.graceful_seconds,
        "accesslog": "-" if settings.access_log else None,
        "when_ready": set_nodelay,
        # Both would write to the file system, which may be read-only.
        "control_socket_disable": True,
        "worker_tmp_dir": str(shared_memory) if shared_memory.is_dir() else None,
    }
    if settings.worker_class == "gevent" and settings.give_way:
        options["post_request"] = give_way
    Application(users, settings, options).run()

"""The application with the layers in the settings, behind the server in the settings."""

import socket
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Protocol, cast

from flask import Flask
from service_shared.more_users import with_more
from service_shared.users import InMemory, User

from user_rest.app import create_app
from user_rest.layers import caching, orjson_provider, slowdown, stored
from user_rest.layers.settings import LayerSettings
from user_rest.settings import Settings

# Modules of the servers, by the setting SERVER.
_SERVERS = {
    "gunicorn": "user_rest.over_gunicorn",
    "development": "user_rest.layers.development",
    "granian": "user_rest.layers.over_granian",
    "uvicorn": "user_rest.layers.over_uvicorn",
}


class _Server(Protocol):
    """Module that serves an application."""

    def serve(self, create: Callable[[], Flask], settings: Settings, listener: socket.socket) -> None:
        """Answer requests on the listener until SIGTERM, each worker with an application of its own."""


def serve_layered(users: Mapping[int, User], settings: Settings, listener: socket.socket) -> None:
    """Answer requests on the listener until SIGTERM."""
    layers = settings.layers
    # A store adds the additional users itself, in each worker.
    known = with_more(users, layers.store.users) if layers.store.is_memory else users
    create = partial(layered_app, InMemory(known), layers)
    # None imports the libraries of another.
    server = cast(_Server, import_module(_SERVERS[layers.server]))
    server.serve(create, settings, listener)


def layered_app(users: InMemory[User], layers: LayerSettings) -> Flask:
    """Return the application with its layers; with a store, it ends the process if that is not available in time."""
    app = create_app(users) if layers.store.is_memory else stored.create_stored_app(layers.store, users)
    if layers.json == "orjson":
        orjson_provider.add_to(app)
    if layers.caching != "off":
        caching.add_to(app, users if layers.caching == "stored" else None)
    if layers.extra_iterations > 0:
        slowdown.add_to(app, layers.extra_iterations)
    return app

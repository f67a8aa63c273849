"""WSGI middleware that makes each operation slower on purpose."""

from typing import TYPE_CHECKING

from flask import Flask
from service_shared import extra_work

if TYPE_CHECKING:
    from collections.abc import Iterable

    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


class Slowdown:
    """Application that does extra work before each operation, and none before anything else, such as health checks."""

    def __init__(self, app: "WSGIApplication", iterations: int) -> None:
        """Store the application and the amount of work."""
        self.app = app
        self.iterations = iterations

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> "Iterable[bytes]":
        """Answer a request."""
        path = environ["PATH_INFO"]
        if path == "/users" or path.startswith("/user/"):
            extra_work.burn(self.iterations)
        return self.app(environ, start_response)


def add_to(app: Flask, iterations: int) -> None:
    """Run extra iterations of work before each operation of the application."""
    app.wsgi_app = Slowdown(app.wsgi_app, iterations)  # type: ignore[method-assign] # as Flask documents it

"""The application: a greeting as JSON over HTTP."""

from flask import Flask, Response, jsonify
from service_shared.http_app import new_app


def create_app(greeting: str) -> Flask:
    """Return the application that greets with this word."""
    app = new_app(__name__)

    @app.get("/greeting/<name>")
    def greet(name: str) -> Response:
        return jsonify(text=f"{greeting}, {name}!")

    @app.get("/health")
    def health() -> Response:
        return jsonify(status="ok")

    return app

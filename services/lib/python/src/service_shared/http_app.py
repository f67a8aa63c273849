"""The base of every application over HTTP: only its own routes, and problems as JSON."""

import json
from http import HTTPStatus

from flask import Flask
from werkzeug.exceptions import HTTPException
from werkzeug.sansio.response import Response


def new_app(import_name: str) -> Flask:
    """Return an application without routes that answers every error with a problem document."""
    # No static files: there are only the added routes.
    app = Flask(import_name, static_folder=None)
    # Otherwise "/user//1" is answered with a redirect instead of 404.
    app.url_map.merge_slashes = False
    app.register_error_handler(HTTPException, problem)
    return app


def problem(error: HTTPException) -> Response:
    """Return an error as a problem document (RFC 9457), with its headers, such as Allow."""
    response = error.get_response()
    status = HTTPStatus(response.status_code)
    document = {"type": "about:blank", "title": status.phrase, "status": status.value, "detail": error.description}
    response.data = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    response.content_type = "application/problem+json"
    return response

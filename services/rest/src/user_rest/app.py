"""The application: users and problems as JSON over HTTP."""

import re
from collections.abc import Mapping
from http import HTTPStatus
from importlib.resources import files
from typing import Any

import orjson
from flask import Flask, Response, abort, jsonify
from flask.json.provider import JSONProvider
from user_shared.extra_work import burning
from user_shared.users import User
from werkzeug.exceptions import HTTPException
from werkzeug.sansio.response import Response as AnyResponse

# One spelling for each id, so no sign and no leading zero. The contract's ids are int32.
_ID = re.compile(r"[1-9][0-9]{0,9}", re.ASCII)
_LARGEST_ID = 2**31 - 1


class OrjsonProvider(JSONProvider):
    """Flask's JSON by orjson, which writes dataclasses as objects."""

    def dumps(self, obj: Any, **kwargs: Any) -> str:  # noqa: ANN401 -- Flask's signature
        """Return the object as JSON text."""
        return orjson.dumps(obj).decode()

    def loads(self, s: str | bytes, **kwargs: Any) -> Any:  # noqa: ANN401 -- Flask's signature
        """Return what the JSON text says."""
        return orjson.loads(s)

    def response(self, *args: Any, **kwargs: Any) -> Response:  # noqa: ANN401 -- Flask's signature
        """Return an answer with the arguments as JSON, without the detour over text."""
        return Response(orjson.dumps(self._prepare_response_obj(args, kwargs)), content_type="application/json")


def create_app(users: Mapping[int, User], extra_iterations: int = 0) -> Flask:
    """Return the application that answers with the users, after so many iterations of extra work."""
    # No static files: the routes below are all there is.
    app = Flask(__name__, static_folder=None)
    app.json = OrjsonProvider(app)
    # Else "/user//1" is answered with a redirect instead of 404.
    app.url_map.merge_slashes = False
    app.register_error_handler(HTTPException, problem)
    everyone = list(users.values())
    description = files(__package__).joinpath("openapi.json").read_bytes()

    @app.get("/user/<written_id>")
    @burning(extra_iterations)
    def get_user(written_id: str) -> Response:
        user_id = parse_id(written_id)
        user = users.get(user_id)
        if user is None:
            abort(404, f"No user has the id {user_id}.")
        return jsonify(user)

    @app.get("/users")
    @burning(extra_iterations)
    def list_users() -> Response:
        return jsonify(users=everyone)

    @app.get("/health")
    def health() -> Response:
        return jsonify(status="ok")

    @app.get("/openapi.json")
    def openapi() -> Response:
        return Response(description, content_type="application/json")

    return app


def parse_id(text: str) -> int:
    """Return the id that a path names; ends the request with 400 where it is none."""
    if not _ID.fullmatch(text) or int(text) > _LARGEST_ID:
        abort(400, f"A user's id is a whole number from 1 to {_LARGEST_ID}.")
    return int(text)


def problem(error: HTTPException) -> AnyResponse:
    """Return an error as a problem document (RFC 9457), with the headers that belong to it, such as Allow."""
    response = error.get_response()
    status = HTTPStatus(response.status_code)
    document = {"type": "about:blank", "title": status.phrase, "status": status.value, "detail": error.description}
    response.data = orjson.dumps(document)
    response.content_type = "application/problem+json"
    return response

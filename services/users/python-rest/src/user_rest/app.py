"""The application: users as JSON over HTTP."""

import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import orjson
from flask import Flask, Response, abort, jsonify
from flask.json.provider import JSONProvider
from service_shared.extra_work import burning
from service_shared.http_app import new_app
from service_shared.users import User

from user_rest.caching import etag_of, revalidating

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


def create_app(
    users: Mapping[int, User], extra_iterations: int = 0, json: str = "orjson", caching: str = "off"
) -> Flask:
    """Return the application that answers with the users, after so many iterations of extra work."""
    app = new_app(__name__)
    if json == "orjson":
        app.json = OrjsonProvider(app)
    everyone = list(users.values())
    etags: dict[str, str] = {}
    if caching == "stored":
        with app.app_context():
            etags = {str(user.id): etag_of(jsonify(user)) for user in everyone} | {"": etag_of(jsonify(users=everyone))}
    description = files(__package__).joinpath("openapi.json").read_bytes()

    @app.get("/user/<written_id>")
    @burning(extra_iterations)
    @revalidating(caching, etags)
    def get_user(written_id: str) -> Response:
        user_id = parse_id(written_id)
        user = users.get(user_id)
        if user is None:
            abort(404, f"No user has the id {user_id}.")
        return jsonify(user)

    @app.get("/users")
    @burning(extra_iterations)
    @revalidating(caching, etags)
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
    """Return the id in a path; ends the request with 400 if it is not a valid id."""
    if not _ID.fullmatch(text) or int(text) > _LARGEST_ID:
        abort(400, f"A user's id is a whole number from 1 to {_LARGEST_ID}.")
    return int(text)

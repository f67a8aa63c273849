"""The User Service over REST: a plain Flask application. Layers around it for some measurements are in `layers`."""

import re
from importlib.resources import files

from flask import Flask, Response, abort, jsonify
from service_shared.http_app import new_app
from service_shared.users import User, Users

# One spelling for each id, so no sign and no leading zero. The contract's ids are int32.
_ID = re.compile(r"[1-9][0-9]{0,9}", re.ASCII)
_LARGEST_ID = 2**31 - 1


def create_app(users: Users[User]) -> Flask:
    """Return the application that answers with the users."""
    app = new_app(__name__)
    description = files(__package__).joinpath("openapi.json").read_bytes()

    @app.get("/user/<written_id>")
    def get_user(written_id: str) -> Response:
        user_id = parse_id(written_id)
        user = users.get(user_id)
        if user is None:
            abort(404, f"No user has the id {user_id}.")
        return jsonify(user)

    @app.get("/users")
    def list_users() -> Response:
        return jsonify(users=users.everyone())

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

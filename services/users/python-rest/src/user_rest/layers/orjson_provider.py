"""JSON with orjson instead of the standard library."""

from typing import Any

import orjson
from flask import Flask, Response
from flask.json.provider import JSONProvider


class OrjsonProvider(JSONProvider):
    """Flask's JSON with orjson, which writes dataclasses as objects."""

    def dumps(self, obj: Any, **kwargs: Any) -> str:  # noqa: ANN401 -- Flask's signature
        """Return the object as JSON text."""
        return orjson.dumps(obj).decode()

    def loads(self, s: str | bytes, **kwargs: Any) -> Any:  # noqa: ANN401 -- Flask's signature
        """Return the value of the JSON text."""
        return orjson.loads(s)

    def response(self, *args: Any, **kwargs: Any) -> Response:  # noqa: ANN401 -- Flask's signature
        """Return an answer with the arguments as JSON, without an intermediate text."""
        return Response(orjson.dumps(self._prepare_response_obj(args, kwargs)), content_type="application/json")


def add_to(app: Flask) -> None:
    """Write the answers of the application with orjson."""
    app.json = OrjsonProvider(app)

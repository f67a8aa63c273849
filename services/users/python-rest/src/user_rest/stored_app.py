"""The application with its users in a store: the answers of the other one, and 503 if the store does not answer."""

import atexit
import sys
from collections.abc import Mapping
from importlib.resources import files

from flask import Flask, Response, abort, jsonify
from service_shared.extra_work import burning
from service_shared.http_app import new_app, problem
from service_shared.open_store import open_store
from service_shared.stores import StoreError, UserStore
from service_shared.users import User
from werkzeug.exceptions import ServiceUnavailable
from werkzeug.sansio.response import Response as BaseResponse

from user_rest.app import OrjsonProvider, parse_id
from user_rest.settings import Settings

# What a worker of gunicorn ends with if it cannot begin: gunicorn then ends, too, and starts no other.
_CANNOT_BEGIN = 3


def create_app(store: UserStore, extra_iterations: int = 0, json: str = "orjson") -> Flask:
    """Return the application that answers with the users of the store, after so many iterations of extra work."""
    app = new_app(__name__)
    if json == "orjson":
        app.json = OrjsonProvider(app)
    description = files(__package__).joinpath("openapi.json").read_bytes()

    @app.get("/user/<written_id>")
    @burning(extra_iterations)
    def get_user(written_id: str) -> Response:
        user_id = parse_id(written_id)
        user = store.get(user_id)
        if user is None:
            abort(404, f"No user has the id {user_id}.")
        return jsonify(user)

    @app.get("/users")
    @burning(extra_iterations)
    def list_users() -> Response:
        return jsonify(users=store.everyone())

    @app.get("/health")
    def health() -> Response:
        return jsonify(status="ok")

    @app.get("/metrics")
    def metrics() -> Response:
        return Response(_metrics_of(store), content_type="text/plain; version=0.0.4")

    @app.get("/openapi.json")
    def openapi() -> Response:
        return Response(description, content_type="application/json")

    @app.errorhandler(StoreError)
    def give_up(error: StoreError) -> BaseResponse:
        return problem(ServiceUnavailable(str(error)))

    return app


def create_worker(users: Mapping[int, User], settings: Settings) -> Flask:
    """Return the application of a worker, with a store of its own; ends the service if that is not there in time."""
    try:
        store = open_store(settings.store, users)
    except StoreError as error:
        print(f"user_rest: {error}", file=sys.stderr, flush=True)
        sys.exit(_CANNOT_BEGIN)
    atexit.register(store.close)
    return create_app(store, settings.extra_iterations, settings.json)


def _metrics_of(store: UserStore) -> str:
    """Return what Prometheus reads; nothing if there is no cache."""
    counts = store.cached()
    if counts is None:
        return ""
    return (
        "# HELP user_cache_hits_total Users that this worker found in the cache.\n"
        "# TYPE user_cache_hits_total counter\n"
        f"user_cache_hits_total {counts.hits}\n"
        "# HELP user_cache_misses_total Users that this worker did not find in the cache.\n"
        "# TYPE user_cache_misses_total counter\n"
        f"user_cache_misses_total {counts.misses}\n"
    )

"""The application with its users in a store: 503 if that does not answer, and figures of its cache."""

import atexit
import sys
from collections.abc import Mapping

from flask import Flask, Response
from service_shared.http_app import problem
from service_shared.open_store import open_store
from service_shared.store_settings import StoreSettings
from service_shared.stores import StoreError, UserStore
from service_shared.users import User
from werkzeug.exceptions import ServiceUnavailable
from werkzeug.sansio.response import Response as BaseResponse

from user_rest.app import create_app

# Exit code of a gunicorn worker that cannot start: gunicorn then exits, too, and starts no other.
_CANNOT_BEGIN = 3


def create_stored_app(settings: StoreSettings, users: Mapping[int, User]) -> Flask:
    """Return the application of a worker, with its own store; ends the service if that is not available in time."""
    try:
        store = open_store(settings, users)
    except StoreError as error:
        print(f"user_rest: {error}", file=sys.stderr, flush=True)
        sys.exit(_CANNOT_BEGIN)
    atexit.register(store.close)
    return app_on(store)


def app_on(store: UserStore) -> Flask:
    """Return the application that answers with the users of the store."""
    app = create_app(store)

    @app.get("/metrics")
    def metrics() -> Response:
        return Response(_metrics_of(store), content_type="text/plain; version=0.0.4")

    @app.errorhandler(StoreError)
    def give_up(error: StoreError) -> BaseResponse:
        return problem(ServiceUnavailable(str(error)))

    return app


def _metrics_of(store: UserStore) -> str:
    """Return the metrics for Prometheus; empty without a cache."""
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

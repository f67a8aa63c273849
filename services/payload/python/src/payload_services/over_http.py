"""Serves objects over HTTP, in one form or the other."""

from functools import partial

from service_shared.health import is_healthy_over_http
from service_shared.port import take_port

from payload_services.answers import AnswerT, Form
from payload_services.settings import OverHttpSettings

# A gunicorn worker fills its cache before it shows a sign of life.
_SILENCE_SECONDS = 600


def serve(form: Form[AnswerT], settings: OverHttpSettings) -> None:
    """Answer requests until SIGTERM, each worker from its own cache; raises SettingError if the port is taken."""
    from payload_services.http_app import create_app

    listener = take_port(settings.host, settings.port)
    create = partial(create_app, form, settings.answers)
    # Imported here, so that only the selected server is loaded.
    if settings.server == "granian":
        from service_shared import granian_server

        granian_server.serve(create, settings.http, listener)
    else:
        from service_shared import http_server

        http_server.serve(create, settings.http, listener, silence_seconds=_SILENCE_SECONDS)


def is_healthy(settings: OverHttpSettings) -> bool:
    """Return whether the service that runs with these settings is healthy."""
    return is_healthy_over_http(settings.host, settings.port)

"""Runs the service that answers with JSON over HTTP: `python -m payload_services.json_http`."""

import sys

from service_shared.command import Program, run
from service_shared.health import is_healthy_over_http

from payload_services.settings import OverHttpSettings, read_over_http_settings


def serve(settings: OverHttpSettings) -> None:
    """Answer requests until SIGTERM; raises SettingError where the port cannot be had."""
    # Here, since a health check needs none of it and takes CPU time from the running service.
    from payload_services import json_form, over_http
    from payload_services.answers import Form

    form = Form(json_form.CONTENT_TYPE, json_form.make_answer, json_form.cut, json_form.encode)
    over_http.serve(form, settings)


def is_healthy(settings: OverHttpSettings) -> bool:
    """Return whether the service that runs with these settings is healthy."""
    return is_healthy_over_http(settings.host, settings.port)


if __name__ == "__main__":
    sys.exit(run(Program("payload_services.json_http", read_over_http_settings, serve, is_healthy)))

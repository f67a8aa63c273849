"""Runs the service that answers with protobuf over HTTP: `python -m payload_services.protobuf_http`."""

import sys

from service_shared.command import Program, run
from service_shared.health import is_healthy_over_http

from payload_services.settings import OverHttpSettings, read_over_http_settings


def serve(settings: OverHttpSettings) -> None:
    """Answer requests until SIGTERM; raises SettingError where the port cannot be had."""
    # Here, since a health check needs none of it and takes CPU time from the running service.
    from payload_services import over_http, protobuf_form
    from payload_services.answers import Form

    form = Form(protobuf_form.CONTENT_TYPE, protobuf_form.make_answer, protobuf_form.cut, protobuf_form.encode)
    over_http.serve(form, settings)


def is_healthy(settings: OverHttpSettings) -> bool:
    """Return whether the service that runs with these settings is healthy."""
    return is_healthy_over_http(settings.host, settings.port)


if __name__ == "__main__":
    sys.exit(run(Program("payload_services.protobuf_http", read_over_http_settings, serve, is_healthy)))

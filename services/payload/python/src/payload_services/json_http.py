"""Runs the service that answers with JSON over HTTP: `python -m payload_services.json_http`."""

import sys

from service_shared.command import Program, run

from payload_services import over_http
from payload_services.settings import OverHttpSettings, read_over_http_settings


def serve(settings: OverHttpSettings) -> None:
    """Answer requests until SIGTERM; raises SettingError if the port cannot be used."""
    # Imported here, since a health check needs none of it and takes CPU time from the running service.
    from payload_services.json_form import FORM

    over_http.serve(FORM, settings)


if __name__ == "__main__":
    sys.exit(run(Program("payload_services.json_http", read_over_http_settings, serve, over_http.is_healthy)))

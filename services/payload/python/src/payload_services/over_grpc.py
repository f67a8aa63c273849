"""Runs the service over gRPC: `python -m payload_services.over_grpc`."""

import sys
from functools import partial

from service_shared.command import Program, run
from service_shared.health import is_healthy_over_grpc

from payload_services.settings import OverGrpcSettings, read_over_grpc_settings

_MEBIBYTE = 2**20
_NO_LIMIT = -1


def serve(settings: OverGrpcSettings) -> None:
    """Answer calls until SIGTERM; raises SettingError if the port cannot be used."""
    # Imported here, since a health check needs none of it and takes CPU time from the running service.
    import grpc
    from payload.v1 import payload_pb2, payload_pb2_grpc
    from service_shared import grpc_server

    from payload_services.answers import Answers
    from payload_services.protobuf_form import FORM
    from payload_services.servicer import PayloadServicer

    answers = Answers(FORM, settings.answers.cache_counts, settings.answers.extra_work)
    operations = grpc_server.Operations(
        service_name=payload_pb2.DESCRIPTOR.services_by_name["PayloadService"].full_name,
        add_to=partial(payload_pb2_grpc.add_PayloadServiceServicer_to_server, PayloadServicer(answers)),
        channel_options=(("grpc.max_send_message_length", most_bytes(settings.answers.max_answer_mib)),),
        compression=grpc.Compression.Gzip if settings.answers.compression == "gzip" else None,
    )
    grpc_server.serve(operations, settings.grpc, (settings.host, settings.port))


def most_bytes(mib: int | None) -> int:
    """Return the limit of a message for grpcio. Received ones keep the default of 4 MiB: requests are small."""
    return _NO_LIMIT if mib is None else mib * _MEBIBYTE


def is_healthy(settings: OverGrpcSettings) -> bool:
    """Return whether the service that runs with these settings reports that it is serving."""
    return is_healthy_over_grpc(settings.host, settings.port)


if __name__ == "__main__":
    sys.exit(run(Program("payload_services.over_grpc", read_over_grpc_settings, serve, is_healthy)))

"""Serves the operations of a contract with grpcio, including health and reflection."""

import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from service_shared.grpc_settings import GrpcSettings
from service_shared.port import take_port

_END = {signal.SIGTERM, signal.SIGINT}


@dataclass(frozen=True, slots=True, kw_only=True)
class Operations:
    """The operations of one service of a contract."""

    # Name in the contract, with its package.
    service_name: str
    add_to: Callable[[grpc.Server | grpc.aio.Server], None]
    # In addition to those of every service.
    channel_options: tuple[tuple[str, int], ...] = ()
    # None: answers are not compressed.
    compression: grpc.Compression | None = None
    # Only with threads.
    interceptors: tuple[grpc.ServerInterceptor, ...] = ()


def create_server(operations: Operations, settings: GrpcSettings) -> tuple[grpc.Server, health.HealthServicer]:
    """Return a server that is not started yet, and the health that it reports."""
    server = grpc.server(
        ThreadPoolExecutor(settings.threads),
        interceptors=list(operations.interceptors),
        options=[*channel_options(settings), *operations.channel_options],
        maximum_concurrent_rpcs=settings.max_concurrent_rpcs,
        compression=operations.compression,
    )
    operations.add_to(server)
    healths = health.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(healths, server)
    for name in ("", operations.service_name):
        healths.set(name, health_pb2.HealthCheckResponse.SERVING)
    if settings.reflection:
        names = (operations.service_name, health.SERVICE_NAME, reflection.SERVICE_NAME)
        reflection.enable_server_reflection(names, server)
    return server, healths


def channel_options(settings: GrpcSettings) -> list[tuple[str, int]]:
    """Return the options of grpcio."""
    # It always sets TCP_NODELAY itself. Without this, a second server on the port would silently take part of the
    # calls.
    options = [("grpc.so_reuseport", 0)]
    if settings.keep_alive_seconds > 0:
        options.append(("grpc.max_connection_idle_ms", settings.keep_alive_seconds * 1000))
    return options


def serve(operations: Operations, settings: GrpcSettings, address: tuple[str, int]) -> None:
    """Answer calls until SIGTERM; raises SettingError if the port cannot be used."""
    host, port = address
    # grpcio binds the port itself, but reports errors in its own words and lines.
    take_port(host, port).close()
    # Before any thread is created, and thus for all of them: a Python handler runs in the main thread, and one that
    # waited for an event was occasionally not woken for it.
    signal.pthread_sigmask(signal.SIG_BLOCK, _END)
    server, healths = create_server(operations, settings)
    server.add_insecure_port(f"{host}:{port}")
    server.start()
    print(f"Listening on {host}:{port}", flush=True)
    signal.sigwait(_END)
    healths.enter_graceful_shutdown()
    server.stop(settings.graceful_seconds).wait()


def end_if_late(context: grpc.ServicerContext) -> None:
    """End a call that nobody waits for any more: its deadline may have passed while it was queued for a thread."""
    left = context.time_remaining()
    if not context.is_active() or (left is not None and left <= 0):
        context.abort(grpc.StatusCode.DEADLINE_EXCEEDED, "The deadline passed before the call was begun.")

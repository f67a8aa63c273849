"""Serves the operations of a contract with grpcio on an asyncio event loop, in one thread."""

import asyncio
import signal

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from service_shared.grpc_server import Operations, channel_options
from service_shared.grpc_settings import GrpcSettings
from service_shared.port import take_port


def serve(operations: Operations, settings: GrpcSettings, address: tuple[str, int]) -> None:
    """Answer calls until SIGTERM; raises SettingError if the port cannot be used."""
    host, port = address
    # grpcio binds the port itself, but reports errors in its own words and lines.
    take_port(host, port).close()
    asyncio.run(_serve(operations, settings, address))


async def _serve(operations: Operations, settings: GrpcSettings, address: tuple[str, int]) -> None:
    host, port = address
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    server = grpc.aio.server(
        options=[*channel_options(settings), *operations.channel_options],
        maximum_concurrent_rpcs=settings.max_concurrent_rpcs,
        compression=operations.compression,
    )
    healths = await _add_all(operations, settings, server)
    server.add_insecure_port(f"{host}:{port}")
    await server.start()
    print(f"Listening on {host}:{port}", flush=True)
    await ended.wait()
    await healths.enter_graceful_shutdown()
    await server.stop(settings.graceful_seconds)


async def _add_all(
    operations: Operations, settings: GrpcSettings, server: grpc.aio.Server
) -> health.aio.HealthServicer:
    operations.add_to(server)
    healths = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(healths, server)
    for name in ("", operations.service_name):
        await healths.set(name, health_pb2.HealthCheckResponse.SERVING)
    if settings.reflection:
        names = (operations.service_name, health.SERVICE_NAME, reflection.SERVICE_NAME)
        reflection.enable_server_reflection(names, server)
    return healths

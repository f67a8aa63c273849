"""Serves the operations, with health and reflection beside them."""

import signal
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from user.v1 import user_pb2, user_pb2_grpc
from user_shared.users import User

from user_grpc.servicer import BurningServicer, UserServicer
from user_grpc.settings import Settings

SERVICE_NAME = user_pb2.DESCRIPTOR.services_by_name["UserService"].full_name


def create_server(users: Mapping[int, User], settings: Settings) -> tuple[grpc.Server, health.HealthServicer]:
    """Return a server that is not started yet, and the health that it reports."""
    server = grpc.server(
        ThreadPoolExecutor(settings.threads),
        options=channel_options(settings),
        maximum_concurrent_rpcs=settings.max_concurrent_rpcs,
    )
    user_pb2_grpc.add_UserServiceServicer_to_server(create_servicer(users, settings), server)
    healths = health.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(healths, server)
    for name in ("", SERVICE_NAME):
        healths.set(name, health_pb2.HealthCheckResponse.SERVING)
    if settings.reflection:
        reflection.enable_server_reflection((SERVICE_NAME, health.SERVICE_NAME, reflection.SERVICE_NAME), server)
    return server, healths


def create_servicer(users: Mapping[int, User], settings: Settings) -> UserServicer:
    """Return the operations, with the extra work that the settings ask for."""
    iterations = settings.extra_iterations
    return BurningServicer(users, iterations) if iterations > 0 else UserServicer(users)


def channel_options(settings: Settings) -> list[tuple[str, int]]:
    """Return the settings that grpcio takes as options. It switches TCP_NODELAY on by itself, always."""
    # Else a second server on the port would take part of the calls, silently.
    options = [("grpc.so_reuseport", 0)]
    if settings.keep_alive_seconds > 0:
        options.append(("grpc.max_connection_idle_ms", settings.keep_alive_seconds * 1000))
    return options


def serve(users: Mapping[int, User], settings: Settings) -> None:
    """Answer calls until SIGTERM."""
    server, healths = create_server(users, settings)
    server.add_insecure_port(f"{settings.host}:{settings.port}")
    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    server.start()
    print(f"Listening on {settings.host}:{settings.port}", flush=True)
    stopping.wait()
    healths.enter_graceful_shutdown()
    server.stop(settings.graceful_seconds).wait()

"""Serves the operations."""

from collections.abc import Mapping
from contextlib import closing
from functools import partial

from service_shared import grpc_asyncio, grpc_server
from service_shared.environment import SettingError
from service_shared.open_store import open_store
from service_shared.stores import StoreError
from service_shared.users import User
from user.v1 import user_pb2, user_pb2_grpc

from user_grpc.asyncio_servicer import AsyncioServicer
from user_grpc.servicer import BurningServicer, UserServicer
from user_grpc.settings import Settings
from user_grpc.stored_servicer import StoredServicer

SERVICE_NAME = user_pb2.DESCRIPTOR.services_by_name["UserService"].full_name


def create_servicer(users: Mapping[int, User], settings: Settings) -> UserServicer | AsyncioServicer:
    """Return the operations, with the extra work that the settings ask for."""
    if settings.server == "asyncio":
        return AsyncioServicer(users)
    iterations = settings.extra_iterations
    return BurningServicer(users, iterations) if iterations > 0 else UserServicer(users)


def serve(users: Mapping[int, User], settings: Settings) -> None:
    """Answer calls until SIGTERM; raises SettingError if the port cannot be used."""
    _serve(create_servicer(users, settings), settings)


def serve_stored(users: Mapping[int, User], settings: Settings) -> None:
    """Answer calls out of a store until SIGTERM; raises SettingError if the store or the port cannot be used."""
    try:
        store = open_store(settings.store, users)
    except StoreError as error:
        raise SettingError(str(error)) from error
    with closing(store):
        _serve(StoredServicer(store, settings.extra_iterations), settings)


def _serve(servicer: user_pb2_grpc.UserServiceServicer, settings: Settings) -> None:
    add_to = partial(user_pb2_grpc.add_UserServiceServicer_to_server, servicer)
    operations = grpc_server.Operations(service_name=SERVICE_NAME, add_to=add_to)
    server = grpc_asyncio if settings.server == "asyncio" else grpc_server
    server.serve(operations, settings.grpc, (settings.host, settings.port))

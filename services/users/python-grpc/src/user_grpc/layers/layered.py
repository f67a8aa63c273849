"""The servicer with the layers in the settings, on threads or on an event loop."""

from collections.abc import Mapping
from contextlib import ExitStack, closing
from functools import partial

import grpc
from service_shared import extra_work, grpc_asyncio, grpc_server
from service_shared.environment import SettingError
from service_shared.more_users import with_more
from service_shared.open_store import open_store
from service_shared.stores import StoreError
from service_shared.users import InMemory, User
from user.v1 import user_pb2, user_pb2_grpc

from user_grpc.layers.asyncio_servicer import AsyncioServicer
from user_grpc.layers.interceptor import AroundOperations
from user_grpc.layers.settings import LayerSettings
from user_grpc.layers.stored import MessagesOf, ending_unavailable, message_of
from user_grpc.servicer import UserServicer
from user_grpc.settings import Settings

SERVICE_NAME = user_pb2.DESCRIPTOR.services_by_name["UserService"].full_name


def serve_layered(given: Mapping[int, User], settings: Settings) -> None:
    """Answer calls until SIGTERM; raises SettingError if the store or the port cannot be used."""
    layers = settings.layers
    address = (settings.host, settings.port)
    with ExitStack() as stack:
        if layers.store.is_memory:
            # Made once, so that no call makes them.
            known = with_more(given, layers.store.users).values()
            messages = InMemory({user.id: message_of(user) for user in known})
            servicer = AsyncioServicer(messages) if layers.server == "asyncio" else UserServicer(messages)
        else:
            try:
                store = stack.enter_context(closing(open_store(layers.store, given)))
            except StoreError as error:
                raise SettingError(str(error)) from error
            servicer = UserServicer(MessagesOf(store))
        operations = grpc_server.Operations(
            service_name=SERVICE_NAME,
            add_to=partial(user_pb2_grpc.add_UserServiceServicer_to_server, servicer),
            interceptors=interceptors_of(layers),
        )
        server = grpc_asyncio if layers.server == "asyncio" else grpc_server
        server.serve(operations, settings.grpc, address)


def interceptors_of(layers: LayerSettings) -> tuple[grpc.ServerInterceptor, ...]:
    """Return the interceptors around the operations: none by default."""
    slowdown = extra_work.burning(layers.extra_iterations)
    return (
        *([AroundOperations(SERVICE_NAME, slowdown)] if layers.extra_iterations > 0 else []),
        *([] if layers.store.is_memory else [AroundOperations(SERVICE_NAME, ending_unavailable)]),
    )

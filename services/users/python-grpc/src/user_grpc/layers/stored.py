"""Users in a store as messages, and UNAVAILABLE if the store does not answer."""

from functools import wraps
from typing import Any

import grpc
from service_shared.stores import StoreError, UserStore
from service_shared.users import User
from user.v1 import user_pb2

from user_grpc.layers.interceptor import Operation


class MessagesOf:
    """Messages of the users in the store."""

    def __init__(self, store: UserStore) -> None:
        """Store the store."""
        self.store = store

    def get(self, user_id: int, /) -> user_pb2.User | None:
        """Return the user with the id."""
        user = self.store.get(user_id)
        return None if user is None else message_of(user)

    def everyone(self) -> list[user_pb2.User]:
        """Return all users in the order of their ids."""
        return [message_of(user) for user in self.store.everyone()]


def message_of(user: User) -> user_pb2.User:
    """Return the user as a message."""
    return user_pb2.User(id=user.id, name=user.name, email=user.email, age=user.age)


def ending_unavailable(operation: Operation) -> Operation:
    """Return the operation that ends the call with UNAVAILABLE if the store does not answer."""

    @wraps(operation)
    def end_without_store(request: Any, context: grpc.ServicerContext) -> Any:  # noqa: ANN401 -- of any operation
        try:
            return operation(request, context)
        except StoreError as error:
            context.abort(grpc.StatusCode.UNAVAILABLE, str(error))

    return end_without_store

"""The operations of the user service with its users in a store."""

import grpc
from service_shared.extra_work import burn
from service_shared.grpc_server import end_if_late
from service_shared.stores import StoreError, UserStore
from service_shared.users import User
from user.v1 import user_pb2, user_pb2_grpc


class StoredServicer(user_pb2_grpc.UserServiceServicer):
    """Answers with messages made of what the store has, or ends the call with UNAVAILABLE if it does not answer."""

    def __init__(self, store: UserStore, extra_iterations: int = 0) -> None:
        """Keep the store, and how much extra work each call does."""
        self.store = store
        self.extra_iterations = extra_iterations

    def GetUser(self, request: user_pb2.GetUserRequest, context: grpc.ServicerContext) -> user_pb2.GetUserResponse:
        """Return one user, or end the call with INVALID_ARGUMENT, NOT_FOUND or UNAVAILABLE."""
        burn(self.extra_iterations)
        end_if_late(context)
        if request.id <= 0:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "A user's id is a whole number from 1 to 2147483647.")
        try:
            user = self.store.get(request.id)
        except StoreError as error:
            context.abort(grpc.StatusCode.UNAVAILABLE, str(error))
        if user is None:
            context.abort(grpc.StatusCode.NOT_FOUND, f"No user has the id {request.id}.")
        return user_pb2.GetUserResponse(user=_message(user))

    def ListUsers(
        self, request: user_pb2.ListUsersRequest, context: grpc.ServicerContext
    ) -> user_pb2.ListUsersResponse:
        """Return all users, or end the call with UNAVAILABLE."""
        burn(self.extra_iterations)
        end_if_late(context)
        try:
            users = self.store.everyone()
        except StoreError as error:
            context.abort(grpc.StatusCode.UNAVAILABLE, str(error))
        return user_pb2.ListUsersResponse(users=[_message(user) for user in users])


def _message(user: User) -> user_pb2.User:
    return user_pb2.User(id=user.id, name=user.name, email=user.email, age=user.age)

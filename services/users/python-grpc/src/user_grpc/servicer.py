"""The operations of the user service."""

from collections.abc import Mapping
from dataclasses import asdict

import grpc
from service_shared.extra_work import burn
from service_shared.grpc_server import end_if_late
from service_shared.users import User
from user.v1 import user_pb2, user_pb2_grpc


class UserServicer(user_pb2_grpc.UserServiceServicer):
    """Answers with users held in memory, as messages."""

    def __init__(self, users: Mapping[int, User]) -> None:
        """Turn the users into messages once."""
        self.users = {user_id: user_pb2.User(**asdict(user)) for user_id, user in users.items()}

    def GetUser(self, request: user_pb2.GetUserRequest, context: grpc.ServicerContext) -> user_pb2.GetUserResponse:
        """Return one user, or end the call with INVALID_ARGUMENT or NOT_FOUND."""
        end_if_late(context)
        if request.id <= 0:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "A user's id is a whole number from 1 to 2147483647.")
        user = self.users.get(request.id)
        if user is None:
            context.abort(grpc.StatusCode.NOT_FOUND, f"No user has the id {request.id}.")
        return user_pb2.GetUserResponse(user=user)

    def ListUsers(
        self, request: user_pb2.ListUsersRequest, context: grpc.ServicerContext
    ) -> user_pb2.ListUsersResponse:
        """Return all users."""
        end_if_late(context)
        return user_pb2.ListUsersResponse(users=self.users.values())


class BurningServicer(UserServicer):
    """Answers after so many iterations of extra work."""

    def __init__(self, users: Mapping[int, User], extra_iterations: int) -> None:
        """Keep how much work."""
        super().__init__(users)
        self.extra_iterations = extra_iterations

    def GetUser(self, request: user_pb2.GetUserRequest, context: grpc.ServicerContext) -> user_pb2.GetUserResponse:
        """Return one user."""
        burn(self.extra_iterations)
        return super().GetUser(request, context)

    def ListUsers(
        self, request: user_pb2.ListUsersRequest, context: grpc.ServicerContext
    ) -> user_pb2.ListUsersResponse:
        """Return all users."""
        burn(self.extra_iterations)
        return super().ListUsers(request, context)

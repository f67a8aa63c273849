"""The User Service over gRPC: a plain servicer of grpcio. Layers around it for some measurements are in `layers`."""

import grpc
from service_shared.grpc_server import end_if_late
from service_shared.users import Users
from user.v1 import user_pb2, user_pb2_grpc


class UserServicer(user_pb2_grpc.UserServiceServicer):
    """Answers with users that are already messages."""

    def __init__(self, users: Users[user_pb2.User]) -> None:
        """Store the users."""
        self.users = users

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
        return user_pb2.ListUsersResponse(users=self.users.everyone())

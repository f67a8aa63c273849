"""The operations of the user service as coroutines, for grpcio on asyncio."""

import grpc
from service_shared.users import Users
from user.v1 import user_pb2, user_pb2_grpc

# grpcio itself ends a coroutine when its deadline passes, so none checks whether anybody waits.


class AsyncioServicer(user_pb2_grpc.UserServiceServicer):
    """Answers with users that are already messages."""

    def __init__(self, users: Users[user_pb2.User]) -> None:
        """Store the users."""
        self.users = users

    async def GetUser(  # type: ignore[override] # the stubs know threads only
        self,
        request: user_pb2.GetUserRequest,
        context: grpc.aio.ServicerContext[user_pb2.GetUserRequest, user_pb2.GetUserResponse],
    ) -> user_pb2.GetUserResponse:
        """Return one user, or end the call with INVALID_ARGUMENT or NOT_FOUND."""
        if request.id <= 0:
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "A user's id is a whole number from 1 to 2147483647.")
        user = self.users.get(request.id)
        if user is None:
            await context.abort(grpc.StatusCode.NOT_FOUND, f"No user has the id {request.id}.")
        return user_pb2.GetUserResponse(user=user)

    async def ListUsers(  # type: ignore[override] # the stubs know threads only
        self,
        request: user_pb2.ListUsersRequest,
        context: grpc.aio.ServicerContext[user_pb2.ListUsersRequest, user_pb2.ListUsersResponse],
    ) -> user_pb2.ListUsersResponse:
        """Return all users."""
        return user_pb2.ListUsersResponse(users=self.users.everyone())

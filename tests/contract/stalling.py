"""Requests that are under way for as long as a test wants, without a slow operation in the services."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import grpc
from user.v1.user_pb2 import GetUserRequest, GetUserResponse


class Stall:
    """The request message of a call, kept back until it is released."""

    def __init__(self) -> None:
        """Keep the message back."""
        self._released = threading.Event()

    def release(self) -> None:
        """Send the message, or end the call without one where its deadline has passed."""
        self._released.set()

    def messages(self) -> Iterator[GetUserRequest]:
        """Yield the message as soon as it is released."""
        self._released.wait(timeout=20)
        yield GetUserRequest(id=1)


def stalled_call(channel: grpc.Channel, stall: Stall, timeout: float) -> Any:  # noqa: ANN401 -- grpc's future of a call
    """Begin a GetUser call; to the server a call with one message is the same whether or not the client streams."""
    call = channel.stream_unary(
        "/user.v1.UserService/GetUser",
        request_serializer=GetUserRequest.SerializeToString,
        response_deserializer=GetUserResponse.FromString,
    )
    return call.future(stall.messages(), timeout=timeout)


@contextmanager
def stalled_calls(channel: grpc.Channel, count: int, timeout: float) -> Iterator[list[Any]]:
    """Begin calls whose message does not come while the block lasts."""
    stall = Stall()
    try:
        yield [stalled_call(channel, stall, timeout) for _ in range(count)]
    finally:
        stall.release()

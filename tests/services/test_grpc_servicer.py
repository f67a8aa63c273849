"""The gRPC operations by themselves."""

from typing import NoReturn

import grpc
import pytest
from service_shared.users import InMemory, User
from user.v1.user_pb2 import GetUserRequest, ListUsersRequest
from user_grpc.layers.stored import message_of
from user_grpc.servicer import UserServicer


class Ended(Exception):
    """A call was ended with a status."""


class Call:
    """As much of a call's context as the operations use."""

    def __init__(self, active: bool, seconds_left: float | None) -> None:
        """Describe whether anybody still waits for the answer."""
        self.active = active
        self.seconds_left = seconds_left

    def is_active(self) -> bool:
        """Return whether the call is still open."""
        return self.active

    def time_remaining(self) -> float | None:
        """Return the seconds until the deadline."""
        return self.seconds_left

    def abort(self, code: grpc.StatusCode, details: str) -> NoReturn:
        """End the call."""
        raise Ended(code, details)


SERVICER = UserServicer(InMemory({1: message_of(User(1, "Ada Example", "ada@example.org", 36))}))


@pytest.mark.parametrize(("active", "seconds_left"), [(False, None), (False, 5.0), (True, 0.0), (True, -1.0)])
def test_does_no_work_that_nobody_waits_for(active: bool, seconds_left: float | None) -> None:
    call = Call(active, seconds_left)

    with pytest.raises(Ended, match="DEADLINE_EXCEEDED"):
        SERVICER.GetUser(GetUserRequest(id=1), call)  # type: ignore[arg-type]
    with pytest.raises(Ended, match="DEADLINE_EXCEEDED"):
        SERVICER.ListUsers(ListUsersRequest(), call)  # type: ignore[arg-type]


@pytest.mark.parametrize("seconds_left", [None, 0.5])
def test_answers_a_call_with_time_left(seconds_left: float | None) -> None:
    answer = SERVICER.GetUser(GetUserRequest(id=1), Call(True, seconds_left))  # type: ignore[arg-type]

    assert (answer.user.id, answer.user.age) == (1, 36)

"""What holds between the User Services in other frameworks and those in Python, beside their common contract."""

from collections.abc import Callable
from contextlib import closing
from http.client import HTTPConnection

import grpc
import pytest
from running import build, end_code, free_port, running, start, stop
from user.v1.user_pb2 import GetUserRequest, ListUsersRequest

REST = ["rest-express", "rest-fastify", "rest-go", "rest-spring"]
GRPC = ["grpc-go", "grpc-java", "grpc-node"]
# The services promise 2 s; a test machine may be busy with other things.
SOON_SECONDS = 5


def body_of(address: str, path: str) -> bytes:
    """Return what a REST service answers with."""
    with closing(HTTPConnection(address, timeout=20)) as connection:
        connection.request("GET", path)
        return connection.getresponse().read()


def message_of(address: str, method: str, request: bytes) -> bytes:
    """Return the message that a gRPC service answers with, as it goes over the wire."""
    with grpc.insecure_channel(address) as channel:
        call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(
            f"/user.v1.UserService/{method}", bytes, bytes
        )
        return call(request, timeout=20)


@pytest.mark.parametrize("service", REST)
def test_rest_answers_are_those_of_the_service_in_python_byte_for_byte(
    service: str, user_address: Callable[[str, str], str]
) -> None:
    for path in ["/user/1", "/user/10", "/users", "/health", "/openapi.json"]:
        assert body_of(user_address(service, ""), path) == body_of(user_address("rest", ""), path)


@pytest.mark.parametrize("service", GRPC)
def test_grpc_answers_are_those_of_the_service_in_python_byte_for_byte(
    service: str, user_address: Callable[[str, str], str]
) -> None:
    requests = [
        ("GetUser", GetUserRequest(id=1)),
        ("GetUser", GetUserRequest(id=10)),
        ("ListUsers", ListUsersRequest()),
    ]
    for method, request in requests:
        message = request.SerializeToString()
        expected = message_of(user_address("grpc", "threads"), method, message)
        assert message_of(user_address(service, ""), method, message) == expected


@pytest.mark.parametrize("service", REST)
def test_rest_ends_soon_beside_idle_connections_and_says_nothing_of_requests(service: str) -> None:
    build(service)
    port = free_port()
    with running(service, port) as started, closing(HTTPConnection("127.0.0.1", port, timeout=20)) as idle:
        idle.request("GET", "/user/7")
        idle.getresponse().read()
        still_open = idle.sock is not None

        output, errors, seconds = stop(started)

    assert still_open
    assert started.returncode == end_code(service)
    assert seconds < SOON_SECONDS
    assert "/user/7" not in output + errors


@pytest.mark.parametrize("service", [*REST, *GRPC])
def test_ends_with_its_port_in_what_it_says_if_that_is_taken(
    service: str, user_address: Callable[[str, str], str]
) -> None:
    port = int(user_address(service, "").rpartition(":")[2])

    started = start(service, port)
    output, errors = started.communicate(timeout=60)

    assert started.returncode in (1, 2)
    assert str(port) in output + errors

"""What the streaming services answer: users in one answer and as streams, also to who reads slowly."""

import json
import re
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import grpc
import pytest
from cases import USERS, Json
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from running import build, free_port, running
from streaming.v1.streaming_pb2 import (
    AskUsersRequest,
    ListUsersRequest,
    ListUsersResponse,
    StreamUsersRequest,
    User,
)

METHODS = "/streaming.v1.UserStreamService/"
COUNTS = [1, 100, 10_000]
# 73 MB of JSON, and 45 MB of protobuf.
MANY = 1_000_000
WHOLE, NDJSON, EVENTS = "application/json", "application/x-ndjson", "text/event-stream"


@contextmanager
def started(service: str) -> Iterator[tuple[str, int]]:
    """Yield address and process id of a service that runs for as long as the block lasts."""
    build(service)
    port = free_port()
    with running(service, port) as process:
        yield f"127.0.0.1:{port}", process.pid


@pytest.fixture(scope="module")
def over_http() -> Iterator[str]:
    """Return the address of the service over HTTP."""
    with started("streaming-ndjson") as (address, _):
        yield address


@pytest.fixture(scope="module")
def channel() -> Iterator[grpc.Channel]:
    """Return a channel to the service over gRPC."""
    with started("streaming-grpc") as (address, _), grpc.insecure_channel(address) as channel:
        yield channel


def expected(count: int) -> list[Json]:
    """Return so many users: the ten of the User Service in turn, each with its own id."""
    return [{**USERS[place % len(USERS)], "id": place + 1} for place in range(count)]


def get(address: str, path: str, accept: str) -> tuple[HTTPResponse, str]:
    """Return the answer to one request, and its body."""
    connection = HTTPConnection(address, timeout=20)
    connection.request("GET", path, headers={"Accept": accept})
    response = connection.getresponse()
    body = response.read().decode()
    connection.close()
    return response, body


def events_in(body: str) -> list[str]:
    """Return the data of each event, all of which have one line."""
    assert body.endswith("\n\n")
    return [event.removeprefix("data: ") for event in body.removesuffix("\n\n").split("\n\n")]


MESSAGES: dict[str, Callable[[str], list[Json]]] = {
    WHOLE: lambda body: json.loads(body)["users"],
    NDJSON: lambda body: [json.loads(line) for line in body.splitlines()],
    EVENTS: lambda body: [json.loads(event) for event in events_in(body)],
}


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("kind", [WHOLE, NDJSON, EVENTS])
def test_gives_the_users_over_http(kind: str, count: int, over_http: str) -> None:
    response, body = get(over_http, f"/users?count={count}", kind)

    assert (response.status, response.headers["Content-Type"]) == (200, kind)
    assert MESSAGES[kind](body) == expected(count)
    assert (response.headers["Content-Length"] is None) == (kind != WHOLE)


def test_gives_one_answer_to_who_asks_for_no_stream(over_http: str) -> None:
    assert get(over_http, "/users?count=2", "*/*")[0].headers["Content-Type"] == WHOLE


@pytest.mark.parametrize("query", ["", "?count=", "?count=0", "?count=-1", "?count=1000001", "?count=1.5", "?count=x"])
def test_refuses_a_count_that_it_does_not_have_over_http(query: str, over_http: str) -> None:
    response, body = get(over_http, f"/users{query}", NDJSON)

    assert response.status == 400
    assert "1 to 1000000 users" in body


def plain(message: Message) -> Json:
    """Return a message as JSON."""
    return MessageToDict(message)


def ask(channel: grpc.Channel, ids: list[int]) -> list[Json]:
    """Return the users that a stream is answered with."""
    method: grpc.StreamStreamMultiCallable[AskUsersRequest, User] = channel.stream_stream(
        f"{METHODS}AskUsers", AskUsersRequest.SerializeToString, User.FromString
    )
    return [plain(user) for user in method((AskUsersRequest(id=one) for one in ids), timeout=20)]


def stream(channel: grpc.Channel, count: int) -> Iterator[User]:
    """Return the users of a stream, as they come."""
    method: grpc.UnaryStreamMultiCallable[StreamUsersRequest, User] = channel.unary_stream(
        f"{METHODS}StreamUsers", StreamUsersRequest.SerializeToString, User.FromString
    )
    return iter(method(StreamUsersRequest(count=count), timeout=60))


def whole(channel: grpc.Channel, count: int) -> bytes:
    """Return one answer with all users, as it came."""
    method: grpc.UnaryUnaryMultiCallable[ListUsersRequest, bytes] = channel.unary_unary(
        f"{METHODS}ListUsers", ListUsersRequest.SerializeToString, bytes
    )
    return method(ListUsersRequest(count=count), timeout=60)


@pytest.mark.parametrize("count", COUNTS)
def test_gives_the_same_users_over_grpc_in_each_of_three_ways(count: int, channel: grpc.Channel) -> None:
    users = expected(count)

    assert [plain(user) for user in ListUsersResponse.FromString(whole(channel, count)).users] == users
    assert [plain(user) for user in stream(channel, count)] == users
    assert ask(channel, list(range(1, count + 1))) == users


def test_answers_each_id_of_a_stream_before_the_next_is_asked_for(channel: grpc.Channel) -> None:
    method: grpc.StreamStreamMultiCallable[AskUsersRequest, User] = channel.stream_stream(
        f"{METHODS}AskUsers", AskUsersRequest.SerializeToString, User.FromString
    )
    answered: list[int] = []

    def asked() -> Iterator[AskUsersRequest]:
        for one in (7, 3, 1_000_000):
            yield AskUsersRequest(id=one)
            while one not in answered:
                time.sleep(0.01)

    for user in method(asked(), timeout=20):
        answered.append(user.id)
    assert answered == [7, 3, 1_000_000]


@pytest.mark.parametrize("count", [0, -1, MANY + 1])
def test_refuses_a_count_and_an_id_that_it_does_not_have_over_grpc(count: int, channel: grpc.Channel) -> None:
    for call in (lambda: whole(channel, count), lambda: list(stream(channel, count))):
        with pytest.raises(grpc.RpcError) as refused:
            call()
        assert refused.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    with pytest.raises(grpc.RpcError) as unknown:
        ask(channel, [1, count])
    assert unknown.value.code() == grpc.StatusCode.NOT_FOUND


def peak_bytes(pid: int) -> int:
    """Return the most memory that a process has had."""
    found = re.search(r"^VmHWM:\s+(\d+) kB$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    assert found
    return int(found[1]) * 1024


def wait_until_it_waits(pid: int) -> None:
    """Return once a process has taken no CPU time for a third of a second, as one does that waits for its client."""
    deadline = time.monotonic() + 30
    before: list[str] = []
    while time.monotonic() < deadline:
        ticks = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        if ticks == before:
            return
        before = ticks
        time.sleep(0.3)
    raise AssertionError("it does not wait for its client")


def begun_over_http(address: str, accept: str) -> tuple[socket.socket, str]:
    """Return a connection on which a large answer has begun, and that beginning: nobody reads any more of it."""
    host, port = address.split(":")
    connection = socket.socket()
    connection.settimeout(60)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    connection.connect((host, int(port)))
    connection.sendall(f"GET /users?count={MANY} HTTP/1.1\r\nHost: {address}\r\nAccept: {accept}\r\n\r\n".encode())
    return connection, connection.recv(512).decode()


@pytest.mark.parametrize("kind", [NDJSON, EVENTS])
def test_keeps_no_more_than_a_part_of_a_stream_for_who_reads_slowly_over_http(kind: str) -> None:
    with started("streaming-ndjson") as (address, pid):
        get(address, "/users?count=100", kind)
        before = peak_bytes(pid)
        connection, head = begun_over_http(address, kind)
        wait_until_it_waits(pid)
        of_stream = peak_bytes(pid) - before
        connection.close()
        other, head_of_whole = begun_over_http(address, WHOLE)
        of_whole = peak_bytes(pid) - before
        other.close()

    assert head.startswith("HTTP/1.1 200")
    found = re.search(r"Content-Length: (\d+)", head_of_whole)
    assert found
    size = int(found[1])
    # One answer is made before any of it is sent, which shows that more would be seen.
    assert of_stream < size / 4 < size < of_whole


def test_keeps_no_more_than_a_part_of_a_stream_for_who_reads_slowly_over_grpc() -> None:
    unlimited = (("grpc.max_receive_message_length", -1),)
    with started("streaming-grpc") as (address, pid), grpc.insecure_channel(address, unlimited) as channel:
        list(stream(channel, 100))
        before = peak_bytes(pid)
        users = stream(channel, MANY)
        first = next(users)
        wait_until_it_waits(pid)
        of_stream = peak_bytes(pid) - before
        size = len(whole(channel, MANY))
        of_whole = peak_bytes(pid) - before

    assert plain(first) == expected(1)[0]
    assert of_stream < size / 4 < size < of_whole

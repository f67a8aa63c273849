"""The User Service with its users in any store, over both protocols, and what it answers in canonical form."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import Any

import grpc
from google.protobuf.json_format import MessageToDict
from running import free_port, running
from user.v1 import user_pb2, user_pb2_grpc

Answer = tuple[str, Any]
_WORDS: dict[object, str] = {
    **{200: "ok", 400: "invalid", 404: "not-found", 503: "unavailable"},
    grpc.StatusCode.INVALID_ARGUMENT: "invalid",
    grpc.StatusCode.NOT_FOUND: "not-found",
    grpc.StatusCode.UNAVAILABLE: "unavailable",
}


class Client:
    """Asks one service over one connection."""

    def __init__(self, protocol: str, port: int) -> None:
        """Connect when it is first asked."""
        self.is_rest = protocol == "rest"
        self.http = HTTPConnection("127.0.0.1", port, timeout=20)
        self.channel = grpc.insecure_channel(f"127.0.0.1:{port}", options=[("grpc.max_receive_message_length", -1)])

    def get(self, user_id: int) -> Answer:
        """Return the user with the id, or why there is none."""
        if self.is_rest:
            return self._rest(f"/user/{user_id}")
        stub = user_pb2_grpc.UserServiceStub(self.channel)
        try:
            return "ok", MessageToDict(stub.GetUser(user_pb2.GetUserRequest(id=user_id), timeout=20).user)
        except grpc.RpcError as error:
            return _WORDS[error.code()], error.details()

    def everyone(self) -> Answer:
        """Return all users, each as its values in order: there may be many."""
        if self.is_rest:
            word, found = self._rest("/users")
            return word, [tuple(user.values()) for user in found["users"]]
        stub = user_pb2_grpc.UserServiceStub(self.channel)
        found = stub.ListUsers(user_pb2.ListUsersRequest(), timeout=20).users
        return "ok", [(user.id, user.name, user.email, user.age) for user in found]

    def text(self, path: str) -> str:
        """Return what is there over HTTP."""
        self.http.request("GET", path)
        return self.http.getresponse().read().decode()

    def close(self) -> None:
        """Close the connection."""
        self.http.close()
        self.channel.close()

    def _rest(self, path: str) -> Answer:
        self.http.request("GET", path)
        response = self.http.getresponse()
        word, body = _WORDS[response.status], json.loads(response.read())
        return word, body if word == "ok" else body["detail"]


@contextmanager
def asked(service: str, **settings: str) -> Iterator[Client]:
    """Yield a client of a service, which runs for as long as the block lasts and complains of nothing."""
    port = free_port()
    with running(service, port, DATABASE_TIMEOUT_SECONDS="2", **settings) as started:
        client = Client(service.split("-")[0], port)
        yield client
        client.close()
        started.terminate()
        output, errors = started.communicate(timeout=20)
        assert "Traceback" not in output + errors
        assert started.returncode == 0

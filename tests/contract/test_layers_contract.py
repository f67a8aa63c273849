"""The layers in Go and in Rust: the same answers, over both ways, and what each layer tells of itself."""

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack

import grpc
import pytest
from google.protobuf.message import Message
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase
from layers.v1.layers_pb2 import GetUserRequest, GetUserResponse, ListUsersRequest, ListUsersResponse
from layers_clients import LANGUAGES, WAYS, Chain, chain
from payload_clients import get

Chains = dict[tuple[str, str], Chain]

PATHS = {
    "/1": 200,
    "/100": 200,
    "/101": 404,
    "/0": 400,
    "/01": 400,
    "/+1": 400,
    "/2147483648": 400,
    "/x": 400,
    "/a%2Fb": 400,
    "": 200,
    "?page=2&page_size=50": 200,
    "?page=0&page_size=0": 200,
    "?page=&page_size=": 200,
    "?page=9": 200,
    "?page=2147483647&page_size=100": 200,
    "?page=1&page=x": 200,
    "?page=-1": 400,
    "?page_size=101": 400,
    "?page_size=-1": 400,
    "?page=x": 400,
    "?page=1.5": 400,
    "?page=2147483648": 400,
}


@pytest.fixture(scope="module")
def chains() -> Iterator[Chains]:
    """Return all layers, in both languages, asking each other by both ways."""
    with ExitStack() as started:
        yield {(language, way): started.enter_context(chain(language, way)) for language in LANGUAGES for way in WAYS}


def test_they_give_the_same_answers(chains: Chains) -> None:
    for path, status in PATHS.items():
        answers = {name: get(layers["controller"]["PORT"], f"/api/v1/users{path}") for name, layers in chains.items()}
        found = {name: (answer.status, answer.headers["content-type"], answer.body) for name, answer in answers.items()}
        assert {answer.status for answer in answers.values()} == {status}, (path, found)
        assert len(set(found.values())) == 1, (path, found)


def test_they_give_the_same_answers_to_calls(chains: Chains) -> None:
    for user_id in ("1", "101", "x", "01"):
        one = {
            name: called(layers["controller"], "GetUser", GetUserRequest(user_id=user_id))
            for name, layers in chains.items()
        }
        assert len(set(one.values())) == 1, (user_id, one)
    for page, page_size in ((0, 0), (2, 50), (9, 0), (-1, 0), (1, 101)):
        request = ListUsersRequest(page=page, page_size=page_size)
        some = {name: called(layers["controller"], "ListUsers", request) for name, layers in chains.items()}
        assert len(set(some.values())) == 1, (request, some)


def called(layer: dict[str, str], method: str, request: GetUserRequest | ListUsersRequest) -> str:
    """Return the bytes of an answer to a call of a layer, or its refusal."""
    answer: type[Message] = {"GetUser": GetUserResponse, "ListUsers": ListUsersResponse}[method]
    with grpc.insecure_channel(layer["PORT_GRPC"]) as channel:
        call = channel.unary_unary(
            f"/layers.v1.UserService/{method}",
            request_serializer=type(request).SerializeToString,
            response_deserializer=answer.FromString,
        )
        try:
            return str(call(request, timeout=20))
        except grpc.RpcError as error:
            return f"{error.code()}: {error.details()}"


def test_they_say_that_every_layer_serves_and_what_it_has(chains: Chains) -> None:
    for name, layers in chains.items():
        for layer, addresses in layers.items():
            with grpc.insecure_channel(addresses["PORT_GRPC"]) as channel:
                for service in ("", "layers.v1.UserService"):
                    state = health(channel, service)
                    assert state.status == HealthCheckResponse.SERVING, (name, layer, service)
                reflected = ProtoReflectionDescriptorDatabase(channel)
                assert {"grpc.health.v1.Health", "layers.v1.UserService"} <= set(reflected.get_services())
                contract = reflected.FindFileContainingSymbol("layers.v1.UserService")
                assert contract.name == "layers/v1/layers.proto", (name, layer)


def health(channel: grpc.Channel, service: str) -> HealthCheckResponse:
    """Return what a layer says of a service over gRPC."""
    check = channel.unary_unary(
        "/grpc.health.v1.Health/Check",
        request_serializer=HealthCheckRequest.SerializeToString,
        response_deserializer=HealthCheckResponse.FromString,
    )
    return check(HealthCheckRequest(service=service), timeout=20)


def test_they_show_the_same_figures(chains: Chains) -> None:
    for layers in chains.values():
        for at in layers.values():
            assert get(at["PORT"], "/api/v1/users/1").status == 200
            called(at, "GetUser", GetUserRequest(user_id="1"))
    shown = {(*name, layer): figures(at["PORT"]) for name, layers in chains.items() for layer, at in layers.items()}
    for language, way, layer in shown:
        assert shown[language, way, layer] == shown["go", way, layer], (language, way, layer)
    assert "request_duration_seconds_bucket operation protocol" in " ".join(shown["rust", "grpc", "repository"])


def figures(address: str) -> frozenset[str]:
    """Return the names of a layer's own figures, with those of their labels."""
    own = r"^((?:request|http|grpc|active)_\w+)\{(.*)\}"
    text = get(address, "/metrics").body.decode()
    return frozenset(
        " ".join([name, *sorted({*re.findall(r"(\w+)=", labels)} - {"le"})])
        for name, labels in re.findall(own, text, re.MULTILINE)
    )


def test_a_user_has_every_field_in_order(chains: Chains) -> None:
    for name, layers in chains.items():
        user = json.loads(get(layers["controller"]["PORT"], "/api/v1/users/10").body)
        assert list(user)[:3] == ["id", "username", "email"], name
        assert (user["role"], user["status"], user["created_at"]) == ("editor", "suspended", "2024-01-11T07:30:00Z")

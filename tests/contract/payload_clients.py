"""The payload services, and what they answer, in canonical form."""

import gzip
import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import grpc
from cases import ROOT
from google.protobuf.json_format import MessageToDict
from payload.v1.payload_pb2 import GetObjectsRequest, GetObjectsResponse
from running import build, free_port, running

SERVICES = [f"payload-{form}{language}" for form in ("json", "protobuf", "grpc") for language in ("", "-go")]
# They differ from payload-json and payload-json-go by the library that writes JSON alone.
FAST = ["payload-orjson", "payload-sonic-go"]
OVER_HTTP = [service for service in SERVICES if "grpc" not in service]
OVER_GRPC = [service for service in SERVICES if "grpc" in service]
CALL = "/payload.v1.PayloadService/GetObjects"
CONTENT_TYPE = {"json": "application/json", "protobuf": "application/x-protobuf"}

Json = dict[str, object]

# The objects 1, 2, 1000 and 100000, as each implementation must make them.
GOLDEN: list[Json] = json.loads((ROOT / "tests/fixtures/payload/objects.json").read_bytes())["objects"]


def form_of(service: str) -> str:
    """Return "json", "protobuf" or "grpc"."""
    return "json" if service in FAST else service.split("-")[1]


@contextmanager
def payload_service(service: str, **settings: str) -> Iterator[str]:
    """Yield the address of a service that runs for as long as the block lasts."""
    build(service)
    port = free_port()
    with running(service, port, **settings):
        yield f"127.0.0.1:{port}"


@dataclass(frozen=True)
class HttpAnswer:
    """An answer over HTTP, with its body as it came."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes


def get(address: str, path: str, headers: dict[str, str] | None = None, method: str = "GET") -> HttpAnswer:
    """Return the answer to one request."""
    connection = http.client.HTTPConnection(address, timeout=60)
    try:
        connection.request(method, path, headers=headers or {})
        response = connection.getresponse()
        return HttpAnswer(response.status, response.headers, response.read())
    finally:
        connection.close()


def call(address: str, request: bytes | int, options: tuple[tuple[str, int], ...] = ()) -> GetObjectsResponse:
    """Return the answer to a count, or to the bytes of a message; raises grpc.RpcError for any other end."""
    message = GetObjectsRequest(count=request).SerializeToString() if isinstance(request, int) else request
    with grpc.insecure_channel(address, options=options) as channel:
        method: grpc.UnaryUnaryMultiCallable[bytes, GetObjectsResponse] = channel.unary_unary(
            CALL, bytes, GetObjectsResponse.FromString
        )
        return method(message, timeout=60)


UNLIMITED = (("grpc.max_receive_message_length", -1),)


def objects_of(service: str, address: str, count: int) -> list[Json]:
    """Return the objects that a service answers with, as JSON of protobuf has them with all fields."""
    if form_of(service) == "grpc":
        return from_message(call(address, count, UNLIMITED))
    answer = get(address, f"/objects?count={count}", {"Accept-Encoding": "gzip"})
    assert (answer.status, answer.headers["Content-Type"]) == (200, CONTENT_TYPE[form_of(service)])
    return decode(service, answer)


def decode(service: str, answer: HttpAnswer) -> list[Json]:
    """Return the objects of an answer over HTTP."""
    body = gzip.decompress(answer.body) if answer.headers["Content-Encoding"] == "gzip" else answer.body
    if form_of(service) == "protobuf":
        return from_message(GetObjectsResponse.FromString(body))
    document = json.loads(body)
    assert list(document) == ["objects"]
    return document["objects"]  # type: ignore[no-any-return]


def from_message(message: GetObjectsResponse) -> list[Json]:
    """Return the objects of a message."""
    return MessageToDict(message, always_print_fields_with_no_presence=True)["objects"]  # type: ignore[no-any-return]

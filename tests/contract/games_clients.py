"""The six games services in front of one database, and what they answer, in canonical form."""

import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import grpc
from games.v1 import games_pb2, games_pb2_grpc
from google.protobuf.json_format import MessageToDict, ParseDict
from running import build, free_port, running
from websockets.sync.client import connect

Json = dict[str, Any]
SERVICES = [
    "games-rest",
    "games-grpc",
    "games-graphql",
    "games-websocket",
    "games-graphql-go",
    "games-websocket-go",
]
_SCALARS = "id title developer publisher release_date price_cents genres tags platforms description"
_FIELDS = f"{_SCALARS} ratings {{ positive negative }}"
_QUERIES = {
    "addGame": "mutation ($game: GameInput!) { addGame(game: $game) { id title } }",
    "getGame": f"query ($id: Int!) {{ game(id: $id) {{ {_FIELDS} }} }}",
    "listGames": f"{{ games {{ {_FIELDS} }} }}",
    "updateGame": "mutation ($game: GameInput!) { updateGame(game: $game) { id title } }",
    "deleteGame": "mutation ($id: Int!) { deleteGame(id: $id) { id } }",
}
_KINDS_OF_HTTP = {400: "invalid", 404: "not-found", 503: "unavailable"}
_KINDS_OF_GRPC = {"INVALID_ARGUMENT": "invalid", "NOT_FOUND": "not-found", "UNAVAILABLE": "unavailable"}


class RefusedError(Exception):
    """A service answered with an error; the message is its kind."""


@contextmanager
def games_service(service: str, database: str) -> Iterator[str]:
    """Yield the address of a service in front of a database, which runs for as long as the block lasts."""
    build(service, without_needs=True)
    port = free_port()
    url = f"mongodb://{database}"
    with running(service, port, DATABASE_URL=url, DATABASE_TIMEOUT_SECONDS="1", PYTHONWARNINGS="ignore"):
        yield f"127.0.0.1:{port}"


def ask(service: str, address: str, method: str, params: Json) -> Json:
    """Return what a service answers; raises RefusedError."""
    protocol = service.split("-")[1]
    return {"rest": _rest, "grpc": _grpc, "graphql": _graphql, "websocket": _websocket}[protocol](
        address, method, params
    )


def _http(address: str, method: str, path: str, body: Json | None) -> tuple[int, Json]:
    connection = http.client.HTTPConnection(address, timeout=20)
    try:
        text = None if body is None else json.dumps(body)
        connection.request(method, path, text, {} if body is None else {"Content-Type": "application/json"})
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


def _rest(address: str, method: str, params: Json) -> Json:
    game = params.get("game")
    path = f"/games/{params.get('id') if game is None else game['id']}"
    status, answer = _http(
        address,
        *{
            "addGame": ("POST", "/games", game),
            "getGame": ("GET", path, None),
            "listGames": ("GET", "/games", None),
            "updateGame": ("PUT", path, game),
            "deleteGame": ("DELETE", path, None),
        }[method],
    )
    if status >= 400:
        raise RefusedError(_KINDS_OF_HTTP[status])
    return answer


def query(address: str, text: str, variables: Json | None = None) -> tuple[int, Json]:
    """Return the status and the whole answer to a query over GraphQL."""
    return _http(address, "POST", "/graphql", {"query": text, "variables": variables or {}})


def _graphql(address: str, method: str, params: Json) -> Json:
    status, answer = query(address, _QUERIES[method], params)
    if "errors" in answer:
        raise RefusedError("unavailable" if "database" in answer["errors"][0]["message"] else "invalid")
    assert status == 200
    (found,) = answer["data"].values()
    if found is None:
        raise RefusedError("not-found")
    return {"games": found} if method == "listGames" else found


def _grpc(address: str, method: str, params: Json) -> Json:
    name = method[0].upper() + method[1:]
    request = ParseDict(params, getattr(games_pb2, f"{name}Request")())
    with grpc.insecure_channel(address) as channel:
        try:
            answer = getattr(games_pb2_grpc.GameServiceStub(channel), name)(request, timeout=20)
        except grpc.RpcError as error:
            raise RefusedError(_KINDS_OF_GRPC[error.code().name]) from error
    found = MessageToDict(answer, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
    return found["game"] if method == "getGame" else found


def _websocket(address: str, method: str, params: Json) -> Json:
    with connect(f"ws://{address}", compression=None) as connection:
        connection.send(json.dumps({"id": 7, "method": method, "params": params}))
        answer = json.loads(connection.recv(timeout=20))
    assert answer["id"] == 7
    if "error" in answer:
        raise RefusedError(answer["error"]["code"])
    return answer["result"]  # type: ignore[no-any-return]

"""Games in memory, and the four game services around them, asked within this process."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import grpc
from games.v1 import games_pb2
from games_services import graphql_app, rest_app
from games_services.games import DatabaseError, Deleted, Game, Kept, load_catalog
from games_services.messages import Messages
from games_services.servicer import GameServicer
from google.protobuf.json_format import MessageToDict, ParseDict, ParseError

Json = dict[str, Any]
SCALARS = "id title developer publisher release_date price_cents genres tags platforms description"
FIELDS = f"{SCALARS} ratings {{ positive negative }}"
QUERIES = {
    "addGame": "mutation ($game: GameInput!) { addGame(game: $game) { id title } }",
    "getGame": f"query ($id: Int!) {{ game(id: $id) {{ {FIELDS} }} }}",
    "listGames": f"{{ games {{ {FIELDS} }} }}",
    "updateGame": "mutation ($game: GameInput!) { updateGame(game: $game) { id title } }",
    "deleteGame": "mutation ($id: Int!) { deleteGame(id: $id) { id } }",
}


class GamesInMemory:
    """The catalog without a database, which can be told to fail."""

    def __init__(self) -> None:
        """Begin with the catalog and nothing added."""
        self.catalog = {game["id"]: game for game in load_catalog()}
        self.added: list[Game] = []
        self.is_gone = False

    def add(self, game: Game) -> Kept:
        """Keep the game."""
        self._reach()
        self.added.append(game)
        return {"id": game["id"], "title": game["title"]}

    def get(self, game_id: int) -> Game | None:
        """Return the game."""
        self._reach()
        return self.catalog.get(game_id)

    def list(self) -> list[Game]:
        """Return all games."""
        self._reach()
        return list(self.catalog.values())

    def by_publisher(self, publisher: str) -> Sequence[Game]:
        """Return the games of a publisher."""
        return [game for game in self.list() if game["publisher"] == publisher]

    def update(self, game: Game) -> Kept:
        """Replace the game."""
        self._reach()
        self.catalog[game["id"]] = game
        return {"id": game["id"], "title": game["title"]}

    def delete(self, game_id: int) -> Deleted:
        """Remove the game."""
        self._reach()
        self.catalog.pop(game_id, None)
        return {"id": game_id}

    def _reach(self) -> None:
        if self.is_gone:
            raise DatabaseError("The database failed: nobody listens")


class RefusedError(Exception):
    """A service answered with an error; the message is its kind."""


class Context:
    """A call that is still waited for, as grpcio shows it to a servicer."""

    def is_active(self) -> bool:
        """Return that the client is there."""
        return True

    def time_remaining(self) -> None:
        """Return that there is no deadline."""

    def abort(self, code: grpc.StatusCode, _details: str) -> None:
        """End the call."""
        raise RefusedError({"NOT_FOUND": "not-found", "INVALID_ARGUMENT": "invalid"}.get(code.name, "unavailable"))


Ask = Callable[[GamesInMemory, str, Json], Json]


def over_rest(games: GamesInMemory, method: str, params: Json) -> Json:
    """Return what the REST service answers; raises RefusedError."""
    client = rest_app.create_app(games).test_client()
    if method == "addGame":
        response = client.post("/games", json=params["game"])
    elif method == "updateGame":
        response = client.put(f"/games/{params['game']['id']}", json=params["game"])
    elif method == "deleteGame":
        response = client.delete(f"/games/{params['id']}")
    else:
        response = client.get("/games" if method == "listGames" else f"/games/{params['id']}")
    kinds = {404: "not-found", 400: "invalid", 503: "unavailable"}
    if response.status_code >= 400:
        raise RefusedError(kinds[response.status_code])
    return response.get_json()  # type: ignore[no-any-return]


def over_graphql(games: GamesInMemory, method: str, params: Json) -> Json:
    """Return the only field of the data that the GraphQL service answers with; raises RefusedError."""
    client = graphql_app.create_app(games).test_client()
    answer = client.post("/graphql", json={"query": QUERIES[method], "variables": params}).get_json()
    if "errors" in answer:
        raise RefusedError("unavailable" if "database" in answer["errors"][0]["message"] else "invalid")
    (found,) = answer["data"].values()
    if found is None:
        raise RefusedError("not-found")
    return {"games": found} if method == "listGames" else found


def over_grpc(games: GamesInMemory, method: str, params: Json) -> Json:
    """Return what the gRPC service answers; raises RefusedError."""
    name = method[0].upper() + method[1:]
    try:
        request = ParseDict(params, getattr(games_pb2, f"{name}Request")())
    except ParseError as error:
        raise RefusedError("invalid") from error
    answer = getattr(GameServicer(games), name)(request, Context())
    found = MessageToDict(answer, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
    return found["game"] if method == "getGame" else found


def over_websocket(games: GamesInMemory, method: str, params: Json) -> Json:
    """Return the result of the WebSocket service; raises RefusedError."""
    answer = json.loads(Messages(games).answer(json.dumps({"id": 7, "method": method, "params": params})))
    assert answer["id"] == 7
    if "error" in answer:
        raise RefusedError(answer["error"]["code"])
    return answer["result"]  # type: ignore[no-any-return]


SERVICES: dict[str, Ask] = {
    "rest": over_rest,
    "grpc": over_grpc,
    "graphql": over_graphql,
    "websocket": over_websocket,
}

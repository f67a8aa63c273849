"""All six games services, in two languages and over four protocols, answer alike out of a database.

That is one in memory with as much of MongoDB's wire protocol as they need, or a FerretDB or MongoDB without a catalog
at WIREGAUGE_DATABASE_ADDRESS.
"""

import os
from collections.abc import Iterator
from threading import Thread

import pytest
from cases import ROOT
from games_clients import SERVICES, Json, RefusedError, ask, games_service, query
from games_services.games import load_catalog
from running import free_port
from wire_database import WireDatabase

IN_GO = ROOT / "services/games/go/internal/games/games.json"
IN_PYTHON = ROOT / "services/games/python/src/games_services/games.json"
ADDRESS = os.environ.get("WIREGAUGE_DATABASE_ADDRESS")


def _started(port: int) -> WireDatabase:
    database = WireDatabase(port)
    Thread(target=database.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    return database


@pytest.fixture(scope="module", params=SERVICES)
def running_service(request: pytest.FixtureRequest) -> Iterator[tuple[str, str]]:
    """Return the name and the address of a service; its database has the catalog at least."""
    if ADDRESS:
        with games_service(request.param, ADDRESS) as address:
            yield request.param, address
        return
    port = free_port()
    database = _started(port)
    with games_service(request.param, f"127.0.0.1:{port}") as address:
        yield request.param, address
    database.close()


def test_both_languages_have_one_catalog() -> None:
    assert IN_GO.read_bytes() == IN_PYTHON.read_bytes()


def test_gives_one_game_and_all(running_service: tuple[str, str]) -> None:
    catalog = load_catalog()

    assert ask(*running_service, "getGame", {"id": 50}) == catalog[49]
    assert ask(*running_service, "listGames", {}) == {"games": catalog}


def test_adds_updates_and_deletes_a_game_as_often_as_asked(running_service: tuple[str, str]) -> None:
    game = load_catalog()[0] | {"id": 101, "title": "Ünicode ✓", "price_cents": 0, "genres": []}
    changed = {**game, "title": "Another"}

    for _ in range(2):
        assert ask(*running_service, "addGame", {"game": game}) == {"id": 101, "title": game["title"]}
    with pytest.raises(RefusedError, match="not-found"):
        ask(*running_service, "getGame", {"id": 101})
    for one in (game, game, changed):
        assert ask(*running_service, "updateGame", {"game": one}) == {"id": 101, "title": one["title"]}
        assert ask(*running_service, "getGame", {"id": 101}) == one
    assert len(ask(*running_service, "listGames", {})["games"]) == 101
    for _ in range(2):
        assert ask(*running_service, "deleteGame", {"id": 101}) == {"id": 101}
    assert ask(*running_service, "listGames", {}) == {"games": load_catalog()}


def test_refuses_what_is_no_id(running_service: tuple[str, str]) -> None:
    for method in ("getGame", "deleteGame"):
        with pytest.raises(RefusedError, match="invalid"):
            ask(*running_service, method, {"id": 0})


WRONG_ID: Json = {"id": 0}
# A message of gRPC cannot say these.
WRONG: list[Json] = [{"title": 7}, {"title": None}, {"genres": [1]}, {"ratings": {"positive": 1}}, {"more": 1}]


@pytest.mark.parametrize(
    ("running_service", "wrong"),
    [(service, wrong) for service in SERVICES for wrong in [WRONG_ID, *(WRONG if service != "games-grpc" else [])]],
    indirect=["running_service"],
)
def test_refuses_what_is_no_game(running_service: tuple[str, str], wrong: Json) -> None:
    for method in ("addGame", "updateGame"):
        with pytest.raises(RefusedError, match="invalid"):
            ask(*running_service, method, {"game": {**load_catalog()[0], **wrong}})


@pytest.mark.parametrize("running_service", ["games-graphql", "games-graphql-go"], indirect=True)
def test_gives_the_games_of_a_publisher(running_service: tuple[str, str]) -> None:
    _, address = running_service
    titles = [{"title": game["title"]} for game in load_catalog() if game["publisher"] == "Farpoint"]
    game_id = next(game["id"] for game in load_catalog() if game["publisher"] == "Farpoint")
    selected = 'games(publisher: "Farpoint") { title }'

    status, answer = query(address, f"{{ {selected} game(id: {game_id}) {{ publisher_games {{ title }} }} }}")

    assert (status, answer) == (200, {"data": {"games": titles, "game": {"publisher_games": titles}}})


@pytest.mark.skipif(ADDRESS is not None, reason="a database that is given is not ended")
@pytest.mark.parametrize("service", SERVICES)
def test_says_that_its_database_went_away_and_answers_again_once_it_is_back(service: str) -> None:
    port = free_port()
    database = _started(port)
    with games_service(service, f"127.0.0.1:{port}") as address:
        assert ask(service, address, "getGame", {"id": 1})
        database.close()
        with pytest.raises(RefusedError, match="unavailable"):
            ask(service, address, "getGame", {"id": 1})
        back = _started(port)
        back.collections = database.collections
        assert ask(service, address, "getGame", {"id": 1}) == load_catalog()[0]
        back.close()

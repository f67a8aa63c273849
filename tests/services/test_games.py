"""The games services answer alike over the four protocols."""

import json
from typing import cast

import pytest
from games_doubles import SERVICES, Ask, GamesInMemory, Json, RefusedError
from games_services.games import GameError, load_catalog, parse_game
from games_services.make_catalog import make_catalog
from games_services.messages import Messages

every_service = pytest.mark.parametrize("ask", SERVICES.values(), ids=SERVICES.keys())


@pytest.fixture
def games() -> GamesInMemory:
    return GamesInMemory()


def test_the_catalog_is_what_its_seed_makes() -> None:
    assert load_catalog() == make_catalog()
    assert [game["id"] for game in load_catalog()] == list(range(1, 101))


@every_service
def test_gives_a_game_as_the_catalog_has_it(ask: Ask, games: GamesInMemory) -> None:
    assert ask(games, "getGame", {"id": 50}) == load_catalog()[49]


@every_service
def test_gives_all_games(ask: Ask, games: GamesInMemory) -> None:
    assert ask(games, "listGames", {}) == {"games": load_catalog()}


@every_service
def test_adds_the_same_game_as_often_as_it_comes(ask: Ask, games: GamesInMemory) -> None:
    game = load_catalog()[0] | {"id": 101}

    for _ in range(2):
        assert ask(games, "addGame", {"game": game}) == {"id": 101, "title": game["title"]}
    assert games.added == [game, game]


@every_service
@pytest.mark.parametrize("game_id", [101, 2**31 - 1])
def test_says_that_there_is_no_such_game(ask: Ask, game_id: int, games: GamesInMemory) -> None:
    with pytest.raises(RefusedError, match="not-found"):
        ask(games, "getGame", {"id": game_id})


@every_service
@pytest.mark.parametrize("game_id", [0, -1, 2**31, "x"])
def test_refuses_what_is_no_id(ask: Ask, game_id: object, games: GamesInMemory) -> None:
    with pytest.raises(RefusedError, match="invalid"):
        ask(games, "getGame", {"id": game_id})


@every_service
@pytest.mark.parametrize(
    "wrong", [{"id": 0}, {"title": 7}, {"genres": [1]}, {"ratings": {"positive": "many"}}, {"more": 1}]
)
def test_refuses_what_is_no_game_and_adds_nothing(ask: Ask, wrong: Json, games: GamesInMemory) -> None:
    with pytest.raises(RefusedError, match="invalid"):
        ask(games, "addGame", {"game": {**load_catalog()[0], **wrong}})
    assert games.added == []


@every_service
@pytest.mark.parametrize("method", ["addGame", "getGame", "listGames"])
def test_says_that_the_database_is_gone_and_answers_again_once_it_is_back(
    ask: Ask, method: str, games: GamesInMemory
) -> None:
    params = {"addGame": {"game": load_catalog()[0]}, "getGame": {"id": 1}, "listGames": {}}[method]
    games.is_gone = True
    with pytest.raises(RefusedError, match="unavailable"):
        ask(games, method, cast("Json", params))

    games.is_gone = False
    assert ask(games, method, cast("Json", params))


@pytest.mark.parametrize("message", ["", "{", "[]", "7", b"\xff"])
def test_answers_a_message_that_is_no_object_with_an_error(message: str | bytes, games: GamesInMemory) -> None:
    answer = json.loads(Messages(games).answer(message))

    assert (answer["id"], answer["error"]["code"]) == (None, "invalid")


@pytest.mark.parametrize("asked", [{}, {"method": "drop"}, {"method": "getGame", "params": []}, {"method": "getGame"}])
def test_answers_a_message_without_a_known_method_with_an_error(asked: Json, games: GamesInMemory) -> None:
    answer = json.loads(Messages(games).answer(json.dumps({"id": "a", **asked})))

    assert (answer["id"], answer["error"]["code"]) == ("a", "invalid")


@pytest.mark.parametrize("given", [None, [], {}, {"id": 1}, {**load_catalog()[0], "price_cents": True}])
def test_takes_whole_games_only(given: object) -> None:
    with pytest.raises(GameError):
        parse_game(given)

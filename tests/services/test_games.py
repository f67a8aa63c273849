"""The games services answer alike over the four protocols."""

import json
from typing import cast

import pytest
from games_doubles import SERVICES, Ask, GamesInMemory, Json, RefusedError
from games_services import graphql_app, rest_app
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
@pytest.mark.parametrize("game_id", [50, 101])
def test_updates_a_game_that_is_there_and_one_that_is_not_with_the_same_answer(
    ask: Ask, game_id: int, games: GamesInMemory
) -> None:
    game = load_catalog()[0] | {"id": game_id, "price_cents": 7}

    for _ in range(2):
        assert ask(games, "updateGame", {"game": game}) == {"id": game_id, "title": game["title"]}
    assert ask(games, "getGame", {"id": game_id}) == game
    assert games.added == []


@every_service
def test_deletes_a_game_with_the_same_answer_when_it_is_gone(ask: Ask, games: GamesInMemory) -> None:
    for _ in range(2):
        assert ask(games, "deleteGame", {"id": 50}) == {"id": 50}
    with pytest.raises(RefusedError, match="not-found"):
        ask(games, "getGame", {"id": 50})
    assert len(games.catalog) == 99


@every_service
@pytest.mark.parametrize("game_id", [101, 2**31 - 1])
def test_says_that_there_is_no_such_game(ask: Ask, game_id: int, games: GamesInMemory) -> None:
    with pytest.raises(RefusedError, match="not-found"):
        ask(games, "getGame", {"id": game_id})


@every_service
@pytest.mark.parametrize("game_id", [0, -1, 2**31, "x"])
def test_refuses_what_is_no_id(ask: Ask, game_id: object, games: GamesInMemory) -> None:
    for method in ("getGame", "deleteGame"):
        with pytest.raises(RefusedError, match="invalid"):
            ask(games, method, {"id": game_id})
    assert len(games.catalog) == 100


@every_service
@pytest.mark.parametrize(
    "wrong", [{"id": 0}, {"title": 7}, {"genres": [1]}, {"ratings": {"positive": "many"}}, {"more": 1}]
)
def test_refuses_what_is_no_game_and_keeps_nothing(ask: Ask, wrong: Json, games: GamesInMemory) -> None:
    for method in ("addGame", "updateGame"):
        with pytest.raises(RefusedError, match="invalid"):
            ask(games, method, {"game": {**load_catalog()[0], **wrong}})
    assert games.added == []
    assert list(games.catalog.values()) == load_catalog()


def test_refuses_a_game_at_the_path_of_another(games: GamesInMemory) -> None:
    answer = rest_app.create_app(games).test_client().put("/games/2", json=load_catalog()[0])

    assert (answer.status_code, answer.get_json()["detail"]) == (400, "The path has the id 2, and the game 1.")


@every_service
@pytest.mark.parametrize("method", ["addGame", "getGame", "listGames", "updateGame", "deleteGame"])
def test_says_that_the_database_is_gone_and_answers_again_once_it_is_back(
    ask: Ask, method: str, games: GamesInMemory
) -> None:
    game = {"game": load_catalog()[0]}
    params = {"addGame": game, "updateGame": game, "listGames": {}}.get(method, {"id": 1})
    games.is_gone = True
    with pytest.raises(RefusedError, match="unavailable"):
        ask(games, method, cast("Json", params))

    games.is_gone = False
    assert ask(games, method, cast("Json", params))


def _over_graphql(games: GamesInMemory, query: str) -> Json:
    answer = graphql_app.create_app(games).test_client().post("/graphql", json={"query": query})
    return cast("Json", answer.get_json()["data"])


def test_gives_the_games_of_a_publisher_over_rest_and_graphql(games: GamesInMemory) -> None:
    wanted = [game for game in load_catalog() if game["publisher"] == "Farpoint"]

    whole = rest_app.create_app(games).test_client().get("/games?publisher=Farpoint").get_json()
    titles = _over_graphql(games, '{ games(publisher: "Farpoint") { title } }')

    assert whole == {"games": wanted}
    assert titles == {"games": [{"title": game["title"]} for game in wanted]}
    assert rest_app.create_app(games).test_client().get("/games?publisher=x").get_json() == {"games": []}


def test_nests_the_games_of_a_publisher(games: GamesInMemory) -> None:
    catalog = load_catalog()
    titles = {
        game["publisher"]: [{"title": one["title"]} for one in catalog if one["publisher"] == game["publisher"]]
        for game in catalog
    }

    of_all = _over_graphql(games, "{ games { publisher_games { title } } }")
    of_one = _over_graphql(games, "{ game(id: 50) { publisher_games { title } } }")

    assert of_all == {"games": [{"publisher_games": titles[game["publisher"]]} for game in catalog]}
    assert of_one == {"game": {"publisher_games": titles[catalog[49]["publisher"]]}}


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

"""The type of a game, in its JSON form, and the catalog of every service."""

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, Protocol, TypedDict, cast

LARGEST_ID = 2**31 - 1


class Ratings(TypedDict):
    """The numbers of likes and dislikes of a game."""

    positive: int
    negative: int


class Game(TypedDict):
    """A game of the store; its keys are the same over all protocols."""

    id: int
    title: str
    developer: str
    publisher: str
    release_date: str
    price_cents: int
    genres: list[str]
    tags: list[str]
    platforms: list[str]
    ratings: Ratings
    description: str


class Kept(TypedDict):
    """The name of an added or updated game."""

    id: int
    title: str


class Deleted(TypedDict):
    """The name of a game that is no longer in the catalog."""

    id: int


class Games(Protocol):
    """Store of games; each method raises DatabaseError if the database cannot be reached."""

    def add(self, game: Game) -> Kept:
        """Store the game with all added ones, even if it already exists, and return its name."""

    def get(self, game_id: int) -> Game | None:
        """Return the game of the catalog with the id."""

    def list(self) -> list[Game]:
        """Return the whole catalog, by id."""

    def by_publisher(self, publisher: str) -> Sequence[Game]:
        """Return the publisher's games in the catalog, by id."""

    def update(self, game: Game) -> Kept:
        """Replace the game in the catalog with its id, or add it, and return its name."""

    def delete(self, game_id: int) -> Deleted:
        """Remove the game from the catalog, if it exists, and return its name."""


class DatabaseError(Exception):
    """The database did not answer, or refused; the message has its reason."""


class GameError(ValueError):
    """The input is not a game, or not an id of one; the message has the reason."""


def load_catalog() -> list[Game]:
    """Return the games that `make_catalog` made, one file for all services."""
    return cast("list[Game]", json.loads(files(__package__).joinpath("games.json").read_bytes())["games"])


def parse_id(given: object) -> int:
    """Return the id; raises GameError if it is invalid."""
    if type(given) is not int or not 1 <= given <= LARGEST_ID:
        raise GameError(f"A game's id is a whole number from 1 to {LARGEST_ID}.")
    return given


def parse_game(given: object) -> Game:
    """Return a game with exactly its keys and values of their types; raises GameError."""
    _check_keys(given, Game.__annotations__, "A game")
    game = cast("dict[str, Any]", given)
    parse_id(game["id"])
    _check_keys(game["ratings"], Ratings.__annotations__, "ratings")
    for key, value in game.items():
        if key in ("genres", "tags", "platforms"):
            is_right = isinstance(value, list) and all(isinstance(one, str) for one in value)
        elif key == "ratings":
            is_right = all(type(count) is int for count in value.values())
        else:
            is_right = type(value) is Game.__annotations__[key]
        if not is_right:
            raise GameError(f"{key} of the game has a wrong type.")
    return cast("Game", game)


def _check_keys(given: object, expected: Mapping[str, object], what: str) -> None:
    if not isinstance(given, dict) or given.keys() != expected.keys():
        raise GameError(f"{what} is an object with {', '.join(expected)}.")

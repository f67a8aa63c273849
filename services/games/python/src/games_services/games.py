"""What a game is, in the form that JSON has of it, and the catalog that every service holds."""

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, Protocol, TypedDict, cast

LARGEST_ID = 2**31 - 1


class Ratings(TypedDict):
    """How often a game was liked, and how often not."""

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
    """What names a game that was added or updated."""

    id: int
    title: str


class Deleted(TypedDict):
    """What names a game that is not in the catalog any more."""

    id: int


class Games(Protocol):
    """Where games are kept; each method raises DatabaseError if the database cannot be reached."""

    def add(self, game: Game) -> Kept:
        """Keep the game beside all that were added, whether it is there or not, and return what names it."""

    def get(self, game_id: int) -> Game | None:
        """Return the game of the catalog with the id."""

    def list(self) -> list[Game]:
        """Return the whole catalog, by id."""

    def by_publisher(self, publisher: str) -> Sequence[Game]:
        """Return the games of the catalog that the publisher has, by id."""

    def update(self, game: Game) -> Kept:
        """Put the game in the place of that of the catalog with its id, or add it there, and return what names it."""

    def delete(self, game_id: int) -> Deleted:
        """Take the game out of the catalog, if it is there, and return what names it."""


class DatabaseError(Exception):
    """The database did not answer, or refused; the message says what it said."""


class GameError(ValueError):
    """What came is no game, or no id of one; the message says what is wrong."""


def load_catalog() -> list[Game]:
    """Return the games that `make_catalog` made, one file for all services."""
    return cast("list[Game]", json.loads(files(__package__).joinpath("games.json").read_bytes())["games"])


def parse_id(given: object) -> int:
    """Return the id; raises GameError if it is not one."""
    if type(given) is not int or not 1 <= given <= LARGEST_ID:
        raise GameError(f"A game's id is a whole number from 1 to {LARGEST_ID}.")
    return given


def parse_game(given: object) -> Game:
    """Return a game that has all of its keys and no other, with values of their types; raises GameError."""
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

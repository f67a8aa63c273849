"""The application over GraphQL: Flask, as over REST, with strawberry for the queries."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any, cast

import strawberry
from flask import Flask
from service_shared.http_app import new_app
from strawberry.flask.views import GraphQLView
from strawberry.schema.config import StrawberryConfig

from games_services import games as stored
from games_services.games import Games, parse_id
from games_services.rest_app import answer_by_handlers


@strawberry.type
class Ratings:
    """The numbers of likes and dislikes of a game."""

    positive: int
    negative: int


@strawberry.type
class Game:
    """A game of the store."""

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
    of_publisher: strawberry.Private[Callable[[str], Sequence[stored.Game]]]

    @strawberry.field
    def publisher_games(self) -> "list[Game]":
        """Return all games of its publisher, including this one."""
        return [_game(found, self.of_publisher) for found in self.of_publisher(self.publisher)]


@strawberry.input
class RatingsInput:
    """The numbers of likes and dislikes of a game."""

    positive: int
    negative: int


@strawberry.input
class GameInput:
    """A game to be added or updated."""

    id: int
    title: str
    developer: str
    publisher: str
    release_date: str
    price_cents: int
    genres: list[str]
    tags: list[str]
    platforms: list[str]
    ratings: RatingsInput
    description: str


@strawberry.type
class Kept:
    """The name of an added or updated game."""

    id: int
    title: str


@strawberry.type
class Deleted:
    """The name of a game that is no longer in the catalog."""

    id: int


def create_app(games: Games) -> Flask:
    """Return the application that answers queries of the games at /graphql."""
    app = new_app(__name__)
    answer_by_handlers(app)
    view = GraphQLView.as_view("graphql", schema=create_schema(games), graphql_ide=None)
    app.add_url_rule("/graphql", view_func=view)
    return app


def create_schema(games: Games) -> strawberry.Schema:
    """Return the schema with resolvers that read the games."""

    @strawberry.type
    class Query:
        @strawberry.field
        def game(self, id: int) -> Game | None:
            found = games.get(parse_id(id))
            return None if found is None else _game(found, games.by_publisher)

        @strawberry.field
        def games(self, publisher: str | None = None) -> list[Game]:
            found = games.list() if publisher is None else games.by_publisher(publisher)
            # A nested query needs nothing that is not already loaded.
            return [_game(one, lambda wanted: [game for game in found if game["publisher"] == wanted]) for one in found]

    @strawberry.type
    class Mutation:
        @strawberry.mutation
        def addGame(self, game: GameInput) -> Kept:
            return Kept(**games.add(_stored(game)))

        @strawberry.mutation
        def updateGame(self, game: GameInput) -> Kept:
            return Kept(**games.update(_stored(game)))

        @strawberry.mutation
        def deleteGame(self, id: int) -> Deleted:
            return Deleted(**games.delete(parse_id(id)))

    # Fields have the same names over all protocols.
    return strawberry.Schema(Query, Mutation, config=StrawberryConfig(auto_camel_case=False))


def _game(found: stored.Game, of_publisher: Callable[[str], Sequence[stored.Game]]) -> Game:
    fields: dict[str, Any] = {**found, "ratings": Ratings(**found["ratings"]), "of_publisher": of_publisher}
    return Game(**fields)


def _stored(game: GameInput) -> stored.Game:
    parse_id(game.id)
    return cast("stored.Game", asdict(game))

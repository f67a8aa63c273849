"""The operations of the games service over gRPC."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import grpc
from games.v1 import games_pb2, games_pb2_grpc
from service_shared.grpc_server import end_if_late

from games_services.games import DatabaseError, Game, GameError, Games, parse_id

ServicerT = TypeVar("ServicerT")
RequestT = TypeVar("RequestT")
AnswerT = TypeVar("AnswerT")
Method = Callable[[ServicerT, RequestT, grpc.ServicerContext], AnswerT]


def _ending(method: Method[ServicerT, RequestT, AnswerT]) -> Method[ServicerT, RequestT, AnswerT]:
    """Return the method that ends a call with the status for its error."""

    @wraps(method)
    def ended(servicer: ServicerT, request: RequestT, context: grpc.ServicerContext) -> AnswerT:
        end_if_late(context)
        try:
            return method(servicer, request, context)
        except GameError as error:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(error))
        except DatabaseError as error:
            context.abort(grpc.StatusCode.UNAVAILABLE, str(error))

    return ended


class GameServicer(games_pb2_grpc.GameServiceServicer):
    """Answers with messages from the database."""

    def __init__(self, games: Games) -> None:
        """Store the games."""
        self.games = games

    @_ending
    def AddGame(self, request: games_pb2.AddGameRequest, context: grpc.ServicerContext) -> games_pb2.AddGameResponse:
        """Add the game and return its name."""
        return games_pb2.AddGameResponse(**self.games.add(_stored(request.game)))

    @_ending
    def GetGame(self, request: games_pb2.GetGameRequest, context: grpc.ServicerContext) -> games_pb2.GetGameResponse:
        """Return one game, or end the call with INVALID_ARGUMENT or NOT_FOUND."""
        game = self.games.get(parse_id(request.id))
        if game is None:
            context.abort(grpc.StatusCode.NOT_FOUND, f"No game has the id {request.id}.")
        return games_pb2.GetGameResponse(game=_message(game))

    @_ending
    def ListGames(
        self, request: games_pb2.ListGamesRequest, context: grpc.ServicerContext
    ) -> games_pb2.ListGamesResponse:
        """Return the whole catalog."""
        return games_pb2.ListGamesResponse(games=[_message(game) for game in self.games.list()])

    @_ending
    def UpdateGame(
        self, request: games_pb2.UpdateGameRequest, context: grpc.ServicerContext
    ) -> games_pb2.UpdateGameResponse:
        """Replace the game in the catalog, or add it, and return its name."""
        return games_pb2.UpdateGameResponse(**self.games.update(_stored(request.game)))

    @_ending
    def DeleteGame(
        self, request: games_pb2.DeleteGameRequest, context: grpc.ServicerContext
    ) -> games_pb2.DeleteGameResponse:
        """Remove the game from the catalog and return its name."""
        return games_pb2.DeleteGameResponse(**self.games.delete(parse_id(request.id)))


def _message(game: Game) -> games_pb2.Game:
    fields: dict[str, Any] = {**game}
    return games_pb2.Game(**fields)


def _stored(game: games_pb2.Game) -> Game:
    return {
        "id": parse_id(game.id),
        "title": game.title,
        "developer": game.developer,
        "publisher": game.publisher,
        "release_date": game.release_date,
        "price_cents": game.price_cents,
        "genres": list(game.genres),
        "tags": list(game.tags),
        "platforms": list(game.platforms),
        "ratings": {"positive": game.ratings.positive, "negative": game.ratings.negative},
        "description": game.description,
    }

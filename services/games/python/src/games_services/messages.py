"""The operations over WebSocket: each message names a method, and its answer repeats the id of the message."""

import json
from typing import Any

from games_services.games import DatabaseError, GameError, Games, parse_game, parse_id


class Messages:
    """Answers messages like `{"id": 7, "method": "getGame", "params": {"id": 1}}`."""

    def __init__(self, games: Games) -> None:
        """Store the games."""
        self.games = games

    def answer(self, message: str | bytes) -> str:
        """Return the answer, with `result` or with `error`."""
        try:
            asked = json.loads(message)
        except ValueError:
            return _error(None, "invalid", "The message is not JSON.")
        if not isinstance(asked, dict):
            return _error(None, "invalid", "The message is not an object.")
        number = asked.get("id")
        try:
            return json.dumps({"id": number, "result": self._result(asked)}, separators=(",", ":"))
        except GameError as error:
            return _error(number, "invalid", str(error))
        except LookupError as error:
            return _error(number, "not-found", str(error.args[0]))
        except DatabaseError as error:
            return _error(number, "unavailable", str(error))

    def _result(self, asked: dict[str, Any]) -> object:
        method, params = asked.get("method"), asked.get("params", {})
        if not isinstance(params, dict):
            raise GameError("params is not an object.")
        if method == "getGame":
            game = self.games.get(parse_id(params.get("id")))
            if game is None:
                raise LookupError(f"No game has the id {params['id']}.")
            return game
        if method == "listGames":
            return {"games": self.games.list()}
        if method == "addGame":
            return self.games.add(parse_game(params.get("game")))
        if method == "updateGame":
            return self.games.update(parse_game(params.get("game")))
        if method == "deleteGame":
            return self.games.delete(parse_id(params.get("id")))
        raise GameError("method must be addGame, getGame, listGames, updateGame, or deleteGame.")


def _error(number: object, code: str, text: str) -> str:
    return json.dumps({"id": number, "error": {"code": code, "message": text}}, separators=(",", ":"))

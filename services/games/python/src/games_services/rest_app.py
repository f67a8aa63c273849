"""The application over REST: games as JSON."""

import re

from flask import Flask, Response, abort, jsonify, request
from service_shared.http_app import new_app, problem
from werkzeug.exceptions import BadRequest, ServiceUnavailable
from werkzeug.sansio.response import Response as BaseResponse

from games_services.games import DatabaseError, GameError, Games, parse_game, parse_id

# One spelling for each id, so no sign and no leading zero.
_ID = re.compile(r"[1-9][0-9]{0,9}", re.ASCII)


def create_app(games: Games) -> Flask:
    """Return the application that serves the games."""
    app = new_app(__name__)
    answer_by_handlers(app)

    @app.get("/games/<written_id>")
    def get_game(written_id: str) -> Response:
        game_id = _read_id(written_id)
        game = games.get(game_id)
        if game is None:
            abort(404, f"No game has the id {game_id}.")
        return jsonify(game)

    @app.get("/games")
    def list_games() -> Response:
        publisher = request.args.get("publisher")
        return jsonify(games=games.list() if publisher is None else games.by_publisher(publisher))

    @app.post("/games")
    def add_game() -> tuple[Response, int]:
        return jsonify(games.add(parse_game(request.get_json()))), 201

    @app.put("/games/<written_id>")
    def update_game(written_id: str) -> Response:
        game = parse_game(request.get_json())
        if game["id"] != _read_id(written_id):
            raise GameError(f"The path has the id {written_id}, and the game {game['id']}.")
        return jsonify(games.update(game))

    @app.delete("/games/<written_id>")
    def delete_game(written_id: str) -> Response:
        return jsonify(games.delete(_read_id(written_id)))

    return app


def _read_id(written: str) -> int:
    return parse_id(int(written) if _ID.fullmatch(written) else None)


def answer_by_handlers(app: Flask) -> None:
    """Answer /health, 400 for an invalid game, 503 for the database; objects keep the order of their keys."""
    app.json.sort_keys = False  # type: ignore[attr-defined] # an attribute of Flask's own provider

    @app.get("/health")
    def health() -> Response:
        return jsonify(status="ok")

    @app.errorhandler(GameError)
    def refuse(error: GameError) -> BaseResponse:
        return problem(BadRequest(str(error)))

    @app.errorhandler(DatabaseError)
    def give_up(error: DatabaseError) -> BaseResponse:
        return problem(ServiceUnavailable(str(error)))

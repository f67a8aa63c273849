"""The games in a document database, over the wire protocol of MongoDB: the same for all four services."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

from pymongo import MongoClient
from pymongo.collection import Collection
from pymongo.errors import BulkWriteError, PyMongoError

from games_services.games import DatabaseError, Deleted, Game, Kept, load_catalog
from games_services.settings import DatabaseSettings

# The whole catalog comes in one batch.
_BATCH = 1_000
_DUPLICATE = 11_000

Document = dict[str, Any]


class StoredGames:
    """The indexed catalog, with a separate collection without an index for added games."""

    def __init__(self, catalog: Collection[Document], added: Collection[Document]) -> None:
        """Store both collections."""
        self.catalog = catalog
        self.added = added

    def add(self, game: Game) -> Kept:
        """Insert the game as one more document; its `_id` is the driver's."""
        with _failures():
            # Copied, since the driver adds an `_id` to its input.
            self.added.insert_one({**game})
        return {"id": game["id"], "title": game["title"]}

    def get(self, game_id: int) -> Game | None:
        """Return the game with the id."""
        with _failures():
            document = self.catalog.find_one({"_id": str(game_id)})
        return None if document is None else _game(document)

    def list(self) -> list[Game]:
        """Return all games, by id."""
        return [*self._found({})]

    def by_publisher(self, publisher: str) -> Sequence[Game]:
        """Return the games of a publisher, by id."""
        return self._found({"publisher": publisher})

    def update(self, game: Game) -> Kept:
        """Replace the game of the catalog with the same id, or insert it."""
        with _failures():
            self.catalog.replace_one({"_id": str(game["id"])}, {**game}, upsert=True)
        return {"id": game["id"], "title": game["title"]}

    def delete(self, game_id: int) -> Deleted:
        """Delete the game of the catalog with the id."""
        with _failures():
            self.catalog.delete_one({"_id": str(game_id)})
        return {"id": game_id}

    def _found(self, wanted: Document) -> Sequence[Game]:
        with _failures():
            found = [_game(document) for document in self.catalog.find(wanted, batch_size=_BATCH)]
        return sorted(found, key=lambda game: game["id"])


def open_games(settings: DatabaseSettings) -> StoredGames:
    """Return the games with their catalog filled; raises DatabaseError if the database does not answer in time."""
    milliseconds = settings.database_timeout_seconds * 1000
    client: MongoClient[Document] = MongoClient(
        settings.database_url,
        maxPoolSize=settings.pool_size,
        serverSelectionTimeoutMS=milliseconds,
        socketTimeoutMS=milliseconds,
    )
    database = client["games"]
    with _failures():
        _fill(database["catalog"])
    return StoredGames(database["catalog"], database["added"])


def _fill(catalog: Collection[Document]) -> None:
    # Texts, for which FerretDB's index also works. Several workers may fill it at once.
    try:
        catalog.insert_many([{"_id": str(game["id"]), **game} for game in load_catalog()], ordered=False)
    except BulkWriteError as error:
        if any(one["code"] != _DUPLICATE for one in error.details["writeErrors"]):
            raise


def _game(document: Document) -> Game:
    del document["_id"]
    return cast("Game", document)


@contextmanager
def _failures() -> Iterator[None]:
    try:
        yield
    except PyMongoError as error:
        raise DatabaseError(f"The database failed: {error}") from error

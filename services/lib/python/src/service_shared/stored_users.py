"""Users in PostgreSQL, with psycopg and its pool."""

import logging
import time
from collections.abc import Mapping

import psycopg
from psycopg import sql
from psycopg.rows import TupleRow
from psycopg_pool import ConnectionPool, PoolTimeout

from service_shared.more_users import so_many
from service_shared.store_settings import StoreSettings
from service_shared.stores import CacheCounts, StoreError
from service_shared.users import User

_ONE = "SELECT id, name, email, age FROM users WHERE id = %s"
_ALL = "SELECT id, name, email, age FROM users ORDER BY id"
# The table describes its content, so that a kept database is filled once. The number is that of the rule.
_CONTENT = "1: {users} users, {given}"
# A lock number that no other program uses.
_FILLING = 521_097
_RETRY_SECONDS = 0.2


class StoredUsers:
    """Users in a table, read over pooled connections."""

    def __init__(self, pool: ConnectionPool[psycopg.Connection[TupleRow]], seconds: float) -> None:
        """Store the pool, and the time limit of a statement for one of its connections."""
        self.pool = pool
        self.seconds = seconds

    def get(self, user_id: int) -> User | None:
        """Return the user with the id."""
        rows = self._rows(_ONE, (user_id,))
        return User(*rows[0]) if rows else None

    def everyone(self) -> list[User]:
        """Return all users in the order of their ids."""
        return [User(*row) for row in self._rows(_ALL, ())]

    def cached(self) -> CacheCounts | None:
        """Return None: there is no cache in front of it."""
        return None

    def close(self) -> None:
        """End all connections."""
        self.pool.close()

    def _rows(self, statement: str, values: tuple[int, ...]) -> list[TupleRow]:
        try:
            return self._asked(statement, values)
        except PoolTimeout as error:
            raise StoreError("The database does not answer.") from error
        except psycopg.OperationalError:
            # After a database outage all connections of the pool are broken, even once it is back.
            self.pool.check()
        except psycopg.Error as error:
            raise StoreError("The database refuses to answer.") from error
        try:
            return self._asked(statement, values)
        except psycopg.Error as error:
            raise StoreError("The database does not answer.") from error

    def _asked(self, statement: str, values: tuple[int, ...]) -> list[TupleRow]:
        with self.pool.connection(timeout=self.seconds) as connection:
            return connection.execute(statement, values).fetchall()


def open_stored_users(settings: StoreSettings, users: Mapping[int, User]) -> StoredUsers:
    """Return the users with their table filled; raises StoreError if the database does not answer in time."""
    seconds = settings.database_timeout_seconds
    # It logs each failed connection; the service reports that its database does not answer.
    logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)
    with _connected(settings.database_url, seconds) as connection:
        _fill(connection, users, settings.users)
    pool: ConnectionPool[psycopg.Connection[TupleRow]] = ConnectionPool(
        settings.database_url,
        min_size=settings.pool_size,
        max_size=settings.pool_size,
        timeout=seconds,
        # After a failed connection the next request tries again, without growing pauses.
        reconnect_timeout=0,
        kwargs={
            # Each statement is a separate transaction, without two more round trips, and prepared at once.
            "autocommit": True,
            "prepare_threshold": 0,
            "connect_timeout": seconds,
            "options": f"-c statement_timeout={seconds * 1000}",
        },
        open=False,
    )
    try:
        pool.open(wait=True, timeout=seconds)
    except PoolTimeout as error:
        raise StoreError(f"DATABASE_URL: no {settings.pool_size} connections (POOL_SIZE) within {seconds} s") from error
    return StoredUsers(pool, seconds)


def _connected(url: str, seconds: float) -> psycopg.Connection[TupleRow]:
    deadline = time.monotonic() + seconds
    while True:
        try:
            return psycopg.connect(url, connect_timeout=int(seconds))
        except psycopg.OperationalError as error:
            if time.monotonic() >= deadline:
                raise StoreError(f"DATABASE_URL: {' '.join(str(error).split())}") from error
        except psycopg.Error as error:
            raise StoreError(f"DATABASE_URL: {' '.join(str(error).split())}") from error
        time.sleep(_RETRY_SECONDS)


def _fill(connection: psycopg.Connection[TupleRow], users: Mapping[int, User], wanted: int | None) -> None:
    """Create the table, unless it exists with the same users: one worker does, and others wait for it."""
    content = _CONTENT.format(users=wanted, given=list(users.values()))
    try:
        with connection.transaction(), connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", (_FILLING,))
            found = cursor.execute("SELECT obj_description(to_regclass('users'), 'pg_class')").fetchone()
            if found is not None and found[0] == content:
                return
            cursor.execute("DROP TABLE IF EXISTS users")
            cursor.execute(
                "CREATE TABLE users (id int4 NOT NULL, name text NOT NULL, email text NOT NULL, age int4 NOT NULL)"
            )
            # Frozen, so that reading a row never writes that its transaction ended.
            with cursor.copy("COPY users (id, name, email, age) FROM STDIN WITH (FREEZE)") as copy:
                for user in so_many(users, wanted):
                    copy.write_row((user.id, user.name, user.email, user.age))
            cursor.execute("ALTER TABLE users ADD PRIMARY KEY (id)")
            cursor.execute("ANALYZE users")
            cursor.execute(sql.SQL("COMMENT ON TABLE users IS {}").format(sql.Literal(content)))
    except psycopg.Error as error:
        raise StoreError(f"DATABASE_URL: the users cannot be written: {' '.join(str(error).split())}") from error

"""Users outside of this process: what a service asks for them, and what it is told if they cannot be read."""

from collections.abc import Mapping
from typing import Protocol

from service_shared.store_settings import StoreSettings
from service_shared.users import User


class StoreError(Exception):
    """The users cannot be read now; the message is for clients, and says nothing of addresses or statements."""


class UserStore(Protocol):
    """Where users are found. All but `close` raise StoreError if it does not answer in time."""

    def get(self, user_id: int) -> User | None:
        """Return the user with the id."""

    def everyone(self) -> list[User]:
        """Return all users in the order of their ids."""

    def cached(self) -> "CacheCounts | None":
        """Return what was found in the cache so far by this process; None if there is no cache."""

    def close(self) -> None:
        """End all connections."""


class CacheCounts:
    """How many users were asked for that the cache had, and how many that it had not."""

    def __init__(self, hits: int, misses: int) -> None:
        """Keep both."""
        self.hits = hits
        self.misses = misses


def open_store(settings: StoreSettings, users: Mapping[int, User]) -> UserStore:
    """Return the store with all its users, ready to be asked; raises StoreError if it is not there in time.

    It must be opened in the process that asks it, behind what gevent replaces there.
    """
    # Here, since a service with its users in memory needs neither.
    from service_shared.stored_users import open_stored_users

    stored = open_stored_users(settings, users)
    if settings.store == "postgres":
        return stored
    from service_shared.cached_users import open_cached_users

    return open_cached_users(settings, stored)

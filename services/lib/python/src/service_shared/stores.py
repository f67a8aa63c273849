"""Users outside this process: requests to a store, and errors if they cannot be read."""

from typing import Protocol

from service_shared.users import User, Users


class StoreError(Exception):
    """The users cannot be read now; the message is for clients, and contains no addresses or statements."""


class UserStore(Users[User], Protocol):
    """Store of users. All but `close` raise StoreError if it does not answer in time."""

    def cached(self) -> "CacheCounts | None":
        """Return this process's hits and misses of the cache so far; None without a cache."""

    def close(self) -> None:
        """End all connections."""


class CacheCounts:
    """Numbers of requested users that the cache had, and that it had not."""

    def __init__(self, hits: int, misses: int) -> None:
        """Store both numbers."""
        self.hits = hits
        self.misses = misses

"""Users outside of this process: what a service asks for them, and what it is told if they cannot be read."""

from typing import Protocol

from service_shared.users import User, Users


class StoreError(Exception):
    """The users cannot be read now; the message is for clients, and says nothing of addresses or statements."""


class UserStore(Users[User], Protocol):
    """Where users are found. All but `close` raise StoreError if it does not answer in time."""

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

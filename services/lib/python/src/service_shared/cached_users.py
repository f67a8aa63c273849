"""Users cached in Redis, in front of another store."""

import json
from collections.abc import Sequence
from contextlib import suppress
from threading import Lock
from typing import cast

from redis import BlockingConnectionPool, Redis, RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

from service_shared.store_settings import StoreSettings
from service_shared.stores import CacheCounts, StoreError, UserStore
from service_shared.users import User


class CachedUsers:
    """Users from Redis, else from the store behind it; found users are cached, missing ones are not.

    A cache that does not answer counts as empty, so that the service continues without it.
    """

    def __init__(self, behind: UserStore, cache: Redis, seconds: int) -> None:
        """Store the store, the cache, and its time limit in seconds."""
        self.behind = behind
        self.cache = cache
        self.seconds = seconds
        self.hits = 0
        self.misses = 0
        self.one_at_a_time = Lock()

    def get(self, user_id: int) -> User | None:
        """Return the user with the id."""
        key = f"user:{user_id}"
        written = self._written(key)
        with self.one_at_a_time:
            if written is None:
                self.misses += 1
            else:
                self.hits += 1
        if written is not None:
            return User(*json.loads(written))
        user = self.behind.get(user_id)
        if user is not None:
            with suppress(RedisError):
                self.cache.set(key, json.dumps((user.id, user.name, user.email, user.age)), ex=self.seconds)
        return user

    def everyone(self) -> Sequence[User]:
        """Return all users, which are not cached."""
        return self.behind.everyone()

    def cached(self) -> CacheCounts | None:
        """Return the hits and misses of the cache so far."""
        with self.one_at_a_time:
            return CacheCounts(self.hits, self.misses)

    def close(self) -> None:
        """End all connections."""
        self.cache.close()
        self.behind.close()

    def _written(self, key: str) -> bytes | None:
        try:
            return cast("bytes | None", self.cache.get(key))
        except RedisError:
            return None


def open_cached_users(settings: StoreSettings, behind: UserStore) -> CachedUsers:
    """Return users with Redis in front; raises StoreError, and closes the store behind, if Redis does not answer."""
    seconds = settings.database_timeout_seconds
    pool = BlockingConnectionPool.from_url(
        settings.redis_url,
        max_connections=settings.pool_size,
        timeout=seconds,
        socket_timeout=seconds,
        socket_connect_timeout=seconds,
        # One immediate retry, for a broken connection of the pool; no request waits for a cache that is gone.
        retry=Retry(NoBackoff(), 1),
    )
    cache = Redis(connection_pool=pool)
    try:
        cache.ping()
    except RedisError as error:
        behind.close()
        raise StoreError(f"REDIS_URL: {error}") from error
    return CachedUsers(behind, cache, seconds=settings.cache_seconds)

"""The settings of the user store."""

from dataclasses import dataclass

from service_shared.environment import Environment, SettingError


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreSettings:
    """Settings of the user store; the environment variable of a setting is its name in capitals."""

    # "memory" is this process; "postgres-redis" is PostgreSQL with Redis in front.
    store: str
    # Number of users: those of the file, and generated ones; None: only those of the file.
    users: int | None
    database_url: str
    # Pooled connections to each of PostgreSQL and Redis, per worker; a request waits for one.
    pool_size: int
    # Time limit of a request for the database, and of the start.
    database_timeout_seconds: int
    redis_url: str
    # Time for which Redis caches a user after it was read from PostgreSQL.
    cache_seconds: int

    @property
    def is_memory(self) -> bool:
        """Whether the users are in this process."""
        return self.store == "memory"


def read_store_settings(environment: Environment) -> StoreSettings:
    """Return the settings; raises SettingError on a wrong value."""
    return StoreSettings(
        store=environment.choice("STORE", ("memory", "postgres", "postgres-redis")),
        users=environment.whole_or_none("USERS", range(1, 1_000_001)),
        database_url=environment.text("DATABASE_URL", "postgres://users@127.0.0.1:5432/postgres"),
        pool_size=environment.whole("POOL_SIZE", 10, range(1, 1_001)),
        database_timeout_seconds=environment.whole("DATABASE_TIMEOUT_SECONDS", 5, range(1, 61)),
        redis_url=environment.text("REDIS_URL", "redis://127.0.0.1:6379"),
        cache_seconds=environment.whole("CACHE_SECONDS", 5, range(1, 86_401)),
    )


def refuse_beside_store(settings: StoreSettings, name: str, value: str, only: str) -> None:
    """Raise SettingError if the users are outside this process, and another setting does not support that."""
    if not settings.is_memory and value != only:
        raise SettingError(
            f"STORE is {settings.store!r}: it is for {name}={only}, and {name} is {value!r}; change one of them"
        )

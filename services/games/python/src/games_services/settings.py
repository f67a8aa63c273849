"""All settings of the games services, read once from the environment."""

from dataclasses import dataclass

from service_shared.environment import Environment
from service_shared.grpc_settings import GrpcSettings, read_grpc_settings
from service_shared.http_settings import HttpSettings, read_http_settings


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseSettings:
    """Settings of the database; the environment variable of a setting is its name in capitals."""

    database_url: str
    # Maximum number of pooled connections to the database; a request waits for one.
    pool_size: int
    # Time limit of a request for the database.
    database_timeout_seconds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OverHttpSettings:
    """Settings of a service behind gunicorn."""

    host: str
    port: int
    database: DatabaseSettings
    http: HttpSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class OverGrpcSettings:
    """Settings of the service over gRPC."""

    host: str
    port: int
    database: DatabaseSettings
    grpc: GrpcSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class OverWebSocketSettings:
    """Settings of the service over WebSocket."""

    host: str
    port: int
    database: DatabaseSettings
    # Time for open connections after SIGTERM.
    graceful_seconds: int


def read_over_http_settings(environment: Environment) -> OverHttpSettings:
    """Return the settings; raises SettingError on a wrong value."""
    return OverHttpSettings(
        host=environment.text("HOST", "127.0.0.1"),
        port=environment.whole("PORT", 5000, range(1, 65_536)),
        database=_read_database_settings(environment),
        http=read_http_settings(environment),
    )


def read_over_grpc_settings(environment: Environment) -> OverGrpcSettings:
    """Return the settings; raises SettingError on a wrong value."""
    return OverGrpcSettings(
        host=environment.text("HOST", "127.0.0.1"),
        port=environment.whole("PORT", 50_051, range(1, 65_536)),
        database=_read_database_settings(environment),
        grpc=read_grpc_settings(environment),
    )


def read_over_websocket_settings(environment: Environment) -> OverWebSocketSettings:
    """Return the settings; raises SettingError on a wrong value."""
    return OverWebSocketSettings(
        host=environment.text("HOST", "127.0.0.1"),
        port=environment.whole("PORT", 8765, range(1, 65_536)),
        database=_read_database_settings(environment),
        graceful_seconds=environment.whole("GRACEFUL_SECONDS", 1, range(1, 301)),
    )


def _read_database_settings(environment: Environment) -> DatabaseSettings:
    return DatabaseSettings(
        database_url=environment.text("DATABASE_URL", "mongodb://127.0.0.1:27017"),
        pool_size=environment.whole("POOL_SIZE", 10, range(1, 1_001)),
        database_timeout_seconds=environment.whole("DATABASE_TIMEOUT_SECONDS", 5, range(1, 61)),
    )

"""The settings of an HTTP service that gunicorn runs."""

from dataclasses import dataclass

from service_shared.environment import Environment


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpSettings:
    """Settings of gunicorn; the environment variable of a setting is its name in capitals."""

    worker_class: str
    workers: int
    # For a gthread worker; gevent needs none.
    threads: int
    # gevent and gthread: maximum number of concurrent connections per worker.
    worker_connections: int
    # gevent: gives the other connections a turn after each answer.
    give_way: bool
    # 0: close the connection after each answer.
    keep_alive_seconds: int
    backlog: int
    # Off: small answers wait some 40 ms for the client's delayed acknowledgment.
    tcp_nodelay: bool
    access_log: bool
    # Time for requests in flight after SIGTERM. The end comes within half a second after that.
    graceful_seconds: int


def read_http_settings(environment: Environment) -> HttpSettings:
    """Return the settings; raises SettingError on a wrong value."""
    return HttpSettings(
        worker_class=environment.choice("WORKER_CLASS", ("gevent", "gthread", "sync")),
        workers=environment.whole("WORKERS", 1, range(1, 65)),
        threads=environment.whole("THREADS", 32, range(1, 1_025)),
        worker_connections=environment.whole("WORKER_CONNECTIONS", 2_000, range(1, 100_001)),
        give_way=environment.switch("GIVE_WAY", "on"),
        keep_alive_seconds=environment.whole("KEEP_ALIVE_SECONDS", 75, range(3_601)),
        backlog=environment.whole("BACKLOG", 2_048, range(1, 65_536)),
        tcp_nodelay=environment.switch("TCP_NODELAY", "on"),
        access_log=environment.switch("ACCESS_LOG", "off"),
        graceful_seconds=environment.whole("GRACEFUL_SECONDS", 1, range(1, 301)),
    )

"""Every setting of the REST service, read once from the environment."""

from dataclasses import dataclass
from pathlib import Path

from user_shared.environment import Environment
from user_shared.extra_work import read_extra_work

# Iterations that cost about one per cent of a request at saturation (services/README.md).
_ITERATIONS_PER_PERCENT = {"gunicorn": 170, "development": 330}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How the service runs; the environment variable of a setting is its name in capitals."""

    host: str
    port: int
    users_file: Path
    # "development" is the server that Flask starts by itself; of the settings below it knows only the last three.
    server: str
    worker_class: str
    workers: int
    # Of a gthread worker; gevent needs none.
    threads: int
    # gevent and gthread: connections that one worker holds at a time.
    worker_connections: int
    # gevent: after each answer the other connections get their turn.
    give_way: bool
    # 0: close the connection after each answer.
    keep_alive_seconds: int
    backlog: int
    # Off: small answers wait some 40 ms for the client's delayed acknowledgement.
    tcp_nodelay: bool
    access_log: bool
    # How long requests in flight may go on after SIGTERM. The end comes within half a second after that.
    graceful_seconds: int
    # By how many per cent a request costs more, on purpose; only with BENCHMARK=1.
    extra_work: float

    @property
    def extra_iterations(self) -> int:
        """The extra work of each request."""
        return round(self.extra_work * _ITERATIONS_PER_PERCENT[self.server])


def read_settings(environment: Environment) -> Settings:
    """Return the settings; raises SettingError on a wrong value."""
    return Settings(
        host=environment.text("HOST", "127.0.0.1"),
        port=environment.whole("PORT", 5000, range(1, 65_536)),
        users_file=environment.path("USERS_FILE", "services/users.json"),
        server=environment.choice("SERVER", ("gunicorn", "development")),
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
        extra_work=read_extra_work(environment),
    )

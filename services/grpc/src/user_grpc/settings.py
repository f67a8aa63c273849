"""Every setting of the gRPC service, read once from the environment."""

from dataclasses import dataclass
from pathlib import Path

from user_shared.environment import Environment
from user_shared.extra_work import read_extra_work

# Iterations that cost about one per cent of a request at saturation (services/README.md).
_ITERATIONS_PER_PERCENT = 155


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How the service runs; the environment variable of a setting is its name in capitals."""

    host: str
    port: int
    users_file: Path
    threads: int
    # Calls beyond it are refused with RESOURCE_EXHAUSTED; None: no bound, calls wait for a thread.
    max_concurrent_rpcs: int | None
    # A connection without calls is closed after it, as over REST; 0: never.
    keep_alive_seconds: int
    reflection: bool
    # How long calls in flight may go on after SIGTERM. The end comes within half a second after that.
    graceful_seconds: int
    # By how many per cent a request costs more, on purpose; only with BENCHMARK=1.
    extra_work: float

    @property
    def extra_iterations(self) -> int:
        """The extra work of each request."""
        return round(self.extra_work * _ITERATIONS_PER_PERCENT)


def read_settings(environment: Environment) -> Settings:
    """Return the settings; raises SettingError on a wrong value."""
    return Settings(
        host=environment.text("HOST", "127.0.0.1"),
        port=environment.whole("PORT", 50_051, range(1, 65_536)),
        users_file=environment.path("USERS_FILE", "services/users.json"),
        threads=environment.whole("THREADS", 10, range(1, 1_025)),
        max_concurrent_rpcs=environment.whole_or_none("MAX_CONCURRENT_RPCS", range(1, 1_000_001)),
        keep_alive_seconds=environment.whole("KEEP_ALIVE_SECONDS", 75, range(3_601)),
        reflection=environment.switch("REFLECTION", "on"),
        graceful_seconds=environment.whole("GRACEFUL_SECONDS", 1, range(1, 301)),
        extra_work=read_extra_work(environment),
    )

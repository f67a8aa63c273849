"""The settings of a gRPC service that grpcio runs."""

from dataclasses import dataclass

from service_shared.environment import Environment


@dataclass(frozen=True, slots=True, kw_only=True)
class GrpcSettings:
    """Settings of grpcio; the environment variable of a setting is its name in capitals."""

    threads: int
    # Calls beyond it are refused with RESOURCE_EXHAUSTED; None: no limit, calls wait for a thread.
    max_concurrent_rpcs: int | None
    # Idle time after which a connection is closed, as over REST; 0: never.
    keep_alive_seconds: int
    reflection: bool
    # Time for calls in flight after SIGTERM. The end comes within half a second after that.
    graceful_seconds: int


def read_grpc_settings(environment: Environment) -> GrpcSettings:
    """Return the settings; raises SettingError on a wrong value."""
    return GrpcSettings(
        threads=environment.whole("THREADS", 10, range(1, 1_025)),
        max_concurrent_rpcs=environment.whole_or_none("MAX_CONCURRENT_RPCS", range(1, 1_000_001)),
        keep_alive_seconds=environment.whole("KEEP_ALIVE_SECONDS", 75, range(3_601)),
        reflection=environment.switch("REFLECTION", "on"),
        graceful_seconds=environment.whole("GRACEFUL_SECONDS", 1, range(1, 301)),
    )

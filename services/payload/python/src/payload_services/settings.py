"""All settings of the payload services, read once from the environment."""

from dataclasses import dataclass

from service_shared.environment import Environment
from service_shared.extra_work import read_extra_work
from service_shared.grpc_settings import GrpcSettings, read_grpc_settings
from service_shared.http_settings import HttpSettings, read_http_settings

_MOST_OBJECTS = 1_000_000
# gRPC counts the bytes of a message with 31 bits.
_MOST_MIB = 2_047


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSettings:
    """Settings of answers; the environment variable of a setting is its name in capitals."""

    # Counts with cached answers; the largest is the number of objects.
    cache_counts: tuple[int, ...]
    # "gzip" compresses answers for clients that accept it.
    compression: str
    # A larger answer is refused; None: no limit.
    max_answer_mib: int | None
    # Percentage of its objects that an answer serializes again, on purpose; only with BENCHMARK=1.
    extra_work: float


@dataclass(frozen=True, slots=True, kw_only=True)
class OverHttpSettings:
    """Settings of a service over HTTP."""

    host: str
    port: int
    # Server; others than gunicorn support only some of the settings of `http`.
    server: str
    answers: AnswerSettings
    http: HttpSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class OverGrpcSettings:
    """Settings of the service over gRPC."""

    host: str
    port: int
    answers: AnswerSettings
    grpc: GrpcSettings


def read_over_http_settings(environment: Environment) -> OverHttpSettings:
    """Return the settings; raises SettingError on a wrong value."""
    return OverHttpSettings(
        host=environment.text("HOST", "127.0.0.1"),
        port=environment.whole("PORT", 5000, range(1, 65_536)),
        server=environment.choice("SERVER", ("gunicorn", "granian")),
        answers=_read_answer_settings(environment),
        http=read_http_settings(environment),
    )


def read_over_grpc_settings(environment: Environment) -> OverGrpcSettings:
    """Return the settings; raises SettingError on a wrong value."""
    return OverGrpcSettings(
        host=environment.text("HOST", "127.0.0.1"),
        port=environment.whole("PORT", 50_051, range(1, 65_536)),
        answers=_read_answer_settings(environment),
        grpc=read_grpc_settings(environment),
    )


def _read_answer_settings(environment: Environment) -> AnswerSettings:
    return AnswerSettings(
        cache_counts=environment.ascending("CACHE_COUNTS", "1,100,1000", range(1, _MOST_OBJECTS + 1)),
        compression=environment.choice("COMPRESSION", ("off", "gzip")),
        max_answer_mib=environment.whole_or_none("MAX_ANSWER_MIB", range(1, _MOST_MIB + 1)),
        extra_work=read_extra_work(environment),
    )

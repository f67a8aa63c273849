"""A built-in slowdown: each request does a little more work, to show which slowdowns a benchmark detects."""

from collections.abc import Callable, Collection
from functools import wraps
from typing import ParamSpec, TypeVar

from service_shared.environment import Environment, SettingError

ParametersT = ParamSpec("ParametersT")
ResultT = TypeVar("ResultT")


def read_extra_work(environment: Environment) -> float:
    """Return the additional cost of a request in percent; raises SettingError outside a benchmark."""
    percent = environment.percentage("EXTRA_WORK")
    if percent > 0 and environment.variables.get("BENCHMARK") != "1":
        raise SettingError(
            f"EXTRA_WORK is {environment.variables['EXTRA_WORK']!r}: it makes each request slower on purpose; "
            "set BENCHMARK=1 as well if this is a benchmark, else leave it out"
        )
    return percent


def refuse_unmeasured(percent: float, server: str, measured: Collection[str]) -> None:
    """Raise SettingError if there is extra work on a server for which the cost of one percent was not measured."""
    if percent > 0 and server not in measured:
        raise SettingError(
            f"EXTRA_WORK is for SERVER={' or '.join(measured)}, and SERVER is {server!r}: leave one of them out"
        )


def burn(iterations: int) -> None:
    """Keep the thread busy, for a count rather than a time: so each request does the same work in every run."""
    for _ in range(iterations):
        pass


def burning(iterations: int) -> Callable[[Callable[ParametersT, ResultT]], Callable[ParametersT, ResultT]]:
    """Return a decorator that burns before each call; without iterations it returns the function itself."""

    def decorate(function: Callable[ParametersT, ResultT]) -> Callable[ParametersT, ResultT]:
        if iterations == 0:
            return function

        @wraps(function)
        def burn_first(*args: ParametersT.args, **kwargs: ParametersT.kwargs) -> ResultT:
            burn(iterations)
            return function(*args, **kwargs)

        return burn_first

    return decorate

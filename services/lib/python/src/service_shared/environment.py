"""Settings from environment variables, each checked where it is read."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


_PERCENTAGE = re.compile(r"[0-9]{1,3}(\.[0-9]{1,3})?", re.ASCII)
_LONGEST_LIST = 1_000


class SettingError(ValueError):
    """A setting has an invalid value; the message names it and a valid one."""


@dataclass(frozen=True, slots=True)
class Environment:
    """Reads one setting after another; each method raises SettingError on a wrong value."""

    variables: Mapping[str, str]

    def text(self, name: str, default: str) -> str:
        """Return a text that is not empty."""
        value = self.variables.get(name, default)
        if not value:
            raise SettingError(f"{name} is empty: leave it out for its default, {default!r}")
        return value

    def path(self, name: str, default: str) -> Path:
        """Return a path, relative to the working directory."""
        return Path(self.text(name, default))

    def choice(self, name: str, choices: Sequence[str]) -> str:
        """Return one of the choices; the first is the default."""
        value = self.variables.get(name, choices[0])
        if value not in choices:
            raise SettingError(f"{name} is {value!r}: it must be one of {', '.join(choices)}")
        return value

    def switch(self, name: str, default: str) -> bool:
        """Return whether a setting is "on"; the only other value is "off"."""
        value = self.variables.get(name, default)
        if value not in ("on", "off"):
            raise SettingError(f"{name} is {value!r}: it must be on or off")
        return value == "on"

    def whole(self, name: str, default: int, limits: range) -> int:
        """Return a whole number within the limits."""
        return self._whole(name, str(default), limits)

    def whole_or_none(self, name: str, limits: range) -> int | None:
        """Return a whole number within the limits, or None if it is unset or "none"."""
        value = self.variables.get(name, "none")
        return None if value == "none" else self._whole(name, value, limits)

    def ascending(self, name: str, default: str, limits: range) -> tuple[int, ...]:
        """Return whole numbers within the limits, with commas between them, each greater than the one before."""
        value = self.variables.get(name, default)
        numbers = [_digits(text) for text in value.split(",")] if len(value) <= _LONGEST_LIST else []
        known = tuple(number for number in numbers if number is not None and number in limits)
        if not known or len(known) < len(numbers) or any(one >= next_one for one, next_one in pairwise(known)):
            raise SettingError(
                f"{name} is {value!r}: it must be whole numbers from {limits[0]} to {limits[-1]}, "
                f"each greater than the one before, such as {default}"
            )
        return known

    def percentage(self, name: str) -> float:
        """Return a number from 0 to 100 with at most three decimals; 0 if it is unset."""
        value = self.variables.get(name, "0")
        if not _PERCENTAGE.fullmatch(value) or float(value) > 100:
            raise SettingError(f"{name} is {value!r}: it must be a number from 0 to 100, such as 5 or 2.5")
        return float(value)

    def _whole(self, name: str, default: str, limits: range) -> int:
        value = self.variables.get(name, default)
        number = _digits(value)
        if number is None or number not in limits:
            raise SettingError(f"{name} is {value!r}: it must be a whole number from {limits[0]} to {limits[-1]}")
        return number


def _digits(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 10 else None


def as_environment(settings: "DataclassInstance") -> dict[str, str]:
    """Return the variables that would give these settings, so that a run can record and repeat them."""
    return _written(asdict(settings))


def _written(settings: Mapping[str, object]) -> dict[str, str]:
    variables: dict[str, str] = {}
    for name, value in settings.items():
        # Settings that several services share are a separate group; the environment has no groups.
        variables |= _written(value) if isinstance(value, dict) else {name.upper(): _text(value)}
    return variables


def _text(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple):
        return ",".join(_text(one) for one in value)
    return str(value)

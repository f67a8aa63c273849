"""The common command line of the services."""

import argparse
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from service_shared.environment import Environment, SettingError, as_environment

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

SettingsT = TypeVar("SettingsT", bound="DataclassInstance")


@dataclass(frozen=True, slots=True)
class Program(Generic[SettingsT]):
    """A service for the command line."""

    name: str
    read_settings: Callable[[Environment], SettingsT]
    serve: Callable[[SettingsT], None]
    is_healthy: Callable[[SettingsT], bool]


def run(program: Program[SettingsT]) -> int:
    """Run the command line and return the exit code: 0, 1 if not healthy, 2 for a wrong setting."""
    parser = argparse.ArgumentParser(prog=f"python -m {program.name}", description="Serves until SIGTERM.")
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--settings", action="store_true", help="print every effective setting as JSON and end")
    action.add_argument("--health", action="store_true", help="ask the running service whether it is healthy and end")
    asked = parser.parse_args()
    try:
        settings = program.read_settings(Environment(os.environ))
        if asked.settings:
            print(json.dumps(as_environment(settings)))
        elif asked.health:
            return 0 if program.is_healthy(settings) else 1
        else:
            program.serve(settings)
    except SettingError as error:
        print(f"{program.name}: {error}", file=sys.stderr)
        return 2
    return 0

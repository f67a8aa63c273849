"""The users of every service."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Protocol, TypeVar

from service_shared.environment import SettingError


@dataclass(frozen=True, slots=True)
class User:
    """A person known to the service."""

    id: int
    name: str
    email: str
    age: int


UserT = TypeVar("UserT")
UserT_co = TypeVar("UserT_co", covariant=True)


class Users(Protocol[UserT_co]):
    """Users in any form and place."""

    def get(self, user_id: int, /) -> UserT_co | None:
        """Return the user with the id."""

    def everyone(self) -> Sequence[UserT_co]:
        """Return all users in the order of their ids."""


class InMemory(dict[int, UserT]):
    """Users by id, in order."""

    def everyone(self) -> list[UserT]:
        """Return all users."""
        return list(self.values())


def load_users(path: Path) -> dict[int, User]:
    """Return the users of a file by id, in order; raises SettingError if the file has another form."""
    try:
        records = json.loads(path.read_bytes())["users"]
        users = sorted((_user(record) for record in records), key=lambda user: user.id)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise SettingError(f"USERS_FILE {path} cannot be read as users: {error!r}") from error
    by_id = {user.id: user for user in users}
    if len(by_id) < len(users):
        raise SettingError(f"USERS_FILE {path} gives one id to two users")
    return by_id


def _user(record: object) -> User:
    if not isinstance(record, dict):
        raise ValueError(f"{record!r} is not an object")
    for field in fields(User):
        if type(record.get(field.name)) is not field.type:
            raise ValueError(f"{field.name} is missing or of the wrong type in {record}")
    return User(**record)

"""The cases that every implementation must answer alike, over REST and over gRPC."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).parents[2]
Json = dict[str, object]
USERS: list[Json] = json.loads((ROOT / "services/users/users.json").read_bytes())["users"]


@dataclass(frozen=True)
class Case:
    """One request and what must come back: `answer` in canonical form where the outcome is ok."""

    operation: Literal["GetUser", "ListUsers"]
    outcome: Literal["ok", "not-found", "invalid"]
    user_id: int | None = None
    answer: Json | None = None

    def __str__(self) -> str:
        """Return the case's name in the list of tests."""
        return f"{self.operation}({'' if self.user_id is None else self.user_id}) is {self.outcome}"


CASES = [
    *(Case("GetUser", "ok", number, user) for number, user in enumerate(USERS, start=1)),
    Case("ListUsers", "ok", answer={"users": USERS}),
    Case("GetUser", "not-found", 11),
    Case("GetUser", "not-found", 2**31 - 1),
    Case("GetUser", "invalid", 0),
    Case("GetUser", "invalid", -1),
    Case("GetUser", "invalid", -(2**31)),
]

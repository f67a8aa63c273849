"""Reading the file of users."""

import json
from pathlib import Path

import pytest
from service_shared.environment import SettingError
from service_shared.users import User, load_users

ADA = {"id": 1, "name": "Ada Example", "email": "ada@example.org", "age": 36}
BEN = {"id": 2, "name": "Ben Sample", "email": "ben@example.org", "age": 41}


def test_orders_users_by_id(tmp_path: Path) -> None:
    file = tmp_path / "users.json"
    file.write_text(json.dumps({"users": [BEN, ADA]}))

    users = load_users(file)

    assert list(users) == [1, 2]
    assert users[1] == User(1, "Ada Example", "ada@example.org", 36)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"users": 1}',
        '{"users": [1]}',
        json.dumps({"users": [{**ADA, "id": "1"}]}),
        json.dumps({"users": [{**ADA, "age": True}]}),
        json.dumps({"users": [{**ADA, "surname": "x"}]}),
        json.dumps({"users": [{"id": 1}]}),
        json.dumps({"users": [ADA, ADA]}),
    ],
)
def test_refuses_a_file_of_another_form(text: str, tmp_path: Path) -> None:
    file = tmp_path / "users.json"
    file.write_text(text)

    with pytest.raises(SettingError, match=r"^USERS_FILE .*users\.json "):
        load_users(file)

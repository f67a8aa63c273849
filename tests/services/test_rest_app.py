"""The REST application by itself."""

import pytest
from flask import Flask
from flask.testing import FlaskClient
from service_shared.users import User
from user_rest.app import create_app


@pytest.fixture
def app() -> Flask:
    """Return the application with one user."""
    return create_app({1: User(1, "Ada Éxample", "ada@example.org", 36)})


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    """Return a client of the application."""
    return app.test_client()


def test_writes_a_user_as_compact_json(client: FlaskClient) -> None:
    answer = client.get("/user/1")

    assert answer.get_data(as_text=True) == '{"id":1,"name":"Ada Éxample","email":"ada@example.org","age":36}'
    assert answer.content_type == "application/json"


def test_writes_the_same_user_by_the_standard_library() -> None:
    user = User(1, "Ada Éxample", "ada@example.org", 36)
    answers = [create_app({1: user}, json=json).test_client().get("/user/1") for json in ("orjson", "standard")]

    assert answers[0].json == answers[1].json
    assert "\\u00c9" in answers[1].get_data(as_text=True)
    assert answers[1].content_type == "application/json"


def test_says_which_user_is_unknown(client: FlaskClient) -> None:
    answer = client.get("/user/2")

    assert answer.json == {
        "type": "about:blank",
        "title": "Not Found",
        "status": 404,
        "detail": "No user has the id 2.",
    }


def test_tells_nothing_of_a_fault_of_its_own(app: Flask) -> None:
    def fail() -> str:
        raise RuntimeError("a secret")

    app.add_url_rule("/fail", view_func=fail)

    answer = app.test_client().get("/fail")

    assert answer.status_code == 500
    assert answer.content_type == "application/problem+json"
    assert "secret" not in answer.get_data(as_text=True)


def test_describes_each_of_its_routes(app: Flask, client: FlaskClient) -> None:
    described = client.get("/openapi.json").get_json()["paths"]

    assert set(described) == {rule.rule.replace("<written_id>", "{id}") for rule in app.url_map.iter_rules()}

"""The REST application by itself."""

import pytest
from flask import Flask
from flask.testing import FlaskClient
from service_shared.environment import Environment
from service_shared.users import InMemory, User
from user_rest.layers.layered import layered_app
from user_rest.settings import read_settings

ADA = User(1, "Ada Éxample", "ada@example.org", 36)


def app_with(user: User, **variables: str) -> Flask:
    """Return the application with one user and the layers that the variables name."""
    return layered_app(InMemory({1: user}), read_settings(Environment(variables)).layers)


@pytest.fixture
def app() -> Flask:
    """Return the application with one user."""
    return app_with(ADA)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    """Return a client of the application."""
    return app.test_client()


def test_writes_a_user_as_compact_json(client: FlaskClient) -> None:
    answer = client.get("/user/1")

    assert answer.get_data(as_text=True) == '{"id":1,"name":"Ada Éxample","email":"ada@example.org","age":36}'
    assert answer.content_type == "application/json"


def test_writes_the_same_user_by_the_standard_library() -> None:
    answers = [app_with(ADA, JSON=json).test_client().get("/user/1") for json in ("orjson", "standard")]

    assert answers[0].json == answers[1].json
    assert "\\u00c9" in answers[1].get_data(as_text=True)
    assert answers[1].content_type == "application/json"


def test_gives_no_etag_unless_told_to(client: FlaskClient) -> None:
    answer = client.get("/user/1", headers={"If-None-Match": "*"})

    assert answer.status_code == 200
    assert {"ETag", "Cache-Control"}.isdisjoint(answer.headers.keys())


@pytest.mark.parametrize("caching", ["stored", "computed"])
@pytest.mark.parametrize("path", ["/user/1", "/users"])
def test_answers_304_to_a_client_that_has_the_answer(caching: str, path: str, client: FlaskClient) -> None:
    caches = app_with(ADA, CACHING=caching).test_client()

    first = caches.get(path, headers={"If-None-Match": '"other"'})
    again = caches.get(path, headers={"If-None-Match": f'"other", {first.headers["ETag"]}'})

    assert (first.status_code, first.get_data()) == (200, client.get(path).get_data())
    assert (again.status_code, again.get_data()) == (304, b"")
    assert again.headers["ETag"] == first.headers["ETag"]
    assert {answer.headers["Cache-Control"] for answer in (first, again)} == {"no-cache"}


def test_another_answer_has_another_etag() -> None:
    etags = [
        app_with(User(1, "Ada", "ada@example.org", age), CACHING=caching).test_client().get("/user/1").headers["ETag"]
        for caching in ("stored", "computed")
        for age in (36, 37)
    ]

    assert etags[:2] == etags[2:]
    assert len(set(etags)) == 2


@pytest.mark.parametrize("caching", ["stored", "computed"])
@pytest.mark.parametrize(("method", "status"), [("POST", 405), ("OPTIONS", 200)])
def test_other_methods_have_no_etag(caching: str, method: str, status: int) -> None:
    client = app_with(ADA, CACHING=caching).test_client()
    etag = client.get("/users").headers["ETag"]

    answer = client.open("/users", method=method, headers={"If-None-Match": etag})

    assert answer.status_code == status
    assert "ETag" not in answer.headers


@pytest.mark.parametrize("caching", ["stored", "computed"])
@pytest.mark.parametrize(("path", "status"), [("/user/2", 404), ("/user/x", 400), ("/user/01", 400)])
def test_no_answer_has_no_etag(caching: str, path: str, status: int) -> None:
    caches = app_with(ADA, CACHING=caching).test_client()

    answer = caches.get(path, headers={"If-None-Match": "*"})

    assert answer.status_code == status
    assert "ETag" not in answer.headers


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

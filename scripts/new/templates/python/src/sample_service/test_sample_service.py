"""Tests of the service: its application and its settings."""

import pytest
from flask.testing import FlaskClient
from service_shared.environment import Environment, SettingError

from sample_service.app import create_app
from sample_service.settings import read_settings


@pytest.fixture
def client() -> FlaskClient:
    """Return a client of the application."""
    return create_app("Hello").test_client()


def test_greets_by_name(client: FlaskClient) -> None:
    assert client.get("/greeting/Ada").json == {"text": "Hello, Ada!"}


def test_takes_an_escaped_name(client: FlaskClient) -> None:
    assert client.get("/greeting/Ada%20L%C3%B6w").json == {"text": "Hello, Ada Löw!"}


def test_is_healthy(client: FlaskClient) -> None:
    assert client.get("/health").json == {"status": "ok"}


@pytest.mark.parametrize(("method", "path", "status"), [("GET", "/other", 404), ("POST", "/greeting/Ada", 405)])
def test_answers_mistakes_with_a_problem_document(client: FlaskClient, method: str, path: str, status: int) -> None:
    answer = client.open(path, method=method)

    assert answer.status_code == status
    assert answer.content_type == "application/problem+json"


def test_reads_its_settings_from_the_environment() -> None:
    assert read_settings(Environment({"GREETING": "Hi"})).greeting == "Hi"
    with pytest.raises(SettingError, match="PORT"):
        read_settings(Environment({"PORT": "0"}))

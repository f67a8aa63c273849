"""What the REST service promises, checked at its address."""

import http.client
import json
import re
from typing import Any

import pytest
import schemathesis
from cases import CASES, Case
from hypothesis import HealthCheck, settings

schema = schemathesis.pytest.from_fixture("rest_schema")
STATUS = {"ok": 200, "not-found": 404, "invalid": 400}
# What a server refuses before a service is asked: Node.js knows no such method, and Tomcat traces nothing.
REFUSED_BY_THE_SERVER = {("rest-express", "BREW"), ("rest-fastify", "BREW"), ("rest-spring", "TRACE")}


def ask(address: str, path: str, method: str = "GET") -> tuple[http.client.HTTPResponse, bytes]:
    """Return the answer to one request, and its body."""
    connection = http.client.HTTPConnection(address, timeout=10)
    try:
        connection.request(method, path)
        response = connection.getresponse()
        return response, response.read()
    finally:
        connection.close()


def media_type(response: http.client.HTTPResponse) -> str:
    """Return the type of an answer, without the charset that some frameworks add: JSON has no other."""
    return re.sub(r"; ?charset=utf-8$", "", response.headers["Content-Type"], flags=re.IGNORECASE)


def allowed(response: http.client.HTTPResponse) -> set[str]:
    """Return the methods that an answer allows."""
    return {method.strip() for method in response.headers["Allow"].split(",")}


def assert_problem(response: http.client.HTTPResponse, body: bytes) -> None:
    """Check that the answer is a problem document for its own status."""
    assert media_type(response) == "application/problem+json"
    document = json.loads(body)
    assert set(document) == {"type", "title", "status", "detail"}
    assert document["status"] == response.status
    assert all(document.values())


@schema.parametrize()
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_keeps_to_the_description_that_it_serves(case: schemathesis.Case[Any]) -> None:
    case.call_and_validate()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_answers_the_shared_cases(case: Case, rest_address: str) -> None:
    path = "/users" if case.operation == "ListUsers" else f"/user/{case.user_id}"

    response, body = ask(rest_address, path)

    assert response.status == STATUS[case.outcome]
    if case.outcome == "ok":
        assert media_type(response) == "application/json"
        assert json.loads(body) == case.answer
    else:
        assert_problem(response, body)


@pytest.mark.parametrize(
    "text", ["x", "1.0", "1e1", "+1", "01", "%201", "1%20", "1%0A", "%D9%A1", "2147483648", "9" * 40]
)
def test_calls_an_id_in_another_form_malformed(text: str, rest_address: str) -> None:
    response, body = ask(rest_address, f"/user/{text}")

    assert response.status == 400
    assert_problem(response, body)


@pytest.mark.parametrize("path", ["/", "/user", "/user/", "/user/1/", "/user//1", "/users/", "/static/x"])
def test_does_not_find_an_unknown_path(path: str, rest_address: str) -> None:
    response, body = ask(rest_address, path)

    assert response.status == 404
    assert_problem(response, body)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "TRACE", "BREW"])
@pytest.mark.parametrize("path", ["/user/1", "/users", "/health", "/openapi.json"])
def test_allows_no_other_method(path: str, method: str, rest_service: str, rest_address: str) -> None:
    response, body = ask(rest_address, path, method)

    if (rest_service, method) in REFUSED_BY_THE_SERVER:
        assert response.status in (400, 405)
        return
    assert response.status == 405
    assert allowed(response) == {"GET", "HEAD", "OPTIONS"}
    assert_problem(response, body)


@pytest.mark.parametrize("path", ["/user/1", "/users", "/user/11", "/user/x"])
def test_answers_head_with_the_headers_of_get(path: str, rest_service: str, rest_address: str) -> None:
    to_get, body = ask(rest_address, path)
    to_head, nothing = ask(rest_address, path, "HEAD")

    assert nothing == b""
    assert to_head.status == to_get.status
    assert to_head.headers["Content-Type"] == to_get.headers["Content-Type"]
    # Spring Boot writes JSON in chunks.
    length = None if rest_service == "rest-spring" else str(len(body))
    assert to_head.headers["Content-Length"] == to_get.headers["Content-Length"] == length


def test_tells_the_allowed_methods(rest_address: str) -> None:
    response, body = ask(rest_address, "/users", "OPTIONS")

    assert (response.status, body) == (200, b"")
    assert allowed(response) == {"GET", "HEAD", "OPTIONS"}


def test_is_healthy(rest_address: str) -> None:
    response, body = ask(rest_address, "/health")

    assert (response.status, json.loads(body)) == (200, {"status": "ok"})

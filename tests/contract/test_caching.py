"""What the REST services with ETags answer: the users of the REST service, and 304 to a client that has them."""

from collections.abc import Callable, Iterator
from http.client import HTTPConnection

import pytest
import yaml
from cases import ROOT
from running import free_port, refusal, running

CACHING = ["rest-caching", "rest-caching-computed"]
STALE = '"ffffffffffffffff"'
Answer = tuple[int, dict[str, str], bytes]


@pytest.fixture(scope="module", params=CACHING)
def connection(request: pytest.FixtureRequest) -> Iterator[HTTPConnection]:
    """Return one connection for all requests to each service: an answer without a body must not break it."""
    port = free_port()
    with running(request.param, port):
        connection = HTTPConnection("127.0.0.1", port, timeout=10)
        yield connection
        connection.close()


def get(connection: HTTPConnection, path: str, etag: str, method: str = "GET") -> Answer:
    """Return status, headers and body of the answer to a client that has something else, or the same."""
    connection.request(method, path, headers={"If-None-Match": etag})
    response = connection.getresponse()
    return response.status, dict(response.headers), response.read()


@pytest.fixture
def plain(user_address: Callable[[str, str], str]) -> Iterator[HTTPConnection]:
    """Return a connection to the REST service without caching."""
    connection = HTTPConnection(user_address("rest", ""), timeout=10)
    yield connection
    connection.close()


@pytest.mark.parametrize("path", ["/user/1", "/user/10", "/users"])
def test_gives_whom_does_not_have_it_the_answer_of_the_rest_service(
    path: str, connection: HTTPConnection, plain: HTTPConnection
) -> None:
    status, headers, body = get(connection, path, STALE)
    usual_status, usual_headers, usual_body = get(plain, path, STALE)

    assert (status, body) == (usual_status, usual_body)
    assert set(headers) - set(usual_headers) == {"ETag", "Cache-Control"}
    assert headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize("path", ["/user/1", "/users"])
@pytest.mark.parametrize("form", ["{}", "W/{}", STALE + ", {}", "*"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_gives_whom_has_it_no_body(path: str, form: str, method: str, connection: HTTPConnection) -> None:
    etag = get(connection, path, STALE)[1]["ETag"]

    status, headers, body = get(connection, path, form.format(etag), method)

    assert (status, body, headers["ETag"], headers["Cache-Control"]) == (304, b"", etag, "no-cache")
    assert {"Content-Type", "Content-Length", "Transfer-Encoding"}.isdisjoint(headers)


@pytest.mark.parametrize(("path", "status"), [("/user/11", 404), ("/user/x", 400), ("/nothing", 404)])
def test_has_nothing_to_keep_of_an_error(path: str, status: int, connection: HTTPConnection) -> None:
    found, headers, body = get(connection, path, "*")

    assert (found, headers["Content-Type"]) == (status, "application/problem+json")
    assert body
    assert "ETag" not in headers


def test_hits_as_often_as_the_suite_says(connection: HTTPConnection) -> None:
    suite = yaml.safe_load((ROOT / "suites/caching.yml").read_text())

    ratios = {}
    for operation in suite["operations"]:
        path, header = operation["rest"]["path"], operation["rest"]["headers"]["If-None-Match"]
        answers = [get(connection, path.format(**row), header.format(**row))[0] for row in operation["arguments"]]
        assert set(answers) <= {200, 304}
        ratios[operation["name"]] = 100 * answers.count(304) // len(answers)

    assert ratios == {f"{call}{ratio}": ratio for ratio in (0, 50, 90, 100) for call in ("GetUser", "ListUsers")}


def test_says_which_caching_it_knows() -> None:
    assert "CACHING is 'always': it must be one of off, stored, computed" in refusal(
        "rest", free_port(), CACHING="always"
    )

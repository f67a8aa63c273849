"""The REST service on each server that it can be put on: the same answers, and the same end."""

import json
from contextlib import ExitStack, closing
from http.client import HTTPConnection

import pytest
from cases import CASES, Case
from running import free_port, running, stop

SERVERS = {
    "sync": {"WORKER_CLASS": "sync"},
    "gthread": {"WORKER_CLASS": "gthread", "THREADS": "4"},
    "gevent": {"WORKER_CLASS": "gevent"},
    "granian": {"SERVER": "granian", "THREADS": "4"},
    "uvicorn": {"SERVER": "uvicorn", "THREADS": "4"},
}
STATUS = {"ok": 200, "not-found": 404, "invalid": 400}
# The services promise 2 s; a test machine may be busy with other things.
SOON_SECONDS = 5


def path_of(case: Case) -> str:
    """Return where a case is asked for."""
    return "/users" if case.operation == "ListUsers" else f"/user/{case.user_id}"


def ask(port: int, path: str, method: str = "GET") -> tuple[int, str | None, bytes]:
    """Return status, type and body of the answer to one request on a connection of its own."""
    connection = HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request(method, path)
        response = connection.getresponse()
        return response.status, response.headers["Content-Type"], response.read()
    finally:
        connection.close()


@pytest.mark.parametrize("server", SERVERS)
def test_answers_alike_and_ends_soon_beside_idle_connections(server: str) -> None:
    port = free_port()
    with running("rest", port, WORKERS="2", **SERVERS[server]) as started:
        answers = [(case, *ask(port, path_of(case))) for case in CASES]
        unknown = ask(port, "/user//1")
        refused = ask(port, "/users", "PUT")
        to_head = ask(port, "/users", "HEAD")
        with ExitStack() as idle:
            for _ in range(3):
                connection = idle.enter_context(closing(HTTPConnection("127.0.0.1", port, timeout=20)))
                connection.request("GET", "/user/7")
                connection.getresponse().read()

            output, errors, seconds = stop(started)

    for case, status, content_type, body in answers:
        assert status == STATUS[case.outcome]
        if case.outcome == "ok":
            assert (content_type, json.loads(body)) == ("application/json", case.answer)
        else:
            assert content_type == "application/problem+json"
    assert (unknown[0], refused[0]) == (404, 405)
    assert to_head == (200, "application/json", b"")
    assert started.returncode == 0
    assert seconds < SOON_SECONDS
    assert "/user/7" not in output + errors


@pytest.mark.parametrize("server", ["granian", "uvicorn"])
def test_logs_requests_when_asked_to(server: str) -> None:
    port = free_port()
    with running("rest", port, ACCESS_LOG="on", **SERVERS[server]) as started:
        for _ in range(3):
            ask(port, "/user/7")

        output, errors, _ = stop(started)

    assert (output + errors).count("/user/7") == 3

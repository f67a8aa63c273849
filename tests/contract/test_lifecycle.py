"""How the services start and end: always as processes of their own, started here."""

import re
import socket
import subprocess
import sys
import time
from http.client import HTTPConnection
from typing import Any

import grpc
import pytest
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from running import build, end_code, free_port, refusal, running, said, stop
from stalling import Stall, stalled_call

SERVICES = ["rest", "rest-development", "grpc"]
REST = ["rest", "rest-development"]
# The services promise 2 s; a test machine may be busy with other things.
SOON_SECONDS = 5
# Seconds for what is in flight: more than a busy machine needs to notice a signal.
PATIENCE = "20"


@pytest.fixture
def port() -> int:
    """Return a port that nobody listens on."""
    return free_port()


@pytest.fixture(params=SERVICES)
def service(request: pytest.FixtureRequest) -> str:
    """Return each service in turn."""
    return str(request.param)


@pytest.mark.parametrize("worker_class", ["gevent", "gthread", "sync"])
def test_gunicorn_ends_soon_beside_idle_connections(worker_class: str, port: int) -> None:
    with running("rest", port, WORKER_CLASS=worker_class) as started:
        connections = [HTTPConnection("127.0.0.1", port, timeout=10) for _ in range(3)]
        for connection in connections:
            connection.request("GET", "/users")
            connection.getresponse().read()

        _, _, seconds = stop(started)

        for connection in connections:
            connection.close()
    assert started.returncode == 0
    assert seconds < SOON_SECONDS


@pytest.mark.parametrize(("service", "is_kept"), [("rest", True), ("rest-development", False)])
def test_rest_keeps_a_connection_open_behind_gunicorn_only(service: str, is_kept: bool, port: int) -> None:
    with running(service, port):
        connection = HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("GET", "/user/1")
        connection.getresponse().read()
        still_open = connection.sock is not None
        connection.close()

    assert still_open is is_kept


@pytest.mark.parametrize("service", [*REST, "rest-express", "rest-fastify"])
def test_rest_answers_what_is_in_flight_before_it_ends(service: str, port: int) -> None:
    build(service)
    with (
        running(service, port, GRACEFUL_SECONDS=PATIENCE) as started,
        socket.create_connection(("127.0.0.1", port), timeout=20) as client,
    ):
        client.sendall(b"GET /user/1 HTTP/1.1\r\nHost: test\r\nConnection: close\r\n")
        # A connection that was made later has its answer, so this one is taken.
        status_of_another(port)

        started.terminate()
        wait_until_refused(port)
        client.sendall(b"\r\n")
        answer = client.recv(65_536)
        said(started, 20)

    assert answer.startswith(b"HTTP/1.1 200")
    assert started.returncode == 0


def status_of_another(port: int) -> int:
    """Return the status of a request on a connection of its own."""
    connection = HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("GET", "/user/1")
    status = connection.getresponse().status
    connection.close()
    return status


def wait_until_refused(port: int) -> None:
    """Return as soon as nobody takes connections any more; fails after 20 s."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return
        time.sleep(0.05)
    raise AssertionError("the service still takes connections")


@pytest.mark.parametrize(
    ("service", "settings"),
    [
        ("grpc", {"SERVER": "threads"}),
        ("grpc", {"SERVER": "asyncio"}),
        ("grpc-go", {}),
        ("grpc-java", {}),
        ("grpc-node", {}),
    ],
)
def test_grpc_answers_what_is_in_flight_and_says_that_it_is_not_serving(
    service: str, settings: dict[str, str], port: int
) -> None:
    build(service)
    with (
        running(service, port, GRACEFUL_SECONDS=PATIENCE, **settings) as started,
        grpc.insecure_channel(f"127.0.0.1:{port}") as channel,
    ):
        health = watch_health(channel)
        before = next(health).status
        stall = Stall()
        call = stalled_call(channel, stall, timeout=20)
        # A call that was made later has its answer, so the service has begun this one.
        released = Stall()
        released.release()
        stalled_call(channel, released, timeout=20).result()

        started.terminate()
        after = next(health).status
        health.cancel()  # which the service would wait for
        stall.release()
        user = call.result().user
        said(started, 20)

    assert (before, after) == (HealthCheckResponse.SERVING, HealthCheckResponse.NOT_SERVING)
    assert user.id == 1
    assert started.returncode == end_code(service)


def watch_health(channel: grpc.Channel) -> Any:  # noqa: ANN401 -- grpc's iterator, which is a call too
    """Yield the health of the service, and again whenever it changes."""
    watch = channel.unary_stream(
        "/grpc.health.v1.Health/Watch",
        request_serializer=HealthCheckRequest.SerializeToString,
        response_deserializer=HealthCheckResponse.FromString,
    )
    return watch(HealthCheckRequest(service="user.v1.UserService"), timeout=20)


def test_keeps_its_port_and_gives_its_health(service: str, port: int) -> None:
    with running(service, port) as first:
        errors = refusal(service, port)
        while_running = health_exit_code(service, port)

        assert first.poll() is None
    afterwards = health_exit_code(service, port)

    assert re.fullmatch(rf"user_\w+: cannot listen on 127\.0\.0\.1:{port}: Address already in use;.*\n", errors)
    assert (while_running, afterwards) == (0, 1)


@pytest.mark.parametrize(
    ("service", "name", "value"),
    [
        ("rest", "SERVER", "apache"),
        ("rest", "WORKERS", "many"),
        ("rest", "TCP_NODELAY", "yes"),
        ("rest", "PORT", "65536"),
        ("rest", "USERS_FILE", "missing.json"),
        ("rest-development", "GRACEFUL_SECONDS", ""),
        ("grpc", "SERVER", "forks"),
        ("grpc", "THREADS", "0"),
        ("grpc", "MAX_CONCURRENT_RPCS", "-1"),
        ("grpc", "HOST", ""),
        ("grpc", "HOST", "192.0.2.1"),
    ],
)
def test_says_in_one_line_which_setting_is_wrong(service: str, name: str, value: str, port: int) -> None:
    errors = refusal(service, port, **{name: value})

    assert re.fullmatch(r"user_(rest|grpc): [^\n]+\n", errors)
    assert value in errors
    assert name in errors


@pytest.mark.parametrize("service", REST)
@pytest.mark.parametrize("access_log", ["off", "on"])
def test_logs_requests_only_when_asked_to(service: str, access_log: str, port: int) -> None:
    with running(service, port, ACCESS_LOG=access_log) as started:
        for _ in range(3):
            connection = HTTPConnection("127.0.0.1", port, timeout=10)
            connection.request("GET", "/user/7")
            connection.getresponse().read()
            connection.close()

        output, errors, _ = stop(started)

    assert (output + errors).count("/user/7") == (3 if access_log == "on" else 0)


def health_exit_code(service: str, port: int) -> int:
    """Return what the service's own health check ends with."""
    module = "user_grpc" if service == "grpc" else "user_rest"
    check = subprocess.run([sys.executable, "-m", module, "--health"], env={"PORT": str(port)}, check=False, timeout=20)
    return check.returncode

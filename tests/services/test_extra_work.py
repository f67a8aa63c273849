"""The slowdown that is built in for benchmarks."""

import socket
from collections.abc import Callable
from functools import partial

import grpc
import pytest
from flask import Flask
from service_shared.environment import Environment, SettingError
from service_shared.extra_work import burning
from service_shared.grpc_server import Operations, create_server
from service_shared.health import is_healthy_over_grpc
from service_shared.users import InMemory, User
from user.v1.user_pb2 import GetUserRequest, ListUsersRequest
from user.v1.user_pb2_grpc import UserServiceStub, add_UserServiceServicer_to_server
from user_grpc.layers.layered import SERVICE_NAME, interceptors_of
from user_grpc.layers.stored import message_of
from user_grpc.servicer import UserServicer
from user_grpc.settings import read_settings as read_grpc_settings
from user_rest.layers.layered import layered_app, serve_layered
from user_rest.settings import read_settings as read_rest_settings

USERS = InMemory({1: User(1, "Ada Example", "ada@example.org", 36)})


@pytest.fixture
def burnt(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the iterations of each time that extra work is done; none is really done."""
    iterations: list[int] = []
    monkeypatch.setattr("service_shared.extra_work.burn", iterations.append)
    return iterations


@pytest.mark.parametrize("read", [read_rest_settings, read_grpc_settings])
@pytest.mark.parametrize(
    "value",
    ["", "-1", "+5", "nan", "inf", "1e1", "100.1", "101", "5%", " 5", ".5", "5.", "٥"],  # noqa: RUF001
)
def test_refuses_what_is_no_percentage(read: Callable[[Environment], object], value: str) -> None:
    with pytest.raises(SettingError, match=r"^EXTRA_WORK is .*: it must be a number from 0 to 100, such as 5 or 2\.5$"):
        read(Environment({"EXTRA_WORK": value, "BENCHMARK": "1"}))


@pytest.mark.parametrize("read", [read_rest_settings, read_grpc_settings])
@pytest.mark.parametrize("variables", [{}, {"BENCHMARK": "0"}, {"BENCHMARK": "true"}])
def test_refuses_to_be_slow_outside_a_benchmark(
    read: Callable[[Environment], object], variables: dict[str, str]
) -> None:
    with pytest.raises(SettingError, match=r"^EXTRA_WORK is '5': .*; set BENCHMARK=1 as well if this is a benchmark"):
        read(Environment({"EXTRA_WORK": "5", **variables}))


@pytest.mark.parametrize("value", ["0", "0.0"])
def test_takes_none_everywhere(value: str) -> None:
    assert read_rest_settings(Environment({"EXTRA_WORK": value})).layers.extra_work == 0


@pytest.mark.parametrize(("value", "percent"), [("3", 3), ("2.5", 2.5), ("100", 100), ("0.125", 0.125)])
def test_takes_a_percentage_in_a_benchmark(value: str, percent: float) -> None:
    assert read_grpc_settings(Environment({"EXTRA_WORK": value, "BENCHMARK": "1"})).layers.extra_work == percent


def test_leaves_no_trace_in_a_request_when_it_is_off() -> None:
    def function() -> None:
        pass

    assert burning(0)(function) is function
    app = layered_app(USERS, read_rest_settings(Environment({})).layers)
    assert getattr(app.wsgi_app, "__func__", None) is Flask.wsgi_app
    assert interceptors_of(read_grpc_settings(Environment({})).layers) == ()


def test_is_done_once_for_each_rest_operation_and_for_nothing_else(burnt: list[int]) -> None:
    settings = read_rest_settings(Environment({"EXTRA_WORK": "10", "BENCHMARK": "1"}))
    client = layered_app(USERS, settings.layers).test_client()

    statuses = [client.get(path).status_code for path in ("/user/1", "/users", "/health", "/openapi.json", "/none")]

    assert statuses == [200, 200, 200, 200, 404]
    assert burnt == [settings.layers.extra_iterations] * 2


def test_is_done_once_for_each_grpc_operation_and_for_nothing_else(burnt: list[int]) -> None:
    settings = read_grpc_settings(Environment({"EXTRA_WORK": "10", "BENCHMARK": "1"}))
    servicer = UserServicer(InMemory({1: message_of(USERS[1])}))
    operations = Operations(
        service_name=SERVICE_NAME,
        add_to=partial(add_UserServiceServicer_to_server, servicer),
        interceptors=interceptors_of(settings.layers),
    )
    server, _ = create_server(operations, settings.grpc)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            is_healthy = is_healthy_over_grpc("127.0.0.1", port)
            user = UserServiceStub(channel).GetUser(GetUserRequest(id=1), timeout=30).user
            users = UserServiceStub(channel).ListUsers(ListUsersRequest(), timeout=30).users
    finally:
        server.stop(None).wait()

    assert is_healthy
    assert list(users) == [user]
    assert burnt == [settings.layers.extra_iterations] * 2
    assert burnt[0] > 0


@pytest.mark.parametrize("server", ["gunicorn", "development"])
def test_grows_with_the_percentage(server: str) -> None:
    def iterations(percent: str) -> int:
        variables = {"EXTRA_WORK": percent, "BENCHMARK": "1", "SERVER": server}
        return read_rest_settings(Environment(variables)).layers.extra_iterations

    assert iterations("0") == 0
    assert iterations("10") == 2 * iterations("5") > 0


def test_reaches_the_application_behind_gunicorn(burnt: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    applications: list[Flask] = []
    monkeypatch.setattr(
        "service_shared.http_server.serve", lambda create_app, _settings, _listener: applications.append(create_app())
    )
    settings = read_rest_settings(Environment({"EXTRA_WORK": "1", "BENCHMARK": "1"}))

    with socket.socket() as listener:
        serve_layered(USERS, settings, listener)
    applications[0].test_client().get("/users")

    assert burnt == [settings.layers.extra_iterations]


@pytest.mark.parametrize(
    ("read", "server"),
    [(read_rest_settings, "granian"), (read_rest_settings, "uvicorn"), (read_grpc_settings, "asyncio")],
)
def test_is_refused_on_a_server_for_which_nobody_measured_it(
    read: Callable[[Environment], object], server: str
) -> None:
    variables = {"EXTRA_WORK": "5", "BENCHMARK": "1"}

    with pytest.raises(SettingError, match=rf"^EXTRA_WORK is for SERVER=\w+.*, and SERVER is '{server}'"):
        read(Environment({**variables, "SERVER": server}))
    read(Environment(variables))

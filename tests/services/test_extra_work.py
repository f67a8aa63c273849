"""The slowdown that is built in for benchmarks."""

import socket
from collections.abc import Callable

import pytest
from flask import Flask
from service_shared.environment import Environment, SettingError
from service_shared.extra_work import burning
from service_shared.users import User
from user.v1.user_pb2 import GetUserRequest, ListUsersRequest
from user_grpc.server import create_servicer
from user_grpc.servicer import UserServicer
from user_grpc.settings import read_settings as read_grpc_settings
from user_rest import production
from user_rest.app import create_app
from user_rest.settings import read_settings as read_rest_settings

USERS = {1: User(1, "Ada Example", "ada@example.org", 36)}


class Call:
    """As much of a call's context as the operations use."""

    def is_active(self) -> bool:
        """Return that somebody waits for the answer."""
        return True

    def time_remaining(self) -> None:
        """Return that there is no deadline."""


@pytest.fixture
def burnt(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the iterations of each time that extra work is done; none is really done."""
    iterations: list[int] = []
    monkeypatch.setattr("service_shared.extra_work.burn", iterations.append)
    monkeypatch.setattr("user_grpc.servicer.burn", iterations.append)
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
    assert read_rest_settings(Environment({"EXTRA_WORK": value})).extra_work == 0


@pytest.mark.parametrize(("value", "percent"), [("3", 3), ("2.5", 2.5), ("100", 100), ("0.125", 0.125)])
def test_takes_a_percentage_in_a_benchmark(value: str, percent: float) -> None:
    assert read_grpc_settings(Environment({"EXTRA_WORK": value, "BENCHMARK": "1"})).extra_work == percent


def test_leaves_no_trace_in_a_request_when_it_is_off() -> None:
    def function() -> None:
        pass

    assert burning(0)(function) is function
    assert not any(hasattr(view, "__wrapped__") for view in create_app(USERS).view_functions.values())
    assert type(create_servicer(USERS, read_grpc_settings(Environment({})))) is UserServicer


def test_is_done_once_for_each_rest_operation_and_for_nothing_else(burnt: list[int]) -> None:
    client = create_app(USERS, 7).test_client()

    statuses = [client.get(path).status_code for path in ("/user/1", "/users", "/health", "/openapi.json", "/none")]

    assert statuses == [200, 200, 200, 200, 404]
    assert burnt == [7, 7]


def test_is_done_once_for_each_grpc_operation(burnt: list[int]) -> None:
    servicer = create_servicer(USERS, read_grpc_settings(Environment({"EXTRA_WORK": "10", "BENCHMARK": "1"})))
    assert isinstance(servicer, UserServicer)

    user = servicer.GetUser(GetUserRequest(id=1), Call()).user  # type: ignore[arg-type]
    users = servicer.ListUsers(ListUsersRequest(), Call()).users  # type: ignore[arg-type]

    assert list(users) == [user]
    assert len(burnt) == 2
    assert burnt[0] == burnt[1] > 0


@pytest.mark.parametrize("server", ["gunicorn", "development"])
def test_grows_with_the_percentage(server: str) -> None:
    def iterations(percent: str) -> int:
        variables = {"EXTRA_WORK": percent, "BENCHMARK": "1", "SERVER": server}
        return read_rest_settings(Environment(variables)).extra_iterations

    assert iterations("0") == 0
    assert iterations("10") == 2 * iterations("5") > 0


def test_reaches_the_application_behind_gunicorn(burnt: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    applications: list[Flask] = []
    monkeypatch.setattr(
        "service_shared.http_server.serve", lambda create_app, _settings, _listener: applications.append(create_app())
    )
    settings = read_rest_settings(Environment({"EXTRA_WORK": "1", "BENCHMARK": "1"}))

    with socket.socket() as listener:
        production.serve(USERS, settings, listener)
    applications[0].test_client().get("/users")

    assert burnt == [settings.extra_iterations]


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

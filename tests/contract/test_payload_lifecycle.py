"""How the payload services start and end: always as processes of their own, started here."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cases import ROOT
from payload_clients import FAST, OVER_HTTP, SERVICES, get, objects_of
from running import build, free_port, manifest, refusal, running, stop

SOON_SECONDS = 5
OF_THE_START = {"HOST", "PORT", "EXTRA_WORK"}
WRONG_EVERYWHERE = [("CACHE_COUNTS", "1,x"), ("EXTRA_WORK", "101")]
WRONG_SETTINGS = [
    *WRONG_EVERYWHERE,
    ("CACHE_COUNTS", ""),
    ("CACHE_COUNTS", "100,1"),
    ("CACHE_COUNTS", "1,1"),
    ("CACHE_COUNTS", "0"),
    ("CACHE_COUNTS", "1000001"),
    ("CACHE_COUNTS", "1, 100"),
    ("COMPRESSION", "brotli"),
    ("COMPRESSION", "on"),
    ("MAX_ANSWER_MIB", "0"),
    ("MAX_ANSWER_MIB", "2048"),
    ("PORT", "65536"),
    ("PORT", "0x50"),
    ("HOST", ""),
    ("HOST", "192.0.2.1"),
    ("KEEP_ALIVE_SECONDS", "-1"),
    ("GRACEFUL_SECONDS", "0"),
    ("EXTRA_WORK", "5"),
]
# The services of a language read their settings alike.
WRONG_OF_SERVICES = [
    *(
        (service, name, value)
        for service in SERVICES
        for name, value in (WRONG_SETTINGS if service in ("payload-json", "payload-json-go") else WRONG_EVERYWHERE)
    ),
    ("payload-json", "SERVER", "nginx"),
]


@pytest.fixture
def port() -> int:
    """Return a port that nobody listens on."""
    return free_port()


@pytest.fixture(params=SERVICES)
def service(request: pytest.FixtureRequest) -> str:
    """Return each service in turn, built."""
    build(str(request.param))
    return str(request.param)


def ask_program(service: str, argument: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run a service's program with an argument, and only with these settings."""
    words = [str(word) for word in manifest(service)["process"]["command"]]  # type: ignore[attr-defined]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return subprocess.run(
        [*words, argument],
        cwd=ROOT,
        env={"PATH": path, **settings},
        capture_output=True,
        text=True,
        check=False,
        timeout=20,
    )


def test_gives_its_health_keeps_its_port_and_ends_soon_without_a_word(service: str, port: int) -> None:
    with running(service, port) as started:
        objects_of(service, f"127.0.0.1:{port}", 1)
        while_running = ask_program(service, "--health", PORT=str(port)).returncode
        refused = refusal(service, port)
        still_runs = started.poll() is None

        _, errors, seconds = stop(started)
    afterwards = ask_program(service, "--health", PORT=str(port)).returncode

    assert (while_running, afterwards) == (0, 1)
    assert re.fullmatch(
        rf"[\w.-]+: cannot listen on 127\.0\.0\.1:{port}: address already in use;.*\n", refused, re.IGNORECASE
    )
    assert still_runs
    assert started.returncode == 0
    assert seconds < SOON_SECONDS
    assert "Traceback" not in errors
    assert "/objects" not in errors


@pytest.mark.parametrize(("service", "name", "value"), WRONG_OF_SERVICES, indirect=["service"])
def test_says_in_one_line_which_setting_is_wrong(service: str, name: str, value: str, port: int) -> None:
    errors = refusal(service, port, **{name: value})

    assert re.fullmatch(r"payload[\w.-]+: [^\n]+\n", errors)
    assert name in errors
    assert value in errors


@pytest.mark.parametrize("service", [*SERVICES, *FAST], indirect=True)
def test_prints_the_settings_that_its_manifest_spells_out(service: str) -> None:
    printed = ask_program(service, "--settings")

    settings = json.loads(printed.stdout)
    assert {name: value for name, value in settings.items() if name not in OF_THE_START} == manifest(service)[
        "environment"
    ]
    assert settings["PORT"] == str(manifest(service)["port"])


@pytest.mark.parametrize("service", OVER_HTTP, indirect=True)
@pytest.mark.parametrize(("seconds", "is_kept"), [("75", True), ("0", False)])
def test_keeps_a_connection_open_unless_told_otherwise(service: str, seconds: str, is_kept: bool, port: int) -> None:
    with running(service, port, KEEP_ALIVE_SECONDS=seconds):
        answer = get(f"127.0.0.1:{port}", "/objects?count=1")

    assert (answer.headers["Connection"] != "close") is is_kept

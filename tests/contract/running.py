"""Services as plain processes, started as their manifests say."""

import json
import os
import random
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest
from cases import ROOT


@cache
def manifests() -> dict[str, dict[str, dict[str, object]]]:
    """Return what the files of all services say."""
    command = ["node_modules/.bin/tsx", "scripts/services.ts"]
    found = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return json.loads(found.stdout)  # type: ignore[no-any-return]


def manifest(service: str) -> dict[str, dict[str, object]]:
    """Return what the file of a service says of it."""
    return manifests()[service]


# What has to be on PATH to build a service, by its language.
BUILDERS = {"go": ["go"], "node": ["npm"], "java": ["javac", "mvn"]}


def language_of(builder: list[str]) -> str:
    """Return the language of a service by the command that builds it."""
    if builder[0] != "scripts/make-service":
        return builder[0]
    return "java" if (ROOT / builder[1] / "pom.xml").exists() else "node"


def end_code(service: str) -> int:
    """Return the exit code of a service that ends in order: a JVM tells of the signal whatever its hooks do."""
    return 143 if service in ("rest-spring", "grpc-java") else 0


@cache
def build(service: str, *, without_needs: bool = False) -> None:
    """Build a service that is not in Python, once for all tests; its first command builds it, others what it needs.

    If what builds it is missing, the test is skipped, or fails if WIREGAUGE_REQUIRE has that language.
    """
    commands: list[list[str]] = manifest(service)["process"]["build"]  # type: ignore[assignment]
    language = language_of(commands[0])
    if language not in BUILDERS:
        return
    missing = [program for program in BUILDERS[language] if shutil.which(program) is None]
    if missing and language not in os.environ.get("WIREGAUGE_REQUIRE", "").split(","):
        pytest.skip(f"{missing[0]} is not on PATH")
    for command in commands[:1] if without_needs else commands:
        subprocess.run(command, cwd=ROOT, check=True)


def free_port() -> int:
    """Return a port below the range of the kernel's own choices, so that no client's socket can take it."""
    for port in random.sample(range(20_000, 32_768), 100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return port
    raise AssertionError("no port between 20000 and 32767 is free")


@contextmanager
def running(service: str, port: int, **settings: str) -> Iterator[subprocess.Popen[str]]:
    """Run a service until it answers, and for as long as the block lasts."""
    started = start(service, port, **settings)
    try:
        wait_for(started, port)
        yield started
    finally:
        stop(started)


def start(service: str, port: int, **settings: str) -> subprocess.Popen[str]:
    """Start a service, which need not be ready, with settings beside or instead of its manifest's."""
    about = manifest(service)
    environment = {str(name): str(value) for name, value in about.get("environment", {}).items()}
    folder = Path(sys.executable).parent
    return subprocess.Popen(
        [str(word) for word in about["process"]["command"]],  # type: ignore[attr-defined]
        cwd=ROOT,
        env={"PATH": f"{folder}:{os.environ['PATH']}", **environment, "PORT": str(port), **settings},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def refusal(service: str, port: int, **settings: str) -> str:
    """Return the complaint of a service that cannot start; fails where it starts, or says anything else."""
    started = start(service, port, **settings)
    output, errors = said(started, 20)
    assert (started.returncode, output) == (2, "")
    return errors


def said(started: subprocess.Popen[str], seconds: float) -> tuple[str, str]:
    """Return what a service prints on both outputs until it ends; fails, and ends it, where it takes longer."""
    try:
        return started.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        started.kill()
        started.communicate()
        raise


def wait_for(started: subprocess.Popen[str], port: int) -> None:
    """Return as soon as the service takes connections; fails where it ends, or takes longer than any JVM: 60 s."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and started.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    started.kill()
    raise AssertionError(f"the service did not start: {started.communicate()}")


def stop(started: subprocess.Popen[str]) -> tuple[str, str, float]:
    """End a service by SIGTERM and return what it printed on both outputs, and after how many seconds it ended."""
    began = time.monotonic()
    started.terminate()
    output, errors = said(started, 10)
    return output, errors, time.monotonic() - began

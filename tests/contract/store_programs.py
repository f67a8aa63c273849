"""PostgreSQL and Redis, started as the services that need them say; each can go away and come back with what it had."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from cases import ROOT
from running import free_port, manifest

_PROGRAMS = {"postgresql": "postgres", "redis": "redis-server"}
# Ends its connections, and leaves its files in order.
_END = {"postgresql": signal.SIGINT, "redis": signal.SIGTERM}


def require_stores() -> None:
    """Skip the test if PostgreSQL or Redis is missing, unless WIREGAUGE_REQUIRE has `stores`."""
    if "stores" in os.environ.get("WIREGAUGE_REQUIRE", "").split(","):
        return
    folders = ":".join([os.environ["PATH"], *(str(folder) for folder in Path("/usr/lib/postgresql").glob("*/bin"))])
    for program in _PROGRAMS.values():
        if shutil.which(program, path=folders) is None:
            pytest.skip(f"{program} is not installed")


class StoreProgram:
    """One of both, on a port and in a folder of its own."""

    def __init__(self, need: str) -> None:
        """Take a port and a folder, which others may look into: PostgreSQL is not run by root."""
        self.need = need
        self.port = free_port()
        self.folder = Path(tempfile.mkdtemp())
        (self.folder / "data").mkdir()
        self.started: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Return as soon as it takes connections."""
        about = manifest("rest-redis")["needs"][self.need]
        command: list[str] = about["process"]["command"]  # type: ignore[index]
        address = {"HOST": "127.0.0.1", "PORT": str(self.port)}
        self.started = subprocess.Popen(
            command,
            cwd=ROOT,
            env={"PATH": os.environ["PATH"], **address, "DATA": str(self.folder / "data")},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and self.started.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        self.end()
        raise AssertionError(f"{self.need} did not start")

    def end(self) -> None:
        """Let it go away; it may be gone."""
        if self.started is not None:
            self.started.send_signal(_END[self.need])
            self.started.wait(20)
            self.started = None

    def remove(self) -> None:
        """End it and remove what it has."""
        self.end()
        shutil.rmtree(self.folder)

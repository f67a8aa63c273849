"""The gateway in each form, with 1, 5 and 10 members: whole profiles, or a clear refusal and nothing of a profile."""

import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import grpc
import pytest
from cases import ROOT
from google.protobuf.json_format import MessageToDict
from layers_clients import build_go, required
from payload_clients import get
from profiles.v1.profiles_pb2 import GetProfileRequest, GetProfileResponse
from running import free_port, manifest, stop, wait_for

FORMS = ["gateway", "gateway-rest", "gateway-grpc"]
LIMIT_MS = 1500

Json = dict[str, object]

# What stands for the same over HTTP and over gRPC.
WHOLE, INVALID, UNKNOWN = ("200", "OK"), ("400", "INVALID_ARGUMENT"), ("404", "NOT_FOUND")
GONE, LATE = ("502", "UNAVAILABLE"), ("504", "DEADLINE_EXCEEDED")


@dataclass(frozen=True)
class System:
    """A gateway and its members, which run."""

    addresses: dict[str, str]
    programs: dict[str, subprocess.Popen[str]]
    is_grpc: bool

    def ask(self, user: int) -> tuple[str, Json]:
        """Return the status of an answer, and the profile or the error that came."""
        if not self.is_grpc:
            found = get(self.addresses["gateway"], f"/profiles/{user}")
            return str(found.status), json.loads(found.body)
        with grpc.insecure_channel(self.addresses["gateway"]) as channel:
            call = channel.unary_unary(
                "/profiles.v1.ProfileService/GetProfile",
                request_serializer=GetProfileRequest.SerializeToString,
                response_deserializer=GetProfileResponse.FromString,
            )
            try:
                return "OK", MessageToDict(call(GetProfileRequest(id=user), timeout=20))
            except grpc.RpcError as error:
                return error.code().name, {"error": error.details()}

    def refuses(self, user: int, kind: tuple[str, str]) -> str:
        """Return why there is no profile; fail if there is one, or a part of one, or another status."""
        status, found = self.ask(user)
        assert (status, list(found)) == (kind[self.is_grpc], ["error"])
        return str(found["error"])


@contextmanager
def system(name: str) -> Iterator[System]:
    """Start a gateway and its members as plain processes, as their manifest says, for as long as the block lasts."""
    required("go", is_here=shutil.which("go") is not None)
    about = manifest(name)
    build_go(json.dumps(about["members"]["gateway"]["process"]["build"]))  # type: ignore[index]
    ports: set[int] = set()
    while len(ports) < len(about["members"]):
        ports.add(free_port())
    addresses = {member: f"127.0.0.1:{ports.pop()}" for member in about["members"]}
    programs: dict[str, subprocess.Popen[str]] = {}
    with ExitStack() as started:
        # The entry, which is the first of them, last.
        for member in reversed(about["members"]):
            program = start(about["members"][member], addresses, member)  # type: ignore[arg-type]
            started.callback(end, program)
            programs[member] = program
        for member, program in programs.items():
            wait_for(program, int(addresses[member].split(":")[1]))
        yield System(addresses, programs, is_grpc=str(about["protocol"]) == "grpc")


def start(member: dict[str, dict[str, str]], addresses: dict[str, str], name: str) -> subprocess.Popen[str]:
    """Start one program."""
    placeholder = re.compile(r"\$\{members\.([\w-]+)\.host\}:\$\{members\.\1\.port\}")
    settings = {
        key: placeholder.sub(lambda found: addresses[found[1]], value) for key, value in member["environment"].items()
    }
    environment = {"PORT": addresses[name].split(":")[1], "LIMIT_MS": str(LIMIT_MS), **settings}
    command = member["process"]["command"]
    return subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def end(program: subprocess.Popen[str]) -> None:
    """End a program that still runs; fail if it does not end in order."""
    if program.poll() is None:
        assert stop(program)[:2] == ("", "")
        assert program.returncode == 0
    else:
        program.communicate()


def whole(user: int) -> Json:
    """Return the profile of a user as every form must answer it."""
    keys = {
        "account": ["login", "plan", "state", "created"],
        "contact": ["email", "phone", "language", "timezone"],
        "address": ["street", "city", "zip", "country"],
        "preferences": ["theme", "density", "start", "currency"],
        "roles": ["team", "role", "scope", "granted"],
        "orders": ["last", "count", "total", "open"],
        "payments": ["method", "last", "due", "limit"],
        "devices": ["phone", "laptop", "browser", "seen"],
        "messages": ["unread", "drafts", "last", "muted"],
        "consents": ["terms", "mail", "analytics", "since"],
    }
    parts = [
        {"name": name, "entries": [{"key": key, "value": f"{key} of user {user:03}"} for key in own]}
        for name, own in keys.items()
    ]
    return {"id": user, "parts": parts}


@pytest.mark.parametrize("count", [1, 5, 10])
@pytest.mark.parametrize("form", FORMS)
def test_gives_the_same_whole_profile_and_nothing_of_it_without_a_member(form: str, count: int) -> None:
    with system(f"{form}-{count}") as started:
        for user in (1, 7, 100):
            assert started.ask(user) == (WHOLE[started.is_grpc], whole(user))
        started.refuses(0, INVALID)
        started.refuses(-1, INVALID)
        assert "no user has the id 101" in started.refuses(101, UNKNOWN)
        # One port has both protocols, so that the load tool and the reader of its figures find both there.
        assert "gateway_slowest_part_seconds_count" in get(started.addresses["gateway"], "/metrics").body.decode()

        gone = f"part-{count}"
        started.programs[gone].kill()
        started.programs[gone].wait()

        assert started.addresses[gone] in started.refuses(1, GONE)


@pytest.mark.parametrize("form", FORMS)
def test_says_that_a_member_is_late_and_gives_the_whole_again_once_it_answers(form: str) -> None:
    with system(f"{form}-5") as started:
        assert started.ask(1)[0] == WHOLE[started.is_grpc]
        hung = started.programs["part-3"]
        hung.send_signal(signal.SIGSTOP)
        # Returns once all of its threads have stopped.
        os.waitpid(hung.pid, os.WUNTRACED)
        try:
            assert started.addresses["part-3"] in started.refuses(1, LATE)
        finally:
            hung.send_signal(signal.SIGCONT)

        assert started.ask(1) == (WHOLE[started.is_grpc], whole(1))

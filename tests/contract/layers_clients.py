"""The layers in Go, as processes, and in Rust, out of their images: on a machine without Rust, too."""

import json
import os
import shutil
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache

import pytest
from cases import ROOT
from payload_clients import get
from running import free_port, manifest, stop, wait_for

WAYS = ["grpc", "http"]
LANGUAGES = ["go", "rust"]

Chain = dict[str, dict[str, str]]
"""The addresses of each layer by their variables: PORT for HTTP and PORT_GRPC."""

Member = dict[str, object]


def required(what: str, *, is_here: bool) -> None:
    """Skip the test if what it needs is missing, or fail if WIREGAUGE_REQUIRE has it."""
    if not is_here and what not in os.environ.get("WIREGAUGE_REQUIRE", "").split(","):
        pytest.skip(f"{what} is not here")


@contextmanager
def chain(language: str, way: str) -> Iterator[Chain]:
    """Yield the addresses of the three layers, which ask each other by a way, for as long as the block lasts."""
    service = f"layers-{way}" if language == "go" else f"layers-rust-{way}"
    members: dict[str, Member] = manifest(service)["members"]  # type: ignore[assignment]
    start = processes if language == "go" else containers
    with start(members) as ports:
        for addresses in ports.values():
            until_healthy(addresses["PORT"])
        yield ports


def ports_of(members: dict[str, Member]) -> Chain:
    """Return two addresses for each member, none of which is given twice."""
    ports: set[int] = set()
    while len(ports) < 2 * len(members):
        ports.add(free_port())
    return {name: {variable: f"127.0.0.1:{ports.pop()}" for variable in ("PORT", "PORT_GRPC")} for name in members}


@contextmanager
def processes(members: dict[str, Member]) -> Iterator[Chain]:
    """Start the members as plain processes, as their manifests say."""
    required("go", is_here=shutil.which("go") is not None)
    build_go(json.dumps(members["controller"]["process"]["build"]))  # type: ignore[index]
    found = ports_of(members)
    with ExitStack() as started:
        for name, member in members.items():
            environment = {variable: address.split(":")[1] for variable, address in found[name].items()}
            environment |= settings(member, lambda of: found[of])
            program = subprocess.Popen(
                member["process"]["command"],  # type: ignore[index]
                cwd=ROOT,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            started.callback(stop, program)
            wait_for(program, int(environment["PORT"]))
        yield found


@cache
def build_go(commands: str) -> None:
    """Build the programs in Go, once for all tests."""
    for command in json.loads(commands):
        subprocess.run(command, cwd=ROOT, check=True)


@contextmanager
def containers(members: dict[str, Member]) -> Iterator[Chain]:
    """Start the members as containers that find each other by name, as Wiregauge does."""
    required("docker", is_here=shutil.which("docker") is not None and docker_answers())
    images = {name: built(json.dumps(member["image"])) for name, member in members.items()}
    network = f"layers-{uuid.uuid4()}"
    found = ports_of(members)
    with ExitStack() as started:
        docker("network", "create", network)
        started.callback(docker, "network", "rm", network)
        for name, member in members.items():
            inside = {"PORT": str(member["port"]), "PORT_GRPC": str(member["ports"]["grpc"])}  # type: ignore[index]
            options = [f"--publish={address}:{inside[variable]}" for variable, address in found[name].items()]
            environment = inside | settings(member, lambda of: inner(of, members[of]))
            options += [f"--env={variable}={value}" for variable, value in environment.items()]
            arguments = ["--detach", f"--network={network}", f"--network-alias={name}", *options, images[name]]
            container = docker("run", *arguments)
            started.callback(docker, "rm", "--force", "--volumes", container)
            started.callback(ends_in_order, container)
        yield found


def inner(name: str, member: Member) -> dict[str, str]:
    """Return where a member is for the others, in the network of the containers."""
    return {"PORT": f"{name}:{member['port']}", "PORT_GRPC": f"{name}:{member['ports']['grpc']}"}  # type: ignore[index]


def settings(member: Member, where: Callable[[str], dict[str, str]]) -> dict[str, str]:
    """Return the settings of a member's manifest, with the address of the next layer."""
    given: dict[str, str] = member.get("environment", {})  # type: ignore[assignment]
    if "WAY" not in given:
        return {}
    address = where(member["dependsOn"][0])  # type: ignore[index]
    return {"WAY": given["WAY"], "NEXT_URL": f"http://{address['PORT']}", "NEXT_TARGET": address["PORT_GRPC"]}


def ends_in_order(container: str) -> None:
    """End a container by SIGTERM, and fail if it had to be killed or says that it failed."""
    assert docker("exec", container, "/program", "--health") == ""
    assert json.loads(docker("exec", container, "/program", "--settings"))["HOST"] == "0.0.0.0"
    docker("stop", "--time", "10", container)
    assert docker("inspect", "--format", "{{.State.ExitCode}}", container) == "0", docker("logs", container)


@cache
def built(image: str) -> str:
    """Return the image of a member, built once for all tests; by stand-ins if WIREGAUGE_BUILD_ARGS names none."""
    about = json.loads(image)
    given = os.environ.get("WIREGAUGE_BUILD_ARGS")
    if given is None:
        made = [str(ROOT / "tests/stand-ins/build"), "--arguments"]
        flags = subprocess.run(made, check=True, stdout=subprocess.PIPE, text=True)
        arguments = flags.stdout.split()
    else:
        arguments = [f"--build-arg={pair}" for pair in given.split(",") if pair]
    # As scripts/test builds them.
    arguments += [f"--build-arg={name}={value}" for name, value in {**about["args"], "OPT_LEVEL": "0"}.items()]
    return docker(
        "build", "--quiet", f"--file={about['dockerfile']}", f"--target={about['target']}", *arguments, about["context"]
    )


def docker(*arguments: str) -> str:
    """Return what a command of Docker prints; fail with what it says."""
    ended = subprocess.run(["docker", *arguments], cwd=ROOT, capture_output=True, text=True)
    assert ended.returncode == 0, f"docker {' '.join(arguments)}: {ended.stdout}{ended.stderr}"
    return ended.stdout.strip()


def docker_answers() -> bool:
    """Return whether there is an engine."""
    return subprocess.run(["docker", "info"], capture_output=True).returncode == 0


def until_healthy(address: str) -> None:
    """Wait until a layer says that it serves; fail if it says anything else, or nothing within 20 s."""
    deadline = time.monotonic() + 20
    while True:
        try:
            answer = get(address, "/health")
            assert (answer.status, answer.body) == (200, b'{"status":"SERVING"}')
            return
        except OSError:
            assert time.monotonic() < deadline, f"{address} does not answer"
            time.sleep(0.05)

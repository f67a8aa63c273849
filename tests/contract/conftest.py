"""The User Services under test: at the given addresses, else started here, each once for the session."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache

import grpc
import pytest
import schemathesis
from payload_clients import payload_service
from running import build, free_port, running

# An address that is given stands for all of them.
REST = (
    ["rest"]
    if "WIREGAUGE_REST_ADDRESS" in os.environ
    else ["rest", "rest-express", "rest-fastify", "rest-go", "rest-spring"]
)
GRPC = (
    {"grpc": ("grpc", "")}
    if "WIREGAUGE_GRPC_ADDRESS" in os.environ
    else {
        "grpc-threads": ("grpc", "threads"),
        "grpc-asyncio": ("grpc", "asyncio"),
        "grpc-go": ("grpc-go", ""),
        "grpc-java": ("grpc-java", ""),
        "grpc-node": ("grpc-node", ""),
    }
)


@contextmanager
def user_service(service: str, server: str) -> Iterator[str]:
    """Yield the address that the environment gives for a service, else that of one started here."""
    given = os.environ.get(f"WIREGAUGE_{service.upper()}_ADDRESS")
    if given:
        yield given
        return
    build(service)
    port = free_port()
    with running(service, port, **({"SERVER": server} if server else {})):
        yield f"127.0.0.1:{port}"


@pytest.fixture(scope="session")
def user_address() -> Iterator[Callable[[str, str], str]]:
    """Return what gives the address of a User Service by its name and server; it is started when first asked for."""
    with ExitStack() as started:
        yield cache(lambda service, server: started.enter_context(user_service(service, server)))


@pytest.fixture(scope="session", params=REST)
def rest_service(request: pytest.FixtureRequest) -> str:
    """Return the name of each REST service in turn."""
    return str(request.param)


@pytest.fixture(scope="session")
def rest_address(rest_service: str, user_address: Callable[[str, str], str]) -> str:
    """Return host and port of the REST service."""
    return user_address(rest_service, "")


@pytest.fixture(scope="session", params=GRPC)
def grpc_address(request: pytest.FixtureRequest, user_address: Callable[[str, str], str]) -> str:
    """Return host and port of each gRPC service, and of that in Python on each of its servers."""
    return user_address(*GRPC[request.param])


@pytest.fixture(scope="session")
def channel(grpc_address: str) -> Iterator[grpc.Channel]:
    """Return a channel to the gRPC service that is ready."""
    with grpc.insecure_channel(grpc_address) as channel:
        grpc.channel_ready_future(channel).result(timeout=20)
        yield channel


@pytest.fixture(scope="session")
def rest_schema(rest_address: str) -> schemathesis.BaseSchema:
    """Return the OpenAPI document that the REST service serves."""
    return schemathesis.openapi.from_url(f"http://{rest_address}/openapi.json")


@pytest.fixture(scope="session")
def payload_address() -> Iterator[Callable[[str], str]]:
    """Return what gives the address of a payload service, which is started when it is first asked for."""
    with ExitStack() as started:
        yield cache(lambda service: started.enter_context(payload_service(service)))

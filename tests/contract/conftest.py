"""The two services under test: at the given addresses, else started here for the session."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache

import grpc
import pytest
import schemathesis
from payload_clients import payload_service
from running import free_port, running


def address_of(service: str, **settings: str) -> Iterator[str]:
    """Yield the address that the environment gives for a service, else that of one started for the session."""
    given = os.environ.get(f"WIREGAUGE_{service.upper()}_ADDRESS")
    if given:
        yield given
        return
    port = free_port()
    with running(service, port, **settings):
        yield f"127.0.0.1:{port}"


@pytest.fixture(scope="session")
def rest_address() -> Iterator[str]:
    """Return host and port of the REST service."""
    yield from address_of("rest")


@pytest.fixture(scope="session", params=["threads", "asyncio"])
def grpc_address(request: pytest.FixtureRequest) -> Iterator[str]:
    """Return host and port of the gRPC service on each of its servers."""
    yield from address_of("grpc", SERVER=request.param)


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

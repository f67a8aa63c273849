"""The payload services in Python as the suite transport-python has them: the same answers over HTTP/1.1 and h2c."""

import pytest
from http2 import get_over_http2
from payload_clients import CONTENT_TYPE, HttpAnswer, decode, get, objects_of
from running import free_port, refusal, running, stop

SERVICES = ["transport-python-h1-json-all", "transport-python-h2c-protobuf-1"]
PATH = "/objects?count=1"
SOON_SECONDS = 5


def form_of(service: str) -> str:
    """Return "json" or "protobuf"."""
    return service.split("-")[3]


@pytest.mark.parametrize("service", SERVICES)
def test_answers_alike_over_both_versions_of_http_and_ends_soon(service: str) -> None:
    port = free_port()
    address = f"127.0.0.1:{port}"
    form = form_of(service)
    with running(service, port) as started:
        over_http1 = get(address, PATH)
        over_http2 = get_over_http2(address, [PATH] * 8)
        wrong = get(address, "/objects?count=x")
        unknown = get(address, "/nothing")
        refused = get(address, PATH, method="PUT")

        _, errors, seconds = stop(started)

    objects = decode(f"payload-{form}", over_http1)
    assert (over_http1.status, over_http1.headers["Content-Type"]) == (200, CONTENT_TYPE[form])
    assert len(objects) == 1
    for body in over_http2:
        assert decode(f"payload-{form}", HttpAnswer(200, over_http1.headers, body)) == objects
    assert (wrong.status, unknown.status, refused.status) == (400, 404, 405)
    assert started.returncode == 0
    assert seconds < SOON_SECONDS
    assert "Traceback" not in errors


def test_has_the_objects_of_the_other_servers() -> None:
    ports = [free_port(), free_port()]
    with running(SERVICES[0], ports[0]), running("transport-python-grpc-1", ports[1]):
        addresses = [f"127.0.0.1:{port}" for port in ports]
        granian = decode("payload-json", get(addresses[0], "/objects?count=100"))
        grpcio = objects_of("payload-grpc", addresses[1], 100)

    assert granian == grpcio


def test_says_in_one_line_that_its_port_is_taken() -> None:
    port = free_port()
    with running(SERVICES[0], port):
        errors = refusal(SERVICES[0], port)

    assert "cannot listen on 127.0.0.1" in errors
    assert errors.count("\n") == 1

"""What the payload services say to what they cannot answer."""

import json
from collections.abc import Callable

import grpc
import pytest
from payload_clients import OVER_GRPC, OVER_HTTP, SERVICES, UNLIMITED, call, form_of, get, objects_of, payload_service

AddressOf = Callable[[str], str]
MALFORMED = "count must be a whole number from 1 to 1000."
BEYOND = (
    "count is {}, and the cache holds 1000 objects: ask for 1 to 1000, or start the service with a larger CACHE_COUNTS."
)
MEBIBYTE = 2**20


def assert_problem(address: str, path: str, status: int, method: str = "GET") -> str:
    """Check that a request is answered with a problem document, and return its detail."""
    answer = get(address, path, method=method)
    assert (answer.status, answer.headers["Content-Type"]) == (status, "application/problem+json")
    document = json.loads(answer.body)
    assert (document["type"], document["status"]) == ("about:blank", status)
    assert all(document.values())
    return str(document["detail"])


@pytest.mark.parametrize("service", OVER_HTTP)
@pytest.mark.parametrize(
    "query",
    [
        *(
            "",
            "?",
            "?count",
            "?count=",
            "?count=0",
            "?count=-1",
            "?count=%2B1",
            "?count=01",
            "?count=%201",
            "?count=1%0A",
        ),
        *(
            "?count=1.0",
            "?count=1e2",
            "?count=x",
            "?count=0x10",
            "?count=%D9%A1",
            "?count=1&count=2",
            "?Count=1",
            "?n=1",
        ),
        *("?count=2147483648", f"?count={'9' * 40}", "?count=-9223372036854775809"),
    ],
)
def test_calls_a_count_malformed_over_http(service: str, query: str, payload_address: AddressOf) -> None:
    assert assert_problem(payload_address(service), f"/objects{query}", 400) == MALFORMED


@pytest.mark.parametrize("service", OVER_HTTP)
@pytest.mark.parametrize("count", [1_001, 100_000, 2**31 - 1])
def test_says_how_many_objects_there_are_over_http(service: str, count: int, payload_address: AddressOf) -> None:
    assert assert_problem(payload_address(service), f"/objects?count={count}", 400) == BEYOND.format(count)


@pytest.mark.parametrize("service", OVER_HTTP)
@pytest.mark.parametrize("path", ["/", "/object", "/objects/", "/objects/1", "/objects//", "/static/x"])
def test_does_not_find_another_path(service: str, path: str, payload_address: AddressOf) -> None:
    assert_problem(payload_address(service), path, 404)


@pytest.mark.parametrize("service", OVER_HTTP)
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "BREW"])
def test_allows_no_other_method(service: str, method: str, payload_address: AddressOf) -> None:
    address = payload_address(service)

    assert_problem(address, "/objects?count=1", 405, method)
    allowed = get(address, "/objects?count=1", method=method).headers["Allow"]

    assert set(allowed.split(", ")) == {"GET", "HEAD", "OPTIONS"}


@pytest.mark.parametrize("service", OVER_HTTP)
def test_answers_head_with_the_headers_of_get(service: str, payload_address: AddressOf) -> None:
    to_get = get(payload_address(service), "/objects?count=100")
    to_head = get(payload_address(service), "/objects?count=100", method="HEAD")

    assert to_head.body == b""
    assert to_head.headers["Content-Type"] == to_get.headers["Content-Type"]
    assert int(to_head.headers["Content-Length"]) == len(to_get.body)


@pytest.mark.parametrize("service", OVER_GRPC)
@pytest.mark.parametrize(
    ("request_", "code", "details"),
    [
        (b"", grpc.StatusCode.INVALID_ARGUMENT, MALFORMED),
        (0, grpc.StatusCode.INVALID_ARGUMENT, MALFORMED),
        (-1, grpc.StatusCode.INVALID_ARGUMENT, MALFORMED),
        (-(2**31), grpc.StatusCode.INVALID_ARGUMENT, MALFORMED),
        (1_001, grpc.StatusCode.OUT_OF_RANGE, BEYOND.format(1_001)),
        (2**31 - 1, grpc.StatusCode.OUT_OF_RANGE, BEYOND.format(2**31 - 1)),
        # A field whose number ends in the middle: no message at all.
        (b"\x08\xff", grpc.StatusCode.INTERNAL, None),
    ],
)
def test_ends_a_call_with_a_status(
    service: str, request_: bytes | int, code: grpc.StatusCode, details: str | None, payload_address: AddressOf
) -> None:
    with pytest.raises(grpc.RpcError) as refused:
        call(payload_address(service), request_)

    assert refused.value.code() is code
    assert details is None or refused.value.details() == details


@pytest.mark.parametrize("service", SERVICES)
def test_refuses_an_answer_beyond_its_own_limit(service: str) -> None:
    with payload_service(service, CACHE_COUNTS="10,4000", MAX_ANSWER_MIB="1") as address:
        if form_of(service) == "grpc":
            with pytest.raises(grpc.RpcError) as refused:
                call(address, 4_000, UNLIMITED)
            assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
            assert str(MEBIBYTE) in (refused.value.details() or "")
        else:
            detail = assert_problem(address, "/objects?count=4000", 400)
            assert detail.endswith(" bytes, and MAX_ANSWER_MIB allows 1 MiB: ask for fewer objects.")
        objects = objects_of(service, address, 10)

    assert len(objects) == 10


@pytest.mark.parametrize("service", OVER_GRPC)
def test_goes_on_after_an_answer_beyond_the_limit_of_a_client(service: str) -> None:
    with payload_service(service, CACHE_COUNTS="10,8000") as address:
        with pytest.raises(grpc.RpcError) as refused:
            # grpcio takes 4 MiB unless told otherwise, and so do grpc-go and others.
            call(address, 8_000)
        raised = call(address, 8_000, UNLIMITED)
        small = call(address, 10)

    assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert (len(raised.objects), len(small.objects)) == (8_000, 10)

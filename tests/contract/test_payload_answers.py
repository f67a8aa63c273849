"""What the payload services answer: the same objects, as JSON, as messages over HTTP, and over gRPC."""

import gzip
import struct
from collections.abc import Callable

import pytest
from http2 import WINDOW, data_of, raw_call
from payload.v1.payload_pb2 import GetObjectsResponse
from payload_clients import (
    CONTENT_TYPE,
    FAST,
    GOLDEN,
    OVER_GRPC,
    OVER_HTTP,
    SERVICES,
    UNLIMITED,
    call,
    decode,
    form_of,
    get,
    objects_of,
    payload_service,
)

AddressOf = Callable[[str], str]


@pytest.mark.parametrize("count", [1, 100, 1_000])
@pytest.mark.parametrize("service", [*SERVICES, *FAST])
def test_answers_are_equal_over_everything(service: str, count: int, payload_address: AddressOf) -> None:
    objects = objects_of(service, payload_address(service), count)

    assert len(objects) == count
    assert objects == objects_of("payload-json", payload_address("payload-json"), count)


@pytest.mark.parametrize("service", SERVICES)
def test_answers_hold_the_objects_of_the_fixture(service: str, payload_address: AddressOf) -> None:
    objects = {made["id"]: made for made in objects_of(service, payload_address(service), 1_000)}

    assert [objects[made["id"]] for made in GOLDEN if made["id"] in objects] == GOLDEN[:3]


@pytest.mark.parametrize("service", SERVICES)
def test_a_count_that_is_not_held_ready_is_cut_from_the_largest(service: str, payload_address: AddressOf) -> None:
    address = payload_address(service)

    assert objects_of(service, address, 7) == objects_of(service, address, 100)[:7]


@pytest.mark.parametrize("language", ["", "-go"])
@pytest.mark.parametrize("count", [1, 100, 1_000])
def test_messages_have_about_a_third_of_the_bytes_of_json(
    language: str, count: int, payload_address: AddressOf
) -> None:
    as_json = get(payload_address(f"payload-json{language}"), f"/objects?count={count}").body
    as_messages = get(payload_address(f"payload-protobuf{language}"), f"/objects?count={count}").body
    over_grpc = call(payload_address(f"payload-grpc{language}"), count, UNLIMITED)

    assert 0.25 < len(as_messages) / len(as_json) < 0.45
    assert len(over_grpc.SerializeToString()) == len(as_messages)


@pytest.mark.parametrize("service", OVER_HTTP)
def test_does_not_compress_unless_told_to(service: str, payload_address: AddressOf) -> None:
    answer = get(payload_address(service), "/objects?count=1", {"Accept-Encoding": "gzip"})

    assert answer.headers["Content-Encoding"] is None
    assert int(answer.headers["Content-Length"]) == len(answer.body)


@pytest.mark.parametrize("service", OVER_HTTP)
def test_compresses_for_the_clients_that_take_it(service: str, payload_address: AddressOf) -> None:
    with payload_service(service, COMPRESSION="gzip") as address:
        taken = get(address, "/objects?count=100", {"Accept-Encoding": "br, gzip"})
        refused = get(address, "/objects?count=100", {"Accept-Encoding": "br, gzip;q=0, *"})
        silent = get(address, "/objects?count=100")

    assert [answer.headers["Content-Encoding"] for answer in (taken, refused, silent)] == ["gzip", None, None]
    assert {answer.headers["Vary"] for answer in (taken, refused, silent)} == {"Accept-Encoding"}
    assert {answer.headers["Content-Type"] for answer in (taken, refused, silent)} == {CONTENT_TYPE[form_of(service)]}
    assert decode(service, refused) == decode(service, silent)
    assert len(taken.body) < len(silent.body) / 2
    assert decode(service, taken) == decode(service, silent) == objects_of(service, payload_address(service), 100)


NOT_TAKEN: list[dict[str, str]] = [{}, {"grpc-accept-encoding": "identity"}]
TAKEN = {"grpc-accept-encoding": "identity,gzip"}
# A client that compresses its requests does not ask for that of the answers.
COMPRESSED_ITSELF = {**TAKEN, "grpc-encoding": "gzip"}


@pytest.mark.parametrize(
    ("service", "compression", "metadata", "is_compressed"),
    [
        *((service, "off", metadata, False) for service in OVER_GRPC for metadata in (TAKEN, COMPRESSED_ITSELF)),
        *((service, "gzip", TAKEN, True) for service in OVER_GRPC),
        *(("payload-grpc-go", "gzip", metadata, False) for metadata in NOT_TAKEN),
        # grpcio compresses without a look at what the client takes, and does not let a service see that.
        *(("payload-grpc", "gzip", metadata, True) for metadata in NOT_TAKEN),
    ],
)
def test_compresses_calls_for_the_clients_that_take_it(
    service: str, compression: str, metadata: dict[str, str], is_compressed: bool
) -> None:
    with (
        payload_service(service, COMPRESSION=compression) as address,
        raw_call(address, 10, metadata) as connection,
    ):
        answer = data_of(connection, WINDOW)

    flag, length = struct.unpack(">BI", answer[:5])
    assert (flag, length) == (int(is_compressed), len(answer) - 5)
    message = gzip.decompress(answer[5:]) if is_compressed else answer[5:]
    assert len(GetObjectsResponse.FromString(message).objects) == 10


@pytest.mark.parametrize("service", SERVICES)
def test_does_extra_work_for_a_benchmark_and_answers_the_same(service: str, payload_address: AddressOf) -> None:
    with payload_service(service, BENCHMARK="1", EXTRA_WORK="50") as address:
        assert objects_of(service, address, 100) == objects_of(service, payload_address(service), 100)


@pytest.mark.parametrize("form", ["json", "protobuf"])
def test_sends_the_same_bytes_in_both_languages(form: str, payload_address: AddressOf) -> None:
    if form == "protobuf":
        # The entries of a map have no order in a message, and so neither have the bytes.
        lengths = {
            len(get(payload_address(f"payload-protobuf{language}"), "/objects?count=100").body)
            for language in ("", "-go")
        }
        assert len(lengths) == 1
        return
    python, go = (
        get(payload_address(f"payload-json{language}"), "/objects?count=100").body for language in ("", "-go")
    )

    assert python == go


@pytest.mark.parametrize("service", FAST)
def test_sends_as_many_bytes_as_by_the_standard_library(service: str, payload_address: AddressOf) -> None:
    fast = get(payload_address(service), "/objects?count=100").body
    standard = get(payload_address("payload-json"), "/objects?count=100").body

    assert len(fast) == len(standard)
    # sonic leaves the entries of a map in the order in which Go has them: none.
    assert fast == standard or service == "payload-sonic-go"

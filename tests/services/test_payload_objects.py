"""The objects of the payload services: drawn alike in every language."""

import json
from pathlib import Path

import pytest
from google.protobuf.json_format import MessageToDict, ParseDict
from payload.v1 import payload_pb2
from payload_services import json_form, protobuf_form
from payload_services.draws import Draws
from payload_services.objects import QUALITIES, QUANTITIES, STATUSES, make_object

FIXTURE = Path(__file__).parents[1] / "fixtures/payload/objects.json"
GOLDEN = json.loads(FIXTURE.read_bytes())["objects"]


@pytest.mark.parametrize(
    ("seed", "numbers"),
    [
        (0, [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4]),
        # The first of https://rosettacode.org/wiki/Pseudo-random_numbers/Splitmix64.
        (1_234_567, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]),
    ],
)
def test_draws_the_numbers_of_splitmix64(seed: int, numbers: list[int]) -> None:
    draws = Draws(seed)

    assert [draws.next() for _ in numbers] == numbers


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: str(golden["id"]))
def test_makes_the_objects_of_the_fixture(golden: dict[str, object]) -> None:
    made = make_object(int(str(golden["id"])))

    assert json_form.object_as_json(made) == golden


@pytest.mark.parametrize("number", range(1, 101))
def test_a_message_is_its_own_json_of_protobuf(number: int) -> None:
    made = make_object(number)
    as_json = json_form.object_as_json(made)
    message = protobuf_form.object_as_message(made)

    assert MessageToDict(message, always_print_fields_with_no_presence=True) == as_json
    assert ParseDict(as_json, payload_pb2.Object()) == message


def test_names_the_values_of_the_contract() -> None:
    assert list(STATUSES) == payload_pb2.Status.keys()
    assert list(QUANTITIES) == payload_pb2.Quantity.keys()
    assert list(QUALITIES) == payload_pb2.Quality.keys()

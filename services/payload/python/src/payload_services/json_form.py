"""Objects as JSON of protobuf (https://protobuf.dev/programming-guides/json/), including fields with value false."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime

from payload_services.answers import Form
from payload_services.objects import QUALITIES, QUANTITIES, STATUSES, Measurement, Object, Owner, Part, make_object

Json = dict[str, object]
Answer = dict[str, list[Json]]


def make_answer(count: int) -> Answer:
    """Return an answer with the first objects."""
    return {"objects": [object_as_json(make_object(number)) for number in range(1, count + 1)]}


def cut(answer: Answer, count: int) -> Answer:
    """Return an answer with the first objects of another one."""
    return {"objects": answer["objects"][:count]}


def encode(answer: Answer) -> bytes:
    """Return an answer as JSON text."""
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode()


FORM = Form("application/json", make_answer, cut, encode)


def object_as_json(made: Object) -> Json:
    """Return an object with the fields in the order of the contract."""
    return {
        "id": made.id,
        "name": made.name,
        "description": made.description,
        "status": STATUSES[made.status],
        "created": _time(made.created),
        "updated": _time(made.updated),
        "tags": list(made.tags),
        "attributes": made.attributes,
        "owner": _owner(made.owner),
        "parts": _parts(made.parts),
        "measurements": [_measurement(measurement) for measurement in made.measurements],
        "ratings": list(made.ratings),
    }


def _owner(owner: Owner) -> Json:
    address = owner.address
    return {
        "name": owner.name,
        "email": owner.email,
        "verified": owner.verified,
        "address": {
            "street": address.street,
            "postcode": address.postcode,
            "city": address.city,
            "country": address.country,
            "latitude": address.latitude,
            "longitude": address.longitude,
        },
    }


def _parts(parts: Sequence[Part]) -> list[Json]:
    return [
        {"number": part.number, "name": part.name, "quantity": part.quantity, "price": part.price} for part in parts
    ]


def _measurement(measurement: Measurement) -> Json:
    return {
        "quantity": QUANTITIES[measurement.quantity],
        "value": measurement.value,
        "samples": measurement.samples,
        "quality": QUALITIES[measurement.quality],
        "taken": _time(measurement.taken),
    }


def _time(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

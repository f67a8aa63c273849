"""Objects as messages of the contract."""

from google.protobuf.timestamp_pb2 import Timestamp
from payload.v1 import payload_pb2

from payload_services.answers import Form
from payload_services.objects import Measurement, Object, Owner, make_object


def make_answer(count: int) -> payload_pb2.GetObjectsResponse:
    """Return an answer with the first objects."""
    answer = payload_pb2.GetObjectsResponse()
    for number in range(1, count + 1):
        answer.objects.append(object_as_message(make_object(number)))
    return answer


def cut(answer: payload_pb2.GetObjectsResponse, count: int) -> payload_pb2.GetObjectsResponse:
    """Return an answer with the first objects of another one, which protobuf copies."""
    return payload_pb2.GetObjectsResponse(objects=answer.objects[:count])


def encode(answer: payload_pb2.GetObjectsResponse) -> bytes:
    """Return an answer as bytes."""
    return answer.SerializeToString()


FORM = Form("application/x-protobuf", make_answer, cut, encode)


def object_as_message(made: Object) -> payload_pb2.Object:
    """Return an object as a message."""
    return payload_pb2.Object(
        id=made.id,
        name=made.name,
        description=made.description,
        status=payload_pb2.Status.ValueType(made.status),
        created=Timestamp(seconds=made.created),
        updated=Timestamp(seconds=made.updated),
        tags=made.tags,
        attributes=made.attributes,
        owner=_owner(made.owner),
        parts=[
            payload_pb2.Part(number=part.number, name=part.name, quantity=part.quantity, price=part.price)
            for part in made.parts
        ],
        measurements=[_measurement(measurement) for measurement in made.measurements],
        ratings=made.ratings,
    )


def _owner(owner: Owner) -> payload_pb2.Owner:
    address = owner.address
    return payload_pb2.Owner(
        name=owner.name,
        email=owner.email,
        verified=owner.verified,
        address=payload_pb2.Address(
            street=address.street,
            postcode=address.postcode,
            city=address.city,
            country=address.country,
            latitude=address.latitude,
            longitude=address.longitude,
        ),
    )


def _measurement(measurement: Measurement) -> payload_pb2.Measurement:
    return payload_pb2.Measurement(
        quantity=payload_pb2.Quantity.ValueType(measurement.quantity),
        value=measurement.value,
        samples=measurement.samples,
        quality=payload_pb2.Quality.ValueType(measurement.quality),
        taken=Timestamp(seconds=measurement.taken),
    )

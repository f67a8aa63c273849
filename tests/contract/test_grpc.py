"""What the gRPC service promises, checked at its address."""

import grpc
import pytest
from cases import CASES, USERS, Case
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.json_format import MessageToDict
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase
from stalling import stalled_calls
from user.v1 import user_pb2, user_pb2_grpc
from user.v1.user_pb2 import GetUserRequest

CODE = {"not-found": grpc.StatusCode.NOT_FOUND, "invalid": grpc.StatusCode.INVALID_ARGUMENT}


def canonical(case: Case, stub: user_pb2_grpc.UserServiceStub) -> dict[str, object]:
    """Return the answer to a case as JSON, without the envelope that only gRPC has."""
    if case.operation == "ListUsers":
        return MessageToDict(stub.ListUsers(user_pb2.ListUsersRequest(), timeout=10))
    assert case.user_id is not None
    return MessageToDict(stub.GetUser(GetUserRequest(id=case.user_id), timeout=10).user)


@pytest.fixture
def stub(channel: grpc.Channel) -> user_pb2_grpc.UserServiceStub:
    """Return a client of the service."""
    return user_pb2_grpc.UserServiceStub(channel)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_answers_the_shared_cases(case: Case, stub: user_pb2_grpc.UserServiceStub) -> None:
    if case.outcome == "ok":
        assert canonical(case, stub) == case.answer
        return

    with pytest.raises(grpc.RpcError) as refused:
        canonical(case, stub)

    assert refused.value.code() is CODE[case.outcome]
    assert refused.value.details()


def test_does_not_know_another_call(channel: grpc.Channel) -> None:
    call = channel.unary_unary("/user.v1.UserService/DeleteUser", GetUserRequest.SerializeToString, bytes)

    with pytest.raises(grpc.RpcError) as refused:
        call(GetUserRequest(id=1), timeout=10)

    assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED


def test_gives_up_a_call_at_its_deadline(channel: grpc.Channel, stub: user_pb2_grpc.UserServiceStub) -> None:
    # Calls whose message never comes, more than the default pool has threads: each holds one until it is given up.
    with stalled_calls(channel, count=20, timeout=0.5) as calls:
        codes = {call.code() for call in calls}
        users = stub.ListUsers(user_pb2.ListUsersRequest(), timeout=10).users

    # A server that resets the stream at the deadline is told apart only by whose clock was first.
    assert codes <= {grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED}
    assert len(users) == len(USERS)


@pytest.mark.parametrize("service", ["", "user.v1.UserService"])
def test_is_serving(service: str, channel: grpc.Channel) -> None:
    check = channel.unary_unary(
        "/grpc.health.v1.Health/Check",
        request_serializer=HealthCheckRequest.SerializeToString,
        response_deserializer=HealthCheckResponse.FromString,
    )

    assert check(HealthCheckRequest(service=service), timeout=10).status == HealthCheckResponse.SERVING


def test_describes_itself_by_reflection(channel: grpc.Channel) -> None:
    reflected = ProtoReflectionDescriptorDatabase(channel)

    service = DescriptorPool(reflected).FindServiceByName("user.v1.UserService")

    assert [method.name for method in service.methods] == ["GetUser", "ListUsers"]
    assert set(reflected.get_services()) >= {"user.v1.UserService", "grpc.health.v1.Health"}

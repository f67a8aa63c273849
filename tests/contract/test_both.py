"""What holds between the two services: the same question has the same canonical answer."""

import http.client
import json

import grpc
from cases import USERS
from google.protobuf.json_format import MessageToDict
from user.v1 import user_pb2, user_pb2_grpc


def test_services_give_the_same_canonical_answers(rest_address: str, channel: grpc.Channel) -> None:
    stub = user_pb2_grpc.UserServiceStub(channel)
    over_grpc = [MessageToDict(stub.ListUsers(user_pb2.ListUsersRequest(), timeout=10))]
    over_grpc += [
        MessageToDict(stub.GetUser(user_pb2.GetUserRequest(id=number), timeout=10).user)
        for number in range(1, len(USERS) + 1)
    ]
    connection = http.client.HTTPConnection(rest_address, timeout=10)

    over_rest = []
    for path in ["/users", *(f"/user/{number}" for number in range(1, len(USERS) + 1))]:
        connection.request("GET", path)
        over_rest.append(json.loads(connection.getresponse().read()))

    connection.close()
    assert over_rest == over_grpc

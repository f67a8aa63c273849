"""The operation of the payload service over gRPC."""

import grpc
from payload.v1 import payload_pb2, payload_pb2_grpc
from service_shared.grpc_server import end_if_late

from payload_services.answers import Answers, CountBeyondCacheError, MalformedCountError


class PayloadServicer(payload_pb2_grpc.PayloadServiceServicer):
    """Answers with messages from memory, which grpcio serializes."""

    def __init__(self, answers: Answers[payload_pb2.GetObjectsResponse]) -> None:
        """Store the answers."""
        self.answers = answers

    def GetObjects(
        self, request: payload_pb2.GetObjectsRequest, context: grpc.ServicerContext
    ) -> payload_pb2.GetObjectsResponse:
        """Return the first objects, or end the call with INVALID_ARGUMENT or OUT_OF_RANGE."""
        end_if_late(context)
        try:
            return self.answers.of(request.count)
        except MalformedCountError as error:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(error))
        except CountBeyondCacheError as error:
            context.abort(grpc.StatusCode.OUT_OF_RANGE, str(error))

"""Interceptor that decorates each operation of a service."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import grpc

if TYPE_CHECKING:
    # The class cannot be subscripted at run time.
    _Handler: TypeAlias = grpc.RpcMethodHandler[Any, Any]

Operation = Callable[[Any, grpc.ServicerContext], Any]


class AroundOperations(grpc.ServerInterceptor):
    """Interceptor of the operations of one service, and of no other, such as health checks."""

    def __init__(self, service_name: str, decorate: Callable[[Operation], Operation]) -> None:
        """Store the decorator of each operation."""
        self.prefix = f"/{service_name}/"
        self.decorate = decorate
        self.handlers: dict[str, _Handler] = {}

    def intercept_service(
        self,
        continuation: "Callable[[grpc.HandlerCallDetails], _Handler | None]",
        handler_call_details: grpc.HandlerCallDetails,
    ) -> "_Handler | None":
        """Return the operation that is called, decorated."""
        method = handler_call_details.method
        handler = self.handlers.get(method)
        if handler is None:
            handler = continuation(handler_call_details)
            if handler is not None and handler.unary_unary is not None and method.startswith(self.prefix):
                handler = self.handlers[method] = grpc.unary_unary_rpc_method_handler(
                    self.decorate(handler.unary_unary), handler.request_deserializer, handler.response_serializer
                )
        return handler

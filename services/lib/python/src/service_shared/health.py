"""Health checks of a service that runs on this machine."""

import http.client

from service_shared.port import reachable_host


def is_healthy_over_http(host: str, port: int) -> bool:
    """Return whether the service answers on /health."""
    connection = http.client.HTTPConnection(reachable_host(host), port, timeout=2)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


def is_healthy_over_grpc(host: str, port: int) -> bool:
    """Return whether the service reports that it is serving."""
    # Imported here, since a check over HTTP needs no grpcio and its image has none.
    import grpc
    from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse

    with grpc.insecure_channel(f"{reachable_host(host)}:{port}") as channel:
        check = channel.unary_unary(
            "/grpc.health.v1.Health/Check",
            request_serializer=HealthCheckRequest.SerializeToString,
            response_deserializer=HealthCheckResponse.FromString,
        )
        try:
            return check(HealthCheckRequest(), timeout=2).status == HealthCheckResponse.SERVING
        except grpc.RpcError:
            return False

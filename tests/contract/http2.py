"""One gRPC call in frames of HTTP/2, by a client that never opens its window, and sees what its library would hide."""

import socket
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from payload.v1.payload_pb2 import GetObjectsRequest
from payload_clients import CALL

# Both in bytes: a frame's header, and what a peer may send until the window is opened, which is never.
FRAME_HEADER = 9
WINDOW = 65_535

DATA, HEADERS, RST_STREAM, SETTINGS = 0, 1, 3, 4
END_STREAM, END_HEADERS = 1, 4


@contextmanager
def raw_call(address: str, count: int, metadata: Mapping[str, str] | None = None) -> Iterator[socket.socket]:
    """Yield the connection over which a call was sent; it is reset at the end, as where a client is killed."""
    host, port = address.split(":")
    headers = {
        ":method": "POST",
        ":scheme": "http",
        ":path": CALL,
        ":authority": address,
        "te": "trailers",
        "content-type": "application/grpc",
        **(metadata or {}),
    }
    message = GetObjectsRequest(count=count).SerializeToString()
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        connection.sendall(
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
            + frame(SETTINGS, 0, 0, b"")
            + frame(HEADERS, END_HEADERS, 1, b"".join(literal(*header) for header in headers.items()))
            + frame(DATA, END_STREAM, 1, struct.pack(">BI", 0, len(message)) + message)
        )
        yield connection
        reset_at_close(connection)


def reset_at_close(connection: socket.socket) -> None:
    """Have the connection end without the usual farewell."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    """Return a frame (RFC 9113, 4.1)."""
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def literal(name: str, value: str) -> bytes:
    """Return a header field of HPACK without index and without Huffman's code, both texts shorter than 127 bytes."""
    return b"\0" + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value.encode()


def data_of(connection: socket.socket, most: int) -> bytes:
    """Return what the call's answer has in its DATA frames, until it ends or there are so many bytes."""
    answer = b""
    while len(answer) < most:
        length, kind, flags, _ = struct.unpack(">IBBI", b"\0" + exactly(connection, FRAME_HEADER))
        payload = exactly(connection, length)
        if kind == DATA:
            answer += payload
        if kind == RST_STREAM or (kind in (DATA, HEADERS) and flags & END_STREAM):
            break
    return answer


def exactly(connection: socket.socket, length: int) -> bytes:
    """Return so many bytes; fails where the connection ends before."""
    received = b""
    while len(received) < length:
        part = connection.recv(length - len(received))
        assert part, "the service has closed the connection"
        received += part
    return received


def get_over_http2(address: str, paths: Sequence[str]) -> list[bytes]:
    """Return the bodies of answers to requests without TLS that are all sent at once over one connection."""
    host, port = address.split(":")
    streams = range(1, 2 * len(paths), 2)
    requests = [
        frame(
            HEADERS,
            END_STREAM | END_HEADERS,
            stream,
            b"".join(
                literal(*header)
                for header in {":method": "GET", ":scheme": "http", ":path": path, ":authority": address}.items()
            ),
        )
        for stream, path in zip(streams, paths, strict=True)
    ]
    bodies = dict.fromkeys(streams, b"")
    left = set(streams)
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(SETTINGS, 0, 0, b"") + b"".join(requests))
        while left:
            length, kind, flags, stream = struct.unpack(">IBBI", b"\0" + exactly(connection, FRAME_HEADER))
            payload = exactly(connection, length)
            assert kind != RST_STREAM, "the service has ended a request"
            if kind == DATA:
                bodies[stream] += payload
            if kind in (DATA, HEADERS) and flags & END_STREAM:
                left.discard(stream)
    return [bodies[stream] for stream in streams]

"""A document database in memory with as much of MongoDB's wire protocol as the games services need; it can go away."""

import itertools
import socket
import socketserver
import struct
import threading
from collections import defaultdict
from contextlib import suppress
from typing import Any

import bson

Document = dict[str, Any]
HEADER = struct.Struct("<iiii")
OP_REPLY, OP_QUERY, OP_MSG = 1, 2004, 2013
GREETING = {
    "helloOk": True,
    "ismaster": True,
    "isWritablePrimary": True,
    "maxBsonObjectSize": 16_777_216,
    "maxMessageSizeBytes": 48_000_000,
    "maxWriteBatchSize": 100_000,
    "minWireVersion": 0,
    "maxWireVersion": 21,
    "readOnly": False,
    "ok": 1.0,
}


class WireDatabase(socketserver.ThreadingTCPServer):
    """Answers commands until it is closed, and ends its connections then."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, port: int) -> None:
        """Take the port, with no collection."""
        super().__init__(("127.0.0.1", port), _Connection)
        self.collections: defaultdict[str, list[Document]] = defaultdict(list)
        self.connections: set[socket.socket] = set()
        self.one_at_a_time = threading.Lock()

    def answer(self, command: Document) -> Document:
        """Return the reply to a command."""
        name, target = next(iter(command.items()))
        if name.lower() in ("hello", "ismaster"):
            return GREETING
        documents = self.collections[target] if isinstance(target, str) else []
        with self.one_at_a_time:
            if name == "insert":
                return _insert(documents, command["documents"])
            if name == "find":
                found = [document for document in documents if _matches(document, command.get("filter", {}))]
                # A limit below 0 asks for one batch, too.
                limited = found[: abs(command.get("limit", 0)) or None]
                return {"cursor": {"id": bson.Int64(0), "ns": f"games.{target}", "firstBatch": limited}, "ok": 1.0}
            if name == "update":
                return _update(documents, command["updates"][0])
            if name == "delete":
                kept = [document for document in documents if not _matches(document, command["deletes"][0]["q"])]
                deleted = len(documents) - len(kept)
                documents[:] = kept
                return {"n": deleted, "ok": 1.0}
        return {"ok": 1.0}

    def close(self) -> None:
        """Take no more connections, and end those that there are."""
        self.shutdown()
        self.server_close()
        for connection in list(self.connections):
            # The other side may have ended it first.
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


def _insert(documents: list[Document], inserted: list[Document]) -> Document:
    known = {document["_id"] for document in documents}
    errors = [
        {"index": index, "code": 11_000, "errmsg": "E11000 duplicate key error"}
        for index, document in enumerate(inserted)
        if document["_id"] in known
    ]
    documents.extend(document for document in inserted if document["_id"] not in known)
    return {"n": len(inserted) - len(errors), **({"writeErrors": errors} if errors else {}), "ok": 1.0}


def _update(documents: list[Document], update: Document) -> Document:
    places = [place for place, document in enumerate(documents) if _matches(document, update["q"])]
    if places:
        documents[places[0]] = {**update["q"], **update["u"]}
        return {"n": 1, "nModified": 1, "ok": 1.0}
    assert update["upsert"]
    documents.append({**update["q"], **update["u"]})
    return {"n": 1, "nModified": 0, "upserted": [{"index": 0, "_id": update["q"]["_id"]}], "ok": 1.0}


def _matches(document: Document, wanted: Document) -> bool:
    return all(document.get(key) == value for key, value in wanted.items())


class _Connection(socketserver.BaseRequestHandler):
    server: WireDatabase

    def handle(self) -> None:
        self.server.connections.add(self.request)
        try:
            while (message := self._message()) is not None:
                self._reply(*message)
        except OSError:
            return
        finally:
            self.server.connections.discard(self.request)

    def _message(self) -> tuple[int, int, bytes] | None:
        header = self._read(HEADER.size)
        if header is None:
            return None
        length, request, _, code = HEADER.unpack(header)
        body = self._read(length - HEADER.size)
        return None if body is None else (request, code, body)

    def _read(self, count: int) -> bytes | None:
        read = b""
        while len(read) < count:
            more = self.request.recv(count - len(read))
            if not more:
                return None
            read += more
        return read

    def _reply(self, request: int, code: int, body: bytes) -> None:
        if code == OP_QUERY:
            # Flags, the name of the collection, and two numbers stand before the command.
            command = bson.decode(body[body.index(b"\0", 4) + 9 :])
            reply = struct.pack("<iqii", 8, 0, 0, 1) + bson.encode(self.server.answer(command))
            answered = OP_REPLY
        else:
            reply = struct.pack("<iB", 0, 0) + bson.encode(self.server.answer(_command(body)))
            answered = OP_MSG
        self.request.sendall(HEADER.pack(HEADER.size + len(reply), next(_numbers), request, answered) + reply)


_numbers = itertools.count(1)


def _command(body: bytes) -> Document:
    """Return a command with the documents that came in sections of their own."""
    command: Document = {}
    place = 4
    while place < len(body):
        kind, (length,) = body[place], struct.unpack_from("<i", body, place + 1)
        section = body[place + 1 : place + 1 + length]
        if kind == 0:
            command = {**bson.decode(section), **command}
        else:
            name_end = section.index(b"\0", 4)
            command[section[4:name_end].decode()] = bson.decode_all(section[name_end + 1 :])
        place += 1 + length
    return command

"""A shop with three items, over HTTP/1.1 and with nothing but Python's own library."""

import json
import os
import signal
import sys
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ITEMS = {
    1: {"id": 1, "name": "kettle", "cents": 2900},
    2: {"id": 2, "name": "cup", "cents": 700},
    3: {"id": 3, "name": "tea", "cents": 450},
}


class Shop(BaseHTTPRequestHandler):
    """Answers `GET /items` and `GET /items/{id}`."""

    # Keeps connections open between requests.
    protocol_version = "HTTP/1.1"
    # Header and body are two writes: without this, the second waits for the client's acknowledgement of the first.
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        """Answers one request."""
        if self.path == "/items":
            self.answer(HTTPStatus.OK, list(ITEMS.values()))
            return
        number = self.path.removeprefix("/items/")
        item = ITEMS.get(int(number)) if number.isdecimal() else None
        if item is None:
            self.answer(HTTPStatus.NOT_FOUND, {"error": "no such item"})
        else:
            self.answer(HTTPStatus.OK, item)

    def answer(self, status: HTTPStatus, content: object) -> None:
        """Sends content as JSON."""
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Writes nothing: a line for each request would be measured, too."""


class Server(ThreadingHTTPServer):
    """One thread for each connection; connections do not hold up the end."""

    daemon_threads = True
    request_queue_size = 1024


def main() -> None:
    """Serves until SIGTERM."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    address = (os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", "8000")))
    with Server(address, Shop) as server:
        server.serve_forever()


if __name__ == "__main__":
    main()

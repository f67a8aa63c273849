"""Serves the application on Flask's own development server, as in the study: a thread per connection."""

import signal
import socket
import threading
import time
from collections.abc import Callable

from flask import Flask
from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

from user_rest.settings import Settings

# Not a setting: the value that the server uses when Flask starts it.
_BACKLOG = 128


class QuietRequestHandler(WSGIRequestHandler):
    """Answers requests without a line for each in the log."""

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Write nothing."""


def serve(create: Callable[[], Flask], settings: Settings, listener: socket.socket) -> None:
    """Answer requests on the listener until SIGTERM."""
    listener.listen(_BACKLOG)
    server = make_server(
        settings.host,
        settings.port,
        create(),
        threaded=True,
        request_handler=WSGIRequestHandler if settings.http.access_log else QuietRequestHandler,
        fd=listener.fileno(),
    )

    def stop(number: int, frame: object) -> None:
        # From a separate thread, since shutdown() waits for the loop that runs in this one.
        threading.Thread(target=server.shutdown).start()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    listener.close()
    print(f"Listening on http://{settings.host}:{settings.port}", flush=True)
    server.serve_forever(poll_interval=0.1)
    _drain(server, settings.http.graceful_seconds)


def _drain(server: BaseWSGIServer, seconds: float) -> None:
    server.server_close()
    deadline = time.monotonic() + seconds
    for thread in threading.enumerate():
        # Daemon threads, each with one connection; remaining ones are cut off when the interpreter ends.
        if thread is not threading.main_thread():
            thread.join(max(0.0, deadline - time.monotonic()))

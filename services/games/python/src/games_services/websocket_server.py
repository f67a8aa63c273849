"""Serves messages by websockets, with a thread for each connection."""

import signal
import threading
from collections.abc import Callable
from http import HTTPStatus

from service_shared.port import take_port
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.sync.server import Server, ServerConnection
from websockets.sync.server import serve as serve_websocket

from games_services.settings import OverWebSocketSettings

Answer = Callable[[str | bytes], str]
_BACKLOG = 2_048


def serve(answer: Answer, settings: OverWebSocketSettings) -> None:
    """Answer each message of each connection in turn until SIGTERM; raises SettingError if the port is taken."""
    listener = take_port(settings.host, settings.port)
    listener.listen(_BACKLOG)

    def converse(connection: ServerConnection) -> None:
        try:
            for message in connection:
                connection.send(answer(message))
        except ConnectionClosed:
            # The client disconnected while its answer was made.
            return

    # Compression is disabled, as over the other protocols.
    with serve_websocket(
        converse,
        sock=listener,
        process_request=_health,
        compression=None,
        close_timeout=settings.graceful_seconds,
    ) as server:
        _stop_on_signals(server)
        print(f"Listening on ws://{settings.host}:{settings.port}", flush=True)
        server.serve_forever()


def _health(connection: ServerConnection, request: Request) -> Response | None:
    return connection.respond(HTTPStatus.OK, "ok\n") if request.path == "/health" else None


def _stop_on_signals(server: Server) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        # From a separate thread, since shutdown() may wait for the loop that runs in this one.
        signal.signal(number, lambda *_: threading.Thread(target=server.shutdown).start())

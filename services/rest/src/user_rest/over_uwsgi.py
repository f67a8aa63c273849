"""Serves the application by uWSGI, with a pool of threads in each worker."""

import socket
from collections.abc import Mapping

import pyuwsgi
from service_shared.users import User

from user_rest.settings import Settings


def serve(users: Mapping[int, User], settings: Settings, listener: socket.socket) -> None:
    """Answer requests until SIGTERM, each worker with an application of its own; the users are read there."""
    http = settings.http
    # uWSGI binds by itself.
    listener.close()
    pyuwsgi.run(
        [
            *("--http-socket", f"{settings.host}:{settings.port}"),
            *("--module", "user_rest.uwsgi_app"),
            *("--callable", "app"),
            *("--processes", str(http.workers)),
            *("--threads", str(http.threads)),
            *("--listen", str(http.backlog)),
            *("--worker-reload-mercy", str(http.graceful_seconds)),
            # Else SIGTERM starts it anew: until the hook is there, it ends at once.
            "--die-on-term",
            *("--hook-master-start", "unix_signal:15 gracefully_kill_them_all"),
            *(() if http.access_log else ("--disable-logging",)),
            *(("--tcp-nodelay",) if http.tcp_nodelay else ()),
            # What other servers take of a request's line and headers, too.
            *("--buffer-size", "65535"),
            "--master",
            "--lazy-apps",
            "--enable-threads",
            "--single-interpreter",
            "--need-app",
            "--no-orphans",
            "--strict",
        ]
    )

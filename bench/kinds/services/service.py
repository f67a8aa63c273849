"""Answers with twenty users behind gunicorn and Flask; KIND names one change, which every request then has."""

import json
import logging
import os
import re
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable

import orjson
from flask import Flask, Response
from gunicorn.app.base import BaseApplication

KIND = os.environ.get("KIND", "none")
WALK_BYTES = 128 << 20
WALK_STEPS = 300
ADDRESS = re.compile(r"^([a-z]+)(\d+)@((?:[a-z]+\.)*)test$")


def users(count: int = 20) -> list[dict[str, object]]:
    """Return what is answered."""
    return [
        {"id": number, "name": f"User {number}", "email": f"user{number}@shop.example.test", "tags": ["a", "b"]}
        for number in range(1, count + 1)
    ]


def loop() -> None:
    """Add up some numbers."""
    total = 0
    for number in range(1000):
        total += number


def match() -> None:
    """Match every address of the answer against a regular expression."""
    for number in range(1, 21):
        ADDRESS.match(f"user{number}@shop.example.test")


def allocate() -> None:
    """Make small objects that nobody keeps."""
    _ = [[number] for number in range(500)]


def wait() -> None:
    """Wait for a millisecond, as for another service."""
    time.sleep(0.001)


def waiter() -> Callable[[], None]:
    """Return what holds the lock that all requests share while something else is waited for."""
    lock = threading.Lock()

    def wait_in_turn() -> None:
        with lock:
            time.sleep(0.0005)

    return wait_in_turn


def walker() -> Callable[[], None]:
    """Return a walk over memory that no cache holds: where each step leads is read in the step before."""
    memory = b"\x01" * WALK_BYTES
    last = [0]

    def walk() -> None:
        place = last[0]
        for _ in range(WALK_STEPS):
            place = (place * 1103515245 + 12345 + memory[place]) & (WALK_BYTES - 1)
        last[0] = place

    return walk


def logger() -> Callable[[], None]:
    """Return what writes a line for each request."""
    handler = logging.StreamHandler(open("/dev/null", "w"))  # noqa: PTH123, SIM115
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    log = logging.getLogger("shop")
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    return lambda: log.info("answered %s with %d users", "GET /users", 20)


def query() -> Callable[[], None]:
    """Return a query of one row of SQLite."""
    database = sqlite3.connect(":memory:", check_same_thread=False)
    database.execute("CREATE TABLE prices (id INTEGER PRIMARY KEY, price REAL, name TEXT)")
    rows = [(number, number / 7, f"Item {number}") for number in range(1, 101)]
    database.executemany("INSERT INTO prices VALUES (?, ?, ?)", rows)
    return lambda: database.execute("SELECT price, name FROM prices WHERE id = ?", (42,)).fetchall() and None


def extra() -> Callable[[], None]:
    """Return what a request does besides its answer."""
    made = {"logging": logger, "cache": walker, "query": query, "lock": waiter}
    plain = {"loop": loop, "regex": match, "allocation": allocate, "sleep": wait}
    return made[KIND]() if KIND in made else plain.get(KIND, lambda: None)


def create_app() -> Flask:
    """Return the application."""
    app = Flask(__name__)
    do_extra = extra()

    @app.get("/users")
    def list_users() -> Response:
        do_extra()
        found = users(40 if KIND == "answer" else 20)
        body = json.dumps(found).encode() if KIND == "json" else orjson.dumps(found)
        if KIND == "compression":
            packed = zlib.compress(body, wbits=31)
            return Response(packed, mimetype="application/json", headers={"Content-Encoding": "gzip"})
        return Response(body, mimetype="application/json")

    return app


class Service(BaseApplication):
    """gunicorn with one gevent worker."""

    def load_config(self) -> None:
        """Listen at the address that the variables name."""
        self.cfg.set("bind", f"{os.environ['HOST']}:{os.environ['PORT']}")
        self.cfg.set("worker_class", "gevent")
        self.cfg.set("keepalive", 75)
        self.cfg.set("loglevel", "warning")
        self.cfg.set("graceful_timeout", 1)
        self.cfg.set("worker_tmp_dir", "/dev/shm")
        self.cfg.set("control_socket_disable", True)
        if KIND == "tls":
            self.cfg.set("certfile", os.environ["CERTIFICATE"])
            self.cfg.set("keyfile", os.environ["KEY"])

    def load(self) -> Flask:
        """Return the application; called in the worker, after gevent has replaced the blocking calls there."""
        return create_app()


if __name__ == "__main__":
    Service().run()

"""The User Service with its users in memory, in PostgreSQL, and with Redis in front: the same answers from all."""

import csv
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, suppress
from functools import cache

import psycopg
import pytest
import yaml
from cases import ROOT, USERS
from redis import Redis
from running import free_port, refusal, said, start
from service_shared.more_users import so_many
from service_shared.users import load_users
from store_clients import Client, asked
from store_programs import StoreProgram, require_stores

SUITE = yaml.safe_load((ROOT / "suites/database.yml").read_text())
SERVICES: list[str] = SUITE["services"]
USERS_FILE = ROOT / "services/users/users.json"
HOT = [row["id"] for row in SUITE["operations"][-1]["arguments"]]
RATIOS = {"GetUser0": 0, "GetUser50": 50, "GetUser90": 90, "GetUser100": 100}


class Stores:
    """PostgreSQL and Redis, and the services of the suite on them, each started when it is first asked for."""

    def __init__(self, stack: ExitStack) -> None:
        """Start both."""
        self.postgresql, self.redis = StoreProgram("postgresql"), StoreProgram("redis")
        for program in (self.postgresql, self.redis):
            stack.callback(program.remove)
            program.start()
        self.url = f"postgres://users@127.0.0.1:{self.postgresql.port}/postgres"
        self.counted = Redis(port=self.redis.port)
        stack.callback(self.counted.close)
        self.client = cache(lambda service: stack.enter_context(self._asked(service)))

    def _asked(self, service: str) -> AbstractContextManager[Client]:
        # A cache that keeps users for as long as a test may take.
        redis_url = f"redis://127.0.0.1:{self.redis.port}"
        return asked(service, USERS="100000", DATABASE_URL=self.url, REDIS_URL=redis_url, CACHE_SECONDS="600")

    def await_database(self) -> None:
        """Return as soon as the database answers, which takes connections before."""
        for _ in range(200):
            with suppress(psycopg.OperationalError), psycopg.connect(self.url):
                return
            time.sleep(0.05)
        raise AssertionError("the database does not get ready")


@pytest.fixture(scope="module")
def stores() -> Iterator[Stores]:
    """Return the stores, for all tests of this file."""
    require_stores()
    with ExitStack() as stack:
        yield Stores(stack)


def test_all_stores_and_both_protocols_give_the_same_of_100_000_users(stores: Stores) -> None:
    ids = [1, 10, 11, 12, 4711, 32_768, 99_999, 100_000, 100_001, 2**31 - 1, 0]

    # Twice, so that the cache has them.
    answers = {service: [stores.client(service).get(one) for one in ids * 2] for service in SERVICES}

    assert [answers[service] for service in SERVICES[1:]] == [answers[SERVICES[0]]] * (len(SERVICES) - 1)
    found = answers["rest-redis"][: len(ids)]
    assert [word for word, _ in found] == ["ok"] * 8 + ["not-found"] * 2 + ["invalid"]
    assert [answer for _, answer in found[:2]] == [USERS[0], USERS[9]]
    assert found[7] == (
        "ok",
        {"id": 100_000, "name": "Ada Example 100000", "email": "ada.100000@example.org", "age": 58},
    )


def test_all_stores_and_both_protocols_list_the_same_users(stores: Stores) -> None:
    made = [(user.id, user.name, user.email, user.age) for user in so_many(load_users(USERS_FILE), 100_000)]

    for service in SERVICES:
        assert stores.client(service).everyone() == ("ok", made), service


def rows_of(operation: dict[str, object]) -> list[int]:
    """Return the ids that an operation asks for, in turn."""
    feed: dict[str, str] = operation.get("feed", {})  # type: ignore[assignment]
    if not feed:
        return HOT
    with (ROOT / feed["file"]).open() as file:
        return [int(row["id"]) for row in csv.DictReader(file)]


def test_no_request_that_is_to_miss_is_for_a_user_whom_another_asks_for() -> None:
    rows = {operation["name"]: rows_of(operation) for operation in SUITE["operations"]}
    cold = [one for ids in rows.values() for one in ids if one not in HOT]

    assert len(cold) == len(set(cold)) == 16_000
    assert set(cold) <= set(range(1, 100_001))
    assert {name: 100 * sum(one in HOT for one in ids) // len(ids) for name, ids in rows.items()} == RATIOS


@pytest.mark.parametrize("service", ["rest-redis", "grpc-redis"])
def test_hits_as_often_as_the_suite_says(service: str, stores: Stores) -> None:
    client = stores.client(service)

    ratios, reported = {}, {}
    for operation in SUITE["operations"]:
        stores.counted.flushall()
        for one in HOT:
            client.get(one)
        counts = [counted(stores, client)]
        # The beginning of a long feed, and a short one some times.
        ids = rows_of(operation) * 20
        assert {client.get(one)[0] for one in ids[:200]} == {"ok"}
        counts.append(counted(stores, client))
        (hits, misses), (own_hits, own_misses) = [
            (after[0] - before[0], after[1] - before[1]) for before, after in zip(*counts, strict=True)
        ]
        ratios[operation["name"]] = 100 * hits // (hits + misses)
        reported[operation["name"]] = 100 * own_hits // max(1, own_hits + own_misses)
        assert hits + misses == 200

    assert ratios == RATIOS
    assert reported == (RATIOS if client.is_rest else dict.fromkeys(RATIOS, 0))


def counted(stores: Stores, client: Client) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return hits and misses so far by Redis, and those that the service reports, which gRPC has no place for."""
    found = stores.counted.info("stats")
    by_redis = found["keyspace_hits"], found["keyspace_misses"]
    if not client.is_rest:
        return by_redis, (0, 0)
    text = client.text("/metrics")
    hits, misses = (int(number) for number in re.findall(r"^user_cache_\w+ (\d+)$", text, re.MULTILINE))
    return by_redis, (hits, misses)


@pytest.mark.parametrize("service", ["rest-redis", "grpc-redis"])
def test_goes_on_without_its_cache_and_uses_it_again_once_it_is_back(service: str, stores: Stores) -> None:
    client = stores.client(service)
    stores.redis.end()

    without = client.get(1)
    stores.redis.start()
    again = [client.get(1), client.get(1)]

    assert [without, *again] == [("ok", USERS[0])] * 3
    assert stores.counted.exists("user:1") == 1


@pytest.mark.parametrize("service", ["rest-postgres", "grpc-postgres"])
def test_says_that_its_database_went_away_and_answers_again_once_it_is_back(service: str, stores: Stores) -> None:
    client = stores.client(service)
    assert client.get(1) == ("ok", USERS[0])
    stores.postgresql.end()

    away = client.get(1)
    stores.postgresql.start()
    stores.await_database()
    back = client.get(1)

    assert away == ("unavailable", "The database does not answer.")
    assert back == ("ok", USERS[0])


@pytest.mark.parametrize("service", ["rest-postgres", "grpc-postgres"])
def test_says_in_one_line_that_its_database_is_not_there(service: str) -> None:
    port = free_port()
    url = f"postgres://users@127.0.0.1:{port}/postgres"
    started = start(service, free_port(), DATABASE_URL=url, DATABASE_TIMEOUT_SECONDS="1")

    output, errors = said(started, 20)

    module = "user_rest" if service.startswith("rest") else "user_grpc"
    assert re.search(rf"^{module}: DATABASE_URL: .*port {port} failed: Connection refused.*$", errors, re.MULTILINE)
    assert "Traceback" not in output + errors
    assert started.returncode == (3 if service.startswith("rest") else 2)


@pytest.mark.parametrize(
    ("service", "settings", "complaint"),
    [
        ("rest", {"STORE": "mongo"}, "STORE is 'mongo': it must be one of memory, postgres, postgres-redis"),
        ("rest", {"STORE": "postgres", "SERVER": "granian"}, "it is for SERVER=gunicorn, and SERVER is 'granian'"),
        ("rest", {"STORE": "postgres", "CACHING": "stored"}, "it is for CACHING=off, and CACHING is 'stored'"),
        ("grpc", {"STORE": "postgres", "SERVER": "asyncio"}, "it is for SERVER=threads, and SERVER is 'asyncio'"),
        ("grpc", {"USERS": "0"}, "USERS is '0': it must be a whole number from 1 to 1000000"),
    ],
)
def test_says_which_stores_it_knows(service: str, settings: dict[str, str], complaint: str) -> None:
    assert complaint in refusal(service, free_port(), **settings)


def test_says_how_to_install_what_is_missing() -> None:
    script = ROOT / "tools/users-store/redis/start"

    ended = subprocess.run(["/bin/sh", script], env={"PATH": "/none"}, capture_output=True, text=True, check=False)

    assert ended.returncode == 2
    assert "apt-get install redis-server (or valkey-server)" in ended.stderr

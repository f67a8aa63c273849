"""Users in a store, without one: the rule that makes them, the cache, and what both services answer."""

from typing import Any

import grpc
import pytest
from redis import RedisError
from service_shared.cached_users import CachedUsers
from service_shared.more_users import so_many, with_more
from service_shared.stores import CacheCounts, StoreError
from service_shared.users import User
from test_grpc_servicer import Call, Ended
from user.v1.user_pb2 import GetUserRequest, ListUsersRequest
from user_grpc.layers.stored import MessagesOf, ending_unavailable
from user_grpc.servicer import UserServicer
from user_rest.layers.stored import app_on

GIVEN = {1: User(1, "Ada Example", "ada@example.org", 36), 3: User(3, "Ben Sample", "ben@example.org", 41)}


class UsersInMemory:
    """As much as a store is asked for; it can go away, and counts how often it is asked."""

    def __init__(self) -> None:
        """Begin with the given users."""
        self.is_gone = False
        self.asked = 0

    def get(self, user_id: int, /) -> User | None:
        """Return the user with the id."""
        self.asked += 1
        if self.is_gone:
            raise StoreError("The database does not answer.")
        return GIVEN.get(user_id)

    def everyone(self) -> list[User]:
        """Return all users."""
        self.get(1)
        return list(GIVEN.values())

    def cached(self) -> CacheCounts | None:
        """Return that there is no cache."""
        return None

    def close(self) -> None:
        """Do nothing."""


class CacheInMemory:
    """As much of Redis as is asked for; it can go away."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.kept: dict[str, str] = {}
        self.seconds: int | None = None
        self.is_gone = False

    def get(self, key: str) -> str | None:
        """Return what is kept."""
        if self.is_gone:
            raise RedisError("gone")
        return self.kept.get(key)

    def set(self, key: str, value: str, ex: int) -> None:
        """Keep it."""
        if self.is_gone:
            raise RedisError("gone")
        self.kept[key] = value
        self.seconds = ex


def cached(behind: UsersInMemory, cache: CacheInMemory) -> CachedUsers:
    """Return the users with the cache in front."""
    return CachedUsers(behind, cache, seconds=7)  # type: ignore[arg-type]


def test_makes_more_users_behind_those_that_are_given() -> None:
    made = list(so_many(GIVEN, 5))

    assert made[:2] == list(GIVEN.values())
    assert [user.id for user in made] == [1, 3, 4, 5, 6]
    assert made[2] == User(4, "Ada Example 4", "ada.4@example.org", 22)
    assert made[3] == User(5, "Ben Example 5", "ben.5@example.org", 23)
    assert list(so_many(GIVEN, 5)) == made
    assert list(with_more(GIVEN, 5).values()) == made


def test_makes_no_users_unless_asked_to() -> None:
    assert with_more(GIVEN, None) is GIVEN
    assert list(so_many(GIVEN, None)) == list(GIVEN.values())
    assert list(so_many(GIVEN, 1)) == [GIVEN[1]]
    assert list(so_many({}, 3)) == []


def test_asks_the_store_for_what_the_cache_has_not() -> None:
    behind, cache = UsersInMemory(), CacheInMemory()
    users = cached(behind, cache)

    assert [users.get(1), users.get(1), users.get(2), users.get(2)] == [GIVEN[1], GIVEN[1], None, None]

    assert behind.asked == 3
    assert (list(cache.kept), cache.seconds) == (["user:1"], 7)
    counts = users.cached()
    assert counts is not None
    assert (counts.hits, counts.misses) == (1, 3)


def test_does_without_a_cache_that_is_gone() -> None:
    behind, cache = UsersInMemory(), CacheInMemory()
    users = cached(behind, cache)
    cache.is_gone = True

    assert [users.get(1), users.get(1)] == [GIVEN[1], GIVEN[1]]

    assert behind.asked == 2


def test_rest_answers_503_while_its_store_is_gone() -> None:
    store = UsersInMemory()
    client = app_on(store).test_client()
    before = client.get("/user/1").get_json()
    store.is_gone = True

    gone = [client.get(path) for path in ("/user/1", "/users")]

    assert before == {"id": 1, "name": "Ada Example", "email": "ada@example.org", "age": 36}
    assert [answer.status_code for answer in gone] == [503, 503]
    assert gone[0].get_json()["detail"] == "The database does not answer."
    assert client.get("/health").status_code == 200


def test_rest_reports_its_cache_if_it_has_one() -> None:
    users = cached(UsersInMemory(), CacheInMemory())
    client = app_on(users).test_client()
    for _ in range(3):
        client.get("/user/1")

    lines = client.get("/metrics").get_data(as_text=True).splitlines()

    assert [line for line in lines if not line.startswith("#")] == [
        "user_cache_hits_total 2",
        "user_cache_misses_total 1",
    ]
    assert app_on(UsersInMemory()).test_client().get("/metrics").get_data() == b""


@pytest.mark.parametrize(("method", "request_"), [("GetUser", GetUserRequest(id=1)), ("ListUsers", ListUsersRequest())])
def test_grpc_ends_calls_with_unavailable_while_its_store_is_gone(method: str, request_: Any) -> None:  # noqa: ANN401
    store = UsersInMemory()
    call: Any = ending_unavailable(getattr(UserServicer(MessagesOf(store)), method))
    assert call(request_, Call(True, None)).ByteSize() > 0
    store.is_gone = True

    with pytest.raises(Ended) as ended:
        call(request_, Call(True, None))

    assert ended.value.args == (grpc.StatusCode.UNAVAILABLE, "The database does not answer.")

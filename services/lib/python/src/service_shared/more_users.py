"""More users than a file has, made by a rule: the same for every store, and at each start."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, count, islice

from service_shared.users import User


def with_more(users: Mapping[int, User], wanted: int | None) -> Mapping[int, User]:
    """Return so many users by their ids: those given, and made ones behind them; None: those given."""
    if wanted is None:
        return users
    return {user.id: user for user in so_many(users, wanted)}


def so_many(users: Mapping[int, User], wanted: int | None) -> Iterator[User]:
    """Yield so many users in the order of their ids, of which no more than one is held at a time."""
    given = list(users.values())
    if wanted is None:
        return iter(given)
    if not given:
        return iter(())
    made = (_made(given, number) for number in count(given[-1].id + 1))
    return islice(chain(given, made), wanted)


def _made(given: Sequence[User], number: int) -> User:
    """Return the user with an id: the first name of one, the last name of another, and an address of its own."""
    first = given[number % len(given)].name.split()[0]
    last = given[number // len(given) % len(given)].name.split()[-1]
    return User(number, f"{first} {last} {number}", f"{first.lower()}.{number}@example.org", 18 + number % 60)

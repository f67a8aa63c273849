"""The cache: answers held in memory as objects, not as bytes, so that each response is serialized."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

AnswerT = TypeVar("AnswerT")

# The contract's counts are int32.
LARGEST_COUNT = 2**31 - 1


class CountError(ValueError):
    """An invalid count; the message has the valid ones."""


class MalformedCountError(CountError):
    """A count that is not a number."""


class CountBeyondCacheError(CountError):
    """A count of more objects than the cache holds."""


@dataclass(frozen=True, slots=True)
class Form(Generic[AnswerT]):
    """Form of answers: JSON or messages."""

    content_type: str
    make_answer: Callable[[int], AnswerT]
    cut: Callable[[AnswerT, int], AnswerT]
    encode: Callable[[AnswerT], bytes]


class Answers(Generic[AnswerT]):
    """Answers by count."""

    def __init__(self, form: Form[AnswerT], counts: Sequence[int], extra_work: float) -> None:
        """Fill the cache for the counts, and for the additional work in percent."""
        self._form = form
        self._most = max(counts)
        self._extra_work = extra_work
        self._largest = form.make_answer(self._most)
        held = {*counts, *(self._extra_count(count) for count in counts)} - {0, self._most}
        self._ready = {self._most: self._largest} | {count: form.cut(self._largest, count) for count in held}

    def of(self, count: int) -> AnswerT:
        """Do the extra work and return an answer with this many objects; raise CountError for other counts."""
        if count <= 0 or count > LARGEST_COUNT:
            raise MalformedCountError(f"count must be a whole number from 1 to {self._most}.")
        if count > self._most:
            raise CountBeyondCacheError(
                f"count is {count}, and the cache holds {self._most} objects: "
                f"ask for 1 to {self._most}, or start the service with a larger CACHE_COUNTS."
            )
        extra = self._extra_count(count)
        if extra > 0:
            self._form.encode(self._held_or_cut(extra))
        return self._held_or_cut(count)

    def _held_or_cut(self, count: int) -> AnswerT:
        ready = self._ready.get(count)
        return self._form.cut(self._largest, count) if ready is None else ready

    def _extra_count(self, count: int) -> int:
        return round(count * self._extra_work / 100)


def parse_count(texts: Sequence[str]) -> int:
    """Return the count that a query has once, in digits without sign or leading zero; else 0, not a count."""
    text = texts[0] if len(texts) == 1 else ""
    is_count = text.isascii() and text.isdigit() and len(text) <= 10 and not text.startswith("0")
    return int(text) if is_count else 0

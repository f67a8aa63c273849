"""Answers that a client may keep: each has an ETag, and a client that has the same answer gets 304 without a body."""

from collections.abc import Callable, Mapping
from functools import wraps
from hashlib import sha256

from flask import Response, request

View = Callable[..., Response]

# In hexadecimal digits: no two versions of an answer have the same, and it stays short.
_ETAG_LENGTH = 16


def revalidating(caching: str, etags: Mapping[str, str]) -> Callable[[View], View]:
    """Return a decorator of a view that answers as the setting says; "off" gives back the view itself.

    The stored ETags are by the one value in the path of the view, or by "" if that has none.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def answer_stored(**values: str) -> Response:
            etag = etags.get("".join(values.values()))
            if etag is None:
                return view(**values)
            return not_modified(etag) if is_held(etag) else with_etag(view(**values), etag)

        @wraps(view)
        def answer_computed(**values: str) -> Response:
            answer = view(**values)
            etag = etag_of(answer)
            return not_modified(etag) if is_held(etag) else with_etag(answer, etag)

        answers: dict[str, View] = {"off": view, "stored": answer_stored, "computed": answer_computed}
        return answers[caching]

    return decorate


def etag_of(answer: Response) -> str:
    """Return what stands for the body of an answer, and for no other."""
    return sha256(answer.get_data()).hexdigest()[:_ETAG_LENGTH]


def is_held(etag: str) -> bool:
    """Return whether the client has that answer (RFC 9110, 13.1.2: the weak comparison)."""
    return request.if_none_match.contains_weak(etag)


def not_modified(etag: str) -> Response:
    """Return that the answer is still the one that the client has."""
    return with_etag(Response(status=304), etag)


def with_etag(answer: Response, etag: str) -> Response:
    """Return an answer that a client may keep, and has to ask for before using it again."""
    answer.set_etag(etag)
    answer.cache_control.no_cache = True
    return answer

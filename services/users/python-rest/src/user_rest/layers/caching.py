"""Answers that a client may cache: each has an ETag, and a client with the same answer gets 304 without a body."""

from hashlib import sha256

from flask import Flask, Response, jsonify, request
from service_shared.users import InMemory, User

# Hexadecimal digits: no two versions of an answer have the same, and it stays short.
_ETAG_LENGTH = 16


def add_to(app: Flask, users: InMemory[User] | None) -> None:
    """Give each answer with users an ETag: that of the given users, stored now, or one that is computed each time."""
    etags: dict[str, str] = {}
    if users is not None:
        with app.app_context():
            etags = {f"/user/{user.id}": etag_of(jsonify(user)) for user in users.everyone()}
            etags["/users"] = etag_of(jsonify(users=users.everyone()))

    def answer_held() -> Response | None:
        etag = etags.get(request.path) if asks_for_users() else None
        return not_modified(etag) if etag is not None and is_held(etag) else None

    def add_etag(answer: Response) -> Response:
        if answer.status_code != 200 or not asks_for_users():
            return answer
        etag = etags[request.path] if etags else etag_of(answer)
        return not_modified(etag) if not etags and is_held(etag) else with_etag(answer, etag)

    if etags:
        app.before_request(answer_held)
    app.after_request(add_etag)


def asks_for_users() -> bool:
    """Return whether this is a request for users, and not for their OPTIONS."""
    return request.endpoint in ("get_user", "list_users") and request.method in ("GET", "HEAD")


def etag_of(answer: Response) -> str:
    """Return a text that identifies the body of an answer."""
    return sha256(answer.get_data()).hexdigest()[:_ETAG_LENGTH]


def is_held(etag: str) -> bool:
    """Return whether the client has that answer (RFC 9110, 13.1.2: the weak comparison)."""
    return request.if_none_match.contains_weak(etag)


def not_modified(etag: str) -> Response:
    """Return that the client's answer is still valid."""
    return with_etag(Response(status=304), etag)


def with_etag(answer: Response, etag: str) -> Response:
    """Return an answer that a client may cache, and must revalidate before using it again."""
    answer.set_etag(etag)
    answer.cache_control.no_cache = True
    return answer

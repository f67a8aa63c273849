"""The application over HTTP: objects as JSON or as messages."""

import gzip

from flask import Flask, Response, abort, request
from service_shared.http_app import new_app

from payload_services.answers import Answers, AnswerT, CountError, Form, parse_count
from payload_services.settings import AnswerSettings

_MEBIBYTE = 2**20
# The level of gRPC.
_GZIP_LEVEL = 6


def create_app(form: Form[AnswerT], settings: AnswerSettings) -> Flask:
    """Return the application with its cache filled."""
    app = new_app(__name__)
    answers = Answers(form, settings.cache_counts, settings.extra_work)

    @app.get("/objects")
    def get_objects() -> Response:
        try:
            answer = answers.of(parse_count(request.args.getlist("count")))
        except CountError as error:
            abort(400, str(error))
        body = form.encode(answer)
        refuse_large(body, settings.max_answer_mib)
        return compressed(body, form.content_type) if settings.compression == "gzip" else plain(body, form.content_type)

    @app.get("/health")
    def health() -> Response:
        return plain(b'{"status":"ok"}', "application/json")

    return app


def refuse_large(body: bytes, most_mib: int | None) -> None:
    """End the request with 400 if the answer exceeds the limit of the service."""
    if most_mib is not None and len(body) > most_mib * _MEBIBYTE:
        abort(
            400, f"The answer has {len(body)} bytes, and MAX_ANSWER_MIB allows {most_mib} MiB: ask for fewer objects."
        )


def plain(body: bytes, content_type: str) -> Response:
    """Return an uncompressed answer."""
    return Response(body, content_type=content_type)


def compressed(body: bytes, content_type: str) -> Response:
    """Return an answer compressed by gzip if the client accepts that."""
    takes_gzip = request.accept_encodings["gzip"] > 0
    response = plain(gzip.compress(body, _GZIP_LEVEL, mtime=0) if takes_gzip else body, content_type)
    if takes_gzip:
        response.content_encoding = "gzip"
    response.vary.add("Accept-Encoding")
    return response

"""Objects as JSON written by orjson; the same bytes as those of the standard library."""

import orjson

from payload_services.answers import Form
from payload_services.json_form import Answer, cut, make_answer


def encode(answer: Answer) -> bytes:
    """Return an answer as JSON text."""
    return orjson.dumps(answer)


FORM = Form("application/json", make_answer, cut, encode)

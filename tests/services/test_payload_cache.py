"""The cache of answers by itself."""

import pytest
from payload_services import json_form, protobuf_form
from payload_services.answers import Answers, CountBeyondCacheError, Form, MalformedCountError, parse_count

JSON = json_form.FORM
PROTOBUF = protobuf_form.FORM


def test_holds_the_answers_of_its_counts_ready() -> None:
    answers = Answers(PROTOBUF, (1, 10, 30), extra_work=0)

    assert [len(answers.of(count).objects) for count in (1, 10, 30)] == [1, 10, 30]
    assert all(answers.of(count) is answers.of(count) for count in (1, 10, 30))


def test_serialises_each_answer_anew() -> None:
    encoded: list[int] = []

    def encode(answer: json_form.Answer) -> bytes:
        encoded.append(len(answer["objects"]))
        return json_form.encode(answer)

    answers = Answers(Form(JSON.content_type, JSON.make_answer, JSON.cut, encode), (1, 10), extra_work=0)

    assert [len(answers.of(count)["objects"]) for count in (10, 4, 10)] == [10, 4, 10]
    assert encoded == []


@pytest.mark.parametrize(("percent", "count", "extra"), [(5, 1, []), (5, 100, [5]), (2.5, 100, [2]), (100, 1, [1])])
def test_serialises_some_objects_once_more_as_extra_work(percent: float, count: int, extra: list[int]) -> None:
    encoded: list[int] = []

    def encode(answer: json_form.Answer) -> bytes:
        encoded.append(len(answer["objects"]))
        return b""

    answers = Answers(Form(JSON.content_type, JSON.make_answer, JSON.cut, encode), (1, 100), percent)

    assert len(answers.of(count)["objects"]) == count
    assert encoded == extra


@pytest.mark.parametrize("count", [0, -1, 2**31])
def test_refuses_what_is_no_count(count: int) -> None:
    with pytest.raises(MalformedCountError, match=r"^count must be a whole number from 1 to 3\.$"):
        Answers(JSON, (1, 3), extra_work=0).of(count)


@pytest.mark.parametrize("count", [4, 2**31 - 1])
def test_refuses_more_objects_than_there_are(count: int) -> None:
    with pytest.raises(CountBeyondCacheError, match=rf"^count is {count}, and the cache holds 3 objects: "):
        Answers(JSON, (1, 3), extra_work=0).of(count)


@pytest.mark.parametrize(
    ("texts", "count"),
    [
        (["1"], 1),
        (["100"], 100),
        (["9999999999"], 9_999_999_999),
        ([], 0),
        (["1", "1"], 0),
        *(([text], 0) for text in ["", "0", "01", "-1", "+1", "1.0", "1e2", " 1", "١", "9" * 5_000]),  # noqa: RUF001
    ],
)
def test_reads_a_count_in_one_spelling(texts: list[str], count: int) -> None:
    assert parse_count(texts) == count

"""Reading settings from the environment."""

import pytest
from service_shared.environment import Environment, SettingError


@pytest.mark.parametrize("value", ["", "x", "1.5", "-1", "+1", " 1", "١", "0", "11", "9" * 5_000])  # noqa: RUF001
def test_refuses_what_is_no_whole_number_within_the_limits(value: str) -> None:
    environment = Environment({"THREADS": value})

    with pytest.raises(SettingError, match=r"^THREADS is .*: it must be a whole number from 1 to 10$"):
        environment.whole("THREADS", 5, range(1, 11))


@pytest.mark.parametrize(("variables", "expected"), [({}, 5), ({"THREADS": "1"}, 1), ({"THREADS": "10"}, 10)])
def test_takes_a_whole_number_or_the_default(variables: dict[str, str], expected: int) -> None:
    assert Environment(variables).whole("THREADS", 5, range(1, 11)) == expected


@pytest.mark.parametrize(("variables", "expected"), [({}, None), ({"LIMIT": "none"}, None), ({"LIMIT": "7"}, 7)])
def test_takes_none_for_no_limit(variables: dict[str, str], expected: int | None) -> None:
    assert Environment(variables).whole_or_none("LIMIT", range(1, 11)) == expected


@pytest.mark.parametrize("value", ["", "true", "1", "ON"])
def test_refuses_a_switch_that_is_neither_on_nor_off(value: str) -> None:
    with pytest.raises(SettingError, match=r"^LOG is .*: it must be on or off$"):
        Environment({"LOG": value}).switch("LOG", "off")


def test_names_the_choices_when_it_refuses_one() -> None:
    with pytest.raises(SettingError, match=r"^SERVER is 'c': it must be one of a, b$"):
        Environment({"SERVER": "c"}).choice("SERVER", ("a", "b"))


@pytest.mark.parametrize(
    "value", ["", ",", "1,", ",1", "0", "x", "2,1", "1,1", "1, 2", "1,11", "1" * 2_000, "1," * 600 + "2"]
)
def test_refuses_what_is_no_ascending_list(value: str) -> None:
    with pytest.raises(SettingError, match=r"^COUNTS is .*: it must be whole numbers from 1 to 10, each greater than"):
        Environment({"COUNTS": value}).ascending("COUNTS", "1,5", range(1, 11))


@pytest.mark.parametrize(
    ("variables", "expected"), [({}, (1, 5)), ({"COUNTS": "7"}, (7,)), ({"COUNTS": "1,2,10"}, (1, 2, 10))]
)
def test_takes_an_ascending_list_or_the_default(variables: dict[str, str], expected: tuple[int, ...]) -> None:
    assert Environment(variables).ascending("COUNTS", "1,5", range(1, 11)) == expected

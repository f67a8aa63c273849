"""Change points against a second implementation, and against Apache Otava on steps, shuffles and real histories."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from asking import ask
from changes import Reference, near, steps
from numpy.typing import NDArray
from otava.analysis import compute_change_points

RECORDS = Path(__file__).parent.parent / "fixtures/histories"

Series = list[float]


@pytest.fixture(scope="module")
def reference() -> Reference:
    return Reference(ask("criticalValues", [[]])[0])


def series(seed: int) -> tuple[Series, list[str] | None]:
    """Return a series of one kind or another: steps, drift, ties, neighbours that resemble each other, strata."""
    random = np.random.default_rng(seed)
    values, _ = steps(random, int(random.integers(170, 420)), float(random.choice([0.02, 0.05, 0.12])))
    values = values[int(random.integers(0, 160)) :]
    if seed % 4 == 0:
        values = [float(np.round(value / 4)) for value in values]
    if seed % 5 == 0:
        values = list(np.array(values) * np.exp(np.cumsum(random.normal(0, 0.01, len(values)))))
    if seed % 3:
        return values, None
    strata = [str(random.choice(["a", "b", "c"], p=[0.7, 0.28, 0.02])) for _ in values]
    levels = {"a": 1.0, "b": 1.3, "c": 0.6}
    return [value * levels[stratum] for value, stratum in zip(values, strata, strict=True)], strata


def test_the_second_implementation_finds_the_same_changes(reference: Reference) -> None:
    asked = [series(seed) for seed in range(60)]

    answers = ask("changePoints", [[values, *([strata] if strata else [])] for values, strata in asked])

    expected = [reference.changes(*one) for one in asked]
    assert sum(len(one) for one in expected) > 60
    for answer, found in zip(answers, expected, strict=True):
        assert [(one["index"], one["pending"]) for one in answer] == [(one.index, one.pending) for one in found]
        assert [one["p"] for one in answer] == pytest.approx([one.p for one in found], rel=1e-6)
        assert [one["shift"] for one in answer] == pytest.approx([np.expm1(one.shift) for one in found], abs=1e-9)


def test_ends_of_series_are_pending_where_the_second_implementation_says_so(reference: Reference) -> None:
    random = np.random.default_rng(5)
    grown = [
        [*random.normal(100, 2, 62 + seed), *random.normal(120, 2, after)] for seed in range(6) for after in range(8)
    ]

    answers = ask("changePoints", [[values] for values in grown])

    found = [[(one.index, one.pending) for one in reference.changes(values)] for values in grown]
    assert [[(one["index"], one["pending"]) for one in answer] for answer in answers] == found
    assert any(pending for one in found for _, pending in one)


def otava(values: Series) -> list[int]:
    """Return what Otava finds with its usual bound and our smallest change; of an array it would scan no windows."""
    kept, _ = compute_change_points(values, window_len=50, max_pvalue=0.001, min_magnitude=0.05)
    return sorted(int(one.index) for one in kept)


def ours(asked: list[Series]) -> list[list[int]]:
    return [[one["index"] for one in found] for found in ask("changePoints", [[values] for values in asked])]


def test_clear_steps_are_where_otava_finds_them() -> None:
    random = np.random.default_rng(8)
    stepped = [steps(random, 240, 0.03) for _ in range(20)]

    found = ours([values for values, _ in stepped])

    placed = sum(near(places, one, 2) for (_, places), one in zip(stepped, found, strict=True))
    shared = sum(near(one, otava(values), 3) for (values, _), one in zip(stepped, found, strict=True))
    total = sum(map(len, found))
    print(f"{placed} of 60 steps within 2 runs, {total} found, {shared} of them by Otava too")
    assert placed >= 58
    assert total <= 61
    assert shared >= 0.95 * total


def test_shuffled_noise_raises_no_more_alarms_than_in_otava() -> None:
    random = np.random.default_rng(9)
    noise = [list(np.exp(random.standard_t(4, 300) * 0.08)) for _ in range(12)]

    false_alarms = sum(map(len, ours(noise)))

    by_otava = sum(len(otava(values)) for values in noise)
    print(f"in 3,600 values without a change: {false_alarms}, Otava {by_otava}")
    assert false_alarms <= 1
    assert false_alarms <= by_otava


def histories() -> Iterator[tuple[str, list[Series]]]:
    """Yield the real histories by file; their series of at least 20 positive values."""
    for file in sorted(RECORDS.glob("*.json")):
        stored = json.loads(file.read_text())["series"]
        all_values = [[value for _, _, value in one["points"] if value > 0] for one in stored]
        yield file.stem, [values for values in all_values if len(values) >= 20]


def test_real_histories_agree_with_otava_and_their_shuffles_are_quiet() -> None:
    random = np.random.default_rng(10)
    for name, recorded in histories():
        shuffles = [list(random.permutation(values)) for values in recorded for _ in range(2)]
        points = sum(map(len, recorded))

        found, theirs = ours(recorded), [otava(values) for values in recorded]
        by_chance, theirs_by_chance = ours(shuffles), [otava(values) for values in shuffles]
        grown = [len(one) for one in ask("appended", [[values] for values in shuffles])]

        shared = sum(near(one, other, 3) for one, other in zip(found, theirs, strict=True))
        alarms, other_alarms = (500 * sum(map(len, one)) / points for one in (by_chance, theirs_by_chance))
        print(
            f"{name}: {points} values, {sum(map(len, found))} changes, Otava {sum(map(len, theirs))}, shared {shared}; "
            f"false alarms per 1,000 values {alarms:.2f}, run by run {500 * sum(grown) / points:.2f}, "
            f"Otava {other_alarms:.2f}"
        )
        assert shared >= 0.5 * sum(map(len, found))
        assert alarms <= 0.5
        assert alarms <= other_alarms


SHORT: dict[str, tuple[list[int], list[float]]] = {
    "10 and 10 runs, twice": ([10, 10], [1, 2]),
    "5 and 15 runs, +30 %": ([5, 15], [1, 1.3]),
    "20 and 20 runs, twice": ([20, 20], [1, 2]),
    "20 and 20 runs, +10 %": ([20, 20], [1, 1.1]),
    "5 and 45 runs, twice": ([5, 45], [1, 2]),
    "45 and 5 runs, twice": ([45, 5], [1, 2]),
    "30 and 30 runs, +10 %": ([30, 30], [1, 1.1]),
    "30, 10 and 30 runs, +30 % and back": ([30, 10, 30], [1, 1.3, 1]),
    "6 levels of 15 runs, +-30 %": ([15] * 6, [1, 1.3, 1, 1.3, 1, 1.3]),
}


def resembling(random: np.random.Generator, count: int, rho: float) -> NDArray[np.float64]:
    """Return normal values that resemble their neighbors."""
    values = random.normal(0, 1, count)
    for place in range(1, count):
        values[place] = rho * values[place - 1] + np.sqrt(1 - rho * rho) * values[place]
    return values


@pytest.mark.parametrize("name", SHORT)
def test_clear_steps_of_short_histories_are_found_as_otava_finds_them(name: str) -> None:
    random = np.random.default_rng(1)
    lengths, levels = SHORT[name]
    places = [int(place) for place in np.cumsum(lengths)[:-1]]
    asked = [list(np.repeat(levels, lengths) * np.exp(random.normal(0, 0.03, sum(lengths)))) for _ in range(60)]

    found, theirs = ours(asked), [otava(values) for values in asked]

    total = 60 * len(places)
    placed, exact, other = (
        sum(near(places, one, reach) for one in all_) for all_, reach in ((found, 2), (found, 0), (theirs, 2))
    )
    print(f"{name}: of {total} steps {placed} within 2 runs, {exact} exactly, Otava {other}")
    assert sum(map(len, found)) - placed <= 0.03 * total
    assert placed >= (0.95 if min(abs(np.diff(np.array(levels)))) > 0.2 else 0.8) * total


@pytest.mark.parametrize("rho", [0, 0.3, 0.5, 0.8, 0.9, 0.95])
def test_short_histories_of_noise_raise_far_fewer_alarms_than_in_otava(rho: float) -> None:
    random = np.random.default_rng(2)
    asked = [
        list(100 * np.exp(0.05 * resembling(random, count, rho)))
        for count in (20, 50, 100)
        for _ in range(4000 // count)
    ]

    alarms, theirs = sum(map(len, ours(asked))), sum(len(otava(values)) for values in asked)

    print(f"rho {rho}: {alarms} false alarms in 12,000 values, Otava {theirs}")
    assert alarms <= 0.2 * theirs
    assert alarms <= (3 if rho <= 0.3 else 40)

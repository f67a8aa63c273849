"""The family test against a second implementation and against its definition."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from asking import ask
from reference import Look, Matrix, Rule, all_signs, judge, round_scores, step_down

FLOOR = 0.01
SEEDS = range(24)


def family(seed: int, rounds: int) -> tuple[Matrix, Matrix]:
    """Return base and head of some comparisons: drift, outliers, ties, true changes, rounds that are lacking."""
    random = np.random.default_rng(seed)
    comparisons = int(random.integers(1, 7))
    level = np.cumsum(random.normal(0, 0.02, rounds))
    noise = random.standard_t(3, (2, comparisons, rounds)) * random.choice([0.01, 0.03, 0.1])
    change = random.choice([0.0, 0.01, 0.05, 0.12], size=(comparisons, 1))
    base, head = level + noise[0], level + noise[1] + change
    if seed % 3 == 0:
        base, head = np.round(base, 2), np.round(head, 2)
    if seed % 4 == 0:
        base[random.random(base.shape) < 0.06] = np.nan
        head[random.random(head.shape) < 0.06] = np.nan
    return base, head


def question(base: Matrix, head: Matrix, rule: Rule) -> list[Any]:
    """Return the arguments of testFamily."""

    def row(values: Matrix) -> list[float | None]:
        return [None if np.isnan(value) else float(value) for value in values]

    return [
        [{"base": row(before), "head": row(after)} for before, after in zip(base, head, strict=True)],
        {
            "floor": float(np.expm1(rule.floor)),
            "alpha": float(rule.alpha),
            "looks": [{"rounds": look.rounds, "spent": float(look.spent)} for look in rule.looks],
            "seed": rule.seed,
            "swaps": rule.swaps,
        },
    ]


def looks(*planned: tuple[int, str]) -> tuple[Look, ...]:
    return tuple(Look(rounds, Fraction(spent)) for rounds, spent in planned)


@pytest.mark.parametrize(
    "planned",
    [
        looks((10, "1")),
        looks((8, "0.3"), (9, "0.6"), (11, "1")),
        looks((10, "0.2"), (12, "1")),
        looks((10, "0.2"), (15, "0.4"), (20, "0.7"), (30, "1")),
        looks((16, "0.5"), (40, "1")),
    ],
)
@pytest.mark.parametrize("alpha", ["0.02", "0.2"])
def test_the_second_implementation_finds_the_same(planned: tuple[Look, ...], alpha: str) -> None:
    rules = [Rule(np.log1p(FLOOR), Fraction(alpha), planned, seed) for seed in SEEDS]
    families = [family(seed, planned[-1].rounds) for seed in SEEDS]

    answers = ask("testFamily", [question(*one, rule) for one, rule in zip(families, rules, strict=True)])

    found = [judge(*one, rule) for one, rule in zip(families, rules, strict=True)]
    assert any(at is not None for one in found for at in one.significant_at)
    assert any(at is None for one in found for at in one.significant_at)
    for answer, expected in zip(answers, found, strict=True):
        assert answer["adjustedP"] == pytest.approx(expected.adjusted_p, abs=1e-12)
        assert answer["significantAt"] == expected.significant_at


def test_drawn_swaps_come_close_to_all_swaps() -> None:
    rounds, floor = 15, float(np.log1p(FLOOR))
    families = [family(seed, rounds) for seed in range(8)]
    rule = Rule(floor, Fraction("0.02"), looks((rounds, "1")), seed=3, swaps=20_000)

    answers = ask("testFamily", [question(*one, rule) for one in families])

    signs = all_signs(rounds)
    for (base, head), answer in zip(families, answers, strict=True):
        scores = np.array([round_scores(*sides, floor) for sides in zip(base, head, strict=True)])
        for drawn, exact in zip(answer["adjustedP"], step_down(scores @ signs.T), strict=True):
            assert abs(drawn - exact) < 4.5 * np.sqrt(exact * (1 - exact) / rule.swaps) + 1e-4

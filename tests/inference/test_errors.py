"""The rule for error rates against its definition, and against the sign test that it is for single failures."""

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from asking import ask
from scipy import stats


def counts(random: np.random.Generator, rounds: int) -> list[dict[str, dict[str, int]]]:
    """Return rounds with few failures, a few more of them in head, of unequal numbers of requests."""

    def side(rate: float) -> dict[str, int]:
        requests = int(random.integers(50, 80))
        return {"failed": int(random.binomial(requests, rate)), "requests": requests}

    return [{"base": side(0.01), "head": side(0.05)} for _ in range(rounds)]


def share_of_swaps(rounds: list[dict[str, dict[str, int]]]) -> float:
    """Return the exact p, in fractions."""
    excesses = []
    for one in rounds:
        (base_failed, base), (head_failed, head) = one["base"].values(), one["head"].values()
        excesses.append(head_failed - Fraction(head * (base_failed + head_failed), base + head))
    sums = [
        sum(sign * excess for sign, excess in zip(signs, excesses, strict=True))
        for signs in itertools.product((1, -1), repeat=len(rounds))
    ]
    return sum(one >= sums[0] for one in sums) / len(sums)


def test_all_swaps_of_few_rounds() -> None:
    random = np.random.default_rng(3)
    cases = [counts(random, int(random.integers(3, 10))) for _ in range(25)]

    answers = ask("errorRateP", [[rounds, 1] for rounds in cases])

    assert answers == pytest.approx([share_of_swaps(rounds) for rounds in cases], abs=1e-12)


@pytest.mark.parametrize("rounds", [12, 24])
def test_single_failures_are_a_sign_test(rounds: int) -> None:
    def one(head_failed: bool) -> dict[str, Any]:
        base, head = {"failed": int(not head_failed), "requests": 100}, {"failed": int(head_failed), "requests": 100}
        return {"base": base, "head": head}

    wins = range(rounds // 2, rounds + 1)
    answers = ask("errorRateP", [[[one(place < won) for place in range(rounds)], 5] for won in wins])

    expected = [stats.binomtest(won, rounds, alternative="greater").pvalue for won in wins]
    tolerance = 1e-12 if rounds <= 13 else 0.015
    assert answers == pytest.approx(expected, abs=tolerance)

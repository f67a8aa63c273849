"""The interval that holds at every look, against the exact distribution of the signed-rank sums of growing samples."""

from collections.abc import Sequence

import numpy as np
import pytest
from asking import ask
from numpy.typing import NDArray
from scipy import stats

Shares = NDArray[np.float64]
Look = tuple[int, float]

FOUR: list[Look] = [(10, 0.2), (12, 0.4), (14, 0.7), (16, 1)]
FIVE: list[Look] = [(8, 0.4), (10, 0.5), (12, 0.6), (14, 0.8), (16, 1)]
MISSING: list[Look] = [(9, 0.3), (9, 0.5), (13, 1)]
CUT_SHORT: list[Look] = [(10, 0.2), (13, 1)]


def dropped(looks: Sequence[Look]) -> list[int]:
    """Return how many sums each look leaves out, by following every pattern of signs exactly."""
    count, standing = 0, np.ones(1)
    used, found = 0.0, []
    for rounds, spent in looks:
        while count < rounds:
            standing, count = one_more(standing, count), count + 1
        sums = rank_sums(count)
        left = 0.025 * spent - used
        by_sum = np.bincount(sums, weights=standing)
        found.append(int(np.searchsorted(np.cumsum(by_sum), left + 1e-15, side="right")))
        used += float(standing[sums < found[-1]].sum())
        standing = np.where(sums < found[-1], 0, standing)
    return found


def one_more(standing: Shares, count: int) -> Shares:
    """Return the shares of the patterns with one more value, whose size has any rank and whose sign is a coin's.

    Bit r of a pattern is the sign of the value with the r-th smallest size.
    """
    patterns = np.arange(1 << count)
    grown = np.zeros(1 << (count + 1))
    for rank in range(count + 1):
        below = patterns & ((1 << rank) - 1)
        apart = below | ((patterns >> rank) << (rank + 1))
        for sign in (0, 1 << rank):
            np.add.at(grown, apart | sign, standing / (2 * (count + 1)))
    return grown


def rank_sums(count: int) -> NDArray[np.int64]:
    """Return the sum of the ranks of the positive values in each pattern."""
    patterns = np.arange(1 << count)
    return sum(
        (((patterns >> bit) & 1) * (bit + 1) for bit in range(count)), start=np.zeros(1 << count, dtype=np.int64)
    )


def as_asked(looks: Sequence[Look]) -> list[dict[str, float]]:
    """Return looks as the product has them."""
    return [{"rounds": rounds, "spent": spent} for rounds, spent in looks]


@pytest.mark.parametrize("plan", [FOUR, FIVE, MISSING, CUT_SHORT])
def test_each_look_leaves_out_what_the_exact_distribution_allows(plan: list[Look]) -> None:
    answers = ask("droppedAtLast", [[as_asked(plan[: last + 1])] for last in range(len(plan))])

    # Draws may fall on either side of a sum whose share lies next to what may be spent.
    assert answers == pytest.approx(dropped(plan), abs=1)
    assert answers[0] == dropped(plan)[0]
    assert missed(plan, answers) <= 0.0255


def missed(looks: Sequence[Look], left_out: Sequence[int]) -> float:
    """Return how often the sum is among those that any look leaves out."""
    count, standing = 0, np.ones(1)
    for (rounds, _), sums in zip(looks, left_out, strict=True):
        while count < rounds:
            standing, count = one_more(standing, count), count + 1
        standing = np.where(rank_sums(count) < sums, 0, standing)
    return 1 - float(standing.sum())


def test_a_golden_interval_over_three_looks() -> None:
    base, head = [0.0] * 12, [float(round_ * round_ % 13 + round_ / 10) for round_ in range(1, 13)]
    means = sorted((head[one] + head[other]) / 2 for one in range(12) for other in range(one, 12))
    out = dropped(FIVE[:3])[-1]

    [interval] = ask("intervalOverLooks", [[{"base": base, "head": head}, as_asked(FIVE[:3])]])

    assert interval == {"low": pytest.approx(means[out - 1]), "high": pytest.approx(means[-out])}


def test_the_interval_is_that_of_the_signed_rank_test_at_the_level_of_the_look() -> None:
    random = np.random.default_rng(3)
    base, head = random.normal(0, 0.1, 12), random.normal(0.05, 0.1, 12)

    [interval] = ask("intervalOverLooks", [[{"base": list(base), "head": list(head)}, as_asked(FIVE[:3])]])

    left_out = dropped(FIVE[:3])[-1]
    for bound, inwards, alternative in ((interval["low"], 1e-9, "greater"), (interval["high"], -1e-9, "less")):
        inside, outside = (
            stats.wilcoxon(head - base - bound - move, alternative=alternative, method="exact")
            for move in (inwards, -inwards)
        )
        sums = [min(result.statistic, 12 * 13 / 2 - result.statistic) for result in (inside, outside)]
        assert sums == [left_out, left_out - 1]

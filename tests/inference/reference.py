"""The family test once more, word for word from its specification and without regard to speed.

Written apart from the product: whole matrices of signs instead of bits, counts instead of thresholds, and shares of
alpha as fractions.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Matrix = NDArray[np.float64]

EXHAUSTIVE_ROUNDS = 13
FEWEST_ROUNDS = 8
TIE = 1e-9


@dataclass(frozen=True)
class Look:
    """A look at the first rounds, and the share of alpha spent up to and with it."""

    rounds: int
    spent: Fraction


@dataclass(frozen=True)
class Rule:
    """What a family is judged by; the floor is a logarithm."""

    floor: float
    alpha: Fraction
    looks: tuple[Look, ...]
    seed: int = 1
    swaps: int = 500


@dataclass(frozen=True)
class Found:
    """What was found, by comparison."""

    significant_at: list[int | None]
    adjusted_p: list[float]


def round_scores(base: Matrix, head: Matrix, floor: float, statistic: str = "ranks") -> Matrix:
    """Return the score of each round of one comparison; NaN is a round that it lacks."""
    scores = np.zeros(len(base))
    complete = ~(np.isnan(base) | np.isnan(head))
    if complete.sum() < FEWEST_ROUNDS:
        return scores
    rises = {"ranks": rank_rises, "differences": cut_differences}[statistic](base[complete], head[complete] - floor)
    length = np.sqrt((rises**2).sum())
    scores[complete] = rises / length if length > 0 else 0
    return scores


def rank_rises(base: Matrix, head: Matrix) -> Matrix:
    """Return how many ranks head stands above base in each round, among the values of both."""
    ranks: Matrix = stats.rankdata(np.concatenate([base, head]))
    return ranks[len(base) :] - ranks[: len(base)]


def cut_differences(base: Matrix, head: Matrix) -> Matrix:
    """Return the differences, none larger than three times the median of their sizes unless that is 0."""
    differences = head - base
    middle = np.median(np.abs(differences))
    return np.sign(differences) * np.minimum(np.abs(differences), 3 * middle) if middle > 0 else differences


def all_signs(rounds: int) -> Matrix:
    """Return one row of signs for each way to exchange labels, the first of which exchanges nothing."""
    return np.array(list(itertools.product([1.0, -1.0], repeat=rounds)))


def drawn_signs(rounds: int, swaps: int, seed: int) -> Matrix:
    """Return the identity and the random rows of signs that the product draws: eight rounds of all swaps at a time."""
    draws = mulberry32(seed)
    columns = []
    for _ in range(0, rounds, 8):
        drawn = np.array([0] + [next(draws) >> 24 for _ in range(swaps)])
        columns += [1.0 - 2.0 * ((drawn >> bit) & 1) for bit in range(8)]
    return np.column_stack(columns)[:, :rounds].astype(np.float64)


def mulberry32(seed: int) -> Iterator[int]:
    """Yield the 32-bit numbers of Tommy Ettinger's generator."""
    state = seed
    while True:
        state = (state + 0x6D2B79F5) % 2**32
        mixed = (state ^ (state >> 15)) * (state | 1) % 2**32
        mixed ^= (mixed + (mixed ^ (mixed >> 7)) * (mixed | 61)) % 2**32
        yield mixed ^ (mixed >> 14)


def step_down(sums: Matrix) -> list[float]:
    """Return the step-down maxT p of each row of sums by swap, the first of which is what was measured."""
    order = sorted(range(len(sums)), key=lambda row: -sums[row, 0])
    adjusted = [1.0] * len(sums)
    highest = 0.0
    for place, row in enumerate(order):
        highest = max(highest, float((sums[order[place:]].max(axis=0) >= sums[row, 0] - TIE).mean()))
        adjusted[row] = highest
    return adjusted


def crosses(values: Matrix, maxima: Matrix, may_cross: int) -> NDArray[np.bool_]:
    """Return which values are so high that at most so many of the maxima reach them."""
    reaching = len(maxima) - np.searchsorted(np.sort(maxima), values - TIE)
    return reaching <= may_cross


def judge(base: Matrix, head: Matrix, rule: Rule, statistics: Sequence[str] | None = None) -> Found:
    """Judge a family: rows are comparisons, columns rounds; the statistic of each row is ranks unless given."""
    kinds = statistics or ["ranks"] * len(base)
    significant_at: list[int | None] = [None] * len(base)
    adjusted_p = [1.0] * len(base)
    exact = [look for look in rule.looks if look.rounds <= EXHAUSTIVE_ROUNDS]
    drawn = [look for look in rule.looks if look.rounds > EXHAUSTIVE_ROUNDS]
    crossed_exactly: dict[tuple[float, ...], bool] = {(): False}
    crossed_before = Fraction(0)
    for looks, is_exact in ((exact, True), (drawn, False)):
        if not looks:
            continue
        rounds = looks[-1].rounds
        signs = all_signs(rounds) if is_exact else drawn_signs(rounds, rule.swaps, rule.seed)
        known = len(next(iter(crossed_exactly)))
        crossed = np.array([crossed_exactly[tuple(row[:known])] for row in signs])
        crossed_at_start = int(crossed.sum())
        for look in looks:
            scores = [
                round_scores(base[row, : look.rounds], head[row, : look.rounds], rule.floor, kinds[row])
                for row in range(len(base))
            ]
            sums = np.array(scores) @ signs[:, : look.rounds].T
            budget = (rule.alpha * look.spent - crossed_before) * len(signs)
            may_cross = int(budget) - (int(crossed.sum()) - crossed_at_start)
            maxima = sums.max(axis=0)
            left = maxima[~crossed]
            for row, is_significant in enumerate(crosses(sums[:, 0], left, may_cross)):
                if significant_at[row] is None and is_significant:
                    significant_at[row] = look.rounds
            crossed |= crosses(maxima, left, may_cross)
            adjusted_p = step_down(sums)
        if is_exact:
            crossed_exactly = {tuple(row): bool(mark) for row, mark in zip(signs, crossed, strict=True)}
            crossed_before = Fraction(int(crossed.sum()), len(signs))
    return Found(significant_at, adjusted_p)

"""Change points once more, word for word from tests/fixtures/golden/rules.md and without regard to speed.

Written apart from the product: SciPy's ranks and Mann-Whitney, all splits by definition. Of the product it takes only
the table of critical values, which a test of its own holds against shuffles.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Values = NDArray[np.float64]
Places = NDArray[np.int64]

P_LIMIT = 1e-4
P_LIMIT_APART = 1e-3
CLEAR = 6
SMALLEST = math.log(1.05)


@dataclass(frozen=True)
class Found:
    """A change: the place of its first value, its p, the shift of logarithms, and whether it is pending."""

    index: int
    p: float
    shift: float
    pending: bool


@dataclass(frozen=True)
class Reference:
    """The scan with critical values for 10, 11, ... values."""

    critical: Sequence[float]

    def changes(self, values: Sequence[float], strata: Sequence[str] | None = None) -> list[Found]:
        """Return what the product should: block by block, so that what lies before the last two windows stays."""
        found: list[Found] = []
        names = np.array(strata if strata is not None else [""] * len(values))
        series = np.array(values, dtype=np.float64)
        for end in [*range(90, len(values), 30), len(values)]:
            edge = max(0, 30 * ((end - 1) // 30 - 2))
            found = [one for one in found if one.index < edge]
            start = max([0, edge - 150, *(one.index for one in found)])
            logs, places = level(np.log(series[start:end]), names[start:end])
            places = places + start
            found += self.tail(logs, places, edge, is_last=end == len(values))
        return found

    def tail(self, logs: Values, places: Places, edge: int, is_last: bool) -> list[Found]:
        """Return the changes from the edge on."""
        candidates = set(self.splits(logs, 0, len(logs)))
        for first, last in ((edge - 30, edge + 30), (edge, edge + 60), (edge + 30, math.inf)):
            inside = np.flatnonzero((places >= first) & (places < last))
            if len(inside):
                candidates |= set(self.splits(logs, int(inside[0]), int(inside[-1]) + 1))
        candidates |= set(clear_steps(logs))
        first = int(np.searchsorted(places, edge))
        kept = merged(logs, sorted(at for at in candidates if at >= first), first)
        pending = pending_after(logs, kept[-1][0] if kept else 0) if is_last else []
        return [Found(int(places[at]), p, shift, False) for at, p, shift in kept] + [
            Found(int(places[at]), p, shift, True) for at, p, shift in pending
        ]

    def splits(self, logs: Values, start: int, end: int) -> list[int]:
        """Return all splits of a stretch, and of what they split it into."""
        count = end - start
        if count < 10:
            return []
        ranks = stats.rankdata(logs[start:end]) - (count + 1) / 2
        sizes = [
            abs(ranks[:before].sum()) / math.sqrt(before * (count - before) * (count + 1) / 12)
            for before in range(5, count - 4)
        ]
        # Sums of the same ranks in another order may differ in their last digits.
        strongest = next(place for place, size in enumerate(sizes) if size >= max(sizes) - 1e-12)
        at = start + 5 + strongest
        if sizes[strongest] <= self.critical[count - 10]:
            return []
        return [*self.splits(logs, start, at), at, *self.splits(logs, at, end)]


def level(logs: Values, names: NDArray[Any]) -> tuple[Values, Places]:
    """Return logarithms on the level of all strata, and the places of those that have one."""
    distinct = set(names.tolist())
    if len(distinct) == 1:
        return logs, np.arange(len(logs), dtype=np.int64)
    large = {name for name in distinct if (names == name).sum() >= 5}
    kept = np.array([name in large for name in names], dtype=bool)
    # Medians of values, as of logarithms those of an even number would be others.
    overall = math.log(np.median(np.exp(logs[kept]))) if large else 0.0
    centred = logs.copy()
    for name in large:
        centred[names == name] -= math.log(np.median(np.exp(logs[names == name]))) - overall
    # Equal figures of two strata tie only without the rounding error of their last digits.
    return centred[kept].round(12), np.flatnonzero(kept).astype(np.int64)


def independence(logs: Values) -> float:
    """Return the factor for neighbours that resemble each other."""
    squares = []
    for apart in (1, 2):
        sizes = np.abs(logs[apart:] - logs[:-apart])
        squares.append(float((np.minimum(sizes, 3 * np.median(sizes)) ** 2).mean()) if len(sizes) else 0.0)
    rho = squares[1] / squares[0] - 1 if squares[0] > 0 else 0.0
    rho = min(0.8, max(0.0, rho - 1 / math.sqrt(len(logs))))
    return math.sqrt((1 - rho) / (1 + rho))


def clarity(left: Values, right: Values) -> float:
    """Return how many scatters two medians are apart, if that is clear, or else 0."""
    before, after = np.median(left), np.median(right)
    scatter = 1.4826 * np.median(np.abs(np.concatenate([left - before, right - after])))
    height = abs(after - before)
    if height == 0:
        return 0.0
    return float(height / scatter if scatter > 0 else math.inf) if height >= CLEAR * scatter else 0.0


def clear_steps(logs: Values) -> list[int]:
    """Return the places between levels that are clearly apart, none of them within 5 of a clearer one."""
    sizes = np.zeros(len(logs))
    for at in range(5, len(logs) - 4):
        before, after = logs[max(0, at - 10) : at], logs[at : at + 10]
        if abs(np.median(after) - np.median(before)) >= SMALLEST:
            sizes[at] = clarity(before, after)
    return [at for at, size in enumerate(sizes) if size > 0 and size >= sizes[max(0, at - 5) : at + 6].max()]


def tested_p(left: Values, right: Values, factor: float) -> tuple[float, float]:
    """Return the two-sided p, weakened by the autocorrelation unless the step is clear, and its limit."""
    is_clear = clarity(left, right) > 0
    are_apart = left.max() < right.min() or right.max() < left.min()
    z = stats.norm.isf(rank_sum_p(left, right) / 2) * (1 if is_clear else factor)
    return float(min(1.0, 2 * stats.norm.sf(z))), P_LIMIT_APART if is_clear and are_apart else P_LIMIT


def rank_sum_p(left: Values, right: Values) -> float:
    """Return Mann and Whitney's p: exact for few values on a side or few without ties, or else approximate."""
    few, many = (left, right) if len(left) <= len(right) else (right, left)
    pooled = np.concatenate([few, many])
    tied = len(np.unique(pooled)) < len(pooled)
    if len(few) > 7:
        method = "exact" if not tied and len(pooled) <= 50 else "asymptotic"
        return float(stats.mannwhitneyu(left, right, method=method).pvalue)
    doubled = (2 * stats.rankdata(pooled)).astype(int)
    observed = int(doubled[: len(few)].sum())
    counts = choices(tuple(doubled.tolist()), len(few))
    total = math.comb(len(pooled), len(few))
    assert sum(counts.values()) == total
    middle = len(few) * (len(pooled) + 1)
    side = [ways for sum_, ways in counts.items() if (sum_ <= observed if observed <= middle else sum_ >= observed)]
    return float(min(1.0, 2 * sum(side) / total))


def choices(numbers: tuple[int, ...], chosen: int) -> dict[int, int]:
    """Return how many ways to choose so many numbers have each sum."""
    ways: list[dict[int, int]] = [{0: 1}] + [{} for _ in range(chosen)]
    for number in numbers:
        for size in range(chosen, 0, -1):
            for sum_, count in ways[size - 1].items():
                ways[size][sum_ + number] = ways[size].get(sum_ + number, 0) + count
    return ways[chosen]


def shift(left: Values, right: Values) -> float:
    """Return the Hodges-Lehmann estimate of two samples."""
    return float(np.median(right[:, None] - left[None, :]))


def sides(logs: Values, before: int, at: int, after: int) -> tuple[Values, Values]:
    """Return up to 60 values on either side of a place."""
    return logs[max(before, at - 60) : at], logs[at : min(after, at + 60)]


def parted(logs: Values, candidates: list[int], first: int) -> list[int]:
    """Return each candidate moved by up to 3 places to where values part best."""
    moved: list[int] = []
    for at, after in zip(candidates, [*candidates, len(logs)][1:], strict=True):
        start, end = max(moved[-1] if moved else 0, at - 60), min(after, at + 60)
        costs = [
            (round(distance(logs[start:place]) + distance(logs[place:end]), 11), abs(place - at), place)
            for place in range(max(at - 3, first, start + 5), min(at + 3, end - 5) + 1)
        ]
        best = min(costs)[2] if costs else at
        if best not in moved:
            moved.append(best)
    return moved


def distance(values: Values) -> float:
    """Return the sum of the distances from the median."""
    return float(np.abs(values - np.median(values)).sum())


def merged(logs: Values, found: list[int], first: int) -> list[tuple[int, float, float]]:
    """Return the candidates that are changes, the worst left out one by one, with p and shift."""
    candidates = parted(logs, found, first)
    bounds = [0, *candidates, len(logs)]
    tested = [
        (at, sides(logs, before, at, after)) for before, at, after in zip(bounds, bounds[1:], bounds[2:], strict=False)
    ]
    if not tested:
        return []
    judged = [tested_p(*both, independence(logs)) for _, both in tested]
    ps, doubts = [p for p, _ in judged], [p / limit for p, limit in judged]
    shifts = [shift(*both) for _, both in tested]
    if max(doubts) >= 1:
        worst = doubts.index(max(doubts))
    elif min(map(abs, shifts)) < SMALLEST:
        worst = [abs(one) for one in shifts].index(min(map(abs, shifts)))
    else:
        return [(at, p, moved) for (at, _), p, moved in zip(tested, ps, shifts, strict=True)]
    return merged(logs, [at for place, at in enumerate(candidates) if place != worst], first)


def pending_after(logs: Values, since: int) -> list[tuple[int, float, float]]:
    """Return the most credible change that fewer than 5 values follow, if any."""
    possible = []
    for after in (3, 4):
        at = len(logs) - after
        if at > since:
            both = sides(logs, since, at, len(logs))
            (p, limit), moved = tested_p(*both, independence(logs)), shift(*both)
            if p < limit and abs(moved) >= SMALLEST:
                possible.append((p, at, moved))
    return [(at, p, moved) for p, at, moved in sorted(possible)[:1]]


def near(ones: Sequence[int], others: Sequence[int], reach: int) -> int:
    """Return how many of the ones have another within so many places, each counted once."""
    left = list(others)
    agreeing = 0
    for one in ones:
        close = [other for other in left if abs(other - one) <= reach]
        if close:
            left.remove(min(close, key=lambda other: abs(other - one)))
            agreeing += 1
    return agreeing


def steps(random: np.random.Generator, count: int, noise: float) -> tuple[list[float], list[int]]:
    """Return a series with a few steps of 10 to 30 %, and where they are."""
    places = sorted(int(place) for place in random.choice(np.arange(40, count - 40, 40), 3, replace=False))
    sizes = random.choice([-1, 1], 3) * random.uniform(0.1, 0.3, 3)
    levels = np.zeros(count)
    for place, size in zip(places, sizes, strict=True):
        levels[place:] += math.log1p(size)
    return list(100 * np.exp(levels + random.normal(0, noise, count))), places

"""Prints what a prior of the noise would buy: looks from 5 rounds by a moderated t beside the exact test from 8 rounds.

One row at saturation (floor 1 %, threshold 3 %), with half of an alpha of 2 %, since two services share it. The prior
is the variance of one round with 15 degrees of freedom (Smyth, "Linear models and empirical Bayes", 2004); the variance
of the rounds themselves is used if it is larger. The moderated t spends a fifth of alpha, the signed ranks the rest.
`.venv/bin/python bench/prior.py` takes three minutes.
"""

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Rounds = NDArray[np.float64]

EXACT = {8: 0.5, 10: 0.7, 12: 0.8, 15: 0.88, 20: 0.94, 30: 1.0}
MODERATED = {5: 0.4, 6: 0.5, 8: 0.6, 10: 0.75, 12: 0.82, 15: 0.9, 20: 0.95, 30: 1.0}
FLOOR, THRESHOLD = math.log1p(0.01), math.log1p(0.03)
ALPHA, ERROR_OF_UNCHANGED = 0.01, 0.025
SHARE, PRIOR_FREEDOM = 0.2, 15
SIMULATIONS = 20_000


@dataclass(frozen=True)
class Rule:
    """The prior's standard deviation of one round; None is the rule as it is, without a prior."""

    prior: float | None
    exact: dict[int, float] = field(default_factory=lambda: spending(EXACT))
    moderated: dict[int, float] = field(default_factory=lambda: spending(MODERATED))


def spending(cumulative: dict[int, float]) -> dict[int, float]:
    """Return what each look spends by itself."""
    before = [0.0, *cumulative.values()]
    return {rounds: spent - left for (rounds, spent), left in zip(cumulative.items(), before, strict=False)}


def largest_rank_sum(rounds: int, p: float) -> int:
    """Return the last sorted Walsh average that is above the middle with at most this probability; -1 for none."""
    ways = np.zeros(rounds * (rounds + 1) // 2 + 1)
    ways[0] = 1
    for rank in range(1, rounds + 1):
        more = ways.copy()
        more[rank:] += ways[:-rank]
        ways = more
    return int(np.searchsorted(np.cumsum(ways) / 2**rounds, p, side="right")) - 1


def exactly(rows: Rounds, spent: float, share: float) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which rows are found slower, and which are surely below the threshold, by signed ranks."""
    rounds = rows.shape[1]
    left, right = np.triu_indices(rounds)
    walsh = np.sort((rows[:, left] + rows[:, right]) / 2, axis=1)
    slower, below = (largest_rank_sum(rounds, spent * error * share) for error in (ALPHA, ERROR_OF_UNCHANGED))
    none = np.zeros(len(rows), dtype=bool)
    return (
        (walsh[:, slower] > FLOOR) & (np.median(walsh, axis=1) >= THRESHOLD) if slower >= 0 else none,
        walsh[:, -1 - below] < THRESHOLD if below >= 0 else none,
    )


def moderately(rows: Rounds, spent: float, prior: float) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the same by a t of the mean and a variance between that of the rounds and that of the prior."""
    rounds = rows.shape[1]
    own = rows.var(axis=1, ddof=1)
    pooled = (PRIOR_FREEDOM * prior**2 + (rounds - 1) * own) / (PRIOR_FREEDOM + rounds - 1)
    error = np.sqrt(np.maximum(own, pooled) / rounds)
    mean = rows.mean(axis=1)
    freedom = PRIOR_FREEDOM + rounds - 1
    slower, below = (stats.t.isf(spent * one * SHARE, freedom) for one in (ALPHA, ERROR_OF_UNCHANGED))
    return (mean - slower * error > FLOOR) & (mean >= THRESHOLD), mean + below * error < THRESHOLD


def played(rows: Rounds, rule: Rule) -> str:
    """Return the mean number of rounds until a comparison is decided, and the share of them that fail."""
    ended = np.full(len(rows), 30)
    red, is_open = np.zeros(len(rows), dtype=bool), np.ones(len(rows), dtype=bool)
    looks = set(rule.exact) if rule.prior is None else {*rule.exact, *rule.moderated}
    for look in sorted(looks):
        slower, below = np.zeros(len(rows), dtype=bool), np.zeros(len(rows), dtype=bool)
        if look in rule.exact:
            slower, below = exactly(rows[:, :look], rule.exact[look], 1 if rule.prior is None else 1 - SHARE)
        if rule.prior is not None and look in rule.moderated:
            more_slower, more_below = moderately(rows[:, :look], rule.moderated[look], rule.prior)
            slower, below = slower | more_slower, below | more_below
        new = is_open & (slower | below)
        ended[new], red[new] = look, slower[new]
        is_open &= ~new
    return f"{ended.mean():4.1f} rounds, {100 * red.mean():6.2f} % fail"


def main() -> None:
    """Print a line for each kind of noise and size of change."""
    random = np.random.default_rng(7)
    for name in ("normal", "t, 4 degrees"):
        for deviation in (0.01, 0.02, 0.03):
            for change in (0.0, 0.01, 0.05):
                noise = random.normal if name == "normal" else lambda size: random.standard_t(4, size) / math.sqrt(2)
                rows = deviation * noise(size=(SIMULATIONS, 30)) + math.log1p(change)
                told = [
                    played(rows, Rule(None if times is None else times * deviation)) for times in (None, 1.0, 0.5, 2.0)
                ]
                print(f"{name}, noise {deviation:.0%}, change +{change:.0%} | " + " | ".join(told), flush=True)


if __name__ == "__main__":
    print("noise and change | as it is | the prior is right | half of the truth | twice the truth")
    main()

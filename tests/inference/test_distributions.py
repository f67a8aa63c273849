"""Quantiles, tails, tests and slopes against SciPy."""

import itertools

import numpy as np
import pytest
from asking import ask
from scipy import stats

PROBABILITIES = [1e-12, 1e-6, 0.0003, 0.01, 0.2, 0.5, 0.7, 0.95, 0.975, 0.99, 1 - 0.02 / 60, 1 - 1e-6]
DEGREES = [1, 2, 3, 4.5, 9, 18, 29, 99, 5000]


def test_normal_quantiles_and_tails() -> None:
    quantiles = ask("normalQuantile", [[probability] for probability in PROBABILITIES])
    values = list(np.linspace(-9, 30, 400))
    tails = ask("normalTail", [[value] for value in values])

    assert quantiles == pytest.approx(stats.norm.ppf(PROBABILITIES), rel=1e-11, abs=1e-14)
    assert tails == pytest.approx(stats.norm.sf(values), rel=1e-11, abs=0)


def test_student_quantiles_and_tails() -> None:
    at = list(itertools.product(PROBABILITIES, DEGREES))
    quantiles = ask("studentQuantile", at)
    values = list(itertools.product(np.linspace(-8, 60, 35), DEGREES))
    tails = ask("studentTail", values)

    assert quantiles == pytest.approx([stats.t.ppf(*one) for one in at], rel=1e-9, abs=1e-12)
    assert tails == pytest.approx([stats.t.sf(*one) for one in values], rel=1e-9, abs=0)


@pytest.mark.parametrize(("decimals", "method"), [(9, "exact"), (1, "asymptotic")])
def test_mann_whitney(decimals: int, method: str) -> None:
    random = np.random.default_rng(11)
    sizes = [tuple(random.integers(2, 26, 2)) for _ in range(80)]
    pairs = [
        (random.normal(0, 1, one).round(decimals), random.normal(random.choice([0, 0.6, 2]), 1, other).round(decimals))
        for one, other in sizes
    ]
    # Whether values tie decides which method is right.
    pairs = [pair for pair in pairs if (len(np.unique(np.concatenate(pair))) < sum(map(len, pair))) == (decimals == 1)]
    assert len(pairs) > 40

    answers = ask("mannWhitneyP", [[list(one), list(other)] for one, other in pairs])

    expected = [stats.mannwhitneyu(*pair, method=method).pvalue for pair in pairs]
    assert answers == pytest.approx(expected, rel=1e-9)


def test_mann_whitney_of_large_samples() -> None:
    random = np.random.default_rng(12)
    pairs = [(random.normal(0, 1, 60), random.normal(shift, 1, 40)) for shift in (0, 0.3, 1, 3)]

    answers = ask("mannWhitneyP", [[list(one), list(other)] for one, other in pairs])

    expected = [stats.mannwhitneyu(*pair, method="asymptotic").pvalue for pair in pairs]
    assert answers == pytest.approx(expected, rel=1e-9)


def test_theil_sen() -> None:
    random = np.random.default_rng(13)
    points = [(random.integers(0, 12, size), random.standard_t(2, size)) for size in range(3, 40)]

    answers = ask("theilSen", [[[int(one) for one in x], list(y)] for x, y in points])

    assert answers == pytest.approx([stats.theilslopes(y, x).slope for x, y in points], rel=1e-12, abs=1e-12)


def test_the_smallest_detectable_change_and_the_rounds_wanted() -> None:
    random = np.random.default_rng(14)
    samples = [random.normal(0, noise, rounds) for noise in (0.01, 0.05) for rounds in (10, 15, 30)]
    rule = {"alpha": 0.02, "familySize": 36, "floor": 0.01, "threshold": 0.03}

    detectable = ask("smallestDetectable", [[{"differences": list(sample), **rule}] for sample in samples])
    wanted = ask("roundsNeeded", [[{"differences": list(sample), **rule}, 0.1] for sample in samples])

    for sample, change, rounds in zip(samples, detectable, wanted, strict=True):
        noise = 1.4826 * stats.median_abs_deviation(sample)

        def reached(count: int, power: float, noise: float = noise) -> float:
            error = noise / np.sqrt(count)
            proof = 1.17 * (stats.t.ppf(1 - 0.02 / 36, count - 1) + stats.norm.ppf(power)) * error
            return float(np.expm1(max(np.log(1.01) + proof, np.log(1.03) + 1.05 * stats.norm.ppf(power) * error)))

        assert change == pytest.approx(reached(len(sample), 0.9), rel=1e-9)
        assert reached(rounds, 0.95) <= 0.1 * (1 + 1e-9)
        assert rounds == 8 or reached(rounds - 1, 0.95) > 0.1

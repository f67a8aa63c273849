"""Estimate, interval and noise against SciPy and NumPy."""

import itertools

import numpy as np
import pytest
from asking import ask
from scipy import stats

SAMPLES = [np.random.default_rng(seed).standard_t(4, size=6 + seed % 35) for seed in range(60)]


def test_hodges_lehmann_is_the_median_of_the_pair_means() -> None:
    estimates = ask("hodgesLehmann", [[list(sample)] for sample in SAMPLES])

    for sample, estimate in zip(SAMPLES, estimates, strict=True):
        means = [(one + other) / 2 for one, other in itertools.combinations_with_replacement(sample, 2)]
        assert estimate == pytest.approx(np.median(means), abs=1e-12)


def test_the_interval_holds_what_the_signed_rank_test_does_not_reject() -> None:
    intervals = ask("signedRankInterval", [[list(sample)] for sample in SAMPLES])

    for sample, interval in zip(SAMPLES, intervals, strict=True):
        for bound, inwards, alternative in ((interval["low"], 1e-9, "greater"), (interval["high"], -1e-9, "less")):
            p_inside, p_outside = (
                stats.wilcoxon(sample - bound - move, alternative=alternative, method="exact").pvalue
                for move in (inwards, -inwards)
            )
            assert p_outside <= 0.025 < p_inside


def test_the_interval_covers_the_truth_in_95_of_100_samples() -> None:
    random = np.random.default_rng(7)
    samples = random.laplace(0.3, 1, (2000, 12))

    intervals = ask("signedRankInterval", [[list(sample)] for sample in samples])

    covered = np.mean([interval["low"] <= 0.3 <= interval["high"] for interval in intervals])
    assert 0.94 < covered < 0.97


def test_noise_is_the_scaled_median_absolute_deviation() -> None:
    noises = ask("noiseOf", [[list(sample)] for sample in SAMPLES])

    for sample, noise in zip(SAMPLES, noises, strict=True):
        assert noise == pytest.approx(1.4826 * stats.median_abs_deviation(sample), rel=1e-12)

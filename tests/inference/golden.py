"""Golden families of the test: made with the second implementation, read by the product's own tests.

    uv run python tests/inference/golden.py

writes `tests/fixtures/golden/families.json` again, byte for byte. Values are whole ten-thousandths of a logarithm, so
that both languages read the same numbers.
"""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from reference import Look, Matrix, Rule, judge

FILE = Path(__file__).parents[1] / "fixtures" / "golden" / "families.json"
FAMILIES = 200
UNIT = 10_000
FLOOR = 0.01
SWAPS = 400

USUAL = ((8, "0.4"), (10, "0.6"), (12, "0.7"), (15, "0.8"), (20, "0.9"), (30, "1"))
PLANS = (
    USUAL,
    (*USUAL[:3], (14, "1")),
    ((16, "1"),),
    ((15, "0.5"), (18, "1")),
    ((9, "0.3"), (13, "0.5"), (24, "1")),
    ((8, "0.4"), (11, "1")),
)
ALPHAS = ("0.02", "0.01", "0.05", "0.2")


def golden_family(seed: int) -> dict[str, Any]:
    """Return a family of 1 to 4 comparisons with what must come out of it."""
    random = np.random.default_rng(seed)
    plan = PLANS[seed % len(PLANS)]
    rounds = plan[-1][0]
    comparisons = int(random.integers(1, 5))
    statistics = [str(kind) for kind in random.choice(["differences", "ranks"], comparisons)]
    level = np.cumsum(random.normal(0, 0.02, rounds))
    noise = random.standard_t(3, (2, comparisons, rounds)) * random.choice([0.005, 0.01, 0.03])
    change = random.choice([0.0, 0.01, 0.03, 0.05, 0.12], size=(comparisons, 1))
    unit = 100 if seed % 5 == 0 else UNIT
    base, head = (np.round((level + side) * unit) * (UNIT // unit) for side in (noise[0], noise[1] + change))
    if seed % 4 == 0:
        base[random.random(base.shape) < 0.05] = np.nan
        head[random.random(head.shape) < 0.05] = np.nan
    alpha = ALPHAS[seed % len(ALPHAS)]
    looks = tuple(Look(count, Fraction(spent)) for count, spent in plan)
    rule = Rule(float(np.log1p(FLOOR)), Fraction(alpha), looks, seed, SWAPS)
    found = judge(base / UNIT, head / UNIT, rule, statistics)
    return {
        "rule": {
            "floor": FLOOR,
            "alpha": float(alpha),
            "looks": [{"rounds": count, "spent": float(spent)} for count, spent in plan],
            "seed": seed,
            "swaps": SWAPS,
        },
        "statistics": statistics,
        "base": _rows(base),
        "head": _rows(head),
        "significantAt": found.significant_at,
        "adjustedP": [round(p, 12) for p in found.adjusted_p],
    }


def _rows(values: Matrix) -> list[list[int | None]]:
    return [[None if np.isnan(value) else int(value) for value in row] for row in values]


def golden_text() -> str:
    """Return the whole file: one family a line."""
    lines = [json.dumps(golden_family(seed), separators=(",", ":")) for seed in range(FAMILIES)]
    return "[\n" + ",\n".join(lines) + "\n]\n"


if __name__ == "__main__":
    FILE.write_text(golden_text())

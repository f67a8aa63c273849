"""The golden families are those of the second implementation, and some of each kind are among them."""

import json

from golden import FAMILIES, FILE, golden_family


def test_the_file_is_what_the_second_implementation_makes() -> None:
    recorded = json.loads(FILE.read_text())

    assert len(recorded) == FAMILIES
    for seed in range(0, FAMILIES, 7):
        assert recorded[seed] == golden_family(seed)


def test_the_families_find_something_and_nothing_at_early_and_late_looks() -> None:
    found = [at for family in json.loads(FILE.read_text()) for at in family["significantAt"]]

    assert {8, 10, 12, 15, 30, None} <= set(found)

"""Makes the catalog in `games.json`: `python -m games_services.make_catalog` prints it."""

import json
import random
from collections.abc import Sequence

SEED = 20_220
COUNT = 100

_FIRST = ("Silent", "Iron", "Hollow", "Crimson", "Last", "Broken", "Golden", "Frozen", "Hidden", "Wandering")
_SECOND = ("Harbor", "Kingdom", "Orbit", "Garden", "Circuit", "Valley", "Signal", "Citadel", "Archive", "Horizon")
_MAKERS = ("Northlight", "Paper Fox", "Ninth Gate", "Quiet Machine", "Blue Anvil", "Tall Tree", "Salt & Stone")
_PUBLISHERS = ("Meridian Games", "Lantern House", "Red Door", "Open Shelf", "Farpoint")
_GENRES = ("Action", "Adventure", "Strategy", "Simulation", "Puzzle", "Racing", "Role-playing", "Sports")
_TAGS = (
    *("Singleplayer", "Multiplayer", "Co-op", "Open World", "Pixel Graphics", "Story Rich", "Turn-Based", "Survival"),
    *("Crafting", "Roguelike", "Controller", "Atmospheric", "Early Access", "Free Camera", "Sandbox", "Stealth"),
)
_PLATFORMS = ("windows", "linux", "mac")
_WORDS = (
    *("build", "explore", "a world", "that remembers", "every choice", "with friends", "or alone", "under two suns"),
    *("trade", "with strangers", "repair", "old machines", "and find", "the way back", "before winter", "comes"),
)


def make_catalog() -> list[dict[str, object]]:
    """Return the games, always the same ones: Python never changes the sequence of `random()` for a seed."""
    draw = random.Random(SEED)
    return [_game(number, draw) for number in range(1, COUNT + 1)]


def _game(number: int, draw: random.Random) -> dict[str, object]:
    first, second = _one(_FIRST, draw), _one(_SECOND, draw)
    return {
        "id": number,
        "title": f"{first} {second} {number}",
        "developer": _one(_MAKERS, draw),
        "publisher": _one(_PUBLISHERS, draw),
        "release_date": f"{_whole(2005, 2025, draw)}-{_whole(1, 12, draw):02}-{_whole(1, 28, draw):02}",
        "price_cents": _whole(1, 60, draw) * 100 - 1,
        "genres": _some(_GENRES, _whole(1, 3, draw), draw),
        "tags": _some(_TAGS, _whole(4, 10, draw), draw),
        "platforms": _some(_PLATFORMS, _whole(1, 3, draw), draw),
        "ratings": {"positive": _whole(1, 90_000, draw), "negative": _whole(1, 9_000, draw)},
        "description": _sentences(_whole(3, 6, draw), draw),
    }


def _whole(least: int, most: int, draw: random.Random) -> int:
    return least + int(draw.random() * (most - least + 1))


def _one(words: Sequence[str], draw: random.Random) -> str:
    return words[int(draw.random() * len(words))]


def _some(words: Sequence[str], count: int, draw: random.Random) -> list[str]:
    return sorted(sorted(words, key=lambda _: draw.random())[:count])


def _sentences(count: int, draw: random.Random) -> str:
    return " ".join(" ".join(_one(_WORDS, draw) for _ in range(12)).capitalize() + "." for _ in range(count))


if __name__ == "__main__":
    print(json.dumps({"games": make_catalog()}, indent=1))

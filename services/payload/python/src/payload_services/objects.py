"""The objects of every implementation, made from their ids: no file, and the same in every language.

Whole numbers only, and fractions with a quarter, which are exact in binary. services/payload/go draws the same.
"""

from dataclasses import dataclass

from payload_services.draws import Draws
from payload_services.words import (
    ADJECTIVES,
    CITIES,
    COLOURS,
    COUNTRIES,
    MATERIALS,
    NAMES,
    NOUNS,
    ORIGINS,
    PARTS,
    STREETS,
    SURNAMES,
    TAGS,
    WORDS,
)

# 2025-01-01T00:00:00Z
_FIRST_SECOND = 1_735_689_600
_YEAR_SECONDS = 31_536_000
_HOUR_SECONDS = 3_600

# The names of the contract, in the order of its numbers.
STATUSES = ("STATUS_UNSPECIFIED", "STATUS_DRAFT", "STATUS_PUBLISHED", "STATUS_RETIRED")
QUANTITIES = (
    "QUANTITY_UNSPECIFIED",
    "QUANTITY_TEMPERATURE",
    "QUANTITY_PRESSURE",
    "QUANTITY_HUMIDITY",
    "QUANTITY_VOLTAGE",
    "QUANTITY_WEIGHT",
)
QUALITIES = ("QUALITY_UNSPECIFIED", "QUALITY_GOOD", "QUALITY_FAIR", "QUALITY_POOR")


@dataclass(frozen=True, slots=True)
class Address:
    """The address of an owner."""

    street: str
    postcode: str
    city: str
    country: str
    latitude: float
    longitude: float


@dataclass(frozen=True, slots=True)
class Owner:
    """The owner of an object."""

    name: str
    email: str
    verified: bool
    address: Address


@dataclass(frozen=True, slots=True)
class Part:
    """A part of an object."""

    number: int
    name: str
    quantity: int
    price: int


@dataclass(frozen=True, slots=True)
class Measurement:
    """A measurement of an object; `quantity` and `quality` are numbers of the contract."""

    quantity: int
    value: float
    samples: int
    quality: int
    taken: int


@dataclass(frozen=True, slots=True)
class Object:
    """An object without a form; times are seconds since 1970, `status` is a number of the contract."""

    id: int
    name: str
    description: str
    status: int
    created: int
    updated: int
    tags: tuple[str, ...]
    attributes: dict[str, str]
    owner: Owner
    parts: tuple[Part, ...]
    measurements: tuple[Measurement, ...]
    ratings: tuple[int, ...]


def make_object(number: int) -> Object:
    """Return the object with that id, from 1."""
    draws = Draws(number)
    main, words, tags, ratings = draws.next(), draws.next(), draws.next(), draws.next()
    created = _FIRST_SECOND + (main >> 20) % _YEAR_SECONDS
    return Object(
        id=number,
        name=f"{ADJECTIVES[main % 16]} {NOUNS[(main >> 4) % 16]} {number}",
        description=" ".join(WORDS[(words >> shift) % 32] for shift in range(0, 64, 8)),
        status=1 + (main >> 8) % 3,
        created=created,
        updated=created + 1 + (main >> 50) * _HOUR_SECONDS,
        tags=tuple(TAGS[(tags >> shift) % 16] for shift in range(0, 16, 4)),
        attributes={
            "colour": COLOURS[(tags >> 16) % 8],
            "material": MATERIALS[(tags >> 19) % 8],
            "origin": ORIGINS[(tags >> 22) % 8],
        },
        owner=_owner(number, draws),
        parts=tuple(_part(position, draws.next()) for position in range(1, 7)),
        measurements=tuple(_measurement(created + position * _HOUR_SECONDS, draws.next()) for position in range(1, 11)),
        ratings=tuple(1 + (ratings >> shift) % 5 for shift in range(0, 64, 4)),
    )


def _owner(number: int, draws: Draws) -> Owner:
    person, place = draws.next(), draws.next()
    name = NAMES[person % 16]
    city = (place >> 16) % 8
    return Owner(
        name=f"{name} {SURNAMES[(person >> 4) % 4]}",
        email=f"{name.lower()}.{number}@example.org",
        verified=(person >> 6) % 2 == 1,
        address=Address(
            street=f"{1 + (person >> 8) % 200} {STREETS[(person >> 16) % 8]}",
            postcode=str(10_000 + (person >> 20) % 90_000),
            city=CITIES[city],
            country=COUNTRIES[city],
            # From -89.75 to 89.75 and from -179.75 to 179.75, never whole: so every language writes the same digits.
            latitude=((place >> 20) % 360 * 2 - 359) / 4,
            longitude=((place >> 30) % 720 * 2 - 719) / 4,
        ),
    )


def _part(position: int, bits: int) -> Part:
    return Part(
        number=position,
        name=PARTS[bits % 8],
        quantity=1 + (bits >> 8) % 99,
        price=100 + (bits >> 16) % 9_900,
    )


def _measurement(hour: int, bits: int) -> Measurement:
    return Measurement(
        quantity=1 + bits % 5,
        value=((bits >> 8) % 5_000 * 2 + 1) / 4,
        samples=1 + (bits >> 24) % 900,
        quality=1 + (bits >> 40) % 3,
        taken=hour + (bits >> 44) % _HOUR_SECONDS,
    )

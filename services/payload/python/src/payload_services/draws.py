"""Numbers that look random and are the same in every language: splitmix64."""

_ALL_BITS = 2**64 - 1


class Draws:
    """The numbers of a seed's sequence, with 64 bits each."""

    def __init__(self, seed: int) -> None:
        """Begin the sequence of a seed."""
        self._state = seed

    def next(self) -> int:
        """Return a number from 0 to 2**64 - 1."""
        self._state = (self._state + 0x9E37_79B9_7F4A_7C15) & _ALL_BITS
        mixed = self._state
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58_476D_1CE4_E5B9 & _ALL_BITS
        mixed = (mixed ^ (mixed >> 27)) * 0x94D0_49BB_1331_11EB & _ALL_BITS
        return mixed ^ (mixed >> 31)

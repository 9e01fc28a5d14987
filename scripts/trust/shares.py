"""How the cases of fuzzing are shared out among readers."""

from __future__ import annotations

from collections.abc import Mapping


def shares(speeds: Mapping[str, float], cases: int, least: int, most: float) -> dict[str, int]:
    """Cases by reader: some for each, the rest by speed, and not too many for any.

    Args:
        speeds: of the readers, in cases a second.
        cases: in all; more where ``least`` for each come to more, fewer where ``most`` for each
            come to fewer.
        least: for each reader, however slow.
        most: share of all cases that none gets more than, however fast.
    """
    ceiling = max(least, int(most * cases))
    found = dict.fromkeys(speeds, least)
    left, open_ = cases - least * len(speeds), set(speeds)
    while left > 0 and open_:
        whole = sum(speeds[name] for name in open_)
        wanted = {name: found[name] + left * speeds[name] / whole for name in open_}
        full = {name for name in open_ if wanted[name] >= ceiling}
        for name in full or open_:  # what a full one leaves is shared out among the others anew
            given = min(int(wanted[name]), ceiling)
            left -= given - found[name]
            found[name] = given
        open_ = open_ - full if full else set()
    return found

"""How long to wait after a failed request, and for all requests together."""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


@dataclass(frozen=True, slots=True)
class Retries:
    """Exponential backoff with jitter.

    Attributes:
        limit: how often a question is asked again.
        first: seconds before the first of these, on average; doubled each time.
        longest: most seconds of a wait that we choose.
        patience: most seconds that a server may ask us to wait.
    """

    limit: int = 6
    first: float = 1.0
    longest: float = 60.0
    patience: float = 600.0

    def pause(self, tries: int, asked: float | None = None) -> float | None:
        """Seconds to wait after so many tries, or None to give up.

        Args:
            tries: requests made so far, 1 or more.
            asked: seconds for which the server asked us to wait; we wait no less.
        """
        if tries > self.limit or (asked or 0.0) > self.patience:
            return None
        # From half to one and a half times: many clients that failed at once should not come back
        # at once.
        chosen = min(self.longest, self.first * 2.0 ** (tries - 1)) * random.uniform(0.5, 1.5)
        return max(chosen, asked or 0.0)


@dataclass
class Pace:
    """A pause that all requests of a run keep, so that a busy server gets none of them."""

    _until: float = 0.0
    _length: float = 0.0

    async def wait(self) -> None:
        """Returns soon after the pause is over, at once where there is none."""
        while (left := self._until - time.monotonic()) > 0:
            # Not all at the same moment.
            await asyncio.sleep(left + random.uniform(0, self._length / 4))

    def hold(self, seconds: float) -> None:
        """Begins or prolongs the pause."""
        self._length = seconds
        self._until = max(self._until, time.monotonic() + seconds)


def retry_after(value: str | None) -> float | None:
    """Seconds of a Retry-After header: a number or an HTTP date; None where it is neither."""
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass  # a date, perhaps
    try:
        date = parsedate_to_datetime(value)
    except ValueError:
        return None  # not a date either: our own backoff will do
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (date - datetime.now(UTC)).total_seconds())

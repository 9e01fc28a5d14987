from __future__ import annotations

import pytest

from minpairs.annotation import Pair, Study


@pytest.fixture
def study() -> Study:
    return Study(
        0,
        None,
        tuple(
            Pair(
                f"mine.{paradigm}:{number}",
                f"mine.{paradigm}",
                f"{paradigm} good {number}",
                f"{paradigm} bad {number}",
            )
            for paradigm in ("first", "second")
            for number in range(4)
        ),
    )

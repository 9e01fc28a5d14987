"""Progress bars: their counts, and the time that they say is left."""

from __future__ import annotations

import pytest

from minpairs.progress import advance, bars


def watched(steps):
    """What a bar says is left at each step ``(seconds, done)`` of 1,000."""
    now = 0.0
    shown = bars(get_time=lambda: now, auto_refresh=False, disable=True)
    task = shown.add_task("scoring", total=None)
    tell = advance(shown, task)
    left = []
    for now, done in steps:  # noqa: B007 - read by get_time
        tell(done, 1000)
        left.append(shown.tasks[task].time_remaining)
    return left, shown.tasks[task]


def test_the_time_left_is_that_of_the_speed_so_far():
    left, _ = watched([(second, 10 * second) for second in range(51)])
    assert left[50] == pytest.approx(50, rel=0.1)


def test_bursts_do_not_make_the_time_left_jump():
    # Ten seconds of tokenizing, then ten of scoring, over and over.
    steps = [(s, 100 * (s // 20) + 10 * max(0, s % 20 - 10)) for s in range(200)]
    left, _ = watched(steps)
    for second in range(60, 180):
        assert 1 / 1.5 < left[second] / (200 - second) < 1.5


def test_many_small_steps_are_remembered_for_minutes():
    # A thousand steps a second, slower by half after a minute: not the last second alone counts.
    steps = [(n / 1000, n // 200) for n in range(60_000)]
    steps += [(60 + n / 1000, 300 + n // 400) for n in range(30_000)]
    left, _ = watched(steps)
    assert left[-1] == pytest.approx((1000 - 375) / (375 / 90), rel=0.1)


def test_the_last_step_is_always_shown():
    _, task = watched([(0.0, 1), (0.1, 2), (0.2, 1000)])
    assert task.completed == task.total == 1000

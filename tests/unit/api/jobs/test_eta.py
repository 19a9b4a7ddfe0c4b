"""Estimates, on a clock of the test's own."""

import pytest

from api.jobs.eta import Estimate
from extraction.report import IndexProgress, Stage


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_an_estimate_follows_the_speed_of_the_stage() -> None:
    clock = Clock()
    estimate = Estimate(clock)
    assert estimate.find_left_s() is None
    for stage, passed, done, left in [
        (Stage.SCAN, 1.0, 100, None),
        (Stage.EXTRACT, 0.0, 0, None),
        (Stage.EXTRACT, 10.0, 50, 30.0),
        (Stage.EXTRACT, 10.0, 100, 20.0),
        (Stage.WRITE, 0.0, 0, 20.0),
        (Stage.WRITE, 4.0, 10, 36.0),
        (Stage.WRITE, 4.0, 60, pytest.approx(8 / 60 * 40)),
        (Stage.WRITE, 1.0, 100, None),
    ]:
        clock.now += passed
        estimate.update(IndexProgress(stage, done, 100))
        assert estimate.find_left_s() == left


def test_facts_from_the_cache_do_not_count_as_speed() -> None:
    clock = Clock()
    estimate = Estimate(clock)
    estimate.update(IndexProgress(Stage.EXTRACT, 90, 100))
    clock.now += 5.0
    estimate.update(IndexProgress(Stage.EXTRACT, 95, 100))

    assert estimate.find_left_s() == 15.0


def test_time_passes_between_two_updates() -> None:
    clock = Clock()
    estimate = Estimate(clock)
    estimate.update(IndexProgress(Stage.WRITE, 0, 10))
    clock.now += 1.0
    estimate.update(IndexProgress(Stage.WRITE, 5, 10))
    clock.now += 0.4

    assert estimate.find_left_s() == pytest.approx(0.6)
    clock.now += 9.0
    assert estimate.find_left_s() is None, "it takes longer than was thought"

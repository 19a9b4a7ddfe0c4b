"""Token buckets by a clock of our own."""

import pytest

from api.http.rates import TokenBuckets


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_a_bucket_empties_and_fills_at_its_rate(clock: Clock) -> None:
    buckets = TokenBuckets(6, clock=clock)

    assert [buckets.take("a") for _ in range(6)] == [0.0] * 6
    assert buckets.take("a") == pytest.approx(10.0)
    clock.now += 9.9
    assert buckets.take("a") == pytest.approx(0.1)
    clock.now += 0.11
    assert buckets.take("a") == 0.0
    assert buckets.take("a") > 0.0


def test_it_never_holds_more_than_its_size(clock: Clock) -> None:
    buckets = TokenBuckets(2, clock=clock)
    buckets.take("a")
    clock.now += 59.0
    assert [buckets.take("a") > 0 for _ in range(3)] == [False, False, True]


def test_callers_do_not_share(clock: Clock) -> None:
    buckets = TokenBuckets(1, clock=clock)
    assert buckets.take("a") == 0.0
    assert buckets.take("a") > 0.0
    assert buckets.take("b") == 0.0


def test_memory_is_bounded_by_time_and_number(clock: Clock) -> None:
    buckets = TokenBuckets(1, max_callers=100, clock=clock)
    for number in range(1_000):
        buckets.take(str(number))
    assert len(buckets) == 100
    assert buckets.take("999") > 0.0, "the newest are remembered"

    clock.now += 61.0
    buckets.take("new")
    assert len(buckets) == 1

import pytest

from graph.ranking import Candidate, order_by_mmr


def candidate(name: str, score: float, *vector: float) -> Candidate:
    return Candidate(name, name, score, vector or None)


def test_a_copy_of_the_best_comes_after_what_is_new() -> None:
    copies = [candidate("a", 1.0, 1.0, 0.0), candidate("a2", 0.99, 1.0, 0.0), candidate("b", 0.8, 0.0, 1.0)]

    assert order_by_mmr("", copies) == [0, 2, 1]


@pytest.mark.parametrize("size", [0, 1, 5])
def test_what_has_no_vector_stays_in_its_order(size: int) -> None:
    assert order_by_mmr("", [candidate(str(number), 1 / (60 + number)) for number in range(size)]) == list(range(size))


def test_nothing_is_lost_among_equals() -> None:
    same = [candidate(str(number), 0.0, 1.0) for number in range(6)]

    assert sorted(order_by_mmr("", same)) == list(range(6))

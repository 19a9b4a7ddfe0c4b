import pytest

from graph.fusion import fuse


def test_what_both_find_comes_first() -> None:
    fused = fuse(text=[("a", 9.0), ("b", 8.0)], vector=[("c", 0.9), ("b", 0.8)])

    assert [item.item_id for item in fused] == ["b", "a", "c"]
    assert fused[0].score == pytest.approx(2 / 62)
    assert (fused[0].text.rank, fused[0].text.score, fused[0].vector.rank, fused[0].vector.score) == (2, 8.0, 2, 0.8)
    assert (fused[1].vector, fused[2].text) == (None, None)


def test_ties_come_in_the_order_of_ids() -> None:
    assert [item.item_id for item in fuse(text=[("b", 1.0)], vector=[("a", 1.0)])] == ["a", "b"]
    assert [item.item_id for item in fuse(text=[("b", 1.0), ("a", 1.0)], vector=None)] == ["a", "b"]


def test_one_list_keeps_its_scores() -> None:
    assert [(item.item_id, item.score) for item in fuse(text=[("a", 3.5)], vector=None)] == [("a", 3.5)]
    assert [(item.item_id, item.score) for item in fuse(text=None, vector=[("a", 0.5)])] == [("a", 0.5)]


def test_a_list_that_found_nothing_was_searched_all_the_same() -> None:
    assert fuse(text=[], vector=[("a", 0.9)])[0].score == pytest.approx(1 / 61)
    assert fuse(text=None, vector=None) == []


def test_words_count_as_far_as_they_cover_the_query() -> None:
    fused = fuse(text=[("a", 9.0), ("b", 8.0)], vector=[("b", 0.9), ("a", 0.8)], coverage={"a": 0.0, "b": 0.5})

    assert [item.item_id for item in fused] == ["b", "a"]
    assert fused[0].score == pytest.approx(1 / 61 + 0.25 / 62)
    assert fused[1].score == pytest.approx(1 / 62)

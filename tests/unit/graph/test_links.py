"""How surely a name in a text means the code symbol of that name."""

import pytest

from graph.links import score_link


@pytest.mark.parametrize("symbol", ["SearchAgent", "upsert_nodes", "HTTPServer", "sha256", "Database.fetch"])
def test_a_name_that_only_code_has_is_sure(symbol: str) -> None:
    assert score_link([symbol], symbol) == 0.95


@pytest.mark.parametrize("symbol", ["run", "Settings", "radium"])
def test_a_plain_word_is_less_so(symbol: str) -> None:
    assert score_link([symbol, "other"], symbol) == 0.7


def test_another_spelling_is_least() -> None:
    assert score_link(["search agent"], "SearchAgent") == 0.5

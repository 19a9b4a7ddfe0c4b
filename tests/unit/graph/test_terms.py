"""Words for the full-text index and for queries."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.terms import MAX_QUERY_TERMS, index_terms, lucene_query, query_terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("SearchAgent", "searchagent search agent"),
        ("snake_case_name", "snake case name"),
        ("HTTPServer2", "httpserver2 http server 2"),
        ("C++ and C#", "c++ and c#"),
        (".NET node.js", ".net node.js node js"),
        ("東京都庁", "東京都庁 東京 京都 都庁"),
        ("José हिन्दी", "jose हिन्दी"),
        ("ＡＢＣ", "abc"),
        ('"\\*~[]', ""),
    ],
)
def test_terms_of_a_text(text: str, terms: str) -> None:
    assert index_terms(text) == terms


def test_a_query_joins_neighbouring_words() -> None:
    assert query_terms("search agent") == (("search", "agent", "searchagent"), False)


@given(st.text())
def test_no_text_leaves_its_quotes_in_a_lucene_query(text: str) -> None:
    terms, _ = query_terms(text)

    assert len(terms) <= MAX_QUERY_TERMS
    assert all(not set(term) & set('"\\ \0\n') for term in terms)
    assert lucene_query(terms).count('"') == 4 * len(terms)


@given(st.text())
def test_what_is_indexed_is_found_by_its_own_words(text: str) -> None:
    terms, cut = query_terms(text)

    assert cut or set(index_terms(text).split()) <= set(terms)

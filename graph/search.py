"""Nodes by words: exact names first, then full text (BM25) on names, aliases and descriptions."""

from dataclasses import dataclass
from typing import Final

from graph.answers import Degradation, NodeHit, SearchResult
from graph.database import Database
from graph.errors import InvalidInput
from graph.lookup import fetch_named_nodes
from graph.statements import load_statement
from graph.terms import MAX_QUERY_TERMS, lucene_query, query_terms
from graph.views import NodeRow

MAX_TOP_K: Final = 1_000
# Lucene breaks ties in an order of its own: enough more is fetched to sort the ties by id.
_TIE_MARGIN: Final = 50


@dataclass(frozen=True, slots=True)
class _HitRow(NodeRow):
    score: float


_SEARCH = load_statement("nodes/search_nodes", _HitRow)


async def search_nodes(database: Database, query: str, *, top_k: int = 10) -> SearchResult:
    """The `top_k` best nodes for a text of any kind; its characters are data, never query syntax.

    Raises InvalidInput for a blank text or a `top_k` outside 1 to 1,000.
    """
    if not query.replace("\0", " ").strip():
        raise InvalidInput("The search text is blank: give at least one word.")
    if not 1 <= top_k <= MAX_TOP_K:
        raise InvalidInput(f"top_k is {top_k}; it must be 1 to {MAX_TOP_K:,}.")
    exact = {view.node_id: view for view in await fetch_named_nodes(database, query, limit=top_k + 1)}
    words, cut = query_terms(query)
    rows = await _search_text(database, words, top_k)
    ranks = {row.node_id: rank for rank, row in enumerate(rows, start=1)}
    scores = {row.node_id: row.score for row in rows}
    views = exact | {row.node_id: row.view() for row in rows}
    ordered = [*exact, *(row.node_id for row in rows if row.node_id not in exact)]
    hits = tuple(
        NodeHit(
            node=views[node_id],
            score=scores.get(node_id, 0.0),
            text_rank=ranks.get(node_id),
            text_score=scores.get(node_id),
            exact_name=node_id in exact,
        )
        for node_id in ordered[:top_k]
    )
    shortened = Degradation("text", f"the text has over {MAX_QUERY_TERMS} different words; the first were used")
    return SearchResult(hits, truncated=len(ordered) > top_k, degraded=(shortened,) if cut else ())


async def _search_text(database: Database, words: tuple[str, ...], top_k: int) -> list[_HitRow]:
    if not words:
        return []
    return await database.fetch(_SEARCH, query=lucene_query(words), limit=top_k + _TIE_MARGIN)

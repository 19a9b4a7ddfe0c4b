"""Nodes by words: exact names first, then full text (BM25) on names, aliases and descriptions."""

from dataclasses import dataclass
from typing import Final

from graph.answers import Degradation, NodeHit, NodeView, SearchResult
from graph.database import Database
from graph.errors import InvalidInput
from graph.filters import NODE_FIELDS, Condition, Filter, compile_condition
from graph.identity import name_key
from graph.lookup import best_first, fetch_named_nodes
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
_SEARCH_FILTERED = load_statement("nodes/search_filtered_nodes", _HitRow)
_NAMED_FILTERED = load_statement("nodes/fetch_filtered_named_nodes", NodeRow)


async def search_nodes(
    database: Database, query: str, *, top_k: int = 10, where: Condition | None = None
) -> SearchResult:
    """The `top_k` best nodes for a text of any kind; its characters are data, never query syntax.

    `where` is applied within the search: what it drops takes nobody's place. Raises InvalidInput for a blank text or a
    `top_k` outside 1 to 1,000.
    """
    if not query.replace("\0", " ").strip():
        raise InvalidInput("The search text is blank: give at least one word.")
    if not 1 <= top_k <= MAX_TOP_K:
        raise InvalidInput(f"top_k is {top_k}; it must be 1 to {MAX_TOP_K:,}.")
    passing = compile_condition(where, NODE_FIELDS)
    exact = {view.node_id: view for view in await _fetch_named(database, query, top_k + 1, passing)}
    words, cut = query_terms(query)
    rows = await _search_text(database, words, top_k, passing)
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


async def _fetch_named(database: Database, name: str, limit: int, passing: Filter) -> list[NodeView]:
    if passing.is_always:
        return await fetch_named_nodes(database, name, limit=limit)
    key = name_key(name)
    if not key:
        return []
    rows = await database.fetch(
        _NAMED_FILTERED, name_key=key, clauses=passing.clauses, complement=passing.complement, limit=limit
    )
    return best_first(name, [row.view() for row in rows])


async def _search_text(database: Database, words: tuple[str, ...], top_k: int, passing: Filter) -> list[_HitRow]:
    if not words:
        return []
    query, limit = lucene_query(words), top_k + _TIE_MARGIN
    if passing.is_always:
        return await database.fetch(_SEARCH, query=query, limit=limit)
    return await database.fetch(
        _SEARCH_FILTERED, query=query, clauses=passing.clauses, complement=passing.complement, limit=limit
    )

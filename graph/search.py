"""Nodes by words and meaning: exact names first, then full text (BM25) and vectors, fused by reciprocal rank."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from graph.answers import Degradation, NodeHit, NodeView, SearchMode, SearchResult
from graph.coverage import measure_coverage
from graph.database import Database
from graph.errors import InvalidInput
from graph.filters import NODE_FIELDS, Condition, Filter, compile_condition
from graph.fusion import Fused, fuse
from graph.identity import name_key
from graph.lookup import best_first, fetch_named_nodes
from graph.ranking import DEPTH, Candidate, Reranker, rerank
from graph.statements import load_statement
from graph.terms import MAX_QUERY_TERMS, lucene_query, query_terms
from graph.vectors.query import Nearest, NearNode, QueryVector, fetch_node_vectors, search_near_nodes
from graph.vectors.texts import node_text
from graph.views import NodeRow

MAX_TOP_K: Final = 1_000
# Lucene breaks ties in an order of its own: enough more is fetched to sort the ties by id.
_TIE_MARGIN: Final = 50


@dataclass(frozen=True, slots=True)
class _HitRow(NodeRow):
    score: float
    matched: list[str]


_SEARCH = load_statement("nodes/search_nodes", _HitRow)
_SEARCH_FILTERED = load_statement("nodes/search_filtered_nodes", _HitRow)
_NAMED_FILTERED = load_statement("nodes/fetch_filtered_named_nodes", NodeRow)


async def search_nodes(
    database: Database,
    query: str,
    *,
    top_k: int = 10,
    where: Condition | None = None,
    mode: SearchMode = SearchMode.HYBRID,
    vector: QueryVector | Degradation | None = None,
    reranker: Reranker | None = None,
) -> SearchResult:
    """The `top_k` best nodes for a text of any kind; its characters are data, never query syntax.

    `vector` is the text as a vector, or why there is none: words alone answer then, and `degraded` says so. `where` is
    applied within the search: what it drops takes nobody's place. The reranker puts the best hits, exact names apart,
    in its own order. Raises InvalidInput for a blank text or a `top_k` outside 1 to 1,000.
    """
    check_search(query, top_k)
    passing = compile_condition(where, NODE_FIELDS)
    exact = {view.node_id: view for view in await _fetch_named(database, query, top_k + 1, passing)}
    near: Nearest[NearNode] = Nearest(None)
    if mode is not SearchMode.TEXT:
        near = await search_near_nodes(database, vector, limit=fetch_limit(top_k), passing=passing)
    words, cut = query_terms(query)
    rows: list[_HitRow] | None = None
    if near.rows is None or mode is not SearchMode.VECTOR:
        rows = await _search_text(database, words, fetch_limit(top_k), passing, measured=near.rows is not None)
    coverage = measure_coverage(query, {row.node_id: row.matched for row in rows or ()})
    fused = fuse(text=_scored(rows), vector=_scored(near.rows), coverage=coverage)
    views = exact | {row.node_id: row.view() for row in (*(rows or ()), *(near.rows or ()))}
    others = [item for item in fused if item.item_id not in exact]
    unranked: tuple[Degradation, ...] = ()
    if reranker is not None:
        others, unranked = await _rerank(database, reranker, query, others, views)
    by_id = {item.item_id: item for item in fused}
    ordered = [*exact, *(item.item_id for item in others)]
    hits = tuple(_make_hit(views[one], by_id.get(one), exact_name=one in exact) for one in ordered[:top_k])
    degraded = (*shortened(cut=cut and rows is not None), *near.degraded, *unranked)
    return SearchResult(hits, truncated=len(ordered) > top_k, degraded=degraded)


def check_search(query: str, top_k: int) -> None:
    """Raise InvalidInput for a text that is blank and a number of hits out of bounds."""
    if not query.replace("\0", " ").strip():
        raise InvalidInput("The search text is blank: give at least one word.")
    if not 1 <= top_k <= MAX_TOP_K:
        raise InvalidInput(f"top_k is {top_k}; it must be 1 to {MAX_TOP_K:,}.")


def fetch_limit(top_k: int) -> int:
    """How many each list is asked for: hits that are low in one may be high in both."""
    return max(top_k, DEPTH) + _TIE_MARGIN


def shortened(*, cut: bool) -> tuple[Degradation, ...]:
    """What a text of too many words was searched without."""
    if not cut:
        return ()
    return (Degradation("text", f"the text has over {MAX_QUERY_TERMS} different words; the first were used"),)


def _scored(rows: Sequence[_HitRow] | Sequence[NearNode] | None) -> list[tuple[str, float]] | None:
    return None if rows is None else [(row.node_id, row.score) for row in rows]


def _make_hit(view: NodeView, found: Fused | None, *, exact_name: bool) -> NodeHit:
    text, near = (found.text, found.vector) if found else (None, None)
    return NodeHit(
        node=view,
        score=found.score if found else 0.0,
        text_rank=text.rank if text else None,
        text_score=text.score if text else None,
        exact_name=exact_name,
        vector_rank=near.rank if near else None,
        vector_score=near.score if near else None,
    )


async def _rerank(
    database: Database, reranker: Reranker, query: str, items: Sequence[Fused], views: Mapping[str, NodeView]
) -> tuple[list[Fused], tuple[Degradation, ...]]:
    head, rest = items[:DEPTH], items[DEPTH:]
    ids = [item.item_id for item in head]
    vectors = await fetch_node_vectors(database, ids) if reranker.wants_vectors else {}
    candidates = [
        Candidate(one.item_id, _text(views[one.item_id]), one.score, vectors.get(one.item_id)) for one in head
    ]
    order, degraded = await rerank(reranker, query, candidates)
    by_id = {item.item_id: item for item in head}
    return [*(by_id[item_id] for item_id in order), *rest], degraded


def _text(view: NodeView) -> str:
    return node_text(view.name, view.aliases, view.description)


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


async def _search_text(
    database: Database, words: tuple[str, ...], limit: int, passing: Filter, *, measured: bool
) -> list[_HitRow]:
    if not words:
        return []
    params: dict[str, Any] = {"query": lucene_query(words), "words": words if measured else (), "limit": limit}
    if passing.is_always:
        return await database.fetch(_SEARCH, **params)
    return await database.fetch(_SEARCH_FILTERED, clauses=passing.clauses, complement=passing.complement, **params)

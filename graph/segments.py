"""Segments by words and meaning: full text (BM25) and vectors of what they say, fused by reciprocal rank."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from graph.answers import Degradation, SearchMode, SegmentHit, SegmentSearchResult
from graph.coverage import measure_coverage
from graph.database import Database, Transaction
from graph.fusion import Fused, fuse
from graph.items import Item, make_segment
from graph.ranking import DEPTH, Candidate, Reranker, rerank
from graph.search import check_search, fetch_limit, shortened
from graph.statements import Nothing, load_statement
from graph.terms import index_terms, query_terms
from graph.vectors.query import Nearest, QueryVector, fetch_segment_vectors, search_near_segments

_FILLED_AT_ONCE: Final = 500
_GONE: Final = ("", None)


@dataclass(frozen=True, slots=True)
class _HitsRow:
    segments: list[Item]


@dataclass(frozen=True, slots=True)
class _TextsRow:
    texts: list[Item]


_SEARCH = load_statement("segments/search_segments", _HitsRow)
_FETCH_UNINDEXED = load_statement("segments/fetch_unindexed_texts", _TextsRow)
_SET_TERMS = load_statement("segments/set_terms", Nothing)


async def search_segments(
    database: Database,
    query: str,
    *,
    top_k: int = 10,
    mode: SearchMode = SearchMode.HYBRID,
    vector: QueryVector | Degradation | None = None,
    reranker: Reranker | None = None,
) -> SegmentSearchResult:
    """The `top_k` segments that say best what a text asks, ties by id; its characters are data, never query syntax.

    `vector` and `reranker` are as for `search_nodes`. Raises InvalidInput for a blank text or a `top_k` outside 1 to
    1,000.
    """
    check_search(query, top_k)
    near: Nearest[Item] = Nearest(None)
    if mode is not SearchMode.TEXT:
        near = await search_near_segments(database, vector, limit=fetch_limit(top_k))
    words, cut = query_terms(query)
    rows: list[Item] | None = None
    if near.rows is None or mode is not SearchMode.VECTOR:
        rows = await _search_text(database, words, fetch_limit(top_k), measured=near.rows is not None)
    coverage = measure_coverage(query, {item["segment_id"]: item["matched"] for item in rows or ()})
    found = fuse(text=_scored(rows), vector=_scored(near.rows), coverage=coverage)
    unranked: tuple[Degradation, ...] = ()
    if reranker is not None:
        found, unranked = await _rerank(database, reranker, query, found)
    items = {item["segment_id"]: item for item in (*(rows or ()), *(near.rows or ()))}
    degraded = (*shortened(cut=cut and rows is not None), *near.degraded, *unranked)
    hits = tuple(_make_hit(one, items) for one in found[:top_k])
    return SegmentSearchResult(hits, truncated=len(found) > top_k, degraded=degraded)


async def index_segments(database: Database) -> int:
    """Give a search index to segments that were written before there was one; returns how many those were.

    Needed once for a database that had segments before migration V0002; reads every segment.
    """
    done = 0
    while True:
        (row,) = await database.fetch(_FETCH_UNINDEXED, limit=_FILLED_AT_ONCE)
        if not row.texts:
            return done
        rows = [{"segment_id": item["segment_id"], "text_terms": index_terms(item["text"])} for item in row.texts]

        async def work(transaction: Transaction, rows: list[dict[str, str]] = rows) -> None:
            await transaction.run(_SET_TERMS, rows=rows)

        await database.write(work)
        done += len(rows)


async def _search_text(database: Database, words: tuple[str, ...], limit: int, *, measured: bool) -> list[Item]:
    if not words:
        return []
    (row,) = await database.fetch(_SEARCH, query=_lucene_query(words), words=words if measured else (), limit=limit)
    return row.segments


def _lucene_query(words: tuple[str, ...]) -> str:
    # Words hold no character that ends a quoted term, so the quotes make them data.
    return " ".join(f'text_terms:"{word}"' for word in words)


def _scored(items: Sequence[Item] | None) -> list[tuple[str, float]] | None:
    return None if items is None else [(item["segment_id"], item["score"]) for item in items]


def _make_hit(found: Fused, items: Mapping[str, Item]) -> SegmentHit:
    item = items[found.item_id]
    return SegmentHit(
        segment=make_segment(item, item["document_id"]),
        score=found.score,
        text_rank=found.text.rank if found.text else None,
        text_score=found.text.score if found.text else None,
        vector_rank=found.vector.rank if found.vector else None,
        vector_score=found.vector.score if found.vector else None,
    )


async def _rerank(
    database: Database, reranker: Reranker, query: str, items: Sequence[Fused]
) -> tuple[list[Fused], tuple[Degradation, ...]]:
    head, rest = items[:DEPTH], items[DEPTH:]
    found = await fetch_segment_vectors(database, [item.item_id for item in head])
    candidates = [
        Candidate(one.item_id, text, one.score, vector)
        for one in head
        for text, vector in (found.get(one.item_id, _GONE),)
    ]
    order, degraded = await rerank(reranker, query, candidates)
    by_id = {item.item_id: item for item in head}
    return [*(by_id[item_id] for item_id in order), *rest], degraded

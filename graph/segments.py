"""Segments by their words: full text (BM25) on what they say."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from graph.answers import Degradation, SegmentHit, SegmentSearchResult
from graph.database import Database, Transaction
from graph.errors import InvalidInput
from graph.items import Item, make_segment
from graph.statements import Nothing, load_statement
from graph.terms import MAX_QUERY_TERMS, index_terms, query_terms

MAX_TOP_K: Final = 1_000
# Lucene breaks ties in an order of its own: enough more is fetched to sort the ties by id.
_TIE_MARGIN: Final = 50
_FILLED_AT_ONCE: Final = 500


@dataclass(frozen=True, slots=True)
class _HitsRow:
    segments: list[Item]


@dataclass(frozen=True, slots=True)
class _TextsRow:
    texts: list[Item]


_SEARCH = load_statement("segments/search_segments", _HitsRow)
_FETCH_UNINDEXED = load_statement("segments/fetch_unindexed_texts", _TextsRow)
_SET_TERMS = load_statement("segments/set_terms", Nothing)


async def search_segments(database: Database, query: str, *, top_k: int = 10) -> SegmentSearchResult:
    """The `top_k` segments that say a text's words best, ties by id; its characters are data, never query syntax.

    Raises InvalidInput for a blank text or a `top_k` outside 1 to 1,000.
    """
    if not query.replace("\0", " ").strip():
        raise InvalidInput("The search text is blank: give at least one word.")
    if not 1 <= top_k <= MAX_TOP_K:
        raise InvalidInput(f"top_k is {top_k}; it must be 1 to {MAX_TOP_K:,}.")
    words, cut = query_terms(query)
    if not words:
        return SegmentSearchResult((), truncated=False, degraded=())
    (row,) = await database.fetch(_SEARCH, query=_lucene_query(words), limit=top_k + _TIE_MARGIN)
    shortened = Degradation("text", f"the text has over {MAX_QUERY_TERMS} different words; the first were used")
    return SegmentSearchResult(
        tuple(_hits(row.segments[:top_k])),
        truncated=len(row.segments) > top_k,
        degraded=(shortened,) if cut else (),
    )


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


def _lucene_query(words: tuple[str, ...]) -> str:
    # Words hold no character that ends a quoted term, so the quotes make them data.
    return " ".join(f'text_terms:"{word}"' for word in words)


def _hits(items: list[Item]) -> Iterator[SegmentHit]:
    for rank, item in enumerate(items, start=1):
        yield SegmentHit(make_segment(item, item["document_id"]), score=item["score"], text_rank=rank)

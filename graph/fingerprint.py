"""One hash for a whole graph, to compare two of them.

Each node, edge and mention is hashed by itself; the sum of those hashes modulo 2**256 depends on what there is and
how often, not on the order in which it comes, and needs no memory.
"""

import hashlib
import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import cast

from graph.database import Database
from graph.statements import load_statement
from graph.views import NodeRow


@dataclass(frozen=True, slots=True)
class _HashedNodeRow(NodeRow):
    exposed: list[str]
    labels: list[str]


@dataclass(frozen=True, slots=True)
class _EdgeRow:
    edge_id: str
    source: str
    target: str
    relation: str
    type: str
    provenance: str
    confidence: float


@dataclass(frozen=True, slots=True)
class _MentionRow:
    mention_id: str
    document_id: str
    segment_id: str
    node_id: str | None
    edge_id: str | None
    modality: str
    char_start: int
    char_end: int
    line_start: int
    line_end: int
    evidence_span: str
    verified: bool
    kind: str | None
    term: str | None
    valid_from: str | None
    valid_to: str | None
    wording: str | None
    description: str | None
    of: str | None


_NODES = load_statement("fingerprint/stream_nodes", _HashedNodeRow)
_EDGES = load_statement("fingerprint/stream_edges", _EdgeRow)
_MENTIONS = load_statement("fingerprint/stream_mentions", _MentionRow)
_MODULUS = 2**256


async def get_graph_hash(database: Database) -> str:
    """The hex hash of all nodes, edges and mentions; equal graphs have equal hashes, in every process and store.

    Ingestion times, embeddings and search terms are left out: they follow from the rest.
    """
    total = 0
    total += await _sum("node", database.stream(_NODES))
    total += await _sum("edge", database.stream(_EDGES))
    total += await _sum("mention", database.stream(_MENTIONS))
    return f"{total % _MODULUS:064x}"


async def _sum(
    what: str, rows: AsyncIterator[_HashedNodeRow] | AsyncIterator[_EdgeRow] | AsyncIterator[_MentionRow]
) -> int:
    total = 0
    async for row in rows:
        canonical = json.dumps([what, *_values(row)], ensure_ascii=True, separators=(",", ":"))
        total += int.from_bytes(hashlib.sha256(canonical.encode()).digest(), "big")
    return total


def _values(row: _HashedNodeRow | _EdgeRow | _MentionRow) -> Iterator[object]:
    for name in row.__dataclass_fields__:
        value: object = getattr(row, name)
        yield sorted(cast("list[str]", value)) if isinstance(value, list) else value

"""One hash for a whole graph, to compare two of them.

Each node, edge and mention is hashed by itself; the sum of those hashes modulo 2**256 depends on what there is and
how often, not on the order in which it comes, and needs no memory.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

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
_MODULUS: Final = 2**256
_NODE_FIELDS: Final = tuple(_HashedNodeRow.__dataclass_fields__)
_EDGE_FIELDS: Final = tuple(_EdgeRow.__dataclass_fields__)
_MENTION_FIELDS: Final = tuple(_MentionRow.__dataclass_fields__)
_encode: Final = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode


class GraphHash:
    """The hash of a graph whose nodes, edges and mentions come one by one, in any order.

    Ingestion times, embeddings and search terms are left out: they follow from the rest.
    """

    def __init__(self) -> None:
        self._total = 0

    def add_node(self, labels: Sequence[str], properties: Mapping[str, object]) -> None:
        """Count a node in."""
        values = map({**properties, "labels": labels}.get, _NODE_FIELDS)
        self._add(["node", *(sorted(cast("list[str]", one)) if isinstance(one, list) else one for one in values)])

    def add_edge(self, source: str, native_type: str, target: str, properties: Mapping[str, object]) -> None:
        """Count an edge in. The ends are node ids."""
        values = {**properties, "source": source, "type": native_type, "target": target}
        self._add(["edge", *map(values.get, _EDGE_FIELDS)])

    def add_mention(
        self, document_id: str, segment_id: str, properties: Mapping[str, object], *, of: str | None
    ) -> None:
        """Count a mention in. `of` is the id of the node that it points at."""
        place = {"document_id": document_id, "segment_id": segment_id, "of": of}
        values = {**properties, **place, "kind": properties.get("stated_kind", properties.get("kind"))}
        self._add(["mention", *map(values.get, _MENTION_FIELDS)])

    def hexdigest(self) -> str:
        """The hash of all that came so far, 64 hex digits."""
        return f"{self._total % _MODULUS:064x}"

    def _add(self, values: list[object]) -> None:
        self._total += int.from_bytes(hashlib.sha256(_encode(values).encode()).digest(), "big")


async def get_graph_hash(database: Database) -> str:
    """The hex hash of all nodes, edges and mentions; equal graphs have equal hashes, in every process and store."""
    total = GraphHash()
    async for node in database.stream(_NODES):
        total.add_node(node.labels, _fields(node))
    async for edge in database.stream(_EDGES):
        total.add_edge(edge.source, edge.type, edge.target, _fields(edge))
    async for mention in database.stream(_MENTIONS):
        total.add_mention(mention.document_id, mention.segment_id, _fields(mention), of=mention.of)
    return total.hexdigest()


def _fields(row: _HashedNodeRow | _EdgeRow | _MentionRow) -> dict[str, object]:
    return {name: getattr(row, name) for name in row.__dataclass_fields__}

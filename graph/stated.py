"""What a caller states without a file: nodes and edges, checked and brought into the graph's own terms."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from graph.errors import InvalidInput
from graph.identity import entity_id
from graph.model import Modality
from graph.vocabulary import DEFAULT_KIND, canonical_relation, kind_label

MAX_ITEMS: Final = 10_000
"""Nodes and edges of one call, together."""

MAX_ID_CHARS: Final = 500
_MAX_NAME_CHARS: Final = 1_000
_MAX_TEXT_CHARS: Final = 100_000
_MAX_ALIASES: Final = 100
# What Neo4j's indexes take of one value, with room to spare.
_MAX_KEY_BYTES: Final = 7_000


@dataclass(frozen=True, slots=True)
class NodeAssertion:
    """A node by its name. `kind` is one of the vocabulary's; `aliases` are further names of it."""

    name: str
    kind: str = DEFAULT_KIND
    description: str = ""
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EdgeAssertion:
    """A fact `source relation target`. An end is a name or a node's id; `confidence` is in [0, 1].

    `evidence_span` is looked for in the text of `segment_id`. Times are seconds from the start of a recording.
    """

    source: str
    target: str
    relation: str
    evidence_span: str | None = None
    segment_id: str | None = None
    ts_start: float | None = None
    ts_end: float | None = None
    modality: Modality = Modality.TEXT
    confidence: float = 1.0


def check_document_id(document_id: str) -> None:
    """Raise InvalidInput for an id that no document should have."""
    if not document_id.strip() or len(document_id) > MAX_ID_CHARS or not document_id.isprintable():
        raise InvalidInput(
            f"The document id {document_id[:60]!r} can't be used: give 1 to {MAX_ID_CHARS} visible characters."
        )


def check_statements(
    nodes: Sequence[NodeAssertion], edges: Sequence[EdgeAssertion]
) -> tuple[list[NodeAssertion], list[EdgeAssertion]]:
    """The statements with kinds and relations of the vocabulary, ends swapped where a passive was used.

    Raises InvalidInput, naming the item, for the first that can't be taken.
    """
    if len(nodes) + len(edges) > MAX_ITEMS:
        raise InvalidInput(f"{len(nodes) + len(edges):,} nodes and edges at once: {MAX_ITEMS:,} is the most.")
    return (
        [_checked_node(node, f"Node {number}") for number, node in enumerate(nodes, 1)],
        [_checked_edge(edge, f"Edge {number}") for number, edge in enumerate(edges, 1)],
    )


def _checked_node(node: NodeAssertion, where: str) -> NodeAssertion:
    if len(node.aliases) > _MAX_ALIASES:
        raise InvalidInput(f"{where}: {len(node.aliases)} aliases, {_MAX_ALIASES} is the most.")
    for name in (node.name, *node.aliases):
        _check_name(name, where)
    _check_text(node.description, f"{where}: the description", _MAX_TEXT_CHARS)
    kind = node.kind.strip().casefold()
    kind_label(kind)
    return replace(node, name=node.name.strip(), kind=kind, aliases=tuple(alias.strip() for alias in node.aliases))


def _checked_edge(edge: EdgeAssertion, where: str) -> EdgeAssertion:
    for end in (edge.source, edge.target):
        _check_name(end, where)
    if edge.evidence_span is not None:
        _check_text(edge.evidence_span, f"{where}: the evidence", _MAX_TEXT_CHARS)
    if edge.segment_id is not None:
        _check_text(edge.segment_id, f"{where}: the segment id", 2 * MAX_ID_CHARS)
    _check_numbers(edge, where)
    relation, swapped = canonical_relation(edge.relation)
    source, target = edge.source.strip(), edge.target.strip()
    if swapped:
        source, target = target, source
    return replace(edge, source=source, target=target, relation=relation.name, evidence_span=edge.evidence_span or None)


def _check_name(name: str, where: str) -> None:
    if not name.strip():
        raise InvalidInput(f"{where}: a name is blank, give it at least one visible character.")
    _check_text(name, f"{where}: the name", _MAX_NAME_CHARS)
    if len(entity_id(name).encode()) > _MAX_KEY_BYTES:
        raise InvalidInput(f"{where}: the name {name[:60]!r} is too long.")


def _check_text(text: str, what: str, limit: int) -> None:
    if len(text) > limit:
        raise InvalidInput(f"{what} has {len(text):,} characters: {limit:,} is the most.")
    try:
        text.encode()
    except UnicodeEncodeError as exc:
        raise InvalidInput(f"{what} has half of a surrogate pair at {exc.start}: send whole characters.") from exc


def _check_numbers(edge: EdgeAssertion, where: str) -> None:
    if not (math.isfinite(edge.confidence) and 0 <= edge.confidence <= 1):
        raise InvalidInput(f"{where}: the confidence is {edge.confidence}, it must be in [0, 1].")
    times = [time for time in (edge.ts_start, edge.ts_end) if time is not None]
    if not all(math.isfinite(time) and time >= 0 for time in times):
        raise InvalidInput(f"{where}: a time is {max(times)}, it must be a number of seconds from 0 on.")
    if edge.ts_end is not None and (edge.ts_start is None or edge.ts_end < edge.ts_start):
        raise InvalidInput(f"{where}: it ends at {edge.ts_end} s, before its start at {edge.ts_start} s.")

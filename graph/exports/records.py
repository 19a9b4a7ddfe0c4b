"""What a database holds of the graph, record by record, in an order that only depends on what there is.

Properties are read whole, so a property that is new to the program is exported without a change here. Jobs and the
record of migrations are the database's own affairs and stay behind.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, cast

from graph.database import Database, format_time
from graph.errors import DatabaseFailed
from graph.fingerprint import GraphHash
from graph.statements import Statement, load_statement

_BATCH: Final = 1_000
_PLAIN: Final = frozenset((str, int, float, bool))


@dataclass(frozen=True, slots=True)
class Moment:
    """A date and time, as ISO 8601 text to the nanosecond."""

    text: str


Scalar = str | int | float | bool | Moment
Value = Scalar | list[Scalar]


@dataclass(frozen=True, slots=True)
class Record:
    """A node or relationship of the database.

    `labels` are a node's labels, sorted, or the one type of a relationship; `properties` are sorted by name. `parent`
    is the id of the document or segment that holds a node, or of a relationship's start; `target` of the node that a
    mention is of, or of a relationship's end; `document` that of a mention's document.
    """

    parent: str | None
    target: str | None
    labels: list[str]
    properties: dict[str, Value]
    document: str | None = None


class Section(StrEnum):
    """The kinds of records, in the order of an export: each refers only to records of those before it."""

    FOLDER = "folder"
    MERGE = "merge"
    MERGE_STATE = "merge_state"
    ORIGIN = "origin"
    DOCUMENT = "document"
    SEGMENT = "segment"
    NODE = "node"
    EDGE = "edge"
    MENTION = "mention"
    ORIGIN_LINK = "origin_link"
    UNRESOLVED = "unresolved"


KEYS: Final = {
    Section.FOLDER: "folder_id",
    Section.MERGE: "merge_id",
    Section.MERGE_STATE: "name",
    Section.ORIGIN: "node_id",
    Section.DOCUMENT: "source_doc_id",
    Section.SEGMENT: "segment_id",
    Section.NODE: "node_id",
    Section.EDGE: "edge_id",
    Section.MENTION: "mention_id",
}
"""The property that identifies a record of its kind; unresolved uses and links have none."""


@dataclass(frozen=True, slots=True)
class _Row:
    parent: str | None
    target: str | None
    labels: list[str]
    properties: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _MentionRow(_Row):
    document: str


_STATEMENTS: Final[Mapping[Section, Statement[Any]]] = {
    Section.FOLDER: load_statement("exports/stream_folders", _Row),
    Section.MERGE: load_statement("exports/stream_merges", _Row),
    Section.MERGE_STATE: load_statement("exports/stream_merge_states", _Row),
    Section.ORIGIN: load_statement("exports/stream_origins", _Row),
    Section.DOCUMENT: load_statement("exports/stream_documents", _Row),
    Section.SEGMENT: load_statement("exports/stream_segments", _Row),
    Section.NODE: load_statement("exports/stream_nodes", _Row),
    Section.EDGE: load_statement("exports/stream_edges", _Row),
    Section.MENTION: load_statement("exports/stream_mentions", _MentionRow),
    Section.ORIGIN_LINK: load_statement("exports/stream_origin_links", _Row),
    Section.UNRESOLVED: load_statement("exports/stream_unresolved", _Row),
}


async def stream_records(database: Database) -> AsyncIterator[tuple[Section, list[Record]]]:
    """All records in batches of one section, by section, then by id, in flat memory."""
    for section in Section:
        batch: list[Record] = []
        async for row in database.stream(_STATEMENTS[section]):
            batch.append(_record(row))
            if len(batch) == _BATCH:
                yield section, batch
                batch = []
        if batch:
            yield section, batch


def hash_records(total: GraphHash, section: Section, records: Sequence[Record]) -> None:
    """Count in what the graph's hash covers."""
    for record in records:
        parent, target = record.parent or "", record.target
        match section:
            case Section.NODE:
                total.add_node(record.labels, record.properties)
            case Section.EDGE:
                total.add_edge(parent, record.labels[0], target or "", record.properties)
            case Section.MENTION:
                total.add_mention(record.document or "", parent, record.properties, of=target)
            case _:
                return


def _record(row: _Row) -> Record:
    properties = {
        name: value if type(value) in _PLAIN else _value(name, value)
        for name, value in sorted(row.properties.items())
        if value is not None
    }
    document = row.document if isinstance(row, _MentionRow) else None
    return Record(row.parent, row.target, sorted(row.labels), properties, document)


def _value(name: str, value: object) -> Value:
    if isinstance(value, list):
        items = cast("list[object]", value)
        return (
            cast("list[Scalar]", items)
            if _PLAIN.issuperset(map(type, items))
            else [_scalar(name, item) for item in items]
        )
    return _scalar(name, value)


def _scalar(name: str, value: object) -> Scalar:
    if isinstance(value, (str, int, float)):  # a bool is an int
        return value
    moment = format_time(value)
    if moment is None:
        raise DatabaseFailed(f"The property {name!r} holds a {type(value).__name__}, which an export can't say.")
    return Moment(moment)

r"""A graph as Cypher statements that rebuild it in an empty database.

Plain statements, each ended by `;` at the end of a line, for cypher-shell, Neo4j Browser or any driver: first the
schema of all migrations, then the records in batches. No value holds a line break: `//` and `;` in data are never at
the edge of a line.

Source: Cypher 5 resolves `\uXXXX` before it reads the statement, so an escaped quote or back-tick would end what it
stands in. Only characters without a meaning in Cypher are written that way; a quote or a backslash gets a
backslash before it.
https://neo4j.com/docs/cypher-manual/current/syntax/parsing/
"""

import math
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import BinaryIO, Final

from graph.exports.records import Moment, Record, Scalar, Section, Value
from graph.statements import MIGRATIONS_ROOT, split_script

_MAX_ROWS: Final = 500
_MAX_CHARS: Final = 200_000
_SPECIAL: Final = re.compile(
    "[\\\\'\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\uffff]"
)
_SHORT: Final = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_PLAIN_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_STATEMENTS: Final = {
    Section.FOLDER: "CREATE (n:Folder) SET n = row.p",
    Section.MERGE: "CREATE (n:Merge) SET n = row.p",
    Section.MERGE_STATE: "CREATE (n:MergeState) SET n = row.p",
    Section.ORIGIN: "CREATE (n:Origin) SET n = row.p",
    Section.DOCUMENT: "CREATE (n:Document) SET n = row.p",
    Section.SEGMENT: (
        "MATCH (d:Document {source_doc_id: row.of}) CREATE (d)-[:HAS_SEGMENT]->(n:Segment) SET n = row.p"
    ),
    Section.NODE: "CREATE (n:Node) SET n = row.p, n:$(row.labels)",
    Section.EDGE: (
        "MATCH (s:Node {node_id: row.of}) MATCH (t:Node {node_id: row.to}) "
        "CREATE (s)-[r:$(row.labels)]->(t) SET r = row.p"
    ),
    Section.MENTION: (
        "MATCH (s:Segment {segment_id: row.of}) CREATE (s)-[:HAS_MENTION]->(n:Mention) SET n = row.p "
        "WITH n, row WHERE row.to IS NOT NULL MATCH (t:Node {node_id: row.to}) CREATE (n)-[:OF]->(t)"
    ),
    Section.ORIGIN_LINK: (
        "MATCH (m:Mention {mention_id: row.of}) MATCH (o:Origin {node_id: row.to}) "
        "CREATE (m)-[r:ORIGIN]->(o) SET r = row.p"
    ),
    Section.UNRESOLVED: (
        "MATCH (d:Document {source_doc_id: row.of}) CREATE (d)-[:HAS_UNRESOLVED]->(n:Unresolved) SET n = row.p"
    ),
}
_LABELLED: Final = (Section.NODE, Section.EDGE)


class CypherWriter:
    """Writes Cypher for Neo4j 5.26 or newer."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def begin(self) -> None:
        """Write the schema."""
        self._line("// A graph of Cogniverse Graph. Run it in an empty database of Neo4j 5.26 or newer.")
        for script in sorted(MIGRATIONS_ROOT.glob("*.cypher")):
            for statement in split_script(script.read_text(encoding="utf-8")):
                self._line(f"{statement};")

    def write(self, section: Section, records: Sequence[Record]) -> None:
        """Write records as statements of bounded size; one that is larger stands alone."""
        for rows in _batches(_row(section, record) for record in records):
            self._line(f"UNWIND [{', '.join(rows)}] AS row {_STATEMENTS[section]};")

    def end(self, graph_hash: str) -> None:
        """Write down what the graph's hash must be."""
        self._line(f"// The end. `cogniverse graph hash` gives {graph_hash}")

    def _line(self, text: str) -> None:
        self._file.write(f"{text}\n".encode())


def _batches(rows: Iterator[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for row in rows:
        if batch and (size + len(row) > _MAX_CHARS or len(batch) == _MAX_ROWS):
            yield batch
            batch, size = [], 0
        batch.append(row)
        size += len(row)
    if batch:
        yield batch


def _row(section: Section, record: Record) -> str:
    parts = [f"p: {_map(record.properties)}"]
    if record.parent is not None:
        parts.append(f"of: {quote(record.parent)}")
    if record.target is not None:
        parts.append(f"to: {quote(record.target)}")
    if section in _LABELLED:
        labels = ", ".join(quote(label) for label in record.labels if label != "Node")
        parts.append(f"labels: [{labels}]")
    return f"{{{', '.join(parts)}}}"


def _map(properties: dict[str, Value]) -> str:
    return f"{{{', '.join(f'{_name(name)}: {literal(value)}' for name, value in properties.items())}}}"


@lru_cache(maxsize=1024)
def _name(name: str) -> str:
    if _PLAIN_NAME.fullmatch(name):
        return name
    return "`" + _SPECIAL.sub(lambda match: f"\\u{ord(match[0]):04X}", name).replace("`", "``") + "`"


def literal(value: Value) -> str:
    """A property's value as a Cypher literal on one line."""
    return f"[{', '.join(map(_scalar, value))}]" if isinstance(value, list) else _scalar(value)


def _scalar(value: Scalar) -> str:
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Moment):
        return f"datetime({quote(value.text)})"
    if isinstance(value, int) or math.isfinite(value):
        return repr(value)
    return "(0.0 / 0.0)" if math.isnan(value) else "(1.0 / 0.0)" if value > 0 else "(-1.0 / 0.0)"


def quote(text: str) -> str:
    """Text as a Cypher string on one line."""
    return "'" + _SPECIAL.sub(_escape, text) + "'"


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    return _SHORT.get(char) or f"\\u{ord(char):04X}"

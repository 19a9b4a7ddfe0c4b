"""A graph as GraphML, for Gephi, yEd, NetworkX and other tools.

Everything is a node or an edge: documents, segments and mentions are nodes, joined by edges of the types that they
have in Neo4j. XML ids must be name tokens, so they are hashes; the real ids are among the data. GraphML has no lists
and no times: a list is JSON text, a time ISO 8601 text. A character that XML can't hold is shown as U+FFFD, and the
exact text stands beside it as JSON under the property's name with `_json`.

Source: http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd; characters: https://www.w3.org/TR/xml/#charsets
"""

import hashlib
import json
import math
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from typing import BinaryIO, Final, cast
from xml.sax.saxutils import escape

from graph.exports.records import KEYS, Moment, Record, Scalar, Section, Value

_HEAD: Final = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
    'xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">\n'
)
_SPECIAL: Final = re.compile("[^\t\n\x20-%'-;=?-~]")
"""What can't stand in XML as it is, or may not be able to."""
_ILLEGAL: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# Parsers take these for an end of line, unless they are written by number.
_BY_NUMBER: Final = {"\r": "&#13;", "\x85": "&#133;", "\u2028": "&#8232;"}
_PARENTS: Final = {
    Section.SEGMENT: (Section.DOCUMENT, "HAS_SEGMENT"),
    Section.MENTION: (Section.SEGMENT, "HAS_MENTION"),
    Section.UNRESOLVED: (Section.DOCUMENT, "HAS_UNRESOLVED"),
}
_Key = tuple[str, str, str]


class GraphmlWriter:
    """Writes GraphML. Keys must be declared before their use, so what uses them waits in a temporary file."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._body = cast("BinaryIO", tempfile.TemporaryFile())  # noqa: SIM115 - closed by end or with its owner
        self._keys: dict[_Key, str] = {}
        self._unresolved = 0

    def begin(self) -> None:
        """Write nothing yet."""

    def write(self, section: Section, records: Sequence[Record]) -> None:
        """Write an element for each record and for what joins it to others."""
        for record in records:
            for element in self._elements(section, record):
                self._body.write(f"{element}\n".encode())

    def end(self, graph_hash: str) -> None:
        """Write the keys, then all that waited."""
        self._file.write(_HEAD.encode())
        self._file.write(f"<desc>A graph of Cogniverse Graph with the hash {graph_hash}</desc>\n".encode())
        for (domain, name, kind), key in self._keys.items():
            attributes = f'id="{key}" for="{domain}" attr.name="{_attribute(name)}" attr.type="{kind}"'
            self._file.write(f"<key {attributes}/>\n".encode())
        self._file.write(b'<graph id="graph" edgedefault="directed">\n')
        with self._body as body:
            body.seek(0)
            shutil.copyfileobj(body, self._file)
        self._file.write(b"</graph>\n</graphml>\n")

    def _elements(self, section: Section, record: Record) -> Iterator[str]:
        if section is Section.EDGE:
            yield self._edge(record)
            return
        if section is Section.ORIGIN_LINK:
            ends = _token(Section.MENTION, record.parent or ""), _token(Section.ORIGIN, record.target or "")
            yield self._link(*ends, record.labels[0])
            return
        own = self._node_id(section, record)
        data = self._datum("node", "labels", ":".join(record.labels))
        yield f'<node id="{own}">{data}{self._data("node", record)}</node>'
        if section in _PARENTS and record.parent is not None:
            holder, link = _PARENTS[section]
            yield self._link(_token(holder, record.parent), own, link)
        if section is Section.MENTION and record.target is not None:
            yield self._link(own, _token(Section.NODE, record.target), "OF")

    def _edge(self, record: Record) -> str:
        own = _token(Section.EDGE, str(record.properties[KEYS[Section.EDGE]]))
        ends = _ends(_token(Section.NODE, record.parent or ""), _token(Section.NODE, record.target or ""))
        return f'<edge id="{own}" {ends}>{self._type(record.labels[0])}{self._data("edge", record)}</edge>'

    def _link(self, source: str, target: str, link: str) -> str:
        return f"<edge {_ends(source, target)}>{self._type(link)}</edge>"

    def _type(self, name: str) -> str:
        return self._datum("edge", "type", name)

    def _node_id(self, section: Section, record: Record) -> str:
        if section in KEYS:
            return _token(section, str(record.properties[KEYS[section]]))
        self._unresolved += 1
        return f"{section.value}.{self._unresolved}"

    def _data(self, domain: str, record: Record) -> str:
        return "".join(self._datum(domain, name, value) for name, value in record.properties.items())

    def _datum(self, domain: str, name: str, value: Value) -> str:
        kind, text = _typed(value)
        if not _SPECIAL.search(text):
            return f'<data key="{self._key(domain, name, kind)}">{text}</data>'
        shown = _ILLEGAL.sub("\ufffd", text)
        datum = f'<data key="{self._key(domain, name, kind)}">{_content(shown)}</data>'
        if shown == text:
            return datum
        exact = json.dumps(text)
        return f'{datum}<data key="{self._key(domain, f"{name}_json", "string")}">{_content(exact)}</data>'

    def _key(self, domain: str, name: str, kind: str) -> str:
        key = self._keys.get((domain, name, kind))
        if key is None:
            key = self._keys[domain, name, kind] = f"k{len(self._keys)}"
        return key


def _token(section: Section, key: str) -> str:
    return f"{section.value}.{hashlib.sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}"


def _ends(source: str, target: str) -> str:
    return f'source="{source}" target="{target}"'


def _typed(value: Value) -> tuple[str, str]:
    """GraphML's type of a value, and its text."""
    if isinstance(value, list):
        return "string", json.dumps([_plain(item) for item in value])
    if isinstance(value, Moment):
        return "string", value.text
    if isinstance(value, bool):
        return "boolean", "true" if value else "false"
    if isinstance(value, int):
        return "long", str(value)
    if isinstance(value, float):
        return "double", str(value) if math.isfinite(value) else _unbounded(value)
    return "string", value


def _unbounded(value: float) -> str:
    return "NaN" if math.isnan(value) else "INF" if value > 0 else "-INF"


def _plain(value: Scalar) -> object:
    if isinstance(value, Moment):
        return value.text
    return _unbounded(value) if isinstance(value, float) and not math.isfinite(value) else value


def _content(text: str) -> str:
    return escape(text, _BY_NUMBER)


def _attribute(name: str) -> str:
    return escape(_ILLEGAL.sub("\ufffd", name), {'"': "&quot;", "\n": "&#10;", "\t": "&#9;", **_BY_NUMBER})

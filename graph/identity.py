"""Deterministic ids: the same thing gets the same id in every run, document and process."""

import hashlib
import re
import unicodedata

from graph.errors import InvalidInput
from graph.model import DocumentId, EdgeId, MentionId, NodeId, SegmentId

# Apostrophes and quotes say nothing of who is named; curly and straight ones are the same key on purpose.
_QUOTES = re.compile("['\"`\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u00ab\u00bb\u2039\u203a\u2032\u2033\u00b4]")
_SEPARATORS = re.compile(r"[\s\-_\u2010-\u2015\u2212]+")
# Kept because they tell names apart: C, C++, C# and .NET are four things.
_TELLING = "+#."


def name_key(name: str) -> str:
    """The normalised form by which names are compared and looked up.

    NFKC and casefold; blanks, dashes and underscores become one `_`; quotes and outer punctuation go; letters,
    digits and marks of every script stay. May be empty for a name made of punctuation alone.
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    joined = _SEPARATORS.sub("_", _QUOTES.sub("", folded))
    outer = "".join({char for char in joined if _is_outer_punctuation(char)})
    # A full stop tells names apart in front (.NET) and inside (node.js), never at the end (Acme Inc.).
    return joined.lstrip(outer).rstrip(outer + ".")


def _is_outer_punctuation(char: str) -> bool:
    return unicodedata.category(char)[0] in "PSCZ" and char not in _TELLING


def entity_id(name: str) -> NodeId:
    """The id of a named thing: its `name_key`, or a hash of the name where nothing of it would be left.

    Raises InvalidInput for a blank name.
    """
    if not name.strip():
        raise InvalidInput("A node's name is blank: give it at least one visible character.")
    return NodeId(name_key(name) or f"name:{_digest(unicodedata.normalize('NFKC', name.strip()))}")


def symbol_id(path: str, qualified_name: str) -> NodeId:
    """The id of a code symbol: `path/from/root.py::Class.method`; case is kept."""
    return NodeId(f"{path}::{qualified_name}")


def module_id(path: str) -> NodeId:
    """The id of a module: its path from the root, with `/`."""
    return NodeId(path)


def package_id(name: str) -> NodeId:
    """The id of an outside package, by its import name: `pkg:requests`."""
    return NodeId(f"pkg:{name}")


def segment_id(document: DocumentId, label: str) -> SegmentId:
    """The id of a segment; labels are told apart by their document."""
    return SegmentId(f"{document}#{label}")


def edge_id(
    source: NodeId, relation: str, target: NodeId, *, segment: str = "", ts_start: str = "", ts_end: str = ""
) -> EdgeId:
    """The id of a fact.

    Segment and times belong to facts that are tied to a moment of a recording; a fact of code or text leaves them
    empty, so that it is one edge with a mention for each place that states it.
    """
    return EdgeId(_digest("|".join((source, relation, target, segment, ts_start, ts_end))))


def moment(seconds: float | None) -> str:
    """A time of a recording as edge ids have it, empty for none."""
    return "" if seconds is None else repr(float(seconds))


def mention_id(segment: SegmentId, subject: str, char_start: int, char_end: int) -> MentionId:
    """The id of a mention: one for each place in which a segment names a node or states an edge (`subject`)."""
    return MentionId(_digest(f"{segment}|{subject}|{char_start}|{char_end}"))


def _digest(text: str) -> str:
    return hashlib.sha1(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()[:16]

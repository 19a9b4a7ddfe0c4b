"""Deterministic ids: the same thing gets the same id in every run, document and process."""

import hashlib
import re
import unicodedata
from typing import Final

from graph.errors import InvalidInput
from graph.model import DocumentId, EdgeId, MentionId, NodeId, SegmentId

# Apostrophes and quotes say nothing of who is named; curly and straight ones are the same key on purpose. Soft hyphens,
# blanks without width and marks of direction can't be seen.
_UNSEEN: Final = re.compile(
    "['\"`\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u00ab\u00bb\u2039\u203a\u00b4\u02bb\u02bc"
    "\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]"
)
# What most names are made of: nothing to fold, nothing outside.
_PLAIN: Final = re.compile(r"[A-Za-z0-9]+(?:[ _-]+[A-Za-z0-9]+)*")
_SEPARATORS: Final = re.compile(r"[\s\-_\u2010-\u2015\u2212]+")
# Kept because they tell names apart: C, C++, C# and .NET are four things.
_TELLING: Final = "+#."
# What the normal form would make one number of: 10⁵ is not 105, 1½ not 11/2.
_EXPONENT: Final = re.compile("(?<=[0-9])(?=[\u00b2\u00b3\u00b9\u2070\u2074-\u2079])")
_FRACTION: Final = re.compile("(?<=[0-9])(?=[\u00bc-\u00be\u2150-\u215e\u2189])")
# Primes of a letter or a number (A′, 5″); elsewhere they are apostrophes.
_PRIME: Final = re.compile(r"(?<![^\W_])(?<!\u2032)(\d+|[^\W_])(\u2032+)(?![^\W_])(?!\u2032)|\u2032")
# Signs outside of a name that tell it from the name without: -5, €5, <5; 5%, 5°; A*, IDA*; Cl⁻, C--; B♭, A′.
_SIGNED: Final = re.compile(r"(?:[-\u2212<>\u2264\u2265\u00b1~\u2248]|[$\u00a2-\u00a5\u20a0-\u20cf]\s?)+$")
_NUMBER: Final = re.compile(r"\.?\d")
_ENDS: Final = tuple(
    (re.compile(name), re.compile(sign))
    for name, sign in (
        (r".*\d", r"\s?[%\u2030\u00b0\u00a2-\u00a5$\u20a0-\u20cf]+"),
        (r"[^\W_]{1,4}", r"\*(?!\*)"),
        (r"[^\W\d_]{1,2}", r"[-\u2212]+(?![\s\w])"),
        (r"[^\W\d_]", r"[\u266d-\u266f]"),
        (r"(?:.*[\W_])?[^\W_]|.*\d", r"\u2032+"),
    )
)


def name_key(name: str) -> str:
    """The normalised form by which names are compared and looked up.

    NFKC and casefold; blanks, dashes and underscores become one `_`; quotes and outer punctuation go, but for signs of
    numbers and short names (-5, 5%, A*, Cl⁻); letters, digits and marks of every script stay. May be empty for a name
    made of punctuation alone.
    """
    if _PLAIN.fullmatch(name):
        return _SEPARATORS.sub("_", name.lower())
    folded = _fold(name)
    outer = "".join({char for char in folded if _is_outer_punctuation(char)})
    # A full stop tells names apart in front (.NET) and inside (node.js), never at the end (Acme Inc.).
    left = folded.lstrip(outer)
    body = left.rstrip(outer + ".")
    if not body:
        return ""
    before, after = folded[: len(folded) - len(left)], left[len(body) :]
    return _sign_before(before, body) + _SEPARATORS.sub("_", body) + _sign_after(before, body, after)


def _fold(name: str) -> str:
    kept = _FRACTION.sub(" ", _EXPONENT.sub("^", _UNSEEN.sub("", name)))
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", kept).casefold())
    primes = _PRIME.sub(lambda match: match[0] if match[1] else "", _UNSEEN.sub("", folded))
    return unicodedata.normalize("NFKC", primes)


def _sign_before(before: str, body: str) -> str:
    sign = _SIGNED.search(before)
    return _plain_sign(sign[0]) if sign and _NUMBER.match(body) else ""


def _sign_after(before: str, body: str, after: str) -> str:
    for name, sign in _ENDS:
        found = sign.match(after)
        if found and name.fullmatch(body) and not before.endswith("*"):
            return _plain_sign(found[0])
    return ""


def _plain_sign(sign: str) -> str:
    return "".join(sign.split()).replace("\u2212", "-")


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

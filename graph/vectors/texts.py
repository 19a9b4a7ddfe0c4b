"""What a vector is made of: the text of a node or segment, and its hash, by which a changed text is noticed."""

import hashlib
from collections.abc import Sequence
from typing import Final

MAX_CHARS: Final = 4_000
"""Characters of a description or text that count: more than the models read."""


def node_text(name: str, aliases: Sequence[str], description: str | None) -> str:
    """The name, the other names and what is said of the node."""
    names = ", ".join((name, *(alias for alias in sorted(aliases) if alias != name)))[:MAX_CHARS]
    return f"{names}: {description[:MAX_CHARS]}" if description and not description.isspace() else names


def segment_text(heading: str | None, text: str) -> str:
    """What the segment says, below its heading; empty when it says nothing."""
    said = text[:MAX_CHARS].strip()
    return f"{heading}\n{said}" if said and heading else said


def hash_text(model: str, text: str) -> str:
    """16 hex digits that change with the text and with the model, so that vectors of another are not taken over."""
    return hashlib.sha1(f"{model}\0{text}".encode(), usedforsecurity=False).hexdigest()[:16]

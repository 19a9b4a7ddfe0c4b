"""What a document means by its names: one thing for each, whatever it is spelled like."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from extraction.ontology.entries import Ontology, OntologyEntry
from graph.identity import entity_id, name_key
from graph.model import NodeId
from graph.vocabulary import DEFAULT_KIND

_MAX_NAME: Final = 200
# What models take for a person or a thing although it only stands for one.
_STAND_INS: Final = frozenset(
    {
        "i",
        "me",
        "my",
        "mine",
        "we",
        "us",
        "our",
        "ours",
        "you",
        "your",
        "yours",
        "he",
        "him",
        "his",
        "she",
        "her",
        "hers",
        "it",
        "its",
        "they",
        "them",
        "their",
        "theirs",
        "this",
        "that",
        "these",
        "those",
        "who",
        "whom",
        "whose",
        "which",
        "what",
        "there",
        "here",
        "himself",
        "herself",
        "itself",
        "themselves",
    }
)
_TELLING: Final = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class Named:
    """A name brought to the thing that it means; `name` is set where the spelling is not the one to show."""

    node_id: NodeId
    spelling: str
    kind: str
    name: str | None = None
    term: OntologyEntry | None = None


@dataclass(frozen=True, slots=True)
class Naming:
    """The rules of one document: its own acronyms, then the tenant's ontology, then the name itself."""

    terms: Ontology | None = None
    long_forms: Mapping[str, str] = field(default_factory=dict[str, str])

    def name(self, spelling: str, kind: str) -> Named:
        """The thing that is meant by a name of this kind."""
        long_form = self.long_forms.get(name_key(spelling))
        name = long_form or spelling
        term = self.terms.find(name, kind) if self.terms else None
        if term is None and long_form is not None and self.terms:
            term = self.terms.find(spelling, kind)
        if term is not None:
            shown_kind = term.kind if term.kind != DEFAULT_KIND else kind
            return Named(entity_id(term.name), spelling, shown_kind, term.name, term)
        return Named(entity_id(name), spelling, kind, long_form)


def long_forms(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The long form of each acronym, given as (short, long); one that a document explains in two ways has none."""
    meanings: dict[str, set[str]] = {}
    spelled: dict[str, str] = {}
    for short, long in pairs:
        meanings.setdefault(name_key(short), set()).add(name_key(long))
        spelled.setdefault(name_key(short), long)
    return {key: spelled[key] for key, longs in meanings.items() if key and len(longs) == 1}


def find_fault(spelling: str) -> str | None:
    """Why a name can't be that of a thing, None when it can."""
    if spelling.casefold() in _STAND_INS:
        return "a pronoun"
    if not _TELLING.search(spelling):
        return "no letter or digit"
    if len(spelling) > _MAX_NAME:
        return f"longer than {_MAX_NAME} characters"
    return None

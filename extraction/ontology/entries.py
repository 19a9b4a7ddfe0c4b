"""What an ontology says, whichever format it came in."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from graph.errors import InvalidInput
from graph.identity import entity_id
from graph.vocabulary import DEFAULT_KIND, ENTITY_KINDS

MAX_NAME_CHARS: Final = 300
MAX_NAMES: Final = 500_000


class OntologyFault(InvalidInput):
    """An ontology that can't be read, or that contradicts itself; the message names the file and the place."""


@dataclass(frozen=True, slots=True)
class OntologyEntry:
    """A thing by its canonical name; `aliases` are its other names, sorted, `kind` is `entity` where none is said."""

    name: str
    kind: str
    aliases: tuple[str, ...]
    entry_id: str


@dataclass(frozen=True, slots=True)
class Stated:
    """An entry as a file states it, with the place for messages: `line 12`, an IRI."""

    name: str
    kind: str
    synonyms: tuple[str, ...]
    entry_id: str
    place: str


class Ontology:
    """Entries by their names."""

    def __init__(self, entries: Iterable[OntologyEntry]) -> None:
        self.entries = tuple(sorted(entries, key=lambda entry: (entity_id(entry.name), entry.name)))
        self._by_key: dict[str, list[OntologyEntry]] = {}
        for entry in self.entries:
            for key in sorted({str(entity_id(name)) for name in (entry.name, *entry.aliases)}):
                self._by_key.setdefault(key, []).append(entry)

    def find(self, name: str, kind: str) -> OntologyEntry | None:
        """The entry that a name means, case and spacing aside, None when there is none or more than one.

        An entry without a kind fits every kind, one with a kind that kind and `entity`.
        """
        if not name.strip():
            return None
        found = self._by_key.get(entity_id(name), ())
        fitting = [entry for entry in found if kinds_agree(entry.kind, kind)]
        return fitting[0] if len(fitting) == 1 else None

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all that it says: equal ontologies have equal ones, whatever their format and order."""
        said = [[entry.name, entry.kind, list(entry.aliases), entry.entry_id] for entry in self.entries]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:32]


def kinds_agree(one: str, other: str) -> bool:
    """Whether a thing of one kind may be a thing of the other."""
    return one == other or DEFAULT_KIND in (one, other)


def make_ontology(stated: Iterable[Stated], source: str) -> Ontology:
    """Check what a file states and make it an ontology. Raises OntologyFault naming both of two that contradict."""
    owners: dict[str, list[Stated]] = {}
    names: dict[str, Stated] = {}
    entries: list[OntologyEntry] = []
    count = 0
    for one in stated:
        count += 1 + len(one.synonyms)
        if count > MAX_NAMES:
            raise OntologyFault(f"{source} has more than {MAX_NAMES:,} names: leave out what documents don't speak of.")
        _check(one, source)
        twin = names.setdefault(entity_id(one.name), one)
        if twin is not one:
            raise OntologyFault(
                f"{source}: the name {one.name!r} ({one.place}) is that of {twin.name!r} ({twin.place}) already: "
                "make them one entry."
            )
        _claim(owners, one, source)
        aliases = tuple(sorted(set(one.synonyms) - {one.name}))
        entries.append(OntologyEntry(one.name, one.kind, aliases, one.entry_id))
    return Ontology(entries)


def _claim(owners: dict[str, list[Stated]], one: Stated, source: str) -> None:
    for key, spelling in {str(entity_id(name)): name for name in (*one.synonyms, one.name)}.items():
        for other in owners.setdefault(key, []):
            if kinds_agree(one.kind, other.kind):
                raise OntologyFault(
                    f"{source}: {spelling!r} is a name of {other.name!r} ({other.place}) and of {one.name!r} "
                    f"({one.place}): take it from one of them, or give the two different kinds."
                )
        owners[key].append(one)


def _check(one: Stated, source: str) -> None:
    for name in (one.name, *one.synonyms):
        if not name.strip():
            raise OntologyFault(f"{source}, {one.place}: a name is blank: give it at least one visible character.")
        if len(name) > MAX_NAME_CHARS:
            raise OntologyFault(
                f"{source}, {one.place}: a name has {len(name):,} characters; {MAX_NAME_CHARS} is the most."
            )
    if one.kind not in ENTITY_KINDS:
        raise OntologyFault(
            f"{source}, {one.place}: {one.kind[:60]!r} is no kind of entity: use one of {', '.join(ENTITY_KINDS)}."
        )

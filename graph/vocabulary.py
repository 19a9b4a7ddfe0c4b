"""The relations and kinds that the graph speaks, as data: nothing outside these lists is stored."""

import difflib
import re
from dataclasses import dataclass

from graph.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Relation:
    """One relation; every fact of it reads `source name target`.

    `inverse` is the relation that says the same with the ends swapped. `passives` are spellings met in text
    whose ends must be swapped to give this relation. `functional`: a source has one target at most.
    """

    name: str
    inverse: str | None = None
    passives: tuple[str, ...] = ()
    symmetric: bool = False
    transitive: bool = False
    functional: bool = False
    code: bool = False
    claim: bool = False


RELATIONS: dict[str, Relation] = {
    relation.name: relation
    for relation in (
        Relation("born_in", functional=True, claim=True),
        Relation("discovered", passives=("discovered_by", "was_discovered_by"), claim=True),
        Relation("discovered_in", claim=True),
        Relation("located_at", claim=True),
        Relation("won", passives=("won_by", "was_won_by"), claim=True),
        Relation("worked_at", claim=True),
        Relation("wrote", passives=("written_by", "was_written_by"), claim=True),
        Relation("invented", passives=("invented_by", "was_invented_by"), claim=True),
        Relation("studied", passives=("studied_by", "was_studied_by"), claim=True),
        Relation("contains", inverse="part_of", passives=("contained_in",), transitive=True, code=True, claim=True),
        Relation("occurred_at", claim=True),
        Relation("part_of", inverse="contains", transitive=True, claim=True),
        Relation("preceded_by", inverse="followed_by", passives=("preceded",), transitive=True, claim=True),
        Relation("followed_by", inverse="preceded_by", passives=("followed",), transitive=True, claim=True),
        Relation("caused_by", passives=("caused",), claim=True),
        Relation("contradicts", passives=("contradicted_by",), symmetric=True, claim=True),
        Relation("defines", passives=("defined_by", "defined_in"), code=True),
        Relation("calls", passives=("called_by",), code=True),
        Relation("imports", passives=("imported_by",), code=True),
        Relation("re_exports", passives=("re_exported_by",), code=True),
        Relation("inherits", passives=("inherited_by",), transitive=True, code=True),
        Relation("implements", passives=("implemented_by",), code=True),
        Relation("references", passives=("referenced_by",), code=True),
        Relation("decorates", passives=("decorated_by",), code=True),
        Relation("overrides", passives=("overridden_by",), code=True),
        Relation("raises", passives=("raised_by",), code=True),
        Relation("documents", passives=("documented_by",), code=True),
        Relation("same_as", symmetric=True, transitive=True),
        Relation("related_to"),
    )
}
"""Every relation by its name."""

CODE_RELATIONS: frozenset[str] = frozenset(name for name, relation in RELATIONS.items() if relation.code)
CLAIM_RELATIONS: frozenset[str] = frozenset(name for name, relation in RELATIONS.items() if relation.claim)

DEFAULT_KIND = "entity"
CODE_KINDS: tuple[str, ...] = ("module", "class", "function", "method", "package")
ENTITY_KINDS: tuple[str, ...] = (
    "person",
    "organization",
    "location",
    "date",
    "substance",
    "award",
    "field",
    "event",
    "concept",
    "technology",
    "product",
    "algorithm",
    "model",
    "framework",
    "language",
    DEFAULT_KIND,
)

KIND_LABELS: dict[str, str] = {kind: kind.capitalize() for kind in (*CODE_KINDS, *ENTITY_KINDS)}
"""The node label of each kind."""

RELATION_TYPES: dict[str, str] = {name: name.upper() for name in RELATIONS}
"""The native relationship type of each relation."""

_KINDS_BY_LABEL = {label: kind for kind, label in KIND_LABELS.items()}
_SPELLINGS = {name: name for name in RELATIONS}
_PASSIVES = {passive: relation for relation in RELATIONS.values() for passive in relation.passives}
_RELATIONS_BY_TYPE = {native: name for name, native in RELATION_TYPES.items()}


def relation_type(relation: str) -> str:
    """Return the native type: `calls` gives `CALLS`. Raises InvalidInput for a relation not in the list."""
    return _look_up(RELATION_TYPES, relation, "relation")


def relation_of(native_type: str) -> str:
    """Return the relation of a native type: `CALLS` gives `calls`. Raises InvalidInput for any other."""
    return _look_up(_RELATIONS_BY_TYPE, native_type, "relationship type")


def canonical_relation(spelling: str) -> tuple[Relation, bool]:
    """The relation that a spelling means, and whether its ends are swapped: `discovered by` is `discovered`, swapped.

    Case, blanks and dashes are ignored. Raises InvalidInput, naming near ones, for a spelling of none.
    """
    key = re.sub(r"[\s\-_]+", "_", spelling.strip().casefold())
    if key in _PASSIVES:
        return _PASSIVES[key], True
    return RELATIONS[_look_up(_SPELLINGS, key, "relation")], False


def kind_label(kind: str) -> str:
    """Return the node label: `function` gives `Function`. Raises InvalidInput for a kind not in the list."""
    return _look_up(KIND_LABELS, kind, "kind")


def kind_of(label: str) -> str:
    """Return the kind of a node label: `Function` gives `function`. Raises InvalidInput for any other."""
    return _look_up(_KINDS_BY_LABEL, label, "label")


def _look_up(table: dict[str, str], key: str, what: str) -> str:
    value = table.get(key)
    if value is not None:
        return value
    near = difflib.get_close_matches(key[:60], table, n=3, cutoff=0.5) or sorted(table)
    raise InvalidInput(f"Unknown {what} {key[:60]!r}: use one of {', '.join(near)}.")

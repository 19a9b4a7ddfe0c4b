"""A model's wording of a predicate as one of the locked ones, and which kinds of things each may join."""

import re
from typing import Final

from extraction.claims.drops import NotTaken
from graph.errors import InvalidInput
from graph.vocabulary import CLAIM_RELATIONS, DEFAULT_KIND, canonical_relation

FREE_PREDICATE: Final = "related_to"
"""What a free-form fact is stored as."""

LOCKED: Final = CLAIM_RELATIONS - {FREE_PREDICATE}
"""The predicates that a claim may have."""

VERSION: Final = "1"
"""Raised whenever a spelling or a kind would be judged otherwise."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_SPLIT: Final = re.compile(r"(?<=[a-z])(?=[A-Z])|[\s\-_\u2010-\u2015]+")
_BE: Final = frozenset(_words("is was are were be been being got gets"))
_AUXILIARIES: Final = _BE | frozenset(_words("has have had did does do will would can could may might"))
_FILLERS: Final = frozenset(
    _words(
        "a an the also later first then originally mainly primarily partly partially jointly currently formerly "
        "subsequently eventually directly"
    )
)
_NEGATIONS: Final = frozenset(
    _words("not never no cannot isnt wasnt didnt doesnt hasnt isn't wasn't didn't doesn't hasn't")
)


# Read: subject SPELLING object means subject PREDICATE object, but for those that swap the ends.
_ACTIVE: Final = {
    "born_in": _words("born_in born_at born_near born birthplace place_of_birth birth_place native_of"),
    "discovered": _words("discover discovers discovered discoverer_of co_discovered"),
    "discovered_in": _words("discovered_in discovered_at discovery_place place_of_discovery"),
    "located_at": _words(
        "located_at located_in located_on located situated_in situated_at situated_on based_in based_at lies_in "
        "headquartered_in headquartered_at stands_in has_location"
    ),
    "won": _words("win wins won winner_of was_awarded were_awarded been_awarded"),
    "worked_at": _words(
        "work_at works_at worked_at working_at work_for works_for worked_for working_for employed_by employed_at "
        "employee_of"
    ),
    "wrote": _words("write writes wrote written author_of authored authors penned co_wrote"),
    "invented": _words("invent invents invented inventor_of co_invented"),
    "studied": _words("study studies studied"),
    "contains": _words("contain contains contained include includes included comprises has_part"),
    "occurred_at": _words(
        "occur_in occurs_in occurred_in occurred_at occurs_at occurred_on happened_in happened_at happened_on "
        "happens_in took_place_in took_place_at took_place_on takes_place_in takes_place_at held_in held_at held_on"
    ),
    "part_of": _words("part_of component_of contained_in contained_by included_in"),
    "preceded_by": _words("preceded_by follows follow successor_of succeeded comes_after came_after"),
    "followed_by": _words("followed_by precedes predecessor_of succeeded_by comes_before came_before"),
    "caused_by": _words("caused_by due_to result_of resulted_from results_from triggered_by"),
    "contradicts": _words("contradict contradicts contradicted"),
}
_SWAPPED: Final = {
    "born_in": _words("birthplace_of"),
    "discovered": _words("discovered_by discoverer"),
    "won": _words("won_by awarded_to winner"),
    "worked_at": _words("employs employed employer_of"),
    "wrote": _words("written_by authored_by penned_by has_author author"),
    "invented": _words("invented_by inventor"),
    "studied": _words("studied_by"),
    "located_at": _words("location_of"),
    "caused_by": _words("cause causes caused cause_of led_to leads_to resulted_in results_in triggered triggers"),
    "preceded_by": _words("preceded"),
    "followed_by": _words("followed"),
    "contradicts": _words("contradicted_by"),
}
# `Radium was discovered` with an object: the `by` is left out, the sense is passive all the same.
_PASSIVE: Final = {
    **{word: (word, True) for word in ("discovered", "won", "invented", "studied")},
    "written": ("wrote", True),
    "authored": ("wrote", True),
    "contained": ("part_of", False),
    "included": ("part_of", False),
    "preceded": ("preceded_by", False),
    "followed": ("followed_by", False),
    "succeeded": ("followed_by", False),
    "caused": ("caused_by", False),
    "employed": ("worked_at", False),
}
_FORMS: Final = {
    **{spelling: (name, False) for name, spellings in _ACTIVE.items() for spelling in spellings},
    **{spelling: (name, True) for name, spellings in _SWAPPED.items() for spelling in spellings},
}

_WORKS: Final = frozenset(
    _words("substance concept technology product algorithm model framework language field event award")
)
_PLACES: Final = frozenset({"location", "organization"})
_WHO: Final = frozenset({"person", "organization"})
_TIMES: Final = frozenset({"location", "date"})
_ANY_THING: Final = _WORKS | _WHO | {"location"}
_KINDS: Final[dict[str, tuple[frozenset[str] | None, frozenset[str] | None]]] = {
    "born_in": (frozenset({"person"}), frozenset({"location"})),
    "discovered": (_WHO, _ANY_THING),
    "discovered_in": (_WORKS | {"location"}, _PLACES | {"date", "event", "substance", "product"}),
    "located_at": (_ANY_THING, _PLACES),
    "won": (_WHO | {"location", "product", "concept", "model", "technology"}, _WORKS - {"substance", "language"}),
    "worked_at": (frozenset({"person"}), _PLACES),
    "wrote": (_WHO, _WORKS - {"substance"}),
    "invented": (_WHO, _WORKS),
    "studied": (_WHO, None),
    "occurred_at": (_WORKS, _TIMES | {"organization"}),
}
_CLAIM_KINDS: Final = _ANY_THING | {"date"}


def canonical_predicate(spelling: str) -> tuple[str, bool]:
    """The predicate that a spelling means, and whether the ends swap: `was discovered by` is `discovered`, swapped.

    Raises NotTaken for one outside the locked set, and for one that denies the fact.
    """
    words = [word.casefold().replace("\u2019", "'") for word in _SPLIT.split(spelling.strip()) if word]
    if _NEGATIONS.intersection(words):
        raise NotTaken("denied by its predicate")
    kept = [word for word in words if word not in _FILLERS]
    found = _find_form(kept)
    if found is not None:
        return found
    try:
        relation, swapped = canonical_relation("_".join(kept))
    except InvalidInput:
        raise NotTaken("not a predicate") from None
    if relation.name not in LOCKED:
        raise NotTaken("not a predicate")
    return relation.name, swapped


def _find_form(words: list[str]) -> tuple[str, bool] | None:
    whole = "_".join(words)
    if whole in _FORMS:
        return _FORMS[whole]
    bare = list(words)
    while bare and bare[0] in _AUXILIARIES:
        bare.pop(0)
    form = "_".join(bare)
    if _BE.intersection(words[: len(words) - len(bare)]) and form in _PASSIVE:
        return _PASSIVE[form]
    return _FORMS.get(form)


def allowed_kinds(predicate: str) -> tuple[frozenset[str] | None, frozenset[str] | None]:
    """The kinds of subject and object that a predicate joins, None for any."""
    return _KINDS.get(predicate, (None, None))


def is_allowed(kind: str, allowed: frozenset[str] | None) -> bool:
    """Tell whether a kind may stand there; nothing is held against the unknown kind, and kinds of one's own."""
    return allowed is None or kind == DEFAULT_KIND or kind not in _CLAIM_KINDS or kind in allowed

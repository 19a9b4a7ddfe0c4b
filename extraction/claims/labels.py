"""Labelled texts: what a model should have read from each, one JSON object a line."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from extraction.claims.base import ClaimText, PriorEntity
from extraction.claims.drops import NotTaken
from extraction.claims.predicates import canonical_predicate
from graph.errors import InvalidInput
from graph.identity import name_key
from graph.vocabulary import DEFAULT_KIND, ENTITY_KINDS, RELATIONS

_SHOWN: Final = 10

Fact = tuple[str, str, str]
"""Subject, predicate and object, the ends by their name keys, in the one direction that facts are compared in."""


@dataclass(frozen=True, slots=True)
class Label:
    """A text, what was named before, and the facts that it states."""

    text: ClaimText
    facts: frozenset[Fact]
    claims: tuple[tuple[str, str, str], ...]


def load_labels(path: Path) -> list[Label]:
    """The labelled texts of a JSON-lines file. Raises InvalidInput that names each bad line by its number."""
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except OSError as exc:
        raise InvalidInput(f"The labelled file {path} can't be read: {exc.strerror or exc}.") from exc
    except UnicodeDecodeError as exc:
        raise InvalidInput(f"The labelled file {path} is not UTF-8: save it as that.") from exc
    labels: list[Label] = []
    faults: list[str] = []
    for number, line in enumerate(lines, start=1):
        try:
            labels.extend([_read_label(line)] if line.strip() else [])
        except InvalidInput as exc:
            faults.append(f"line {number}: {exc}")
    if faults:
        more = f"; and {len(faults) - _SHOWN} more" if len(faults) > _SHOWN else ""
        raise InvalidInput(f"{path} has bad lines. {'; '.join(faults[:_SHOWN])}{more}")
    if not labels:
        raise InvalidInput(f"{path} has no labelled text: give one JSON object a line, with text and claims.")
    return labels


def make_fact(subject: str, predicate: str, target: str) -> Fact:
    """A fact as it is compared: one of two inverse relations stands for both, symmetric ones have their ends sorted."""
    ends = (name_key(subject) or subject, name_key(target) or target)
    relation = RELATIONS.get(predicate)
    if relation is not None and relation.inverse is not None and relation.inverse < predicate:
        return ends[1], relation.inverse, ends[0]
    if relation is not None and relation.symmetric:
        ends = (min(ends), max(ends))
    return ends[0], predicate, ends[1]


def _read_label(line: str) -> Label:
    try:
        value = cast("object", json.loads(line))
    except (ValueError, RecursionError) as exc:
        raise InvalidInput(f"not JSON ({exc})") from exc
    fields = _mapping(value, "the line")
    text = _string(fields, "text")
    claims = tuple(_read_claim(item) for item in _list(fields, "claims"))
    entities = tuple(_read_entity(item) for item in _list(fields, "entities") if item is not None)
    return Label(ClaimText(text, entities), frozenset(make_fact(*claim) for claim in claims), claims)


def _read_claim(value: object) -> tuple[str, str, str]:
    fields = _mapping(value, "a claim")
    subject, spelling, target = (_string(fields, name) for name in ("subject", "predicate", "object"))
    try:
        predicate, swapped = canonical_predicate(spelling)
    except NotTaken as exc:
        raise InvalidInput(f"{spelling[:60]!r} is {exc}") from exc
    return (target, predicate, subject) if swapped else (subject, predicate, target)


def _read_entity(value: object) -> PriorEntity:
    if isinstance(value, str) and value.strip():
        return PriorEntity(value.strip(), DEFAULT_KIND)
    fields = _mapping(value, "an entity")
    kind = str(fields.get("kind", DEFAULT_KIND)).casefold()
    if kind not in ENTITY_KINDS:
        raise InvalidInput(f"unknown kind {kind[:40]!r}: use one of {', '.join(ENTITY_KINDS)}")
    return PriorEntity(_string(fields, "name"), kind)


def _mapping(value: object, what: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise InvalidInput(f"{what} is not a JSON object")
    return cast("dict[str, object]", value)


def _string(fields: Mapping[str, object], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or not value.strip():
        raise InvalidInput(f"{name!r} is missing or no text")
    return value if name == "text" else value.strip()


def _list(fields: Mapping[str, object], name: str) -> Sequence[object]:
    value = fields.get(name, None if name == "claims" else [])
    if not isinstance(value, list):
        raise InvalidInput(f"{name!r} is missing or no list")
    return cast("list[object]", value)

"""A model's answer as items, whatever shape it has: fenced, in prose, cut off, with one bad item among good ones."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, cast

from extraction.claims.drops import ITEM, Drops, NotTaken
from extraction.report import Dropped

MAX_ITEMS: Final = 100
"""The most items of an answer that are read."""

_ANSWER_CHARS: Final = 200_000
_ITEM_CHARS: Final = 6_000
_MAX_DEPTH: Final = 5
_NAME_CHARS: Final = 200
_TEXT_CHARS: Final = 2_000
_DEFAULT_CONFIDENCE: Final = 0.5
_WORDS: Final = {
    **dict.fromkeys(("certain", "very high"), 0.95),
    "high": 0.9,
    **dict.fromkeys(("medium", "moderate"), 0.6),
    "low": 0.3,
    "very low": 0.1,
}
_FENCE: Final = re.compile(r"```[^\n`]*\n(.*?)(?:```|\Z)", re.DOTALL)
_TRAILING_COMMA: Final = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[\]}])', re.DOTALL)
_BRACES: Final = re.compile(r'[{}]|"(?:[^"\\]|\\.)*(?:"|\Z)', re.DOTALL)
_EMPTY_LIST: Final = re.compile(r"\[\s*\]")
_WRAPPER: Final = re.compile(r'\{\s*"[^"\n]{1,40}"\s*:\s*\[')
_NUMBER: Final = re.compile(r"(-?\d+(?:[.,]\d+)?)\s*(%?)")
_HUNDRED: Final = 100.0


@dataclass(frozen=True, slots=True)
class Item:
    """A fact as the model gave it: nothing is checked against the text yet."""

    subject: str
    predicate: str
    object: str
    evidence: str
    confidence: float
    valid_from: str | None = None
    valid_to: str | None = None
    relation_text: str | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The good items and what was wrong with the others. `readable` is False when there was no JSON at all."""

    items: tuple[Item, ...]
    drops: tuple[Dropped, ...]
    readable: bool = True


def parse_answer(raw: str) -> Answer:
    """The items of an answer. Never raises: what can't be read is counted."""
    drops = Drops()
    values = _find_values(raw[:_ANSWER_CHARS].strip(), drops)
    if values is None:
        drops.add(ITEM, "no JSON in the answer" if raw.strip() else "an empty answer")
        return Answer((), drops.total(), readable=False)
    items: list[Item] = []
    for value in values[:MAX_ITEMS]:
        try:
            items.append(_make_item(value))
        except NotTaken as exc:
            drops.add(_predicate_of(value), str(exc))
    if len(values) > MAX_ITEMS:
        drops.add(ITEM, f"more than {MAX_ITEMS} items", len(values) - MAX_ITEMS)
    return Answer(tuple(items), drops.total())


def _find_values(text: str, drops: Drops) -> list[object] | None:
    """What the list holds; None where there is neither a list nor an object."""
    for candidate in _candidates(text):
        values = _load_list(candidate)
        if values is not None:
            return values
    scanned = list(_scan(text, drops))
    if scanned or drops.total():
        return scanned
    return [] if _EMPTY_LIST.search(text) else None


def _candidates(text: str) -> Iterator[str]:
    yield text
    yield from (match[1].strip() for match in _FENCE.finditer(text))
    start, end = text.find("[{"), text.rfind("]")
    if 0 <= start < end:
        yield text[start : end + 1]


def _load_list(text: str) -> list[object] | None:
    """A list of items, however wrapped; None when the text is not whole JSON of that kind."""
    try:
        value = _load(text)
    except ValueError:
        return None
    if isinstance(value, list):
        return cast("list[object]", value)
    return _unwrap(cast("dict[str, object]", value)) if isinstance(value, dict) else None


def _unwrap(value: dict[str, object]) -> list[object]:
    inner = [cast("list[object]", part) for part in value.values() if isinstance(part, list)]
    return inner[0] if len(inner) == 1 and "predicate" not in value else [value]


def _load(text: str) -> object:
    """Raises ValueError alone."""
    try:
        return cast("object", json.loads(text, strict=False))
    except RecursionError as exc:
        raise ValueError("nested too deeply") from exc


def _scan(text: str, drops: Drops) -> Iterator[object]:
    """The objects of a list that is broken somewhere, one by one."""
    place, tries = text.find("{"), 0
    while place >= 0:
        tries += 1
        if tries > 2 * MAX_ITEMS:
            drops.add(ITEM, f"more than {MAX_ITEMS} items")
            return
        end = _find_end(text, place)
        try:
            value = _load_item(text[place : end or 0])
        except ValueError:
            if not _WRAPPER.match(text, place):
                drops.add(ITEM, "not JSON" if end else "cut off")
            place = text.find("{", place + 1)
            continue
        yield from _unwrap(value)
        place = text.find("{", end or len(text))


def _find_end(text: str, start: int) -> int | None:
    """Behind the brace that closes the one at `start`; None when there is none within an item's length."""
    depth = 0
    for match in _BRACES.finditer(text, start, min(len(text), start + _ITEM_CHARS)):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0:
            return match.end()
        if depth > _MAX_DEPTH:
            break
    return None


def _load_item(text: str) -> dict[str, object]:
    try:
        value = _load(text)
    except ValueError:
        value = _load(_TRAILING_COMMA.sub(lambda match: match[1] or "", text))
    if not isinstance(value, dict):
        raise ValueError("not an object")  # noqa: TRY004 - as json says it
    return cast("dict[str, object]", value)


def _make_item(value: object) -> Item:
    if not isinstance(value, dict):
        raise NotTaken("not an object")
    fields = {str(name).strip().casefold(): part for name, part in cast("dict[object, object]", value).items()}
    return Item(
        subject=_required(fields, "subject"),
        predicate=_required(fields, "predicate"),
        object=_required(fields, "object"),
        evidence=_find_text(fields, "evidence") or "",
        confidence=_read_confidence(fields.get("confidence")),
        valid_from=_find_text(fields, "valid_from"),
        valid_to=_find_text(fields, "valid_to"),
        relation_text=_find_text(fields, "relation_text"),
        description=_find_text(fields, "description"),
    )


def _required(fields: Mapping[str, object], name: str) -> str:
    text = _find_text(fields, name)
    if text is None:
        raise NotTaken(f"no {name}")
    if len(text) > _NAME_CHARS:
        raise NotTaken(f"{name} over {_NAME_CHARS} characters")
    return text


def _find_text(fields: Mapping[str, object], name: str) -> str | None:
    """A field as text; a number as its digits, an object by its name."""
    value = fields.get(name)
    if isinstance(value, dict):
        value = cast("dict[str, object]", value).get("name")
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        value = str(value) if abs(value) < 10**15 else None
    if not isinstance(value, str) or not value.strip():
        return None
    return value.strip()[:_TEXT_CHARS]


def _read_confidence(value: object) -> float:
    """In [0, 1]: from 0.9, 90, `0.9`, `90%` or `high`; a middling one when the model gave none."""
    if value is None or value == "":
        return _DEFAULT_CONFIDENCE
    number = _read_number(value)
    if number is None or not math.isfinite(number) or not 0.0 <= number <= 1.0:
        raise NotTaken("confidence is not a number from 0 to 1")
    return number


def _read_number(value: object) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value / _HUNDRED if 1 < value <= _HUNDRED and value == int(value) else float(value)
    if not isinstance(value, str):
        return None
    word = value.strip().casefold()
    match = _NUMBER.fullmatch(word)
    if match is None:
        return _WORDS.get(word)
    number = float(match[1].replace(",", "."))
    return number / _HUNDRED if match[2] else _read_number(number)


def _predicate_of(value: object) -> str:
    predicate = cast("dict[str, object]", value).get("predicate") if isinstance(value, dict) else None
    return predicate if isinstance(predicate, str) else ITEM

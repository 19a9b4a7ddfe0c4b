"""Which names are worth comparing: those that share a key, so that not all are compared with all."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from graph.name_forms import NameForm, parse_name

_RARE: Final = 30
"""Names at most that share a word, or all words but one, and are compared for that."""
_WINDOW: Final = 20
"""Names that one is compared with in a key's list, and no more: lists of any length cost the same a name."""
_NEXT: Final = 4
"""Neighbours on either side in the order of letters, from the first on and from the last back."""
_WORD: Final = "word "
_GAP: Final = "gap "


@dataclass(frozen=True, slots=True)
class Entity:
    """A named thing with the forms of its name (the first) and of its aliases."""

    node_id: str
    kind: str
    forms: tuple[NameForm, ...]

    @classmethod
    def of(cls, node_id: str, name: str, kind: str, aliases: Sequence[str]) -> "Entity":
        """Take the names apart."""
        others = [alias for alias in aliases if alias != name]
        return cls(node_id, kind, tuple(parse_name(one, kind) for one in (name, *others)))


class Candidates:
    """The pairs of entities that are worth comparing, by their places in the list given."""

    def __init__(self, entities: Sequence[Entity], *, alike: bool) -> None:
        """With `alike`, pairs that merely share a rare word are worth it, too."""
        self._size = len(entities)
        blocks: dict[str, list[int]] = {}
        for index, entity in enumerate(entities):
            for key in sorted({key for form in entity.forms for key in _keys(form, alike)}):
                blocks.setdefault(key, []).append(index)
        self._blocks_of: list[list[list[int]]] = [[] for _ in entities]
        for key, block in blocks.items():
            if len(block) < 2 or (key.startswith((_WORD, _GAP)) and len(block) > _RARE):
                continue
            for index in block:
                self._blocks_of[index].append(block)
        self._near: list[set[int]] = [set() for _ in entities]
        names = [entity.forms[0].joined for entity in entities]
        for letters in (names, [name[::-1] for name in names]):
            self._add_neighbors([index for index in _sorted_places(letters) if names[index]])

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """Each pair once, the smaller place first, in order."""
        for index in range(self._size):
            found = set(self._near[index])
            for block in self._blocks_of[index]:
                start = bisect_right(block, index)
                found.update(block[start : start + _WINDOW])
            for other in sorted(found):
                yield index, other

    def _add_neighbors(self, order: Sequence[int]) -> None:
        for place, index in enumerate(order):
            for other in order[place + 1 : place + 1 + _NEXT]:
                self._near[min(index, other)].add(max(index, other))


def _sorted_places(letters: Sequence[str]) -> list[int]:
    return sorted(range(len(letters)), key=lambda index: (letters[index], index))


def _keys(form: NameForm, alike: bool) -> Iterator[str]:
    yield f"key {form.key}"
    if form.day is not None:
        yield f"day {form.day}"
    if not form.words:
        return
    for words in (form.words, form.umlauts, *(tuple(text.split()) for text in form.romanized)):
        yield "words " + " ".join(sorted(words))
    joined = form.joined
    yield f"joined {joined}"
    yield f"joined {joined.removesuffix('s')}"
    if len(joined) >= 5:
        yield "letters " + "".join(sorted(set(joined)))
    for acronym in {form.acronym, *form.initials} - {""}:
        yield f"acronym {acronym}"
    if len(form.words) > 1:
        yield f"person {form.words[0][0]} {form.words[-1]}"
        for place in range(len(form.words)):
            yield f"{_GAP}{place} " + " ".join((*form.words[:place], *form.words[place + 1 :]))
        if alike:
            yield from (_WORD + word for word in form.words if len(word) >= 4)
    if len(form.telling) >= 3:
        yield "telling " + " ".join(form.telling)

"""Requests for pages of many parents, and how one statement answers them all.

The rows of a statement carry the position of their request, and its items carry it back.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, Protocol, TypeVar

from graph.answers import Direction, Key, Page
from graph.errors import InvalidInput
from graph.vocabulary import relation_type

MAX_FIRST: Final = 1_000
"""Items of one page."""


@dataclass(frozen=True, slots=True)
class PageRequest:
    """The first items of a parent, or the first after a key. `first` is 0 to 1,000."""

    parent: str
    first: int
    after: Key | None = None


@dataclass(frozen=True, slots=True)
class EdgesRequest:
    """The first edges of a node in a direction, or the first after a key. No relations mean all."""

    parent: str
    direction: Direction
    relations: tuple[str, ...]
    first: int
    after: Key | None = None


@dataclass(frozen=True, slots=True)
class NeighborsRequest:
    """The first nodes one edge away from a node. No relations mean all."""

    parent: str
    direction: Direction
    relations: tuple[str, ...]
    first: int


class _Sized(Hashable, Protocol):
    @property
    def first(self) -> int: ...


_Request = TypeVar("_Request", bound=_Sized)
_Item = TypeVar("_Item")


class Batch(Generic[_Request]):
    """Different requests for one statement. Raises InvalidInput for a `first` outside 0 to 1,000."""

    def __init__(self, requests: Iterable[_Request]) -> None:
        self.requests = tuple(dict.fromkeys(requests))
        for request in self.requests:
            check_first(request.first)

    @property
    def limit(self) -> int:
        """One item more than the longest page has, which tells whether there is a next one."""
        return 1 + max((request.first for request in self.requests), default=0)

    def rows(self, details: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """The statement's rows: the position and limit of each request, and what else there is to it, in order."""
        return [
            {"position": position, "limit": request.first + 1, **more}
            for position, (request, more) in enumerate(zip(self.requests, details, strict=True))
        ]

    def pages(self, found: Iterable[tuple[int, _Item, Key]]) -> dict[_Request, Page[_Item]]:
        """A page for each request, from items in order: the position of the request, the item and its key."""
        items: list[list[_Item]] = [[] for _ in self.requests]
        keys: list[list[Key]] = [[] for _ in self.requests]
        for position, item, key in found:
            items[position].append(item)
            keys[position].append(key)
        return {
            request: cut_page(items[position], keys[position], request.first)
            for position, request in enumerate(self.requests)
        }

    def lists(self, found: Iterable[tuple[int, _Item]]) -> dict[_Request, tuple[_Item, ...]]:
        """The first items for each request, from items in order."""
        pages = self.pages((position, item, ()) for position, item in found)
        return {request: page.items for request, page in pages.items()}


def cut_page(items: Sequence[_Item], keys: Sequence[Key], first: int) -> Page[_Item]:
    """Return the page of the `first` items out of one more than that."""
    return Page(tuple(items[:first]), tuple(keys[:first]), has_next=len(items) > first)


def check_first(first: int) -> None:
    """Raise InvalidInput unless `first` is 0 to 1,000."""
    if not 0 <= first <= MAX_FIRST:
        raise InvalidInput(f"first is {first}; it must be 0 to {MAX_FIRST:,}.")


def check_key(key: Key | None, types: Sequence[type]) -> list[str | int | float] | None:
    """The key as a parameter. Raises InvalidInput unless it has values of these types; an int may stand for a float."""
    if key is None:
        return None
    fits = len(key) == len(types) and all(_fits(value, wanted) for value, wanted in zip(key, types, strict=True))
    if not fits:
        raise InvalidInput(f"The place {key!r:.60} is none of this list: take one from a page with the same order.")
    return list(key)


def _fits(value: object, wanted: type) -> bool:
    if isinstance(value, bool):
        return False
    if wanted is str:
        return isinstance(value, str)
    accepted = int if wanted is int else (int, float)
    return isinstance(value, accepted) and abs(value) < _NUMBER_LIMIT


_NUMBER_LIMIT: Final = 2**63


def side_row(direction: Direction, relations: Sequence[str]) -> dict[str, Any]:
    """The parameters of a direction and relations. Raises InvalidInput for an unknown relation."""
    for relation in relations:
        relation_type(relation)
    return {
        "outgoing": direction is not Direction.INCOMING,
        "incoming": direction is not Direction.OUTGOING,
        "relations": list(relations),
    }

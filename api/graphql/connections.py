"""Relay connections over pages of the graph layer."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

import strawberry

from api.graphql.cursors import CursorSigner
from api.graphql.errors import InvalidField
from graph.answers import Key, Page

_Item = TypeVar("_Item")
_View = TypeVar("_View")

MAX_FIRST: Final = 100


def check_first(first: int | None, default: int) -> int:
    """Return `first`, or the default for null. Raises InvalidField outside 0 to 100."""
    if first is None:
        return default
    if not 0 <= first <= MAX_FIRST:
        raise InvalidField("first", f"first is {first}; it must be 0 to {MAX_FIRST}.")
    return first


@dataclass(frozen=True, slots=True)
class CursorSpace:
    """The one list that a cursor belongs to: a tenant's, of one kind, parent and order."""

    signer: CursorSigner
    tenant: str
    name: str

    def encode(self, key: Key) -> str:
        """Return the cursor of a place."""
        return self.signer.encode(self.tenant, self.name, key)

    def decode(self, cursor: str | None) -> Key | None:
        """Return the place of a cursor. Raises InvalidInput for one of another list."""
        return None if cursor is None else self.signer.decode(self.tenant, self.name, cursor)


@strawberry.type(description="Where a page lies in its list.")
class PageInfo:
    has_next_page: bool = strawberry.field(description="Whether there is more after `endCursor`.")
    has_previous_page: bool = strawberry.field(description="Whether there is something before `startCursor`.")
    start_cursor: str | None = strawberry.field(description="The cursor of the first item; null when there is none.")
    end_cursor: str | None = strawberry.field(
        description="The cursor of the last item, for `after`; null when there is none."
    )


@strawberry.type(name="ConnectionEdge", description="An item with its cursor.")
class ConnectionEdge(Generic[_Item]):
    node: _Item = strawberry.field(description="The item.")
    space: strawberry.Private[CursorSpace]
    key: strawberry.Private[Key]

    @strawberry.field(description="Where this item stands, for `after`: opaque, of this list alone.")
    def cursor(self) -> str:
        return self.space.encode(self.key)


@strawberry.type(name="Connection", description="A page of a list, in a fixed order.")
class Connection(Generic[_Item]):
    nodes: list[_Item] = strawberry.field(description="The items, as in `edges` but without cursors.")
    keys: strawberry.Private[Sequence[Key]]
    space: strawberry.Private[CursorSpace]
    has_next: strawberry.Private[bool]
    has_previous: strawberry.Private[bool]
    count: strawberry.Private[Callable[[], Awaitable[int]]]

    @strawberry.field(description="The items with their cursors.")
    def edges(self) -> list[ConnectionEdge[_Item]]:
        return [
            ConnectionEdge(node=node, space=self.space, key=key)
            for node, key in zip(self.nodes, self.keys, strict=True)
        ]

    @strawberry.field(description="Where this page lies in its list.")
    def page_info(self) -> PageInfo:
        return PageInfo(
            has_next_page=self.has_next,
            has_previous_page=self.has_previous,
            start_cursor=self.space.encode(self.keys[0]) if self.keys else None,
            end_cursor=self.space.encode(self.keys[-1]) if self.keys else None,
        )

    @strawberry.field(description="The size of the whole list. Counted only when asked for.")
    async def total_count(self) -> int:
        return await self.count()


def connect_page(
    page: Page[_View],
    make: Callable[[_View], _Item],
    *,
    space: CursorSpace,
    after: Key | None,
    count: Callable[[], Awaitable[int]],
) -> Connection[_Item]:
    """Return a page of the graph layer as a connection whose items `make` makes."""
    return Connection(
        nodes=[make(item) for item in page.items],
        keys=page.keys,
        space=space,
        has_next=page.has_next,
        has_previous=after is not None,
        count=count,
    )


async def paginate(
    fetch: Callable[[int, Key | None], Awaitable[Page[_View]]],
    make: Callable[[_View], _Item],
    *,
    space: CursorSpace,
    first: int | None,
    default: int,
    after: str | None,
    count: Callable[[], Awaitable[int]],
) -> Connection[_Item]:
    """Fetch the page after a cursor and return it as a connection; for `first` 0 nothing but whether there is more."""
    place = space.decode(after)
    size = check_first(first, default)
    page = await fetch(max(size, 1), place)
    if not size:
        page = Page((), (), has_next=bool(page.items))
    return connect_page(page, make, space=space, after=place, count=count)

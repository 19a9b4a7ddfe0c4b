"""Communities: nodes that are joined more closely with each other than with the rest, by Leiden.

Source: Traag, Waltman, van Eck, "From Louvain to Leiden: guaranteeing well-connected communities", 2019.
"""

import bisect
import hashlib
import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from graph.analytics import ProjectedRow, project
from graph.answers import Key, Page
from graph.database import Database
from graph.errors import InvalidInput
from graph.statements import Statement, load_statement
from graph.views import fetch_node_views

MAX_TOP_NODES: Final = 100


@dataclass(frozen=True, slots=True)
class CommunityView:
    """A community of two nodes or more. Its id follows from its members, so it is another when they change.

    `label` is the name of its best connected member. `top_nodes` has up to 100 members with the number of their edges,
    self-loops aside, best first, equal ones by id; `members` has all ids, sorted.
    """

    community_id: str
    label: str
    size: int
    top_nodes: tuple[tuple[str, float], ...]
    members: tuple[str, ...]


class Communities:
    """All communities of a graph as it was when they were computed; about 200 bytes a node."""

    def __init__(self, communities: Iterable[CommunityView]) -> None:
        self._ordered = sorted(communities, key=lambda view: _place(view.size, view.community_id))
        self._places = [_place(view.size, view.community_id) for view in self._ordered]
        self._by_id = {view.community_id: view for view in self._ordered}
        self._by_member = {member: view.community_id for view in self._ordered for member in view.members}

    @property
    def count(self) -> int:
        """The number of communities."""
        return len(self._ordered)

    def get(self, community_id: str) -> CommunityView | None:
        """A community by its id, or None."""
        return self._by_id.get(community_id)

    def find_of(self, node_id: str) -> str | None:
        """The id of the community that a node is in; None for a node without edges to others, or that is not there."""
        return self._by_member.get(node_id)

    def page(self, first: int, after: Key | None = None) -> Page[CommunityView]:
        """The next communities after a key, largest first, then by id. Raises InvalidInput for another list's key."""
        start = 0 if after is None else bisect.bisect_right(self._places, _read(after))
        items = tuple(self._ordered[start : start + first])
        keys = tuple((view.size, view.community_id) for view in items)
        return Page(items, keys, has_next=start + first < len(self._ordered))


@dataclass(frozen=True, slots=True)
class _Member:
    node_id: str
    community: int
    degree: float


@dataclass(frozen=True, slots=True)
class _Written:
    written: int


_PROJECT: Final[Statement[ProjectedRow]] = load_statement("communities/project_ordered", ProjectedRow)
_ADD_DEGREES = load_statement("communities/add_degrees", _Written)
_MEMBERS = load_statement("communities/stream_members", _Member)


async def compute_communities(database: Database) -> Communities:
    """Partition the nodes by their edges, of whatever relation, direction and confidence, each counted once.

    The same for the same graph, in whatever order it was written. Raises NotAvailable without GDS.
    """
    groups: dict[int, list[_Member]] = {}
    async with project(database, _PROJECT) as graph:
        if graph is not None:
            await database.fetch(_ADD_DEGREES, graph=graph.name)
            async for row in database.stream(_MEMBERS, graph=graph.name):
                groups.setdefault(row.community, []).append(row)
    best = {community: _best(members) for community, members in groups.items()}
    views = await fetch_node_views(database, (top[0].node_id for top in best.values()))
    names = {node_id: view.name for node_id, view in views.items()}
    return Communities(_view(members, best[community], names) for community, members in groups.items())


def _best(members: Sequence[_Member]) -> list[_Member]:
    return heapq.nsmallest(MAX_TOP_NODES, members, key=lambda member: (-member.degree, member.node_id))


def _view(members: Sequence[_Member], best: Sequence[_Member], names: dict[str, str]) -> CommunityView:
    ids = tuple(sorted(member.node_id for member in members))
    digest = hashlib.sha256("\n".join(ids).encode("utf-8", "surrogatepass")).hexdigest()
    return CommunityView(
        community_id=digest[:16],
        label=names.get(best[0].node_id, best[0].node_id),
        size=len(ids),
        top_nodes=tuple((member.node_id, member.degree) for member in best),
        members=ids,
    )


def _place(size: int, community_id: str) -> tuple[int, str]:
    return -size, community_id


def _read(key: Key) -> tuple[int, str]:
    if len(key) != 2 or not isinstance(key[0], int) or not isinstance(key[1], str):
        raise InvalidInput("That is no place in the list of communities: start at the beginning.")
    return _place(key[0], key[1])

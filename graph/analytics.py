"""Rankings computed by Neo4j Graph Data Science on a projection of the tenant's graph."""

import asyncio
import uuid
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from graph.answers import Hubs, RankedNode
from graph.backends.base import Endpoint
from graph.database import Database
from graph.errors import InvalidInput, NotAvailable
from graph.statements import load_statement
from graph.views import NodeRow
from graph.vocabulary import RELATION_TYPES, kind_label

if TYPE_CHECKING:
    from graphdatascience import GraphDataScience

MAX_LIMIT: Final = 1_000


@dataclass(frozen=True, slots=True)
class _RankedRow(NodeRow):
    score: float


@dataclass(frozen=True, slots=True)
class _TypeRow:
    type: str


_RANK = load_statement("analytics/rank_by_degree", _RankedRow)
_TYPES = load_statement("analytics/fetch_relationship_types", _TypeRow)


async def fetch_hubs(database: Database, *, kinds: Sequence[str] = (), limit: int = 10) -> Hubs:
    """The nodes with the most edges, in and out, self-loops aside; equal scores in the order of ids.

    Raises InvalidInput for an unknown kind or a limit outside 1 to 1,000, NotAvailable without GDS.
    """
    if not 1 <= limit <= MAX_LIMIT:
        raise InvalidInput(f"limit is {limit}; it must be 1 to {MAX_LIMIT:,}.")
    for kind in kinds:
        kind_label(kind)
    present = {row.type for row in await database.fetch(_TYPES)}
    types = sorted(present & set(RELATION_TYPES.values()))
    if not types:
        return Hubs((), by="degree")
    async with _projection(database.endpoint, types) as graph:
        rows = await database.fetch(_RANK, graph=graph, kinds=list(kinds), limit=limit)
    return Hubs(tuple(RankedNode(row.view(), row.score) for row in rows), by="degree")


@asynccontextmanager
async def _projection(endpoint: Endpoint, types: list[str]) -> AsyncGenerator[str]:
    # A name of its own for each call: two callers at once don't meet, and none sees another's stale projection.
    name = f"cogniverse-{uuid.uuid4().hex}"
    client = await asyncio.to_thread(_open_client, endpoint)
    try:
        projected = await asyncio.to_thread(client.graph.project.native, name, "Node", types, log_progress=False)
        try:
            yield name
        finally:
            await asyncio.to_thread(projected.graph.drop, False)
    finally:
        await asyncio.to_thread(client.close)


def _open_client(endpoint: Endpoint) -> "GraphDataScience":
    from graphdatascience import GraphDataScience

    try:
        return GraphDataScience(
            endpoint.uri,
            auth=(endpoint.user, endpoint.password),
            aura_ds=False,
            database=endpoint.database,
            arrow=False,
            show_progress=False,
        )
    except Exception as exc:
        raise NotAvailable(f"Graph Data Science does not answer on this server: {exc}") from exc

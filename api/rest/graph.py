"""Questions to a graph, and what a caller asserts."""

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Body, Depends, Query
from pydantic import BaseModel, Field

from api.auth.access import Role
from api.context import RequestContext
from api.meaning import find_meaning
from api.rest.dependencies import AskedTenant, get_context
from api.rest.errors import ERROR_ANSWERS
from graph.answers import Direction, GraphStats, Neighborhood, NoPath, Path, SearchMode, SearchResult
from graph.assertions import EdgeAssertion, NodeAssertion, upsert_graph
from graph.neighbors import fetch_neighbors
from graph.paths import find_path
from graph.search import search_nodes
from graph.stats import get_stats

router = APIRouter(prefix="/graph", tags=["graph"], responses=ERROR_ANSWERS)

Context = Annotated[RequestContext, Depends(get_context)]
Relations = Annotated[list[str], Query(alias="relation", description="Only edges of these relations.")]


class UpsertBody(BaseModel):
    """Nodes and edges from elsewhere, kept under a document's id."""

    tenant: str | None = Field(default=None, description="Whose graph; the default tenant when not given.")
    source_doc_id: str = Field(description="The document that states them.")
    nodes: list[NodeAssertion] = Field(default=[], description="The nodes.")
    edges: list[EdgeAssertion] = Field(default=[], description="The edges.")


class UpsertAnswer(BaseModel):
    """What was written."""

    document_id: str
    nodes_upserted: int
    edges_upserted: int


class PathAnswer(BaseModel):
    """A shortest path, or why there is none to show."""

    found: bool
    length: int | None = Field(default=None, description="The number of edges.")
    path: Path | None = None
    no_path: NoPath | None = None


@router.post("/upsert", summary="Write nodes and edges from elsewhere, by name; idempotent")
async def upsert(context: Context, body: Annotated[UpsertBody, Body()]) -> UpsertAnswer:
    context.principal.require(Role.WRITER)
    scope = await context.get_writable(body.tenant or context.services.settings.tenant, create=True)
    done = await scope.ask(upsert_graph, body.source_doc_id, body.nodes, body.edges)
    return UpsertAnswer(document_id=done.document_id, nodes_upserted=done.nodes, edges_upserted=done.edges)


@router.get("/search", summary="Find nodes by words and meaning; exact names come first")
async def search(
    context: Context,
    tenant: AskedTenant,
    q: Annotated[str, Query(description="Any text: no character is syntax.", max_length=10_000)],
    top_k: Annotated[int, Query(ge=1, le=100, description="The most hits.")] = 10,
    mode: Annotated[SearchMode, Query(description="By words, by meaning, or both.")] = SearchMode.HYBRID,
) -> SearchResult:
    scope = await context.get_scope(tenant)
    meaning = await find_meaning(context.services.models, q, mode)
    found = await scope.ask(search_nodes, q, top_k=top_k, mode=mode, vector=meaning.vector, reranker=meaning.reranker)
    return replace(found, degraded=(*found.degraded, *meaning.degraded))


@router.get("/neighbors", summary="What a node points to and what points to it")
async def neighbors(
    context: Context,
    tenant: AskedTenant,
    node: Annotated[str, Query(description="An id or a name.")],
    depth: Annotated[int, Query(ge=1, le=10, description="How many edges away.")] = 1,
    direction: Annotated[Direction, Query(description="Which edges, seen from the node.")] = Direction.BOTH,
    relations: Relations = [],  # noqa: B006 - never changed
    min_confidence: Annotated[float, Query(ge=0, le=1, description="Only over edges at least as sure.")] = 0.0,
    limit: Annotated[int, Query(ge=1, le=100, description="The most in each direction.")] = 50,
) -> Neighborhood:
    scope = await context.get_scope(tenant)
    return await scope.ask(
        fetch_neighbors,
        node,
        depth=depth,
        direction=direction,
        relations=relations,
        min_confidence=min_confidence,
        limit=limit,
    )


@router.get("/path", summary="The shortest path from one node to another")
async def path(
    context: Context,
    tenant: AskedTenant,
    source: Annotated[str, Query(alias="from", description="Where it begins: an id or a name.")],
    target: Annotated[str, Query(alias="to", description="Where it ends.")],
    max_depth: Annotated[int, Query(ge=1, le=30, description="The most edges.")] = 6,
    direction: Annotated[Direction, Query(description="Which way the edges point.")] = Direction.OUTGOING,
    relations: Relations = [],  # noqa: B006
) -> PathAnswer:
    scope = await context.get_scope(tenant)
    found = await scope.ask(find_path, source, target, max_depth=max_depth, direction=direction, relations=relations)
    if isinstance(found, NoPath):
        return PathAnswer(found=False, no_path=found)
    return PathAnswer(found=True, length=found.length, path=found)


@router.get("/stats", summary="The size of a tenant's graph")
async def stats(context: Context, tenant: AskedTenant) -> GraphStats:
    return await (await context.get_scope(tenant)).ask(get_stats)

"""What mutations return."""

from datetime import datetime
from typing import Annotated

import strawberry

from api.graphql.errors import Problem
from api.graphql.jobs import Job
from api.graphql.nodes import Node
from api.graphql.results import Degradation
from api.graphql.sources import Document
from api.graphql.tenants import Tenant


@strawberry.type(description="What was found and not stored, and why.")
class DropCount:
    what: str = strawberry.field(description="What kind of thing.")
    reason: str = strawberry.field(description="Why it was dropped.")
    count: int = strawberry.field(description="How many.")


@strawberry.type(description="A file that is in the graph.")
class IngestReport:
    document: Document = strawberry.field(description="The document.")
    graph_nodes: int = strawberry.field(description="How many nodes it declares.")
    graph_edges: int = strawberry.field(description="How many edges it states.")
    mentions: int = strawberry.field(description="How many mentions support them.")
    segments: int = strawberry.field(description="Into how many pieces its text was cut.")
    unchanged: bool = strawberry.field(description="True when the graph had just this already.")
    degraded: list[Degradation] = strawberry.field(description="What its ingestion did without.")
    dropped: list[DropCount] = strawberry.field(description="What was found and not stored.")
    elapsed_seconds: float = strawberry.field(description="How long it took.")


IngestPayload = Annotated[
    IngestReport | Job | Problem,
    strawberry.union(
        "IngestPayload", description="A report, for a large file the job that reads it, or what went wrong."
    ),
]
TenantPayload = Annotated[
    Tenant | Problem, strawberry.union("TenantPayload", description="The tenant, or what went wrong.")
]
JobPayload = Annotated[Job | Problem, strawberry.union("JobPayload", description="The job, or what went wrong.")]


@strawberry.type(description="What an upsert has written.")
class UpsertReport:
    nodes_upserted: int = strawberry.field(description="How many nodes were given, each once.")
    edges_upserted: int = strawberry.field(description="How many edges were given, each once.")
    document: Document = strawberry.field(description="The document that states them.")


UpsertPayload = Annotated[
    UpsertReport | Problem, strawberry.union("UpsertPayload", description="A report, or what went wrong.")
]


@strawberry.type(description="What went with a document.")
class DeleteReport:
    id: strawberry.ID = strawberry.field(description="The document that was deleted.")
    nodes_removed: int = strawberry.field(description="Nodes that only it supported.")
    edges_removed: int = strawberry.field(description="Edges that only it supported.")
    mentions_removed: int = strawberry.field(description="Its mentions.")


DeletePayload = Annotated[
    DeleteReport | Problem, strawberry.union("DeletePayload", description="A report, or what went wrong.")
]


@strawberry.type(description="A merge of nodes, which can be undone.")
class MergeRecord:
    id: strawberry.ID = strawberry.field(description="For `undoMerge`.")
    into: Node = strawberry.field(description="The node that stays.")
    merged: list[strawberry.ID] = strawberry.field(description="The nodes that went into it, sorted.")
    at: datetime = strawberry.field(description="When.")
    undone: bool = strawberry.field(description="Whether it was undone.")


MergePayload = Annotated[
    MergeRecord | Problem, strawberry.union("MergePayload", description="The merge, or what went wrong.")
]

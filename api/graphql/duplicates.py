"""Nodes that may be one thing under two names."""

import strawberry

from api.graphql.nodes import Node, make_node
from api.graphql.results import Degradation, make_degraded
from api.graphql.scope import TenantScope
from graph.duplicates import find_duplicates


@strawberry.type(description="Two nodes that may be one: a suggestion, for `mergeNodes`.")
class Duplicate:
    a: Node = strawberry.field(description="The node of the smaller id.")
    b: Node = strawberry.field(description="The other.")
    score: float = strawberry.field(description="0 to 1; from 0.8 on a rule of names holds.")
    reasons: list[str] = strawberry.field(description="What the score rests on, in words.")


@strawberry.type(description="Nodes that may be one, best pairs first, equal ones by their ids.")
class DuplicatesResult:
    pairs: list[Duplicate] = strawberry.field(description="The pairs.")
    truncated: bool = strawberry.field(description="Whether there are more.")
    degraded: list[Degradation] = strawberry.field(description="What the search did without.")


async def search_duplicates(scope: TenantScope, first: int, min_score: float | None) -> DuplicatesResult:
    """Find the pairs of a tenant's entities that score at least so much."""
    least = 0.8 if min_score is None else min_score
    found = await scope.ask(find_duplicates, min_score=least, limit=max(first, 1))
    pairs = [
        Duplicate(a=make_node(scope, pair.a), b=make_node(scope, pair.b), score=pair.score, reasons=list(pair.reasons))
        for pair in found.pairs[:first]
    ]
    return DuplicatesResult(
        pairs=pairs,
        truncated=found.truncated or len(found.pairs) > first,
        degraded=make_degraded(found.degraded),
    )

"""One question to several tenants: searches side by side, and what each says of one thing."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Final

import strawberry

from api.graphql.connections import check_first
from api.graphql.errors import InvalidField, find_code
from api.graphql.nodes import Edge, make_edge
from api.graphql.results import Degradation, NodeHit
from api.graphql.scope import TenantScope
from api.meaning import Meaning, find_meaning
from graph.answers import EdgeWithEnds
from graph.comparison import ComparedFact as Compared
from graph.comparison import compare_facts, fetch_facts
from graph.errors import CogniverseError, InvalidInput

if TYPE_CHECKING:
    from api.context import RequestContext
    from api.graphql.tenants import Tenant

MAX_TENANTS: Final = 20
_MAX_FACTS: Final = 1_000


@strawberry.type(description="A hit and the tenant that it is from.")
class FederatedHit:
    tenant: Annotated["Tenant", strawberry.lazy("api.graphql.tenants")] = strawberry.field(description="The tenant.")
    hit: NodeHit = strawberry.field(description="The hit.")


@strawberry.type(description="Hits of several tenants, each tenant's best before any tenant's second.")
class FederatedSearchResult:
    hits: list[FederatedHit] = strawberry.field(description="The hits.")
    degraded: list[Degradation] = strawberry.field(
        description="Tenants that did not answer, and what the others did without."
    )


@strawberry.type(description="A fact and who states it.")
class ComparedFact:
    tenants: list[strawberry.ID] = strawberry.field(description="The tenants that state it, sorted.")
    edge: Edge = strawberry.field(description="The fact, as the first of them has it.")


@strawberry.type(description="What tenants say of one thing.")
class TenantComparison:
    name: str = strawberry.field(description="The name that was asked for.")
    shared: list[ComparedFact] = strawberry.field(description="Facts that two or more state.")
    only_in: list[ComparedFact] = strawberry.field(description="Facts that only one states.")
    conflicting: list[ComparedFact] = strawberry.field(
        description="Facts that can't all be true: one source with several targets of a relation that allows one."
    )


async def search_tenants(
    context: "RequestContext", tenants: Sequence[str], query: str, first: int | None
) -> FederatedSearchResult:
    """Search tenants side by side; one that fails or is unknown is named in `degraded`."""
    from api.graphql.tenants import Tenant

    size = check_first(first, 10)
    wanted = _check_tenants(tenants)
    if not query.strip():
        raise InvalidInput("The search text is blank: give at least one word.")
    scopes = [await context.find_scope(name) for name in wanted]
    degraded = [_unknown(name) for name, scope in zip(wanted, scopes, strict=True) if scope is None]
    found: list[tuple[int, str, FederatedHit]] = []
    known = [scope for scope in scopes if scope is not None]
    meaning = await find_meaning(context.services.models, query)
    results = await asyncio.gather(*(_search(scope, query, size, meaning) for scope in known))
    for scope, result in zip(known, results, strict=True):
        if isinstance(result, Degradation):
            degraded.append(result)
            continue
        hits, without = result
        tenant = Tenant.of(scope)
        degraded += [Degradation(part=f"{scope.tenant}: {part.part}", reason=part.reason) for part in without]
        found += [(rank, str(scope.tenant), FederatedHit(tenant=tenant, hit=hit)) for rank, hit in enumerate(hits)]
    found.sort(key=lambda entry: (not entry[2].hit.exact_name, entry[0], entry[1]))
    return FederatedSearchResult(hits=[hit for _, _, hit in found[:size]], degraded=degraded)


async def compare_tenants(context: "RequestContext", tenants: Sequence[str], name: str) -> TenantComparison:
    """Compare what tenants say of the nodes of a name. Raises NotFound for a tenant that the caller may not see."""
    scopes = {one: await context.get_scope(one) for one in _check_tenants(tenants)}
    facts: dict[str, list[EdgeWithEnds]] = {}
    for one, scope in scopes.items():
        facts[one] = await scope.ask(fetch_facts, name, limit=_MAX_FACTS)
    compared = compare_facts(facts)

    def show(parts: Sequence[Compared]) -> list[ComparedFact]:
        return [
            ComparedFact(
                tenants=[strawberry.ID(one) for one in part.tenants],
                edge=make_edge(scopes[part.tenant], part.edge),
            )
            for part in parts
        ]

    return TenantComparison(
        name=name,
        shared=show(compared.shared),
        only_in=show(compared.only_in),
        conflicting=show(compared.conflicting),
    )


async def _search(
    scope: TenantScope, query: str, first: int, meaning: Meaning
) -> tuple[list[NodeHit], list[Degradation]] | Degradation:
    from api.graphql.tenants import search_nodes_of

    try:
        result = await search_nodes_of(scope, query, first, meaning=meaning)
    except CogniverseError as exc:
        if find_code(exc) is None:
            raise
        return Degradation(part=str(scope.tenant), reason=str(exc))
    return result.hits, result.degraded


def _check_tenants(tenants: Sequence[str]) -> list[str]:
    unique = list(dict.fromkeys(tenants))
    if not 1 <= len(unique) <= MAX_TENANTS:
        raise InvalidField("tenants", f"{len(unique)} tenants were given: give 1 to {MAX_TENANTS}.")
    return unique


def _unknown(name: str) -> Degradation:
    return Degradation(part=name[:140], reason="There is no such tenant.")

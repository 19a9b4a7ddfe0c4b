"""How the service is."""

import platform
from importlib.metadata import version
from typing import TYPE_CHECKING

import strawberry

if TYPE_CHECKING:
    from api.services import Services


@strawberry.type(description="One thing that was looked at.")
class HealthCheck:
    name: str = strawberry.field(description="What.")
    ok: bool = strawberry.field(description="Whether it is well.")
    detail: str | None = strawberry.field(description="More of it.")


@strawberry.type(description="How the service is.")
class Health:
    status: str = strawberry.field(description="`ok`, or `degraded` when a check failed.")
    version: str = strawberry.field(description="The version of this program.")
    neo4j: str = strawberry.field(description="The version of Neo4j; `unknown` while it can't be found out.")
    gds: str | None = strawberry.field(description="The version of Graph Data Science; null without it.")
    backend: str = strawberry.field(
        description="Where tenants' databases are: `embedded`, `multi`, `single`; `auto` while that isn't known."
    )
    checks: list[HealthCheck] = strawberry.field(description="What was looked at.")


async def check_health(services: "Services") -> Health:
    """Look at the parts without starting a tenant's server."""
    checks = [HealthCheck(name=check.name, ok=check.ok, detail=check.detail) for check in await services.check_health()]
    facts = await services.find_facts()
    return Health(
        status="ok" if all(check.ok for check in checks) else "degraded",
        version=version("cogniverse-graph"),
        neo4j=(None if facts is None else facts.neo4j) or "unknown",
        gds=None if facts is None else facts.gds,
        backend=services.settings.backend if facts is None else facts.backend,
        checks=[*checks, HealthCheck(name="python", ok=True, detail=platform.python_version())],
    )

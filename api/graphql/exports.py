"""Downloads of a whole graph."""

from datetime import datetime

import strawberry

from api.graphql.enums import ExportFormat
from api.graphql.scope import TenantScope
from graph import answers


@strawberry.type(description="A graph that is ready to be downloaded.")
class ExportResult:
    url: str = strawberry.field(description="Where, from the root of this server; needs no key until it expires.")
    format: ExportFormat = strawberry.field(description="Its format.")
    hash: str = strawberry.field(description="The hash of the graph in it, as `cogniverse graph hash` prints it.")
    expires_at: datetime = strawberry.field(description="Until when it can be downloaded.")


async def create_export(scope: TenantScope, wanted: ExportFormat) -> ExportResult:
    """Write a tenant's graph to a file and return the link to it."""
    database = await scope.open()
    link = await scope.services.exports.create(scope.tenant, database, answers.ExportFormat(wanted.value))
    return ExportResult(url=link.url, format=wanted, hash=link.hash, expires_at=link.expires_at)

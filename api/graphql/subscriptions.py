"""The root of subscriptions."""

from collections.abc import AsyncGenerator
from typing import Annotated

import strawberry
from strawberry import Info

from api.context import RequestContext
from api.graphql.jobs import JobEvent, make_job, make_job_file
from api.graphql.queries import TenantArgument

ApiInfo = Info[RequestContext, None]


@strawberry.type(description="What can be followed.")
class Subscription:
    @strawberry.subscription(
        description="A job's progress: at once as it is, then at each change, to its end. Over graphql-transport-ws or "
        "server-sent events."
    )
    async def job_progress(
        self,
        info: ApiInfo,
        tenant: TenantArgument,
        job: Annotated[strawberry.ID, strawberry.argument(description="Its id.")],
    ) -> AsyncGenerator[JobEvent, None]:
        scope = await info.context.get_scope(str(tenant))
        async for view, file in info.context.services.jobs.watch(scope.tenant, str(job)):
            yield JobEvent(job=make_job(scope, view), file=None if file is None else make_job_file(file))

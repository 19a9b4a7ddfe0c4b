"""What one process of the API shares between its requests, made and ended with it."""

import asyncio
import logging
from dataclasses import dataclass
from functools import partial
from typing import Final

from api.auth.access import Authenticator
from api.auth.secrets import load_signing_key
from api.background import Background
from api.config import Settings
from api.drift import find_differences
from api.exports import ExportStore
from api.graphql.cursors import CursorSigner
from api.health import Check, check_folders, check_server
from api.jobs import JobRunner
from api.modelling import Models
from api.opening import make_backend
from api.tenancy import TenantPool
from graph.answers import TenantView
from graph.backends.base import BackendFacts, Endpoint
from graph.communities import Communities
from graph.database import connect
from graph.errors import CogniverseError
from graph.tenants import TenantId

_log: Final = logging.getLogger(__name__)
_PATIENCE: Final = 0.8
"""The part of a request's time for which it waits for background work."""


@dataclass(frozen=True)
class Services:
    """Everything that requests share."""

    settings: Settings
    pool: TenantPool
    authenticator: Authenticator
    cursors: CursorSigner
    jobs: JobRunner
    exports: ExportStore
    communities: Background[Communities]
    models: Models

    async def check_health(self) -> list[Check]:
        """Look at what every request needs. Starts no tenant's server."""
        server = [] if self.settings.runs_servers else [await check_server(self.pool.backend)]
        return [*await check_folders(self.settings), *server]

    async def find_facts(self) -> BackendFacts | None:
        """Return what tenants' databases run on, None when that can't be found out now. Starts nothing."""
        try:
            async with asyncio.timeout(self.settings.query_timeout_s):
                return await self.pool.backend.get_facts()
        except (CogniverseError, TimeoutError):
            return None

    async def delete_tenant(self, tenant: TenantId) -> TenantView:
        """Delete a tenant with its jobs, exports and all that is remembered of it. From the first it takes no work."""
        try:
            return await self.pool.delete(tenant)
        finally:  # one whose removal is only begun is going all the same
            await self.jobs.abandon(tenant)
            await self.communities.forget(tenant)
            await self.exports.forget(tenant)

    async def start(self) -> None:
        """Finish the deletions and take up the jobs that an earlier process left."""
        try:
            await self.pool.list_tenants()
        except CogniverseError as exc:
            _log.warning("tenants could not be looked at: %s", exc)
        await self.jobs.start()

    async def close(self) -> None:
        """Park the jobs, then close every connection."""
        await self.jobs.close()
        await self.communities.close()
        await self.exports.close()
        await self.pool.close()


def make_services(settings: Settings) -> Services:
    """Return the services that the settings ask for. Starts nothing."""
    key = load_signing_key(settings)
    wait_s = settings.query_timeout_s * _PATIENCE
    models = Models(settings)
    pool = TenantPool(settings, make_backend(settings, on_event=lambda _: None), on_open=partial(_log_drift, models))
    return Services(
        settings=settings,
        pool=pool,
        authenticator=Authenticator(settings),
        cursors=CursorSigner(key),
        jobs=JobRunner(settings, pool, models),
        exports=ExportStore(settings.data_dir / "exports", key, ttl_s=settings.export_ttl_s, wait_s=wait_s),
        communities=Background(wait_s=wait_s),
        models=models,
    )


async def _log_drift(models: Models, tenant: TenantId, endpoint: Endpoint) -> None:
    """Say once in the log what a tenant's graph was made by that the settings name otherwise."""
    async with connect(endpoint) as database:  # on its own, so that it counts as nobody's use
        for difference in await find_differences(database, models, tenant):
            _log.warning("tenant %s: %s", tenant, difference)

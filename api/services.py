"""What one process of the API shares between its requests, made and ended with it."""

from dataclasses import dataclass
from typing import Final

from api.auth.access import Authenticator
from api.auth.secrets import load_signing_key
from api.background import Background
from api.config import Settings
from api.exports import ExportStore
from api.graphql.cursors import CursorSigner
from api.health import Check, check_folders
from api.jobs import JobRunner
from api.modelling import Models
from api.opening import make_backend
from api.tenancy import TenantPool
from graph.answers import TenantView
from graph.communities import Communities
from graph.tenants import TenantId

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
        return await check_folders(self.settings)

    async def delete_tenant(self, tenant: TenantId) -> TenantView:
        """Delete a tenant with its jobs, exports and all that is remembered of it."""
        await self.jobs.cancel_all(tenant)
        view = await self.pool.delete(tenant)
        await self.communities.forget(tenant)
        await self.exports.forget(tenant)
        return view

    async def start(self) -> None:
        """Take up the jobs that an earlier process left."""
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
    pool = TenantPool(settings, make_backend(settings, on_event=lambda _: None))
    models = Models(settings)
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

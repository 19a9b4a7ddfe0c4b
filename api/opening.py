"""From settings and a tenant's name to its open database, schema up to date."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from api.config import Settings
from graph.backends.embedded import EmbeddedBackend, EmbeddedSettings
from graph.database import Database, connect
from graph.migrate import prepare_database
from graph.tenants import parse_tenant


def make_backend(settings: Settings, *, on_event: Callable[[str], None]) -> EmbeddedBackend:
    """Return the back end that the settings ask for. `on_event` is told what keeps a caller waiting."""
    return EmbeddedBackend(
        EmbeddedSettings(
            data_dir=settings.data_dir,
            cache_dir=settings.cache_dir,
            heap=settings.heap,
            page_cache=settings.page_cache,
            idle_timeout_s=settings.idle_timeout_s,
            start_timeout_s=settings.start_timeout_s,
            train_aot=settings.train_aot,
            belongings=(
                settings.cache_dir / "facts",
                settings.data_dir / "exports",
                settings.data_dir / "pending-jobs",
            ),
        ),
        on_event=on_event,
    )


@asynccontextmanager
async def open_database(
    settings: Settings, tenant: str, *, create: bool, on_event: Callable[[str], None]
) -> AsyncGenerator[Database]:
    """Open a tenant's database, starting its server if need be; with `create` the tenant is made when it is not there.

    Raises InvalidInput for what is no tenant name, UnknownTenant, ServerFailed, DownloadFailed, MigrationFailed.
    """
    endpoint = await make_backend(settings, on_event=on_event).open(parse_tenant(tenant), create=create)
    async with connect(endpoint) as database:
        await prepare_database(database)
        yield database

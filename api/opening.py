"""From settings and a tenant's name to its open database, schema up to date."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

from api.config import Settings
from graph.backends.base import Backend
from graph.backends.chosen import ChosenBackend
from graph.backends.embedded import EmbeddedBackend, EmbeddedSettings
from graph.backends.server import ServerSettings
from graph.database import Database, connect
from graph.errors import CogniverseError, InvalidInput, NotAvailable, UnknownTenant
from graph.migrate import prepare_database
from graph.tenants import TenantId, parse_tenant

_LOOK_EVERY_S: Final = 0.5
_DELETING: Final = "DELETING"


def make_backend(settings: Settings, *, on_event: Callable[[str], None]) -> Backend:
    """Return the back end that the settings ask for. Asks and starts nothing; `on_event` is told what keeps waiting.

    Raises InvalidInput for settings that contradict each other.
    """
    if settings.runs_servers:
        return make_embedded(settings, on_event=on_event)
    if settings.neo4j_uri is None:
        raise InvalidInput(
            f"COGNIVERSE_BACKEND is {settings.backend}: set COGNIVERSE_NEO4J_URI to the server's address."
        )
    server = ServerSettings(
        uri=settings.neo4j_uri,
        user=settings.neo4j_user,
        password=_read_password(settings),
        database=settings.neo4j_database or "",
        start_timeout_s=settings.start_timeout_s,
        belongings=_belongings(settings),
    )
    return ChosenBackend(server, "auto" if settings.backend == "embedded" else settings.backend)


def make_embedded(settings: Settings, *, on_event: Callable[[str], None]) -> EmbeddedBackend:
    """Return the back end that runs servers itself. Raises NotAvailable when the settings name a server of others."""
    if not settings.runs_servers:
        raise NotAvailable(
            f"The Neo4j server at {settings.neo4j_uri} is run by others: it is started, stopped, dumped and loaded with"
            " their tools, such as neo4j-admin (`neo4j-admin database dump`) or the console of Aura. `cogniverse db`"
            " does so where COGNIVERSE_NEO4J_URI is not set."
        )
    return EmbeddedBackend(
        EmbeddedSettings(
            data_dir=settings.data_dir,
            cache_dir=settings.cache_dir,
            heap=settings.heap,
            page_cache=settings.page_cache,
            idle_timeout_s=settings.idle_timeout_s,
            start_timeout_s=settings.start_timeout_s,
            train_aot=settings.train_aot,
            min_free_bytes=settings.min_free_mb * 1_000_000,
            belongings=_belongings(settings),
        ),
        on_event=on_event,
    )


@asynccontextmanager
async def open_database(
    settings: Settings,
    tenant: str,
    *,
    create: bool,
    on_event: Callable[[str], None],
    importing: bool = False,
) -> AsyncGenerator[Database]:
    """Open a tenant's database, starting its server if need be; with `create` the tenant is made when it is not there.

    One with an unfinished import is opened for `importing` alone.
    When the tenant is deleted meanwhile, what is under way in it fails. Raises InvalidInput for what is no tenant name,
    UnknownTenant, ServerFailed, DownloadFailed, MigrationFailed.
    """
    backend = make_backend(settings, on_event=on_event)
    chosen = parse_tenant(tenant)
    async with connect(await backend.open(chosen, create=create)) as database:
        watch = asyncio.create_task(_watch(backend, chosen, database))
        try:
            await prepare_database(database, importing=importing)
            yield database
        except NotAvailable as exc:
            if (watch.done() and watch.result()) or await _is_gone(backend, chosen):
                raise UnknownTenant(f"The tenant {tenant!r} was deleted while this was at work in it.") from exc
            raise
        finally:
            watch.cancel()
            with suppress(asyncio.CancelledError):
                await watch


async def _is_gone(backend: Backend, tenant: TenantId) -> bool:
    with suppress(CogniverseError):
        view = await backend.describe(tenant)
        return view is None or view.state == _DELETING
    return False


async def _watch(backend: Backend, tenant: TenantId, database: Database) -> bool:
    """Take no more work into a database that is the tenant's no longer, and return that it was so."""
    while not backend.ends_work:
        await asyncio.sleep(_LOOK_EVERY_S)
        with suppress(CogniverseError):  # the work itself will find that out
            if not await backend.serves(tenant, database.endpoint):
                database.retire()
                return True
    return False


def _belongings(settings: Settings) -> tuple[Path, ...]:
    own = ("exports", "pending-jobs", "spool")
    return settings.cache_dir / "facts", *(settings.data_dir / name for name in own)


def _read_password(settings: Settings) -> str:
    if settings.neo4j_password is not None:
        return settings.neo4j_password.get_secret_value()
    file = settings.neo4j_password_file
    if file is None:
        return ""
    try:
        return file.read_text("utf-8").strip("\r\n")
    except (OSError, ValueError) as exc:
        reason = exc.strerror if isinstance(exc, OSError) else "it is no text"
        raise InvalidInput(f"COGNIVERSE_NEO4J_PASSWORD_FILE: {file} can't be read: {reason}.") from exc

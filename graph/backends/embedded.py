"""The default back end: each tenant has a Neo4j Community server of its own, started on first use."""

import asyncio
import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from graph.answers import TenantView
from graph.backends.base import BackendFacts, Endpoint, check_display_name, unknown_tenant
from graph.backends.belongings import mapped_folder_errors
from graph.embedded import aot, client, dumps, removal, server
from graph.embedded.artifacts import Progress, fetch_installation, read_lock
from graph.embedded.client import OnEvent, ServerStatus, silent
from graph.embedded.folder import LaunchOrder, Marker, TenantFolder, write_record
from graph.errors import Conflict, InvalidInput, NotAvailable, UnknownTenant
from graph.room import Room
from graph.tenants import TenantId, directory_name, parse_tenant

_READY = "READY"
_DELETING = "DELETING"
_OPEN_TRIES = 3


@dataclass(frozen=True, slots=True)
class EmbeddedSettings:
    """How servers are run. `data_dir` holds the tenants, `cache_dir` what can be fetched or made again.

    Sizes are as Neo4j writes them (`512m`, `2g`). `idle_timeout_s` is how long a server without clients lives on, 0 for
    ever; `train_aot` lets the first stop on a machine spend a minute, at the lowest priority, on making later starts
    a third shorter; `maven_repositories` are URLs by name, None for the default. `belongings` are folders in which each
    tenant has one of its own, by its directory name, that goes when the tenant is deleted. Nothing is written while
    fewer than `min_free_bytes` are free on the disk of `data_dir`, and no server started with less than a quarter.
    """

    data_dir: Path
    cache_dir: Path
    heap: str = "1g"
    page_cache: str = "256m"
    idle_timeout_s: float = 900
    start_timeout_s: float = 120
    stop_timeout_s: float = 60
    train_aot: bool = True
    maven_repositories: Mapping[str, str] | None = None
    belongings: tuple[Path, ...] = ()
    min_free_bytes: int = 0


class EmbeddedBackend:
    """Makes, starts, stops and finds the servers of all tenants. Any number of processes may use the same folders."""

    ends_work = True  # with the tenant's server

    def __init__(
        self,
        settings: EmbeddedSettings,
        *,
        on_event: OnEvent = silent,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> None:
        """Take what to run and whom to tell: `on_event` of starts and stops, `on_progress` of a first fetch.

        Both are called from other threads.
        """
        self._settings = settings
        self._on_event = on_event
        self._on_progress = on_progress

    async def open(self, tenant: TenantId, *, create: bool) -> Endpoint:
        """Return the tenant's running database. Raises UnknownTenant, ServerFailed, DownloadFailed, Conflict."""
        return await asyncio.to_thread(self._open, tenant, create=create)

    async def serves(self, tenant: TenantId, endpoint: Endpoint) -> bool:
        """Tell whether a server given out before still runs for the tenant; counts as use. Reads two small files."""
        folder = self._folder(tenant)
        if folder.find_live_marker() is None:
            return False
        folder.touch()  # before the look: see Supervisor._watch
        state = folder.find_state()
        return state is not None and state.is_serving and endpoint.uri == _uri(state.bolt_port)

    async def describe(self, tenant: TenantId) -> TenantView | None:
        """Return a tenant without starting anything, None when there is none. One that is going is DELETING."""
        return _view(self._folder(tenant))

    async def describe_all(self) -> list[TenantView]:
        """Return all tenants, those that are going too, sorted by id; starts nothing."""
        return await asyncio.to_thread(self._describe_all)

    async def create(self, tenant: TenantId, display_name: str = "") -> TenantView:
        """Make an empty tenant; of callers that race one makes it. Raises Conflict when it is there, InvalidInput."""
        return await asyncio.to_thread(self._create, tenant, display_name)

    async def delete(self, tenant: TenantId) -> TenantView:
        """Remove a tenant with all it has, connected clients or not; return how it was.

        From the first moment it takes no new work; a crash in between leaves no way back: what is left goes when any
        tenant is next opened, made or listed. Raises UnknownTenant; Conflict when a start, dump or load goes on for too
        long, and NotAvailable where something can't be removed: then the rest is tried again in the same way.
        """
        return await asyncio.to_thread(self._delete, tenant)

    async def ping(self) -> None:
        """Do nothing: a server is started when it is needed."""

    async def get_facts(self) -> BackendFacts:
        """Return the versions that servers are run in."""
        lock = await asyncio.to_thread(read_lock)
        return BackendFacts("embedded", lock.version, lock.gds_version)

    async def start(self, tenant: TenantId) -> ServerStatus:
        """Have a tenant's server run; nothing happens when it does. Raises like `open`."""
        await self.open(tenant, create=False)
        return await self.status(tenant)

    async def stop(self, tenant: TenantId) -> bool:
        """Stop a tenant's server, connected clients or not, and wait for its end; False when it didn't run."""
        folder = self._known(tenant)
        return await asyncio.to_thread(client.stop, folder, timeout_s=self._settings.stop_timeout_s)

    async def status(self, tenant: TenantId) -> ServerStatus:
        """Return how a tenant's server is. Starts nothing and counts as no use. Raises UnknownTenant."""
        return await asyncio.to_thread(client.get_status, self._known(tenant))

    async def dump(self, tenant: TenantId, file: Path) -> int:
        """Write a tenant's database to a file that any neo4j-admin of this version can load; return its size in bytes.

        Stops the server if nobody is connected, else raises Conflict. Raises UnknownTenant, InvalidInput, ServerFailed.
        """
        folder = self._known(tenant)
        order = await asyncio.to_thread(self._order)
        return await asyncio.to_thread(dumps.dump, folder, order, file, on_event=self._on_event)

    async def load(self, tenant: TenantId, file: Path, *, overwrite: bool = False) -> None:
        """Put a dump in the place of a tenant's data, making the tenant if need be.

        Stops the server if nobody is connected, else raises Conflict, as it does for data that would be replaced
        without `overwrite`. Raises InvalidInput for a dump that is broken or has another graph than the file beside it
        says; then nothing has changed.
        """
        await asyncio.to_thread(self._load, tenant, file, overwrite=overwrite)

    async def browser_url(self, tenant: TenantId) -> str:
        """Return where Neo4j Browser answers for a tenant, after starting its server. Raises like `open`."""
        await self.open(tenant, create=False)
        status = await self.status(tenant)
        return f"http://{server.LOOPBACK}:{status.http_port}/browser/"

    async def list_tenants(self) -> list[TenantId]:
        """Return all tenants, sorted by their text, and finish what deletions left behind."""
        return await asyncio.to_thread(self._list_tenants)

    def password_file(self, tenant: TenantId) -> Path:
        """Return where the password of a tenant's user `neo4j` stands. Raises UnknownTenant."""
        return self._known(tenant).password

    def _open(self, tenant: TenantId, *, create: bool) -> Endpoint:
        with mapped_folder_errors():
            self._finish_removals()
            for _ in range(_OPEN_TRIES if create else 1):
                folder = self._made(tenant)[0] if create else self._known(tenant)
                with suppress(UnknownTenant):  # deleted between the two steps
                    state = client.ensure_running(folder, self._order(), on_event=self._on_event)
                    return Endpoint(
                        uri=_uri(state.bolt_port),
                        user=server.USER,
                        password=_password(folder),
                        database=server.DATABASE,
                        room=self._room(folder),
                    )
            raise unknown_tenant(tenant)

    def _load(self, tenant: TenantId, file: Path, *, overwrite: bool) -> None:
        with mapped_folder_errors():
            contents = dumps.check_dump(file)
            folder, is_new = self._made(tenant)
            try:
                dumps.load(folder, self._order(), file, contents, overwrite=overwrite, on_event=self._on_event)
            except BaseException:
                if is_new:
                    removal.remove(folder, self._settings.belongings, timeout_s=self._settings.start_timeout_s)
                raise

    def _create(self, tenant: TenantId, display_name: str) -> TenantView:
        check_display_name(display_name)
        with mapped_folder_errors():
            self._finish_removals()
            folder, is_new = self._made(tenant, display_name)
            view = _view(folder)
        if not is_new:
            raise Conflict(f"There is a tenant {str(tenant)!r} already: use it, or take another name.")
        if view is None or view.state == _DELETING:
            raise UnknownTenant(f"The tenant {str(tenant)!r} was deleted as soon as it was made.")
        return view

    def _delete(self, tenant: TenantId) -> TenantView:
        with mapped_folder_errors():
            folder = self._known(tenant)
            view = _view(folder)
            if view is None:
                raise unknown_tenant(tenant)
            settings = self._settings
            removal.remove(folder, settings.belongings, timeout_s=settings.start_timeout_s)
            return replace(view, state=_DELETING)

    def _list_tenants(self) -> list[TenantId]:
        return [parse_tenant(view.tenant_id) for view in self._describe_all() if view.state != _DELETING]

    def _describe_all(self) -> list[TenantView]:
        self._finish_removals()
        views = (_view(TenantFolder(path)) for path in self._tenants.glob("t-*"))
        return sorted((view for view in views if view), key=lambda view: view.tenant_id)

    def _finish_removals(self) -> None:
        removal.finish_all(self._tenants, self._settings.belongings)

    @property
    def _tenants(self) -> Path:
        return self._settings.data_dir.absolute() / "tenants"

    def _folder(self, tenant: TenantId) -> TenantFolder:
        return TenantFolder(self._tenants / directory_name(tenant))

    def _known(self, tenant: TenantId) -> TenantFolder:
        folder = self._folder(tenant)
        if folder.find_live_marker() is None:
            raise unknown_tenant(tenant)
        return folder

    def _made(self, tenant: TenantId, display_name: str = "") -> tuple[TenantFolder, bool]:
        """Return a tenant's folder, and whether this call made it."""
        folder = self._folder(tenant)
        if folder.find_live_marker() is not None:
            return folder, False
        order = self._order()
        settings = self._settings
        with client.exclusive(folder, timeout_s=settings.start_timeout_s):
            removal.finish_held(folder, settings.belongings)
            if folder.find_marker() is not None:
                return folder, False
            folder.make()
            self._room(folder).check("to make a tenant")
            server.set_first_password(order, folder)
            write_record(folder.marker, Marker(str(tenant), "data", display_name, time.time()))
        return folder, True

    def _room(self, folder: TenantFolder) -> Room:
        return Room(folder.root, self._settings.min_free_bytes)

    def _order(self) -> LaunchOrder:
        settings = self._settings
        if os.pathsep in str(settings.cache_dir):
            raise InvalidInput(
                f"Java can't work from {settings.cache_dir}: choose a cache folder without {os.pathsep!r}."
            )
        installation = fetch_installation(
            settings.cache_dir.absolute(), repositories=settings.maven_repositories, on_progress=self._on_progress
        )
        return LaunchOrder(
            class_path=tuple(str(file) for file in installation.class_path),
            plugins=str(installation.plugins),
            aot_cache=str(aot.cache_file(installation, heap=settings.heap)),
            train_aot=settings.train_aot,
            heap=settings.heap,
            page_cache=settings.page_cache,
            idle_timeout_s=settings.idle_timeout_s,
            start_timeout_s=settings.start_timeout_s,
            stop_timeout_s=settings.stop_timeout_s,
            least_free_bytes=settings.min_free_bytes,
        )


def _password(folder: TenantFolder) -> str:
    try:
        return folder.password.read_text("ascii")
    except OSError as exc:
        raise NotAvailable(
            f"the password of the tenant in {folder.root} can't be read ({exc}): restore the file, or dump the tenant "
            "and load it into another."
        ) from exc


def _view(folder: TenantFolder) -> TenantView | None:
    marker = folder.find_marker()
    if marker is None:
        return None
    return TenantView(
        tenant_id=marker.tenant,
        display_name=marker.display_name or marker.tenant,
        state=_DELETING if folder.doomed.exists() else _READY,
        created_at=datetime.fromtimestamp(marker.created_at or _made_at(folder), UTC),
    )


def _made_at(folder: TenantFolder) -> float:
    try:
        return folder.password.stat().st_mtime  # written once, when the tenant was made
    except OSError:
        return 0.0


def _uri(bolt_port: int) -> str:
    return f"bolt://{server.LOOPBACK}:{bolt_port}"

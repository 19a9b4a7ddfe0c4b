"""The default back end: each tenant has a Neo4j Community server of its own, started on first use."""

import asyncio
import os
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from graph.backends.base import Endpoint
from graph.embedded import aot, client, dumps, server
from graph.embedded.artifacts import Progress, fetch_installation
from graph.embedded.client import OnEvent, ServerStatus, silent
from graph.embedded.folder import LaunchOrder, Marker, TenantFolder, write_record
from graph.errors import InvalidInput, NotAvailable, UnknownTenant
from graph.tenants import TenantId, directory_name, parse_tenant


@dataclass(frozen=True, slots=True)
class EmbeddedSettings:
    """How servers are run. `data_dir` holds the tenants, `cache_dir` what can be fetched or made again.

    Sizes are as Neo4j writes them (`512m`, `2g`). `idle_timeout_s` is how long a server without clients lives on, 0 for
    ever; `train_aot` lets the first stop on a machine spend a minute, at the lowest priority, on making later starts
    a third shorter; `maven_repositories` are URLs by name, None for the default.
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


class EmbeddedBackend:
    """Makes, starts, stops and finds the servers of all tenants. Any number of processes may use the same folders."""

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
        without `overwrite`. Raises InvalidInput for a broken dump; then nothing has changed.
        """
        await asyncio.to_thread(self._load, tenant, file, overwrite=overwrite)

    async def browser_url(self, tenant: TenantId) -> str:
        """Return where Neo4j Browser answers for a tenant, after starting its server. Raises like `open`."""
        await self.open(tenant, create=False)
        status = await self.status(tenant)
        return f"http://{server.LOOPBACK}:{status.http_port}/browser/"

    async def list_tenants(self) -> list[TenantId]:
        """Return all tenants, sorted by their text."""
        return await asyncio.to_thread(self._list_tenants)

    def password_file(self, tenant: TenantId) -> Path:
        """Return where the password of a tenant's user `neo4j` stands. Raises UnknownTenant."""
        return self._known(tenant).password

    def _open(self, tenant: TenantId, *, create: bool) -> Endpoint:
        with _mapped_folder_errors():
            folder = self._made(tenant) if create else self._known(tenant)
            state = client.ensure_running(folder, self._order(), on_event=self._on_event)
            return Endpoint(
                uri=f"bolt://{server.LOOPBACK}:{state.bolt_port}",
                user=server.USER,
                password=_password(folder),
                database=server.DATABASE,
            )

    def _load(self, tenant: TenantId, file: Path, *, overwrite: bool) -> None:
        with _mapped_folder_errors():
            folder = self._made(tenant)
            dumps.load(folder, self._order(), file, overwrite=overwrite, on_event=self._on_event)

    def _list_tenants(self) -> list[TenantId]:
        folders = (TenantFolder(path) for path in self._tenants.glob("t-*"))
        markers = (folder.find_marker() for folder in folders)
        return sorted((parse_tenant(marker.tenant) for marker in markers if marker), key=str)

    @property
    def _tenants(self) -> Path:
        return self._settings.data_dir.absolute() / "tenants"

    def _folder(self, tenant: TenantId) -> TenantFolder:
        return TenantFolder(self._tenants / directory_name(tenant))

    def _known(self, tenant: TenantId) -> TenantFolder:
        folder = self._folder(tenant)
        if folder.find_marker() is None:
            raise UnknownTenant(f"there is no tenant {str(tenant)!r}: index or load something into it to make it.")
        return folder

    def _made(self, tenant: TenantId) -> TenantFolder:
        folder = self._folder(tenant)
        if folder.find_marker() is None:
            order = self._order()
            folder.make()
            with client.exclusive(folder, timeout_s=self._settings.start_timeout_s):
                if folder.find_marker() is None:
                    server.set_first_password(order, folder)
                    write_record(folder.marker, Marker(str(tenant), "data"))
        return folder

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
        )


@contextmanager
def _mapped_folder_errors() -> Generator[None]:
    try:
        yield
    except OSError as exc:
        raise NotAvailable(
            f"A folder that is needed can't be used: {exc.strerror or exc}: {exc.filename or 'no name'}. Make room or"
            " mend its permissions, or choose another one for data or cache; `cogniverse doctor` tells more."
        ) from exc


def _password(folder: TenantFolder) -> str:
    try:
        return folder.password.read_text("ascii")
    except OSError as exc:
        raise NotAvailable(
            f"the password of the tenant in {folder.root} can't be read ({exc}): restore the file, or dump the tenant "
            "and load it into another."
        ) from exc

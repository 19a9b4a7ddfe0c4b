"""A Neo4j server that somebody else runs: how it is reached, what it is, and whether it will do."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from graph.backends.base import Endpoint
from graph.database import Database, connect
from graph.errors import DatabaseFailed, MissingDatabase, NotAvailable
from graph.statements import load_statement, load_text

MIN_VERSION: Final = (5, 26)
SYSTEM: Final = "system"
_CREATE: Final = "tenants/create_database"
_CREATE_ACTIONS: Final = ("create_database", "database_management", "dbms_actions")

Wanted = Literal["auto", "multi", "single"]


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """How a server is reached. `database` is the one that holds the records of tenants, or the one tenant; "" for home.

    `start_timeout_s` is how long a database may take to come online. `belongings` are folders in which each tenant has
    one of its own, by its directory name, that goes when the tenant is deleted.
    """

    uri: str
    user: str
    password: str = field(repr=False)
    database: str = ""
    start_timeout_s: float = 120
    belongings: tuple[Path, ...] = ()

    def endpoint(self, database: str) -> Endpoint:
        """Return one of the server's databases."""
        return Endpoint(self.uri, self.user, self.password, database)


@dataclass(frozen=True, slots=True)
class ServerFacts:
    """What a server says of itself; what it doesn't say is None.

    `home` is the name of the database that was asked for. `missing` is what was said when that is not there, and then
    `agent` is "". `refusal` is why there can be no database more, None when there can.
    """

    agent: str
    home: str
    version: str | None = None
    edition: str | None = None
    gds: str | None = None
    refusal: str | None = None
    missing: str | None = None

    @property
    def creates(self) -> bool:
        """Whether databases can be made here."""
        return self.refusal is None


@dataclass(frozen=True, slots=True)
class _Component:
    name: str
    versions: list[str]
    edition: str


@dataclass(frozen=True, slots=True)
class _Version:
    version: str


@dataclass(frozen=True, slots=True)
class _Privilege:
    access: str
    action: str


_COMPONENTS = load_statement("tenants/fetch_components", _Component)
_GDS = load_statement("tenants/get_gds_version", _Version)
_PRIVILEGES = load_statement("tenants/fetch_privileges", _Privilege)


async def ask_server(settings: ServerSettings) -> ServerFacts:
    """Ask a server what it is; changes nothing. Raises NotAvailable when it can't be reached or lets nobody in."""
    try:
        return await _ask(settings)
    except NotAvailable as exc:
        way_out = (
            "COGNIVERSE_NEO4J_URI must be the server's address for Bolt, whose port is 7687 unless it was changed."
        )
        raise NotAvailable(f"The Neo4j server at {settings.uri} can't be used: {exc} {way_out}") from exc


async def _ask(settings: ServerSettings) -> ServerFacts:
    async with connect(settings.endpoint(SYSTEM)) as system:
        try:
            async with connect(settings.endpoint(settings.database)) as database:
                agent, home = await database.identify()
                facts = ServerFacts(agent=agent, home=home, gds=await _find_gds(database))
                version, edition = await _find_kernel(database)
        except MissingDatabase as exc:
            facts = ServerFacts(agent="", home=settings.database, missing=str(exc))
            version, edition = await _find_kernel(system)
        return ServerFacts(
            agent=facts.agent,
            home=facts.home,
            version=version or _version_of(facts.agent),
            edition=edition,
            gds=facts.gds,
            refusal=await _find_refusal(system),
            missing=facts.missing,
        )


def check_server(settings: ServerSettings, facts: ServerFacts, wanted: Wanted) -> Literal["multi", "single"]:
    """Return the back end for a server. Raises NotAvailable that names all that is missing, each with its way out."""
    kind = wanted if wanted != "auto" else ("multi" if facts.creates else "single")
    faults = [
        fault
        for fault in (
            _find_age_fault(facts.version),
            facts.missing,
            facts.refusal if kind == "multi" else None,
        )
        if fault
    ]
    if faults:
        lines = "".join(f"\n- {fault}" for fault in faults)
        raise NotAvailable(f"The Neo4j server at {settings.uri} can't be used:{lines}")
    return kind


def list_notes(facts: ServerFacts) -> tuple[str, ...]:
    """Return what a server lacks that can be done without."""
    notes: list[str] = []
    if facts.gds is None and facts.missing is None:
        notes.append(
            "Graph Data Science is not on this server: hubs and communities can't be asked for. Add its plugin, or"
            " allow gds.* to the user."
        )
    if facts.version is None:
        notes.append("The server doesn't tell its version: Neo4j 5.26 or newer is needed.")
    return tuple(notes)


def _find_age_fault(version: str | None) -> str | None:
    numbers = _numbers_of(version)
    if numbers is None or numbers >= MIN_VERSION:
        return None
    least = ".".join(map(str, MIN_VERSION))
    return f"It is Neo4j {version}: at least {least} is needed. Update the server."


def _numbers_of(version: str | None) -> tuple[int, int] | None:
    # Since 5.26 versions are dates, such as 2025.01: newer by their size.
    match = re.match(r"(\d+)\.(\d+)", version or "")
    return (int(match[1]), int(match[2])) if match else None


def _version_of(agent: str) -> str | None:
    match = re.fullmatch(r"Neo4j/(\d+\.\d+\S*)", agent)
    return match[1] if match else None


async def _find_kernel(database: Database) -> tuple[str | None, str | None]:
    """The version and edition, where the server has the procedure that tells them."""
    try:
        parts = await database.run_alone(_COMPONENTS)
    except DatabaseFailed:
        return None, None
    kernel = next((part for part in parts if part.name == "Neo4j Kernel"), None)
    return (kernel.versions[0] if kernel.versions else None, kernel.edition) if kernel else (None, None)


async def _find_gds(database: Database) -> str | None:
    try:
        rows = await database.run_alone(_GDS)
    except DatabaseFailed:
        return None
    return rows[0].version if rows else None


async def _find_refusal(system: Database) -> str | None:
    """Why no database can be made; found by having the making of one planned, not done."""
    try:
        await system.plan(load_text(_CREATE), {"name": "cg-planned"})
    except (DatabaseFailed, MissingDatabase) as exc:
        code = exc.code if isinstance(exc, DatabaseFailed) else "it has no system database"
        if code not in UNKNOWN_FORM or not await _plans_plainly(system):
            return (
                "It can't make databases, so it has room for one tenant: set COGNIVERSE_BACKEND to single for that one,"
                " use Neo4j Enterprise or Aura, or leave COGNIVERSE_NEO4J_URI unset for a server of each tenant's own"
                f" ({code})."
            )
    return await _find_missing_grant(system)


async def _plans_plainly(system: Database) -> bool:
    try:
        await system.plan(load_text("tenants/create_database_plainly"), {"name": "cg-planned"})
    except DatabaseFailed:
        return False
    return True


async def _find_missing_grant(system: Database) -> str | None:
    try:
        found = await system.run_alone(_PRIVILEGES, actions=list(_CREATE_ACTIONS))
    except DatabaseFailed:
        return None  # a server without roles
    return None if _may_create(found) else _missing_grant(system.endpoint.user)


def _may_create(privileges: Sequence[_Privilege]) -> bool:
    accesses = {privilege.access for privilege in privileges}
    return "GRANTED" in accesses and "DENIED" not in accesses


def _missing_grant(user: str) -> str:
    return (
        f"The user {user!r} may not make databases: GRANT DATABASE MANAGEMENT ON DBMS TO one of its roles, or set"
        " COGNIVERSE_BACKEND to single for one tenant."
    )


UNKNOWN_FORM: Final = frozenset(
    {
        "Neo.ClientError.Statement.SyntaxError",
        "Neo.ClientError.Statement.UnsupportedAdministrationCommand",
    }
)
"""What servers say to a form of a command that they don't know."""

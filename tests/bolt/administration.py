"""What a server with many databases answers to administration: commands become rows that a real server then returns.

Sources: https://neo4j.com/docs/operations-manual/current/database-administration/standard-databases for the commands,
their columns and states; the codes are those of Neo4j's own `Status`; the wording of syntax errors and of an edition's
refusal is what Neo4j Community 5.26.16 says.
"""

import re
from dataclasses import dataclass, field

from graph.backends.base import Endpoint

HOME = "neo4j"
SYSTEM = "system"
LIMIT_REACHED = "Neo.DatabaseError.Database.DatabaseLimitReached"
NOT_FOUND = "Neo.ClientError.Database.DatabaseNotFound"
UNAVAILABLE = "Neo.TransientError.General.DatabaseUnavailable"
UNSUPPORTED = "Neo.ClientError.Statement.UnsupportedAdministrationCommand"
FORBIDDEN = "Neo.ClientError.Security.Forbidden"
SYNTAX = "Neo.ClientError.Statement.SyntaxError"
_EXISTS = "Neo.ClientError.Database.ExistingDatabaseFound"
_BAD_ARGUMENT = "Neo.ClientError.Statement.ArgumentError"

_CHANGE = re.compile(
    r"(?P<plan>EXPLAIN\s+)?(?P<verb>CREATE|DROP) DATABASE (?P<name>\$?[\w.-]+)"
    r"(?P<guard> IF (?:NOT )?EXISTS)?(?P<data> DESTROY DATA)?(?P<wait> WAIT)?"
)
_SHOW = re.compile(
    r"(?:(SHOW DATABASES)|(SHOW USER PRIVILEGES)|(CALL dbms\.components\(\)))\s+YIELD (?P<columns>\w+(?:, \w+)*)"
)
_NAME = re.compile(r"[a-z][a-z0-9.-]{2,62}")
_ROWS = "rows_of_the_router"


def is_command(query: str) -> bool:
    """Tell whether a query is about the server, not about a graph."""
    return bool(_CHANGE.fullmatch(query) or _SHOW.match(query))


@dataclass(frozen=True, slots=True)
class Profile:
    """A kind of server. `slow_looks` is how often a new database is shown as starting, `becomes` what it is then.

    `drop_refusal` is the code with which databases are kept. `edition` None is the real server itself, unaltered.
    """

    edition: str | None = "enterprise"
    version: str = "5.26.16"
    knows_wait: bool = True
    knows_show: bool = True
    slow_looks: int = 0
    becomes: str = "online"
    drop_refusal: str | None = None
    grants: tuple[str, ...] = ("database_management",)
    has_gds: bool = True


class Refused(Exception):
    """A request that the server answers with a failure."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text


@dataclass(slots=True)
class LogicalDatabase:
    """A database as clients see it, and the real server that holds it."""

    name: str
    server: Endpoint
    state: str = "online"
    looks: int = 0


@dataclass(slots=True)
class Catalog:
    """The databases of a router. `spare` are real servers, emptied, that hold none."""

    profile: Profile
    databases: dict[str, LogicalDatabase]
    spare: list[Endpoint]
    dropped: list[LogicalDatabase] = field(default_factory=list[LogicalDatabase])

    def find(self, name: str) -> LogicalDatabase:
        """Return a database that can be used. Raises Refused."""
        database = self.databases.get(name.lower())
        if database is None:
            raise Refused(NOT_FOUND, f"Graph not found: {name}")
        if database.state != "online":
            raise Refused(UNAVAILABLE, f"Database '{name}' is unavailable: it is {database.state}.")
        return database

    def answer(self, query: str, params: dict[str, object]) -> tuple[str, dict[str, object]] | None:
        """Return a query and parameters whose rows are the answer to a command; None for what is no command.

        Raises Refused. What a drop leaves behind is in `dropped`.
        """
        if self.profile.edition is None:
            return None
        if not self.profile.has_gds and "gds." in query:
            raise Refused(SYNTAX, "Unknown function 'gds.version'")
        if change := _CHANGE.fullmatch(query):
            rows = self._change(query, change, params)
            return "UNWIND $rows AS row RETURN row.address AS address, row.state AS state", {"rows": rows}
        if show := _SHOW.match(query):
            columns = ", ".join(f"row.{name} AS {name}" for name in show["columns"].split(", "))
            rest = query[show.end() :]
            return f"UNWIND ${_ROWS} AS row WITH {columns}{rest}", params | {_ROWS: self._list(show)}
        return None

    def _change(self, query: str, change: re.Match[str], params: dict[str, object]) -> list[dict[str, str]]:
        unknown = next((change[part] for part in ("guard", "data", "wait") if change[part]), None)
        if unknown and not self.profile.knows_wait:
            raise Refused(SYNTAX, f"Invalid input '{unknown.split()[0]}': expected a database name or <EOF>\n{query!r}")
        if change["plan"]:
            return []  # what a user may do counts when it is done
        if "database_management" not in self.profile.grants:
            raise Refused(FORBIDDEN, f"Permission denied for {change['verb']} DATABASE.")
        name = str(params[change["name"][1:]] if change["name"].startswith("$") else change["name"]).lower()
        return self._create(name, change) if change["verb"] == "CREATE" else self._drop(name, query, change)

    def _create(self, name: str, change: re.Match[str]) -> list[dict[str, str]]:
        if not _NAME.fullmatch(name) or name.startswith("system"):
            raise Refused(_BAD_ARGUMENT, f"Database name '{name}' is not allowed.")
        if name in self.databases:
            if change["guard"]:
                return []
            raise Refused(_EXISTS, f"Failed to create the specified database '{name}': Database already exists.")
        if not self.spare:
            raise Refused(LIMIT_REACHED, f"Failed to create the specified database '{name}': the limit is reached.")
        looks = self.profile.slow_looks
        state = "starting" if looks else self.profile.becomes
        self.databases[name] = LogicalDatabase(name, self.spare.pop(0), state, looks)
        return [{"address": "localhost:7687", "state": "CaughtUp"}] if change["wait"] else []

    def _drop(self, name: str, query: str, change: re.Match[str]) -> list[dict[str, str]]:
        if self.profile.drop_refusal:
            raise Refused(self.profile.drop_refusal, f"Unsupported administration command: {query}")
        database = self.databases.pop(name, None)
        if database is None:
            if change["guard"]:
                return []
            raise Refused(NOT_FOUND, f"Failed to delete the specified database '{name}': Database does not exist.")
        self.dropped.append(database)
        return [{"address": "localhost:7687", "state": "CaughtUp"}] if change["wait"] else []

    def _list(self, show: re.Match[str]) -> list[dict[str, object]]:
        if show[2]:
            return [{"access": "GRANTED", "action": action} for action in self.profile.grants]
        if show[3]:
            return [{"name": "Neo4j Kernel", "versions": [self.profile.version], "edition": self.profile.edition}]
        if not self.profile.knows_show:
            raise Refused(SYNTAX, "Invalid input 'DATABASES'")
        for database in self.databases.values():
            database.looks -= 1
            if database.state == "starting" and database.looks < 0:
                database.state = self.profile.becomes
        return [
            {"name": one.name, "currentStatus": one.state, "statusMessage": "", "requestedStatus": "online"}
            for one in self.databases.values()
        ]

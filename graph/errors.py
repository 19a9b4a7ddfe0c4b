"""The errors that callers can expect, as one tree. A message says what happened, to what, and what to do next."""

from collections.abc import Sequence
from dataclasses import dataclass


class CogniverseError(Exception):
    """The root of all expected errors; its text is fit to be shown to the user."""


class InvalidInput(CogniverseError):
    """An argument that can't be taken."""


class NotFound(CogniverseError):
    """What was asked for by name or id does not exist."""


class UnknownTenant(NotFound):
    """No such tenant, or none that the caller may see."""


class Conflict(CogniverseError):
    """The request contradicts what is stored or under way."""


class NotAvailable(CogniverseError):
    """A part that is needed is not there or does not answer."""


class ServerFailed(NotAvailable):
    """The Neo4j server could not be started or died; the text quotes its log."""


class DownloadFailed(NotAvailable):
    """An artifact could not be fetched or has the wrong checksum."""


class UnsupportedFormat(CogniverseError):
    """A kind of file that no extractor reads."""


class TooLarge(CogniverseError):
    """A file, text or request over its limit."""


class LimitExceeded(CogniverseError):
    """A request that would cost too much, or one more than may wait."""


class Unauthenticated(CogniverseError):
    """No key or token, or one that does not count."""


class Forbidden(CogniverseError):
    """The caller's role does not allow it."""


class MissingDatabase(NotAvailable):
    """A database that is not on the server."""


class DatabaseFailed(CogniverseError):
    """Neo4j refused or gave up on a statement for a reason that the caller can't mend.

    `code` is Neo4j's own (`Neo.ClientError.Statement.SyntaxError` and the like), "" when there is none.
    """

    def __init__(self, message: str, *, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class Busy(NotAvailable):
    """Neo4j gave up for a passing reason, such as a deadlock: the same may go through when it is tried again."""


class TimedOut(CogniverseError):
    """A query that the server stopped because it took too long."""


class MigrationFailed(CogniverseError):
    """A migration can't be applied, or one that was applied has changed since."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One of several nodes that a name may mean."""

    node_id: str
    name: str
    kind: str
    path: str | None = None
    line_start: int | None = None


class AmbiguousName(CogniverseError):
    """A name that several nodes bear; `candidates` lists them, best first."""

    def __init__(self, name: str, candidates: Sequence[Candidate]) -> None:
        super().__init__(f"{name!r} may mean any of {len(candidates)} nodes: give one's id instead.")
        self.name = name
        self.candidates = tuple(candidates)

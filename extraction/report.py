"""What an index run tells while it works and when it ends."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from graph.answers import Count, Degradation


class Stage(StrEnum):
    """What an index run is busy with, in this order."""

    SCAN = "scan"
    EXTRACT = "extract"
    RESOLVE = "resolve"
    WRITE = "write"
    DOCUMENTS = "documents"
    VECTORS = "vectors"


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """How far a stage is, in files."""

    stage: Stage
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """A file that was skipped or failed, and why. `path` is relative to the folder, with `/`."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Dropped:
    """What of a file did not become facts, and why: `count` uses by the relation that they would have been."""

    what: str
    reason: str
    count: int


def rank_drops(counts: Mapping[tuple[str, str], int]) -> tuple[Dropped, ...]:
    """Counts by what and why, most first."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Dropped(what, reason, count) for (what, reason), count in ordered)


@dataclass(frozen=True, slots=True)
class IndexReport:
    """The end of an index run.

    `nodes`, `edges` and `mentions` are what the folder's documents state now, as far as a run that was stopped got;
    `files_*` count files; `unresolved` counts, by reason, the uses of names that could not be resolved.
    `dropped` counts what models found in documents that did not become facts, `degraded` tells what was done without.
    `timings_s` has seconds by stage. `cancelled` is true when the run was stopped early: what was written is whole.
    """

    root: str
    files_indexed: int
    files_unchanged: int
    files_removed: int
    skipped: tuple[FileOutcome, ...]
    failed: tuple[FileOutcome, ...]
    nodes: int
    edges: int
    mentions: int
    unresolved: tuple[Count, ...]
    elapsed_s: float
    dropped: tuple[Dropped, ...] = ()
    degraded: tuple[Degradation, ...] = ()
    timings_s: dict[str, float] = field(default_factory=dict[str, float])
    cancelled: bool = False

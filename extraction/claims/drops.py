"""What of a model's answer was not taken, counted by reason."""

from collections import Counter
from collections.abc import Iterable

from extraction.report import Dropped
from graph.errors import CogniverseError

ITEM = "item"
"""What is counted where no predicate is known."""

_WHAT_CHARS = 60


class NotTaken(CogniverseError):
    """A part of an answer that is not stored; the text is the reason."""


class Drops:
    """Counts by what was dropped and why."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()

    def add(self, what: str, reason: str, count: int = 1) -> None:
        """Count; `what` is cut to a line's length."""
        self._counts[" ".join(what.split())[:_WHAT_CHARS] or ITEM, reason] += count

    def extend(self, drops: Iterable[Dropped]) -> None:
        """Count what was counted elsewhere."""
        for drop in drops:
            self._counts[drop.what, drop.reason] += drop.count

    def total(self) -> tuple[Dropped, ...]:
        """The counts, sorted by what and why."""
        return tuple(Dropped(what, reason, count) for (what, reason), count in sorted(self._counts.items()))

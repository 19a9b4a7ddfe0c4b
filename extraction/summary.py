"""What a folder's documents state, counted while they pass."""

import json
from collections import Counter
from dataclasses import dataclass

from extraction.code.results import ResolvedFile


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts over all documents of a folder; `unresolved` by reason, largest first."""

    nodes: int = 0
    edges: int = 0
    mentions: int = 0
    unresolved: tuple[tuple[str, int], ...] = ()

    def to_json(self) -> str:
        """The summary as it is kept with its folder."""
        return json.dumps([self.nodes, self.edges, self.mentions, self.unresolved])

    @staticmethod
    def from_json(text: str) -> "Summary":
        """The summary of `to_json`."""
        nodes, edges, mentions, unresolved = json.loads(text)
        return Summary(nodes, edges, mentions, tuple((reason, count) for reason, count in unresolved))


class Tally:
    """Adds up a summary, document by document."""

    def __init__(self) -> None:
        self._nodes: set[str] = set()
        self._named = 0
        self._edges = 0
        self._mentions = 0
        self._unresolved: Counter[str] = Counter()

    def add(self, resolved: ResolvedFile, *, edges: int, mentions: int) -> None:
        """Count one document. Outside packages, which many documents declare, count once."""
        self._nodes.update(row.node_id for row in resolved.declared)
        self._edges += edges
        self._mentions += mentions
        self._unresolved.update(use.reason for use in resolved.unresolved)

    def add_documents(self, *, nodes: int = 0, edges: int = 0, mentions: int = 0) -> None:
        """Count what texts name and state."""
        self._named += nodes
        self._edges += edges
        self._mentions += mentions

    def summary(self) -> Summary:
        """The sum so far."""
        unresolved = sorted(self._unresolved.items(), key=lambda item: (-item[1], item[0]))
        return Summary(len(self._nodes) + self._named, self._edges, self._mentions, tuple(unresolved))

"""How well a model reads claims, measured on labelled texts."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from extraction.claims.base import ClaimReader, SegmentClaims
from extraction.claims.drops import Drops
from extraction.claims.labels import Fact, Label, make_fact
from extraction.report import Dropped


@dataclass(frozen=True, slots=True)
class Score:
    """Counts of facts, each in [0, 1] when rated. A rate is None where it has nothing to go by."""

    expected: int
    found: int
    right: int

    @property
    def precision(self) -> float | None:
        """The part of what was found that is right."""
        return self.right / self.found if self.found else None

    @property
    def recall(self) -> float | None:
        """The part of what was expected that was found."""
        return self.right / self.expected if self.expected else None

    @property
    def f1(self) -> float | None:
        """The harmonic mean of both."""
        total = self.expected + self.found
        return 2 * self.right / total if total else None


@dataclass(frozen=True, slots=True)
class PredicateScore:
    """The score of one predicate; of two that are inverses, under the first by name."""

    predicate: str
    score: Score


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A model's score on labelled texts, and what was dropped of its answers."""

    texts: int
    score: Score
    predicates: tuple[PredicateScore, ...]
    drops: tuple[Dropped, ...]


async def evaluate(reader: ClaimReader, labels: Sequence[Label]) -> Evaluation:
    """Read all texts and compare. A fact counts once a text, by predicate and names. Raises ClaimsFailed."""
    read = await reader.read([label.text for label in labels])
    expected: Counter[str] = Counter()
    found: Counter[str] = Counter()
    right: Counter[str] = Counter()
    drops = Drops()
    for label, claims in zip(labels, read, strict=True):
        facts = facts_of(claims)
        expected.update(_predicates(label.facts))
        found.update(_predicates(facts))
        right.update(_predicates(facts & label.facts))
        drops.extend(claims.drops)
    scores = tuple(
        PredicateScore(name, Score(expected[name], found[name], right[name])) for name in sorted(expected | found)
    )
    return Evaluation(len(labels), Score(expected.total(), found.total(), right.total()), scores, drops.total())


def facts_of(claims: SegmentClaims) -> frozenset[Fact]:
    """The claims as facts that can be compared."""
    return frozenset(make_fact(claim.subject.name, claim.predicate, claim.object.name) for claim in claims.claims)


def _predicates(facts: Iterable[Fact]) -> list[str]:
    return [predicate for _, predicate, _ in facts]

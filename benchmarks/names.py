"""Precision and recall of what makes two names one, over pairs labelled by hand.

    python -m benchmarks.names [--min-score 0.8] [--faults]

Merging by id (equal normalised names, short forms explained in brackets) happens without asking and must never be
wrong; suggestions are shown to a person, who merges or not.
"""

import argparse
import csv
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from extraction.documents.acronyms import find_acronyms
from graph.identity import name_key
from graph.names import score_names

PAIRS = Path(__file__).parent / "data" / "name_pairs.tsv"
UNSEEN = PAIRS.with_name("name_pairs_unseen.tsv")
"""Pairs that were written after the rules, hard ones on purpose."""


@dataclass(frozen=True)
class Pair:
    """Two names of one kind of thing, and whether they mean the same."""

    name_a: str
    name_b: str
    kind: str
    label: str
    note: str

    @property
    def same(self) -> bool:
        """Whether they mean the same."""
        return self.label == "same"


def load_pairs(path: Path = PAIRS) -> list[Pair]:
    """Return the labelled pairs."""
    with path.open(encoding="utf-8", newline="") as lines:
        return [Pair(**row) for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)]


def are_one(a: str, b: str) -> bool:
    """Whether two names get one id, or one explains the other in brackets."""
    keys = {name_key(name) for name in _forms(a)} & {name_key(name) for name in _forms(b)}
    return bool(keys)


def _forms(name: str) -> Iterable[str]:
    found = [acronym for acronym in find_acronyms(name) if len(acronym.long) + len(acronym.short) + 3 == len(name)]
    return [name, *(form for acronym in found for form in (acronym.long, acronym.short))]


def measure(pairs: list[Pair], predict: Callable[[Pair], bool]) -> tuple[float, float, list[Pair]]:
    """Return precision, recall and the pairs that were wrong."""
    said = {index for index, pair in enumerate(pairs) if predict(pair)}
    true = {index for index, pair in enumerate(pairs) if pair.same}
    right = len(said & true)
    wrong = [pairs[index] for index in sorted(said ^ true)]
    return right / len(said) if said else 1.0, right / len(true) if true else 1.0, wrong


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--min-score", type=float, default=0.8)
    parser.add_argument("--faults", action="store_true", help="also print every pair that was judged wrongly")
    arguments = parser.parse_args()
    for path in (PAIRS, UNSEEN):
        _report(path, arguments.min_score, show_faults=arguments.faults)


def _report(path: Path, min_score: float, *, show_faults: bool) -> None:
    pairs = load_pairs(path)
    same = sum(pair.same for pair in pairs)
    print(f"\n{path.name}: {len(pairs)} pairs, {same} same, {len(pairs) - same} different")

    def suggested(pair: Pair) -> bool:
        return score_names(pair.name_a, pair.name_b, kind=pair.kind) >= min_score

    rest = [pair for pair in pairs if not are_one(pair.name_a, pair.name_b)]
    print(f"{'':34}precision  recall")
    results = {
        "merged by id": measure(pairs, lambda pair: are_one(pair.name_a, pair.name_b)),
        f"suggested at {min_score}, of the rest": measure(rest, suggested),
        "together": measure(pairs, lambda pair: are_one(pair.name_a, pair.name_b) or suggested(pair)),
    }
    for name, (precision, recall, _) in results.items():
        print(f"{name:34}{precision:9.3f}{recall:8.3f}")
    for pair in results["together"][2] if show_faults else ():
        score = score_names(pair.name_a, pair.name_b, kind=pair.kind)
        print(f"{pair.label:10}{score:.3f}  {pair.name_a!r}  {pair.name_b!r}  {pair.kind}: {pair.note}")


if __name__ == "__main__":
    main()

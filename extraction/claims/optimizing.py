"""What DSPy's optimisers need: labelled examples and a measure. The program is `model.make_program`."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

import json
from pathlib import Path
from typing import TYPE_CHECKING

from extraction.claims.base import ClaimText, PriorEntity
from extraction.claims.checks import Reply, check_replies
from extraction.claims.evaluation import facts_of
from extraction.claims.labels import Label, load_labels, make_fact
from extraction.claims.model import load_dspy
from extraction.claims.prompts import PREDICATES, make_question
from extraction.claims.spans import Span

if TYPE_CHECKING:
    import dspy


def load_examples(path: Path) -> "list[dspy.Example]":
    """The labelled texts of a file as examples. Raises InvalidInput for bad lines, ClaimsFailed without DSPy."""
    return [_make_example(label) for label in load_labels(path)]


def rate_answer(example: "dspy.Example", prediction: "dspy.Prediction", trace: object = None) -> float:
    """The F1 of an answer after all checks, in [0, 1]: a metric for DSPy's optimisers. `trace` is theirs, not used."""
    del trace
    text = ClaimText(str(example.text), tuple(_read_entity(line) for line in str(example.entities).splitlines()))
    reply = Reply(Span(0, len(text.text)), str(prediction.claims))
    found = facts_of(check_replies(text, [reply], free_form=False))
    expected = frozenset(
        make_fact(item["subject"], item["predicate"], item["object"]) for item in json.loads(str(example.claims))
    )
    total = len(found) + len(expected)
    return 2 * len(found & expected) / total if total else 1.0


def _make_example(label: Label) -> "dspy.Example":
    dspy = load_dspy()
    question = make_question(label.text.text, label.text.entities)
    claims = [dict(zip(("subject", "predicate", "object"), claim, strict=True)) for claim in label.claims]
    example = dspy.Example(
        text=question.text,
        entities=question.entities,
        predicates=PREDICATES,
        claims=json.dumps(claims, ensure_ascii=False),
    )
    return example.with_inputs("text", "entities", "predicates")


def _read_entity(line: str) -> PriorEntity:
    name, _, kind = line.removesuffix(")").rpartition(" (")
    return PriorEntity(name or line, kind or "entity")

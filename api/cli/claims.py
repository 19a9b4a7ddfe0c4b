"""`cogniverse claims`: how well a language model reads facts."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from api.cli.options import AsJson
from api.cli.outcome import reported
from api.cli.terminal import Terminal, make_table
from api.config import load_settings
from api.modelling import claim_options
from graph.errors import InvalidInput

if TYPE_CHECKING:
    from extraction.claims.base import ClaimReader
    from extraction.claims.evaluation import Evaluation, Score
    from extraction.report import Dropped

app = typer.Typer(no_args_is_help=True, help="Measure the claims model.")


@app.callback()
def group() -> None:
    """Keep `evaluate` a command of its own name while it is the only one."""


@app.command()
@reported
def evaluate(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="A JSON object a line: text, claims (subject, predicate, object), maybe entities (name, kind).",
            show_default=False,
        ),
    ],
    program: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Instructions and examples found by a DSPy optimiser, as JSON.", show_default=False
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Score the claims model on labelled texts: precision, recall and F1, in all and by predicate."""
    from extraction.claims.evaluation import evaluate as score
    from extraction.claims.labels import load_labels

    labels = load_labels(file)
    answer = asyncio.run(score(_get_reader(program), labels))
    terminal = Terminal()
    if as_json:
        terminal.print_json(_fields(answer))
        return
    terminal.print(_render_scores(answer))
    if answer.drops:
        terminal.print("", "Not taken of the model's answers:", _render_drops(answer.drops))


def _get_reader(program: Path | None) -> "ClaimReader":
    from extraction.claims.reader import find_reader

    options = claim_options(load_settings())
    reader = find_reader(options, program=program)
    if reader is None:
        raise InvalidInput(
            "No claims model is set: put its LiteLLM name into COGNIVERSE_CLAIMS_MODEL, such as openai/gpt-4o-mini."
        )
    return reader


def _fields(answer: "Evaluation") -> dict[str, Any]:
    return {
        "texts": answer.texts,
        **_rates(answer.score),
        "predicates": {row.predicate: _rates(row.score) for row in answer.predicates},
        "drops": answer.drops,
    }


def _rates(score: "Score") -> dict[str, float | int | None]:
    return {
        "expected": score.expected,
        "found": score.found,
        "right": score.right,
        "precision": score.precision,
        "recall": score.recall,
        "f1": score.f1,
    }


def _render_scores(answer: "Evaluation") -> Table:
    rows = [_row(row.predicate, row.score) for row in answer.predicates]
    rows.append(_row(Text(f"all of {answer.texts} texts", "bold"), answer.score))
    header = ("predicate", "expected", "found", "right", "precision", "recall", "F1")
    return make_table(rows, header=header, right=range(1, len(header)))


def _row(name: Text | str, score: "Score") -> tuple[Text | str, ...]:
    counts = (score.expected, score.found, score.right)
    return name, *(str(count) for count in counts), *map(_rate, (score.precision, score.recall, score.f1))


def _rate(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _render_drops(drops: "tuple[Dropped, ...]") -> Table:
    rows = [(str(drop.count), drop.what, drop.reason) for drop in drops]
    return make_table(rows, header=("times", "what", "why"), right=(0,))

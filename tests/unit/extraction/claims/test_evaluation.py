"""Scores, the command that shows them, and what DSPy's optimisers are given: all through the real libraries."""

import asyncio
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from api.cli.claims import app
from extraction.claims.base import ClaimOptions, ClaimsFailed
from extraction.claims.evaluation import Score, evaluate
from extraction.claims.labels import load_labels
from extraction.claims.model import load_dspy, make_program
from extraction.claims.optimizing import load_examples, rate_answer
from extraction.claims.reader import find_reader
from tests.model_server import ChatRequest, ModelServer, claims_reply


def claim(subject: str, predicate: str, target: str, evidence: str = "") -> dict[str, str]:
    return {"subject": subject, "predicate": predicate, "object": target, "evidence": evidence}


LABELS = [
    {
        "text": "Ada won gold. Ada wrote poems.",
        "claims": [claim("Ada", "won", "gold"), claim("poems", "written by", "Ada")],
    },
    {
        "text": "Bob won silver.",
        "claims": [claim("Bob", "won", "silver")],
        "entities": [{"name": "Bob", "kind": "person"}],
    },
    {"text": "Nothing here.", "claims": []},
]
ANSWERS = {
    "Ada won gold. Ada wrote poems.": [
        claim("ada", "won", "gold", "Ada won gold"),
        claim("Ada", "won", "poems", "Ada wrote"),
    ],
    "Bob won silver.": [claim("Bob", "won", "silver", "Bob took silver"), claim("Bob", "likes", "silver", "Bob won")],
    "Nothing here.": [],
}


def answer(request: ChatRequest) -> str:
    return claims_reply(ANSWERS[request.field("text")])


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    path = tmp_path / "labels.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in LABELS), encoding="utf-8")
    return path


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    with ModelServer(answer) as running:
        for name, value in {
            "MODEL": "openai/double",
            "URL": running.url,
            "KEY": "sk-secret",
            "CONCURRENCY": "2",
            "TIMEOUT_S": "10",
        }.items():
            monkeypatch.setenv(f"COGNIVERSE_CLAIMS_{name}", value)
        monkeypatch.setenv("COGNIVERSE_CACHE_DIR", str(tmp_path / "cache"))
        yield running


def test_scores_by_predicate(labels: Path, server: ModelServer) -> None:
    reader = find_reader(ClaimOptions(model="openai/double", url=server.url))
    assert reader is not None
    result = asyncio.run(evaluate(reader, load_labels(labels)))
    assert (result.texts, result.score) == (3, Score(expected=3, found=2, right=1))
    assert {row.predicate: row.score for row in result.predicates} == {"won": Score(2, 2, 1), "wrote": Score(1, 0, 0)}
    assert [(drop.what, drop.reason, drop.count) for drop in result.drops] == [
        ("likes", "not a predicate", 1),
        ("won", "evidence not in the text", 1),
    ]


def test_rates_that_have_nothing_to_go_by_are_none() -> None:
    assert (Score(0, 0, 0).precision, Score(0, 0, 0).recall, Score(0, 0, 0).f1) == (None, None, None)
    assert (Score(2, 0, 0).precision, Score(2, 0, 0).recall, Score(2, 0, 0).f1) == (None, 0.0, 0.0)
    assert (Score(4, 2, 1).precision, Score(4, 2, 1).recall, Score(4, 2, 1).f1) == (0.5, 0.25, pytest.approx(1 / 3))


def test_the_command_shows_a_table(labels: Path, server: ModelServer) -> None:
    result = CliRunner().invoke(app, ["evaluate", str(labels)])
    assert result.exit_code == 0, result.output
    rows = [line.split() for line in result.stdout.splitlines()]
    assert rows[0] == ["predicate", "expected", "found", "right", "precision", "recall", "F1"]
    assert ["won", "2", "2", "1", "0.50", "0.50", "0.50"] in rows
    assert ["wrote", "1", "0", "0", "-", "0.00", "0.00"] in rows
    assert ["all", "of", "3", "texts", "3", "2", "1", "0.50", "0.33", "0.40"] in rows
    assert ["1", "won", "evidence", "not", "in", "the", "text"] in rows


def test_the_command_as_json_and_from_the_cache(labels: Path, server: ModelServer) -> None:
    first = CliRunner().invoke(app, ["evaluate", str(labels), "--json"])
    asked = len(server.requests)
    second = CliRunner().invoke(app, ["evaluate", str(labels), "--json"])
    assert first.exit_code == 0, first.output
    assert (first.stdout, asked, len(server.requests)) == (second.stdout, 3, 3)
    shown = json.loads(first.stdout)
    assert (shown["texts"], shown["precision"], shown["predicates"]["wrote"]["precision"]) == (3, 0.5, None)
    assert {"what": "likes", "reason": "not a predicate", "count": 1} in shown["drops"]


def test_without_a_model_the_command_says_what_to_set(labels: Path, server: ModelServer, monkeypatch) -> None:
    monkeypatch.delenv("COGNIVERSE_CLAIMS_MODEL")
    result = CliRunner().invoke(app, ["evaluate", str(labels)])
    assert result.exit_code == 2
    assert "COGNIVERSE_CLAIMS_MODEL" in result.stderr


def test_a_bad_file_is_told_before_anyone_is_asked(tmp_path: Path, server: ModelServer) -> None:
    path = tmp_path / "bad"
    path.write_text("{}\nnope", encoding="utf-8")
    result = CliRunner().invoke(app, ["evaluate", str(path), "--json"])
    assert result.exit_code == 2
    assert "line 2: not JSON" in json.loads(result.stderr)["error"]["message"]
    assert server.requests == []


def test_examples_and_the_measure_of_an_optimiser(labels: Path, server: ModelServer) -> None:
    dspy = load_dspy()
    examples = load_examples(labels)
    assert set(examples[0].inputs().keys()) == {"text", "entities", "predicates"}
    client = dspy.LM("openai/double", api_base=server.url, api_key="x", cache=False)
    program = make_program()
    with dspy.context(lm=client, trace=None, disable_history=True):
        score = dspy.Evaluate(devset=examples, metric=rate_answer, num_threads=1, display_progress=False)(program)
    client.close()
    assert score.score == pytest.approx(100 * (0.5 + 0.0 + 1.0) / 3, abs=0.01)


def test_a_saved_program_changes_what_is_told(labels: Path, server: ModelServer, tmp_path: Path) -> None:
    dspy = load_dspy()
    program = make_program()
    program.predict.signature = program.predict.signature.with_instructions("Read with great care.")
    program.predict.demos = [
        dspy.Example(text="Eve won.", entities="", predicates="won", reasoning="r", claims="[]").with_inputs("text")
    ]
    path = tmp_path / "program.json"
    program.save(str(path))
    result = CliRunner().invoke(app, ["evaluate", str(labels), "--program", str(path)])
    assert result.exit_code == 0, result.output
    assert "Read with great care." in server.requests[0].system
    assert any("Eve won." in str(message["content"]) for message in server.requests[0].body["messages"])
    assert "sk-secret" not in path.read_text()


def test_a_program_that_is_none(labels: Path, server: ModelServer, tmp_path: Path) -> None:
    with pytest.raises(ClaimsFailed, match="can't be read"):
        find_reader(ClaimOptions(model="openai/double"), program=tmp_path / "missing.json")
    (tmp_path / "other.json").write_text('{"a": 1}')
    result = CliRunner().invoke(app, ["evaluate", str(labels), "--program", str(tmp_path / "other.json")])
    assert result.exit_code == 1
    assert "is no program that DSPy saved" in result.stderr

"""Long texts through the real `dspy.RLM`; a subprocess of DSPy's own stands in for its sandbox, which needs Deno."""

import asyncio
import json
import time
from pathlib import Path

import pytest

from extraction.claims.base import ClaimOptions, ClaimsFailed, ClaimText
from extraction.claims.exploration import find_sandbox, may_have_sandbox
from extraction.claims.model import LanguageModel, load_dspy
from extraction.claims.reader import LanguageModelReader
from tests.model_server import Answer, ChatReply, ChatRequest, ModelServer, claims_reply, dspy_fields

TEXT = "Nothing of note. " * 300 + "Ada won gold. " + "Nothing more. " * 10
ITEM = {"subject": "Ada", "predicate": "won", "object": "gold", "evidence": "Ada won gold", "confidence": 0.9}
CODE = f"""```python
import json
import time
from pathlib import Path
place = text.find("Ada won")
print(text[place:place + 12])
SUBMIT(claims=json.dumps([{json.dumps(ITEM)} | {{"evidence": text[place:place + 12]}}]))
```"""


def make_reader(server: ModelServer, sandbox, **more) -> LanguageModelReader:
    options = ClaimOptions(**({"model": "openai/double", "url": server.url, "timeout_s": 10.0} | more))
    return LanguageModelReader(LanguageModel(options), pause_s=0.01, find_sandbox=lambda: sandbox)


def read(answer: Answer, sandbox, **more):
    with ModelServer(answer) as server:
        (claims,) = asyncio.run(make_reader(server, sandbox, **more).read([ClaimText(TEXT)]))
        return claims, server


def write_code(_: ChatRequest) -> str:
    return dspy_fields(reasoning="I look for it.", code=CODE)


def test_a_long_text_is_looked_through_by_code() -> None:
    claims, server = read(write_code, load_dspy().LocalInterpreter)
    assert [(claim.subject.name, claim.predicate, claim.object.name) for claim in claims.claims] == [
        ("Ada", "won", "gold")
    ]
    assert TEXT[claims.claims[0].evidence_start : claims.claims[0].evidence_end] == "Ada won gold"
    assert len(server.requests) == 1
    assert TEXT not in server.requests[0].prompt


def test_without_a_sandbox_it_is_read_in_parts() -> None:
    def answer(request: ChatRequest) -> str:
        return claims_reply([ITEM] if "Ada" in request.field("text") else [])

    claims, server = read(answer, None)
    assert len(claims.claims) == 1
    assert len(server.requests) == 2


@pytest.mark.parametrize("name", ["CodeInterpreterError", "ValueError"])
def test_a_sandbox_that_breaks_gives_way_to_parts(name: str, caplog: pytest.LogCaptureFixture) -> None:
    error = getattr(load_dspy(), name, ValueError)

    class Broken(load_dspy().LocalInterpreter):
        def start(self) -> None:
            raise error("no more memory")

        def execute(self, *_, **__):
            raise error("no more memory")

    def answer(request: ChatRequest) -> str:
        return claims_reply([ITEM]) if request.field("text") else write_code(request)

    claims, _ = read(answer, Broken)
    assert len(claims.claims) == 1
    assert "no more memory" in caplog.text


def test_code_that_never_ends_is_killed_and_the_text_read_in_parts(caplog: pytest.LogCaptureFixture) -> None:
    made = []

    class Killable(load_dspy().LocalInterpreter):
        """Has its process where DSPy's sandbox has it."""

        def __init__(self) -> None:
            super().__init__()
            made.append(self)

        @property
        def deno_process(self):
            return self._process

    def answer(request: ChatRequest) -> str:
        if request.field("text"):
            return claims_reply([ITEM] if "Ada" in request.field("text") else [])
        return dspy_fields(reasoning="I wait.", code="while True: pass")

    start = time.monotonic()
    claims, _ = read(answer, Killable, timeout_s=0.5)
    assert len(claims.claims) == 1
    assert 4.0 <= time.monotonic() - start < 30.0
    assert "took too long" in caplog.text
    assert [
        interpreter.deno_process is None or interpreter.deno_process.poll() is not None for interpreter in made
    ] == [True]


def test_a_sandbox_that_does_not_start_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_sandbox.__wrapped__() is None
    assert caplog.text == ""
    deno = tmp_path / "deno"
    deno.write_text("#!/bin/sh\necho 'deno 1.0.0 (old)'\n")
    deno.chmod(0o755)
    assert may_have_sandbox()
    assert find_sandbox.__wrapped__() is None
    assert "Unsupported Deno version 1.0.0" in caplog.text


def test_a_refused_key_is_told_as_ever() -> None:
    with pytest.raises(ClaimsFailed, match="COGNIVERSE_CLAIMS_KEY"):
        read(lambda _: ChatReply("no", 401), load_dspy().LocalInterpreter)


async def test_cancelling_ends_the_call_under_way() -> None:
    with ModelServer(lambda _: ChatReply("late", delay_s=30.0)) as server:
        reading = asyncio.ensure_future(make_reader(server, load_dspy().LocalInterpreter).read([ClaimText(TEXT)]))
        assert await asyncio.to_thread(server.wait_until, lambda seen: len(seen.requests) == 1)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        assert await asyncio.to_thread(server.wait_until, lambda seen: seen.left == 1)
    assert len(server.requests) == 1

"""The reader against a real server on this machine, through the real DSPy."""

import asyncio
import json
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from extraction.claims.base import ClaimOptions, ClaimReader, ClaimsFailed, ClaimText, PriorEntity, SegmentClaims
from extraction.claims.model import LanguageModel
from extraction.claims.reader import LanguageModelReader, find_reader
from tests.model_server import Answer, ChatReply, ChatRequest, ModelServer, claims_reply

MARIE = PriorEntity("Marie Curie", "person")
KEY = "sk-secret-of-ours"
_SENTENCE = re.compile(r"(\w+) (won|wrote) (\w+)\.")


def read_sentences(request: ChatRequest) -> str:
    """What a good model says: each `Ada won gold.` of the text."""
    return claims_reply(
        [
            {"subject": who, "predicate": verb, "object": what, "evidence": f"{who} {verb} {what}", "confidence": 0.9}
            for who, verb, what in _SENTENCE.findall(request.field("text"))
        ]
    )


def make_reader(server: ModelServer, *, pause_s: float = 0.01, program: Path | None = None, **more) -> ClaimReader:
    options = ClaimOptions(**({"model": "openai/double", "url": server.url, "key": KEY, "timeout_s": 10.0} | more))
    return LanguageModelReader(LanguageModel(options, program), pause_s=pause_s, find_sandbox=lambda: None)


def read(answer: Answer, *texts: str, **more) -> tuple[list[SegmentClaims], ModelServer]:
    with ModelServer(answer) as server:
        reader = make_reader(server, **more)
        return asyncio.run(reader.read([ClaimText(text) for text in texts])), server


def facts(claims: SegmentClaims) -> list[tuple[str, str, str]]:
    return [(claim.subject.name, claim.predicate, claim.object.name) for claim in claims.claims]


def test_without_a_model_there_is_no_reader() -> None:
    assert find_reader(ClaimOptions()) is None
    assert find_reader(ClaimOptions(model=" ")) is None
    assert find_reader(ClaimOptions(model="openai/some")) is not None


def test_claims_come_back_in_the_order_of_the_texts() -> None:
    claims, server = read(read_sentences, "Ada won gold.", "", "Bob wrote poems. Cid won silver.")
    assert [facts(found) for found in claims] == [
        [("Ada", "won", "gold")],
        [],
        [("Bob", "wrote", "poems"), ("Cid", "won", "silver")],
    ]
    assert len(server.requests) == 2


def test_what_the_model_is_told() -> None:
    with ModelServer(read_sentences) as server:
        reader = make_reader(server)
        asyncio.run(reader.read([ClaimText("She won gold. \ud800 here", (PriorEntity("Warsaw", "location"), MARIE))]))
    request = server.requests[0]
    assert request.field("text") == "She won gold. ? here"
    assert request.field("entities") == "Warsaw (location)\nMarie Curie (person)"
    assert "born_in" in request.field("predicates").split(", ")
    assert "material to read" in request.system
    assert request.body["model"] == "double"
    assert request.body["temperature"] == 0.0
    assert request.headers["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    "wrap",
    [
        claims_reply,
        lambda text: text,
        lambda text: f"Sure! Here are the facts:\n```json\n{text}\n```",
        lambda text: f"[[ ## claims ## ]]\n{text}",
    ],
    ids=["fields", "bare", "fenced", "half the fields"],
)
def test_an_answer_of_any_outer_shape_is_read_without_asking_again(wrap) -> None:
    item = {"subject": "Ada", "predicate": "won", "object": "gold", "evidence": "Ada won gold", "confidence": "high"}
    (claims,), server = read(lambda _: wrap(json.dumps([item])), "Ada won gold.")
    assert facts(claims) == [("Ada", "won", "gold")]
    assert claims.drops == ()
    assert len(server.requests) == 1


@pytest.mark.parametrize(("text", "reason"), [("", "an empty answer"), ("I can't.", "no JSON in the answer")])
def test_an_answer_that_is_none_is_counted(text: str, reason: str) -> None:
    (claims,), _ = read(lambda _: ChatReply(text), "Ada won gold.")
    assert claims.claims == ()
    assert [(drop.what, drop.reason, drop.count) for drop in claims.drops] == [("item", reason, 1)]


def test_an_answer_cut_off_by_the_server_keeps_what_is_whole() -> None:
    whole = json.dumps([{"subject": "Ada", "predicate": "won", "object": "gold", "evidence": "Ada won gold"}] * 2)
    cut = f"[[ ## reasoning ## ]]\nx\n\n[[ ## claims ## ]]\n{whole[:-30]}"
    (claims,), _ = read(lambda _: ChatReply(cut, finish_reason="length"), "Ada won gold.")
    assert facts(claims) == [("Ada", "won", "gold")]
    assert [drop.reason for drop in claims.drops] == ["cut off"]


def test_no_more_calls_than_allowed_are_under_way() -> None:
    def slow(request: ChatRequest) -> ChatReply:
        return ChatReply(read_sentences(request), delay_s=0.1)

    texts = [f"Ada won gold{number}." for number in range(9)]
    _, server = read(slow, *texts, concurrency=3)
    assert (len(server.requests), server.peak) == (9, 3)


@pytest.mark.parametrize("concurrency", [1, 8])
def test_order_and_concurrency_change_nothing(concurrency: int) -> None:
    texts = [f"Name{number} won cup{number}. Name{number} wrote book{number}." for number in range(12)]

    def jittery(request: ChatRequest) -> ChatReply:
        return ChatReply(read_sentences(request), delay_s=(hash(request.field("text")) % 5) / 100)

    forward, _ = read(jittery, *texts, concurrency=concurrency)
    backward, _ = read(jittery, *reversed(texts), concurrency=concurrency)
    assert forward == list(reversed(backward))
    assert [len(found.claims) for found in forward] == [2] * 12


@pytest.mark.parametrize("status", [429, 500, 502, 503, 408])
def test_passing_trouble_is_waited_out(status: int) -> None:
    def answer(request: ChatRequest) -> ChatReply | str:
        return ChatReply("overloaded", status) if request.number < 3 else read_sentences(request)

    (claims,), server = read(answer, "Ada won gold.")
    assert facts(claims) == [("Ada", "won", "gold")]
    assert len(server.requests) == 4


def test_tries_are_bounded_and_the_reason_is_told() -> None:
    with pytest.raises(ClaimsFailed, match=r"overloaded.*Gave up after 4 tries") as failure:
        read(lambda _: ChatReply("overloaded", 503), "", "Ada won gold.")
    assert failure.value.index == 1
    assert type(failure.value) is ClaimsFailed


def test_the_pause_that_a_server_asks_for_is_kept() -> None:
    def answer(request: ChatRequest) -> ChatReply | str:
        return ChatReply("later", 429, {"Retry-After": "1"}) if request.number == 0 else read_sentences(request)

    start = time.monotonic()
    (claims,), server = read(answer, "Ada won gold.")
    assert time.monotonic() - start >= 1.0
    assert (len(claims.claims), len(server.requests)) == (1, 2)


def test_a_pause_longer_than_a_minute_is_told_at_once() -> None:
    with pytest.raises(ClaimsFailed, match="asks for 3600 s"):
        read(lambda _: ChatReply("later", 429, {"Retry-After": "3600"}), "Ada won gold.")


def test_a_server_that_does_not_answer_is_given_up() -> None:
    with pytest.raises(ClaimsFailed, match=r"no answer in 0\.2 s|did not answer"):
        read(lambda _: ChatReply("late", delay_s=5.0), "Ada won gold.", timeout_s=0.2)


def test_no_server_at_all() -> None:
    with ModelServer(read_sentences) as server:
        reader = make_reader(server)
    with pytest.raises(ClaimsFailed, match=r"openai/double at http://127.0.0.1.* did not answer"):
        asyncio.run(reader.read([ClaimText("Ada won gold.")]))


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (ChatReply(f"Incorrect API key provided: {KEY}", 401, code="invalid_api_key"), "Check COGNIVERSE_CLAIMS_KEY"),
        (ChatReply(f"no access for {KEY}", 403), "Check COGNIVERSE_CLAIMS_KEY"),
        (ChatReply("The model double does not exist", 404, code="model_not_found"), "Check COGNIVERSE_CLAIMS_MODEL"),
        (ChatReply(f"bad request of {KEY}", 400), "could not be asked: bad request of …"),
        (ChatReply("You exceeded your quota", 429, code="insufficient_quota"), "no credit left"),
    ],
    ids=["key", "access", "model", "request", "quota"],
)
def test_lasting_trouble_ends_at_once_and_says_what_to_do(reply: ChatReply, message: str) -> None:
    with ModelServer(lambda _: reply) as server, pytest.raises(ClaimsFailed, match=message) as failure:
        asyncio.run(make_reader(server, concurrency=1).read([ClaimText("Ada won gold."), ClaimText("Bob won gold.")]))
    assert KEY not in str(failure.value)
    assert "openai/double" in str(failure.value)
    assert len(server.requests) == 1


def test_a_model_name_that_is_none() -> None:
    with pytest.raises(ClaimsFailed, match=r"openai/ .*can't be used.*COGNIVERSE_CLAIMS_MODEL"):
        read(read_sentences, "Ada won gold.", model="openai/")


def test_without_a_key_none_is_taken_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-for-another-server")
    _, server = read(read_sentences, "Ada won gold.", key=None)
    assert server.requests[0].headers["Authorization"] == "Bearer none"


async def test_cancelling_ends_the_calls() -> None:
    with ModelServer(lambda _: ChatReply("late", delay_s=30.0)) as server:
        reader = make_reader(server, concurrency=2)
        reading = asyncio.ensure_future(reader.read([ClaimText(f"Ada won gold{number}.") for number in range(5)]))
        assert await asyncio.to_thread(server.wait_until, lambda seen: seen.peak == 2)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        assert await asyncio.to_thread(server.wait_until, lambda seen: seen.left == 2)
    assert len(server.requests) == 2


async def test_the_first_failure_ends_the_other_calls() -> None:
    def answer(request: ChatRequest) -> ChatReply:
        bad = "bad" in request.field("text")
        return ChatReply("no", 401, delay_s=0.2) if bad else ChatReply("late", delay_s=30.0)

    with ModelServer(answer) as server:
        start = time.monotonic()
        with pytest.raises(ClaimsFailed) as failure:
            await make_reader(server).read([ClaimText("Ada won gold."), ClaimText("bad."), ClaimText("Cid won it.")])
    assert failure.value.index == 1
    assert time.monotonic() - start < 9.0


def test_answers_are_kept_by_content(tmp_path: Path) -> None:
    with ModelServer(read_sentences) as server:
        ada, bob = ClaimText("Ada won gold."), ClaimText("Bob won gold.")
        reader = make_reader(server, cache_dir=tmp_path)
        first = asyncio.run(reader.read([ada, bob]))
        assert len(server.requests) == 2
        assert asyncio.run(make_reader(server, cache_dir=tmp_path).read([bob, ada])) == [first[1], first[0]]
        assert len(server.requests) == 2
        changed = [ClaimText("Ada won gold!"), ClaimText("Ada won gold.", (MARIE,))]
        asyncio.run(reader.read(changed))
        assert len(server.requests) == 4
        asyncio.run(make_reader(server, cache_dir=tmp_path, model="openai/other").read([ada]))
        asyncio.run(make_reader(server, cache_dir=tmp_path, free_form=True).read([ada]))
        assert len(server.requests) == 6


def test_what_was_answered_before_a_failure_is_not_asked_again(tmp_path: Path) -> None:
    down = threading.Event()

    def answer(request: ChatRequest) -> ChatReply | str:
        return ChatReply("no", 401) if "Bob" in request.field("text") and not down.is_set() else read_sentences(request)

    with ModelServer(answer) as server:
        reader = make_reader(server, cache_dir=tmp_path, concurrency=1)
        texts = [ClaimText("Ada won gold."), ClaimText("Bob won gold.")]
        with pytest.raises(ClaimsFailed):
            asyncio.run(reader.read(texts))
        down.set()
        asyncio.run(reader.read(texts))
    assert [request.field("text") for request in server.requests] == ["Ada won gold.", "Bob won gold.", "Bob won gold."]


def test_an_answer_without_a_list_is_asked_for_again(tmp_path: Path) -> None:
    with ModelServer(lambda request: "sorry" if request.number == 0 else read_sentences(request)) as server:
        reader = make_reader(server, cache_dir=tmp_path)
        assert asyncio.run(reader.read([ClaimText("Ada won gold.")]))[0].claims == ()
        assert len(asyncio.run(reader.read([ClaimText("Ada won gold.")]))[0].claims) == 1


def test_a_broken_cache_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "claims.sqlite").write_bytes(b"not a database" * 100)
    (claims,), _ = read(read_sentences, "Ada won gold.", cache_dir=tmp_path)
    assert facts(claims) == [("Ada", "won", "gold")]


def test_a_long_text_is_asked_about_in_parts_that_cut_no_sentence() -> None:
    text = " ".join(
        f"Name{number} won cup{number}. Nothing else of note happened on that day." for number in range(200)
    )
    (claims,), server = read(read_sentences, text)
    assert facts(claims) == [(f"Name{number}", "won", f"cup{number}") for number in range(200)]
    assert len(server.requests) == -(-len(text) // 3_000)
    assert all(
        text[claim.evidence_start : claim.evidence_end] == f"{claim.subject.name} won {claim.object.name}"
        for claim in claims.claims
    )


def test_a_word_without_end_breaks_nothing() -> None:
    (claims,), server = read(read_sentences, "x" * 7_000)
    assert (claims, len(server.requests)) == (SegmentClaims(), 3)


def test_free_form_facts_are_asked_for_when_wanted() -> None:
    item = {
        "subject": "Ada",
        "predicate": "related_to",
        "relation_text": "met",
        "object": "Bob",
        "evidence": "Ada met Bob",
        "confidence": 0.7,
        "description": "Ada met Bob once.",
    }
    (claims,), server = read(lambda _: claims_reply([item]), "Ada met Bob.", free_form=True)
    assert [(claim.predicate, claim.relation_text, claim.description) for claim in claims.claims] == [
        ("related_to", "met", "Ada met Bob once.")
    ]
    assert "relation_text" in server.requests[0].system


def test_one_reader_serves_threads_and_loops_at_once() -> None:
    with ModelServer(lambda request: ChatReply(read_sentences(request), delay_s=0.02)) as server:
        reader = make_reader(server)
        results: dict[int, list[SegmentClaims]] = {}

        def work(number: int) -> None:
            texts = [ClaimText(f"Name{number} won cup{index}.") for index in range(4)]
            results[number] = asyncio.run(reader.read(texts))

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert {number: [facts(found)[0][0] for found in result] for number, result in results.items()} == {
        number: [f"Name{number}"] * 4 for number in range(4)
    }


def test_dspy_keeps_nothing_and_is_left_as_it_was() -> None:
    import dspy
    from dspy.clients.base_lm import GLOBAL_HISTORY

    before = (dict(dspy.settings.config), len(dspy.settings.trace), len(GLOBAL_HISTORY))
    read(read_sentences, "Ada won gold.")
    assert (dict(dspy.settings.config), len(dspy.settings.trace), len(GLOBAL_HISTORY)) == before


def test_the_fingerprint_names_what_claims_depend_on() -> None:
    with ModelServer(read_sentences) as server:
        prints = {
            make_reader(server, **more).fingerprint
            for more in ({}, {"model": "openai/other"}, {"url": f"{server.url}/x"}, {"free_form": True})
        }
        assert len(prints) == 4
        assert make_reader(server, concurrency=9, timeout_s=1.0, key="other").fingerprint in prints
        assert not any(KEY in text for text in prints)


def test_importing_the_package_loads_no_dspy() -> None:
    code = (
        "import sys, extraction.claims.reader, extraction.claims.evaluation, extraction.claims.optimizing\n"
        "import api.cli.claims\n"
        "print([name for name in ('dspy', 'litellm', 'openai') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_without_dspy_the_extra_is_named() -> None:
    code = (
        "import sys\nsys.modules['dspy'] = None\n"
        "import importlib.util\nreal = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *rest: None if name == 'dspy' else real(name, *rest)\n"
        "from extraction.claims.base import ClaimOptions, ClaimsFailed\n"
        "from extraction.claims.reader import find_reader\n"
        "try:\n    find_reader(ClaimOptions(model='openai/some'))\n"
        "except ClaimsFailed as exc:\n    print(exc)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 'pip install "cogniverse-graph[claims]"' in run.stdout


def test_a_model_that_only_litellm_knows_is_asked_through_it(tmp_path: Path) -> None:
    # In a process of its own: LiteLLM leaves connections open, and the list of prices must not be fetched.
    code = (
        "import asyncio, sys\n"
        "from extraction.claims.base import ClaimOptions, ClaimText\n"
        "from extraction.claims.reader import find_reader\n"
        "reader = find_reader(ClaimOptions(model='litellm_proxy/double', url=sys.argv[1], key='k'))\n"
        "claims = asyncio.run(reader.read([ClaimText('Ada won gold.')]))[0].claims\n"
        "print([(claim.subject.name, claim.predicate, claim.object.name) for claim in claims])"
    )
    with ModelServer(read_sentences) as server:
        run = subprocess.run([sys.executable, "-c", code, server.url], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[('Ada', 'won', 'gold')]"
    assert "cost map" not in run.stderr
    assert server.requests[0].body["model"] == "double"


def test_a_password_in_the_address_is_not_told() -> None:
    with ModelServer(lambda _: ChatReply("no", 404)) as server:
        reader = make_reader(server, url=server.url.replace("://", "://me:hunter2@"))
        with pytest.raises(ClaimsFailed) as failure:
            asyncio.run(reader.read([ClaimText("Ada won gold.")]))
    assert "hunter2" not in str(failure.value) + reader.fingerprint

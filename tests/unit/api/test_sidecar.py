"""The server of `models serve` and its client, over real connections, with real weights."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
import pytest
import uvicorn
from starlette.types import ASGIApp

from api.sidecar import MAX_CHARS, MAX_TEXTS, Sidecar, create_sidecar
from extraction.entities.base import EntitiesFailed, EntityExtractor, EntityOptions, EntitySpan
from extraction.entities.engines import find_extractor, load_model

TINY = Path(__file__).parents[2] / "fixtures" / "models" / "tiny-gliner-onnx"
LABELS = ("Person", "Location", "Date")
SENTENCE = "Marie Curie was born in Warsaw in 1867."
LOCAL = EntityOptions(engine="onnx", model=str(TINY), labels=LABELS)


class Unit:
    """An embedder that tells how long each text is: the server's part is what is under test here."""

    model = "lengths"
    dimension = 2

    def embed(self, texts: list[str]) -> list[list[float]]:
        return [[float(len(text)), 1.0] for text in texts]


@contextmanager
def serving(app: ASGIApp) -> Iterator[str]:
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_config=None, access_log=False, proxy_headers=False)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve()), daemon=True)
    thread.start()
    deadline = time.monotonic() + 20
    while not server.started:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(20)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(create_sidecar(Sidecar(LOCAL, load_model(LOCAL), Unit()), loopback_only=True)) as address:
        yield address


def connect(url: str, **options: object) -> EntityExtractor:
    extractor = find_extractor(EntityOptions(**{"engine": "sidecar", "url": url, "labels": LABELS} | options))
    assert extractor is not None
    return extractor


def places(answers: list[list[EntitySpan]]) -> list[list[tuple[int, int, str, str, float]]]:
    return [[(o.char_start, o.char_end, o.text, o.kind, round(o.score, 6)) for o in spans] for spans in answers]


def test_a_sidecar_gives_what_the_model_gives_in_this_process(url: str) -> None:
    texts = [SENTENCE, "", "😀\x00 e\u0301 " + SENTENCE, "\ud800 Ada Lovelace lives in Paris.", SENTENCE * 60]
    local = find_extractor(LOCAL)
    assert local is not None

    answers = connect(url, batch=2).extract(texts)

    assert places(answers) == places(local.extract(texts))
    assert answers[0][0] == EntitySpan(0, 11, "Marie Curie", "person", answers[0][0].score)
    assert answers[1] == []
    for text, spans in zip(texts, answers, strict=True):
        assert all(text[one.char_start : one.char_end] == one.text for one in spans)


def test_auto_takes_the_sidecar_whose_address_is_set(url: str) -> None:
    assert connect(url, engine="auto").fingerprint.startswith("sidecar|onnx:")
    assert connect(url).fingerprint != connect(url, threshold=0.9).fingerprint


def test_the_wire_is_as_documented(url: str) -> None:
    answer = httpx.post(f"{url}/entities", json={"texts": ["😀 " + SENTENCE], "labels": ["PERSON"]})

    assert answer.status_code == 200
    body = answer.json()
    assert set(body) == {"entities", "model", "fingerprint"}
    [[entity]] = body["entities"]
    assert entity | {"score": 1} == {"start": 2, "end": 13, "text": "Marie Curie", "label": "person", "score": 1}


def test_vectors_come_in_the_shape_of_openai(url: str) -> None:
    for path in ("/embeddings", "/v1/embeddings"):
        body = httpx.post(f"{url}{path}", json={"input": ["ab", "abc"], "model": "any", "user": "x"}).json()

        assert [(one["object"], one["index"], one["embedding"]) for one in body["data"]] == [
            ("embedding", 0, [2.0, 1.0]),
            ("embedding", 1, [3.0, 1.0]),
        ]
        assert (body["object"], body["model"]) == ("list", "lengths")
    assert len(httpx.post(f"{url}/embeddings", json={"input": "ab"}).json()["data"]) == 1


@pytest.mark.parametrize(
    ("body", "status", "told"),
    [
        (b"{", 422, "JSON"),
        (b'{"texts": "one"}', 422, "texts"),
        (b'{"texts": [1]}', 422, "texts"),
        (b'{"texts": [], "colour": 1}', 422, "colour"),
        (b'{"texts": ["a"], "threshold": 2}', 422, "threshold"),
        (b'{"texts": ["a"], "labels": ["Unicorn"]}', 422, "Unicorn"),
        (json.dumps({"texts": ["a"] * (MAX_TEXTS + 1)}).encode(), 422, "1,024"),
        (json.dumps({"texts": ["a", "a" * (MAX_CHARS + 1)]}).encode(), 422, "Text 1"),
        (b" " * 16_000_001, 413, "larger"),
    ],
)
def test_what_can_not_be_taken_is_told_as_json(url: str, body: bytes, status: int, told: str) -> None:
    answer = httpx.post(f"{url}/entities", content=body)

    assert answer.status_code == status
    assert told in answer.json()["error"]["message"]


def test_other_paths_and_methods_are_told_as_json(url: str) -> None:
    assert httpx.get(f"{url}/entities").status_code == 405
    assert httpx.get(f"{url}/nothing").json()["error"]["code"] == "NotFound"


def test_health_names_the_models(url: str) -> None:
    assert httpx.get(f"{url}/health/live").json() == {"status": "ok"}
    assert httpx.get(f"{url}/health/ready").json() == {
        "status": "ok",
        "models": {"entities": str(TINY), "embeddings": "lengths"},
    }


@pytest.mark.parametrize(
    "headers", [{"Host": "evil.example"}, {"Origin": "https://evil.example"}, {"X-Forwarded-For": "8.8.8.8"}]
)
def test_pages_and_proxies_from_elsewhere_are_refused(url: str, headers: dict[str, str]) -> None:
    assert httpx.post(f"{url}/entities", json={"texts": []}, headers=headers).status_code == 401


def test_a_server_without_an_entity_model_says_so() -> None:
    with (
        serving(create_sidecar(Sidecar(LOCAL, None, Unit()), loopback_only=True)) as url,
        pytest.raises(EntitiesFailed, match="models fetch"),
    ):
        connect(url)


def test_where_nothing_listens_is_told_after_some_tries() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        free = taken.getsockname()[1]
    started = time.monotonic()

    with pytest.raises(EntitiesFailed, match="COGNIVERSE_MODELS_URL"):
        connect(f"http://127.0.0.1:{free}")

    assert time.monotonic() - started > 1


@pytest.mark.parametrize("url", ["", "127.0.0.1:80", "ftp://host", "file:///etc/passwd"])
def test_what_is_no_address_is_told(url: str) -> None:
    with pytest.raises(EntitiesFailed, match="address"):
        connect(url)


def answering(*answers: bytes) -> "contextmanager[str]":
    """A server that sends the given bytes, one answer a connection, whatever it is asked."""

    @contextmanager
    def serve() -> Iterator[str]:
        with closing(socket.create_server(("127.0.0.1", 0))) as server:

            def work() -> None:
                for answer in answers:
                    peer, _ = server.accept()
                    with peer:
                        peer.recv(65_536)
                        peer.sendall(answer)

            threading.Thread(target=work, daemon=True).start()
            yield f"http://127.0.0.1:{server.getsockname()[1]}"

    return serve()


def answer_of(value: object, status: str = "200 OK") -> bytes:
    body = json.dumps(value).encode()
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body


HELLO = answer_of({"entities": [], "model": "m", "fingerprint": "f"})


def span_of(start: int, end: int, text: str, label: str = "person") -> bytes:
    span = {"start": start, "end": end, "text": text, "label": label, "score": 0.9}
    return answer_of({"entities": [[span]], "model": "m", "fingerprint": "f"})


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (span_of(4, 15, "Marie Curie"), "count characters"),
        (span_of(0, 99, "Marie Curie"), "count characters"),
        (span_of(2, 13, "Marie Curie", "unicorn"), "unicorn"),
        (answer_of({"entities": [], "model": "m", "fingerprint": "f"}), "0 lists for 1"),
        (answer_of({"entities": [[]], "model": "n", "fingerprint": "g"}), "changed its model"),
        (answer_of({"hello": "world"}), "is not `cogniverse models serve`"),
        (answer_of({"error": {"message": "broken", "index": 0}}, "500 Oh"), "broken"),
    ],
)
def test_an_answer_that_is_wrong_is_not_taken(answer: bytes, told: str) -> None:
    with answering(HELLO, answer) as url:
        extractor = connect(url)

        with pytest.raises(EntitiesFailed, match=told) as caught:
            extractor.extract(["😀 Marie Curie"])

    assert caught.value.index == 0


def test_passing_trouble_is_tried_again() -> None:
    busy = answer_of({"error": {"message": "busy"}}, "503 Busy")
    with answering(b"", busy, HELLO, answer_of({}, "502 Bad Gateway"), span_of(0, 5, "Marie")) as url:
        assert connect(url).extract(["Marie"])[0][0].text == "Marie"


def test_a_sidecar_that_is_killed_in_the_middle_fails_the_call(tmp_path: Path) -> None:
    environment = os.environ | {
        "COGNIVERSE_CACHE_DIR": str(tmp_path),
        "COGNIVERSE_ENTITY_MODEL": str(TINY),
        "COGNIVERSE_EMBEDDING_ENGINE": "off",
    }
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
    command = "from api.cli.models import app; app(prog_name='models')"
    process = subprocess.Popen(
        [sys.executable, "-c", command, "serve", "--port", str(port)], env=environment, stderr=subprocess.PIPE
    )
    try:
        url = f"http://127.0.0.1:{port}"
        wait_until_ready(url)
        extractor = connect(url)
        assert extractor.extract([SENTENCE])[0]
        killer = threading.Timer(0.5, process.send_signal, [signal.SIGKILL])
        killer.start()

        with pytest.raises(EntitiesFailed, match="can't be reached") as caught:
            extractor.extract([SENTENCE * 2_000])

        assert caught.value.index == 0
        killer.join()
    finally:
        process.kill()
        process.communicate()


def wait_until_ready(url: str) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            if httpx.get(f"{url}/health/ready").status_code == 200:
                return
        except httpx.TransportError:
            assert time.monotonic() < deadline, "the sidecar did not start"
        time.sleep(0.1)


@pytest.mark.parametrize(
    ("settings", "code", "told"),
    [
        ({}, 3, "models fetch"),
        ({"COGNIVERSE_ENTITY_MODEL": "org/none"}, 1, "models fetch org/none"),
    ],
)
def test_a_server_does_not_start_without_models(tmp_path: Path, settings: dict[str, str], code: int, told: str) -> None:
    environment = os.environ | {"COGNIVERSE_CACHE_DIR": str(tmp_path), "COGNIVERSE_EMBEDDING_ENGINE": "off", **settings}
    command = "from api.cli.models import app; app(prog_name='models')"

    done = subprocess.run(
        [sys.executable, "-c", command, "serve"], env=environment, capture_output=True, text=True, check=False
    )

    assert done.returncode == code
    assert told in done.stderr


def test_other_machines_are_warned_of_and_served(tmp_path: Path) -> None:
    environment = os.environ | {
        "COGNIVERSE_CACHE_DIR": str(tmp_path),
        "COGNIVERSE_ENTITY_MODEL": str(TINY),
        "COGNIVERSE_EMBEDDING_ENGINE": "off",
    }
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
    command = "from api.cli.models import app; app(prog_name='models')"
    process = subprocess.Popen(
        [sys.executable, "-c", command, "serve", "--host", "0.0.0.0", "--port", str(port)],  # noqa: S104
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        wait_until_ready(f"http://127.0.0.1:{port}")
        answer = httpx.post(f"http://127.0.0.1:{port}/entities", json={"texts": [SENTENCE]}, headers={"Host": "models"})
        assert answer.json()["entities"][0][0]["text"] == "Marie Curie"
    finally:
        process.terminate()
        _, errors = process.communicate(timeout=30)
    assert "there are no keys" in errors

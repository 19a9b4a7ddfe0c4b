"""Vectors from a server, with all that can go wrong on the way."""

import math
from collections.abc import Iterator

import pytest

from extraction.embeddings.base import EmbeddingOptions, EmbeddingsFailed
from extraction.embeddings.engines import find_embedder
from tests.embedding_server import EmbeddingServer, Reply, data

NOW = {"Retry-After": "0"}


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with EmbeddingServer() as running:
        yield running


def connect(server: EmbeddingServer, **options):
    return find_embedder(EmbeddingOptions(engine="openai", model="m", url=server.url, **options))


def test_vectors_come_in_order_at_unit_length(server: EmbeddingServer) -> None:
    embedder = connect(server)
    texts = [f"text {number}" for number in range(150)]

    vectors = embedder.embed(texts)

    assert (embedder.model, embedder.dimension) == ("m", 16)
    assert vectors == [pytest.approx(vector) for vector in server.embedder.embed(texts)]
    assert all(math.hypot(*vector) == pytest.approx(1.0) for vector in vectors)
    assert [len(body["input"]) for body in server.bodies] == [1, 64, 64, 22]
    assert embedder.embed([]) == []


def test_an_address_makes_auto_ask_the_server(server: EmbeddingServer) -> None:
    assert find_embedder(EmbeddingOptions(url=server.url + "/")).dimension == 16


def test_the_key_is_sent_and_never_told(server: EmbeddingServer) -> None:
    embedder = connect(server, key="secret")
    server.replies.append(Reply(401, b"bad key"))

    with pytest.raises(EmbeddingsFailed, match="COGNIVERSE_EMBEDDING_KEY") as failed:
        embedder.embed(["a"])

    assert server.keys == ["Bearer secret"] * 2
    assert "secret" not in str(failed.value)


def test_a_passing_failure_is_tried_again(server: EmbeddingServer) -> None:
    embedder = connect(server)
    server.replies += [Reply(429, headers=NOW), Reply(503, headers=NOW), Reply(500, headers=NOW)]

    assert len(embedder.embed(["a", "b"])) == 2


def test_a_failure_that_stays_is_told(server: EmbeddingServer) -> None:
    embedder = connect(server)
    server.replies += [Reply(503, b"busy", headers=NOW)] * 2

    with pytest.raises(EmbeddingsFailed, match="failed 2 times: status 503 busy"):
        embedder.embed(["a"])


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Reply(400, b"no such model"), "COGNIVERSE_EMBEDDING_MODEL"),
        (Reply(404), "/v1"),
        (Reply(302, headers={"Location": "http://127.0.0.1:1/"}), "status 302"),
        (Reply(body=b"<html>"), "OpenAI"),
        (Reply(body=b'{"data": [{"index": 0}]}'), "OpenAI"),
        (Reply(body=b"[]"), "OpenAI"),
        (data([[0.0] * 16]), "all zero"),
        (data([[float("nan")] * 16]), "NaN"),
        (data([[1.0] * 16] * 2), "2 vectors for 1 texts"),
        (data([[1.0] * 8]), "8 after some of 16"),
    ],
)
def test_an_odd_answer_is_refused(server: EmbeddingServer, reply: Reply, said: str) -> None:
    embedder = connect(server)
    server.replies.append(reply)

    with pytest.raises(EmbeddingsFailed, match=said):
        embedder.embed(["a"])


def test_vectors_of_two_lengths_are_refused(server: EmbeddingServer) -> None:
    embedder = connect(server)
    server.replies.append(data([[1.0] * 16, [1.0] * 8]))

    with pytest.raises(EmbeddingsFailed, match="different lengths"):
        embedder.embed(["a", "b"])


def test_a_server_that_is_not_there_is_told() -> None:
    with pytest.raises(EmbeddingsFailed, match=r"127\.0\.0\.1:9.*does not answer"):
        find_embedder(EmbeddingOptions(engine="openai", url="http://127.0.0.1:9/v1"))


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://example.org", "localhost:8000"])
def test_an_address_of_another_kind_is_refused(url: str) -> None:
    with pytest.raises(EmbeddingsFailed, match="http://"):
        find_embedder(EmbeddingOptions(engine="openai", url=url))

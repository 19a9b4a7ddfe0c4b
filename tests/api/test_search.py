"""Search by words and meaning through every door, with and without a model."""

import json
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from api.config import Settings
from api.meaning import find_meaning
from api.modelling import Models
from graph.answers import Degradation, SearchMode
from graph.database import Database, deadline
from graph.store import upsert_documents
from graph.vectors import QueryVector, embed_missing
from tests.api.conftest import Api
from tests.builders import document
from tests.conftest import TENANT
from tests.embedding_server import EmbeddingServer, Reply

FIELDS = (
    "truncated degraded { part reason } "
    "hits { score textRank textScore vectorRank vectorScore exactName node { name } }"
)
NOW = {"Retry-After": "0"}


@pytest_asyncio.fixture
async def server() -> AsyncIterator[EmbeddingServer]:
    with EmbeddingServer(64) as running:
        yield running


@pytest_asyncio.fixture
async def modelled(api: Api, graph: Database, server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> Api:
    """The API with a model, on a graph that has its vectors."""
    settings = Settings(embedding_engine="openai", embedding_model="m", embedding_url=server.url)
    monkeypatch.setattr(api.services.models, "find_embedder", Models(settings).find_embedder)
    await upsert_documents(graph, [document("fruit.txt", alone=("red apple", "apple tree", "grey stone"))])
    await embed_missing(graph, server.embedder.embed, model="m", dimension=64)
    return api


async def search(api: Api, arguments: str, fields: str = FIELDS) -> dict:
    return (await api.query(f'{{ tenant(id: "{TENANT}") {{ search({arguments}) {{ {fields} }} }} }}'))["tenant"][
        "search"
    ]


async def test_a_hybrid_hit_has_both_ranks_and_scores(modelled: Api) -> None:
    found = await search(modelled, 'query: "apple red things"')

    best, last = found["hits"][0], found["hits"][-1]
    assert found["degraded"] == []
    assert (best["node"]["name"], best["textRank"], best["vectorRank"]) == ("red apple", 1, 1)
    assert best["textScore"] > 0
    assert 0.5 < best["vectorScore"] <= 1
    assert (last["node"]["name"], last["textRank"]) == ("grey stone", None)


async def test_each_mode_compares_what_it_says(modelled: Api) -> None:
    by_words = await search(modelled, 'query: "apple pie", mode: TEXT')
    by_meaning = await search(modelled, 'query: "apple pie", mode: VECTOR')

    assert {hit["vectorRank"] for hit in by_words["hits"]} == {None}
    assert {hit["textRank"] for hit in by_meaning["hits"]} == {None}
    assert (len(by_words["hits"]), len(by_meaning["hits"])) == (2, 3)


async def test_segments_are_searched_by_meaning_too(modelled: Api) -> None:
    query = 'searchSegments(query: "apple pie") { degraded { part } hits { textRank vectorRank } }'
    found = (await modelled.query(f'{{ tenant(id: "{TENANT}") {{ {query} }} }}'))["tenant"]["searchSegments"]

    assert found == {"degraded": [], "hits": [{"textRank": 1, "vectorRank": 1}]}


async def test_a_federated_search_asks_the_model_once(modelled: Api, server: EmbeddingServer) -> None:
    await search(modelled, 'query: "warm up"')
    asked = len(server.bodies)
    query = (
        f'federatedSearch(tenants: ["{TENANT}", "nobody"], query: "apple pie") {{ hits {{ hit {{ vectorRank }} }} }}'
    )

    found = await modelled.query(f"{{ {query} }}")

    assert [hit["hit"]["vectorRank"] for hit in found["federatedSearch"]["hits"]] == [1, 2, 3]
    assert len(server.bodies) == asked + 1


async def test_the_rest_twin_takes_the_mode(modelled: Api) -> None:
    ask = {"q": "apple pie", "tenant": TENANT}

    hybrid = (await modelled.client.get("/graph/search", params=ask)).json()
    words = (await modelled.client.get("/graph/search", params=ask | {"mode": "text"})).json()
    odd = await modelled.client.get("/graph/search", params=ask | {"mode": "magic"})

    assert hybrid["degraded"] == []
    assert hybrid["hits"][0]["vector_rank"] is not None
    assert [hit["vector_rank"] for hit in words["hits"]] == [None, None]
    assert odd.status_code == 422


@pytest.mark.parametrize("mode", ["HYBRID", "VECTOR"])
async def test_a_model_that_fails_leaves_the_words(modelled: Api, server: EmbeddingServer, mode: str) -> None:
    await search(modelled, 'query: "warm up"')
    server.replies += [Reply(503, b"broken", headers=NOW)] * 2

    found = await search(modelled, f'query: "apple pie", mode: {mode}')

    assert [hit["textRank"] for hit in found["hits"]] == [1, 2]
    assert [part["part"] for part in found["degraded"]] == ["vector"]
    assert "broken" in found["degraded"][0]["reason"]


async def test_a_model_that_is_slow_leaves_the_time_for_the_words(server: EmbeddingServer) -> None:
    import time

    models = Models(Settings(embedding_engine="openai", embedding_model="m", embedding_url=server.url))
    models.find_embedder = lambda: time.sleep(1)

    async with deadline(0.4):
        meaning = await find_meaning(models, "apple")

    assert isinstance(meaning.vector, Degradation)
    assert "0.2 s" in meaning.vector.reason


async def test_words_alone_ask_no_model(server: EmbeddingServer) -> None:
    models = Models(Settings(embedding_engine="openai", embedding_model="m", embedding_url=server.url, rerank="mmr"))

    assert (await find_meaning(models, "apple", SearchMode.TEXT)).vector is None
    assert server.bodies == []
    both = await find_meaning(models, "apple")
    assert isinstance(both.vector, QueryVector)
    assert both.reranker is not None
    assert (await find_meaning(models, "apple", SearchMode.VECTOR)).reranker is None


async def test_a_reranker_that_can_not_be_had_is_told(server: EmbeddingServer) -> None:
    options = {"embedding_engine": "openai", "embedding_url": server.url, "rerank": "cross-encoder"}
    models = Models(Settings(**options, rerank_model="Xenova/ms-marco-MiniLM-L-12-v2"))

    meaning = await find_meaning(models, "apple")

    assert meaning.reranker is None
    assert [part.part for part in meaning.degraded] == ["rerank"]
    assert json.dumps(meaning.degraded[0].reason)

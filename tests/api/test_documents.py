"""Documents through the API, with real models: entities, claims with evidence, back-references, search by meaning."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from api.config import Settings
from graph.tenants import parse_tenant
from tests.api.conftest import Api, serving
from tests.conftest import TENANT
from tests.minilm import fetch_minilm
from tests.model_server import ModelServer, claims_reply
from tests.raw import Cypher

TINY = Path(__file__).parents[1] / "fixtures" / "models" / "tiny-gliner-onnx"
TEXT = "Pierre Curie was born in Paris. He worked at the University of Paris.\n"
BORN = {
    "subject": "Pierre Curie",
    "predicate": "was born in",
    "object": "Paris",
    "evidence": "Pierre  Curie was born in Paris.",
    "confidence": 0.9,
}
INGEST = """
mutation($input: IngestFileInput!) { ingestFile(input: $input) {
  ... on IngestReport {
    document { id status segments(first: 3) { nodes { label heading page text
      entities(first: 9) { id kind } relations(first: 9) { id relation } claims(first: 9) { id source { id } relation target { id } evidenceSpan
        mentions(first: 3) { nodes { charStart charEnd evidenceSpan verified segment { text } } } } } } }
    graphNodes graphEdges mentions segments unchanged degraded { part reason } dropped { what reason count }
  }
  ... on Problem { code message }
} }"""


@pytest.fixture
async def reading(api_settings: Settings) -> AsyncIterator[Api]:
    """A server with an entity model, an embedding model, and a language model behind a server of its own."""
    with ModelServer(lambda request: claims_reply([BORN] if "Pierre" in request.field("text") else [])) as server:
        changed = {
            "entity_engine": "onnx",
            "entity_model": str(TINY),
            "entity_labels": ("Person", "Organization", "Location"),
            "embedding_engine": "fastembed",
            "embedding_model": str(fetch_minilm()),
            "claims_model": "openai/tiny",
            "claims_url": server.url,
        }
        async with serving(api_settings.model_copy(update=changed)) as api:
            database = await api.services.pool.get(parse_tenant(TENANT), create=True)
            async with Cypher(database.endpoint) as cypher:
                await cypher.clear()
            yield api
            async with Cypher(database.endpoint) as cypher:
                await cypher.clear()


async def ingest(api: Api, name: str, text: str) -> dict:
    given = {"tenant": TENANT, "text": text, "name": name}
    return (await api.query(INGEST, input=given))["ingestFile"]


async def test_a_text_gives_things_claims_and_back_references(reading: Api) -> None:
    report = await ingest(reading, "curie.md", "# A life\n\n" + TEXT)

    assert report["degraded"] == []
    assert report["document"]["status"] == "DONE"
    assert (report["graphEdges"], report["segments"], report["unchanged"]) == (1, 1, False)
    [segment] = report["document"]["segments"]["nodes"]
    assert segment["heading"] == "A life"
    assert {"id": "pierre_curie", "kind": "person"} in segment["entities"]
    [claim] = segment["claims"]
    assert (claim["source"]["id"], claim["relation"], claim["target"]["id"]) == ("pierre_curie", "born_in", "paris")
    assert [one["id"] for one in segment["relations"]] == [claim["id"]]
    [mention] = claim["mentions"]["nodes"]
    assert mention["evidenceSpan"] == "Pierre Curie was born in Paris."
    assert mention["segment"]["text"][mention["charStart"] : mention["charEnd"]] == mention["evidenceSpan"]
    assert mention["verified"]
    assert (await ingest(reading, "curie.md", "# A life\n\n" + TEXT))["unchanged"]


async def test_search_finds_by_meaning_what_no_word_says(reading: Api) -> None:
    await ingest(reading, "curie.md", TEXT)
    await ingest(reading, "cooking.md", "Stir the onions until they are golden, then add the stock and simmer.\n")

    found = await reading.tenant(
        'searchSegments(query: "how to make soup") { hits { segment { document { id } } textRank vectorRank } '
        "degraded { part reason } }"
    )
    nodes = await reading.tenant(
        'search(query: "Pierre Curie") { hits { node { id } exactName textRank vectorRank } degraded { part } }'
    )

    first = found["searchSegments"]["hits"][0]
    assert first["segment"]["document"]["id"] == "cooking.md"
    assert (first["textRank"], first["vectorRank"]) == (None, 1)
    assert found["searchSegments"]["degraded"] == []
    hit = nodes["search"]["hits"][0]
    assert (hit["node"]["id"], hit["exactName"]) == ("pierre_curie", True)
    assert hit["textRank"] is not None
    assert hit["vectorRank"] is not None


async def test_a_pdf_is_read_by_its_bytes_and_a_broken_one_is_a_problem(reading: Api) -> None:
    problem = await ingest(reading, "broken.pdf", "%PDF-1.7 nothing of it")

    assert problem["code"] == "UNSUPPORTED_FORMAT"
    assert "broken.pdf" in problem["message"]


async def test_texts_at_once_share_their_things(reading: Api) -> None:
    reports = await asyncio.gather(*(ingest(reading, f"{number}.md", TEXT) for number in range(6)))

    assert {report["graphEdges"] for report in reports} == {1}
    answer = await reading.tenant(
        'node(id: "pierre_curie") { documents { id } mentions { totalCount } } stats { nodes }'
    )
    assert len(answer["node"]["documents"]) == 6
    assert answer["stats"]["nodes"] == reports[0]["graphNodes"]


async def test_what_models_would_read_for_longer_than_a_request_lasts_is_a_job(reading: Api) -> None:
    given = {"tenant": TENANT, "text": TEXT * 200, "name": "long.md"}
    query = "mutation($input: IngestFileInput!) { ingestFile(input: $input) { __typename ... on Job { id } } }"
    started = (await reading.query(query, input=given))["ingestFile"]

    assert started["__typename"] == "Job"
    for _ in range(600):
        job = (await reading.tenant(f'job(id: "{started["id"]}") {{ status filesDone error }}'))["job"]
        if job["status"] in {"DONE", "FAILED"}:
            break
        await asyncio.sleep(0.2)
    assert job == {"status": "DONE", "filesDone": 1, "error": None}
    answer = await reading.tenant('document(id: "long.md") { status nodeCount edgeCount }')
    assert answer["document"]["status"] == "DONE"
    assert answer["document"]["edgeCount"] == 1

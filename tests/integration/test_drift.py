"""A graph that was made otherwise than it would be made now: what, both values, and the command that mends it."""

from pathlib import Path

import pytest

from api.config import Settings
from api.drift import find_differences
from api.modelling import Models
from extraction.given import FileInput
from extraction.pipeline import IndexOptions, index_folder
from extraction.single import ingest_file
from graph.database import Database
from graph.drift import Drift, find_drift
from graph.tenants import TenantId
from graph.vectors import ensure_vectors
from tests.embedders import HashingEmbedder
from tests.raw import Cypher

TENANT = TenantId("web", "acme")


@pytest.fixture
def models(tmp_path: Path) -> Models:
    return Models(Settings(cache_dir=tmp_path / "cache", entity_engine="off", embedding_engine="off"))


async def index(database: Database, models: Models, root: Path, content_type: str = "auto", prefix: str = "") -> None:
    options = IndexOptions(content_type=content_type, workers=1, prefix=prefix)
    await index_folder(database, root, options=options, models=models.get_document_models(TENANT))


def make_folder(root: Path) -> Path:
    root.mkdir()
    (root / "main.py").write_text("def run():\n    pass\n")
    (root / "notes.md").write_text("# Notes\n\nMarie Curie discovered radium.\n")
    return root


async def age(cypher: Cypher, what: str, version: str) -> None:
    """Have the folders be made by another version."""
    await cypher(
        "MATCH (f:Folder) SET f.made_by = [made IN f.made_by | CASE WHEN made STARTS WITH $what + ': ' "
        "THEN $what + ': ' + $version ELSE made END]",
        what=what,
        version=version,
    )


async def test_what_was_just_made_does_not_differ(database: Database, models: Models, tmp_path: Path) -> None:
    await index(database, models, make_folder(tmp_path / "src"))
    await ingest_file(
        database, FileInput("a.txt", b"A text."), cache_dir=None, models=models.get_document_models(TENANT)
    )

    assert await find_differences(database, models, TENANT) == []


@pytest.mark.parametrize(
    ("content_type", "what", "prefix", "arguments"),
    [
        ("code", "python extractor", "", "--type code"),
        ("auto", "python extractor", "app", "--type auto --prefix app"),
        ("docs", "document reader", "", "--type docs"),
        ("auto", "entity model", "", "--type auto"),
    ],
)
async def test_an_older_extractor_is_named_with_both_versions_until_the_folder_is_indexed_again(
    database: Database, cypher: Cypher, models: Models, tmp_path: Path, content_type, what, prefix, arguments
) -> None:
    root = make_folder(tmp_path / "a folder")
    await index(database, models, root, content_type, prefix)
    [current] = [
        made.partition(": ")[2]
        for row in await cypher("MATCH (f:Folder) RETURN f.made_by AS made_by")
        for made in row["made_by"]
        if made.startswith(what)
    ]

    await age(cypher, what, "0.1")
    [difference] = await find_differences(database, models, TENANT)

    assert f"another {what}: by '0.1', now it would be by {current!r}" in difference.message
    assert f"`cogniverse index '{root}' {arguments} --tenant acme:web`" in difference.repair
    await cypher("MATCH (f:Folder) SET f.snapshot = ''")  # what another version makes of it
    await index(database, models, root, content_type, prefix)
    assert await find_differences(database, models, TENANT) == []


async def test_single_texts_that_other_models_read_are_counted(
    database: Database, cypher: Cypher, models: Models
) -> None:
    for name in ("a.txt", "b.txt", "c.txt"):
        given = FileInput(name, f"The text of {name}.".encode())
        await ingest_file(database, given, cache_dir=None, models=models.get_document_models(TENANT))
    await cypher("MATCH (d:Document) WHERE d.path <> 'c.txt' SET d.facts_hash = 'text of old'")

    [difference] = await find_differences(database, models, TENANT)

    assert difference.message.startswith("2 documents ingested one by one were read by 'text of old'")


async def test_models_that_can_not_be_asked_are_no_difference(
    database: Database, cypher: Cypher, models: Models, tmp_path: Path
) -> None:
    await index(database, models, make_folder(tmp_path / "src"))
    broken = Models(models.settings.model_copy(update={"entity_engine": "onnx", "entity_model": str(tmp_path)}))

    assert await find_differences(database, broken, TENANT) == []


async def test_vectors_of_another_dimension_are_named_with_both(database: Database) -> None:
    await ensure_vectors(database, model="small", dimension=384)

    found = await find_drift(database, versions={}, texts=None, vectors=HashingEmbedder(dimension=768, model="large"))

    assert found == [Drift("vectors", "small with 384 dimensions", "large with 768 dimensions")]

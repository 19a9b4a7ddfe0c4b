"""Whether a tenant's graph was made by other extractors, models or vectors than the settings name, and the way back."""

import asyncio
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from api.modelling import Models
from extraction.embeddings.base import EmbeddingsFailed
from graph.database import Database
from graph.drift import VECTORS, Drift, find_drift
from graph.tenants import TenantId

if TYPE_CHECKING:
    from extraction.embeddings.base import Embedder
    from graph.folders import Folder

_MAX_CHARS = 200


@dataclass(frozen=True, slots=True)
class Difference:
    """A drift in words: what it is, with both values, and the command that repairs it."""

    message: str
    repair: str

    def __str__(self) -> str:
        return f"{self.message} {self.repair}"


async def find_differences(
    database: Database, models: Models, tenant: TenantId, *, with_vectors: bool = True
) -> list[Difference]:
    """Compare a tenant's graph with the settings. Loads no weights but, `with_vectors`, those of a local model of them.

    Raises InvalidInput for an ontology that can't be read.
    """
    from extraction.registry import LANGUAGES, code_versions

    reading = await asyncio.to_thread(models.get_document_models, tenant)
    versions = code_versions(language.name for language in LANGUAGES)
    if reading.failure is None:  # else what reads texts can't be told
        versions |= reading.versions
    found = await find_drift(
        database,
        versions=versions,
        texts=None if reading.failure is not None else reading.fingerprint,
        vectors=await asyncio.to_thread(_find_embedder, models) if with_vectors else None,
    )
    return [_describe(drift, tenant) for drift in found]


def _find_embedder(models: Models) -> "Embedder | None":
    try:
        return models.find_embedder()
    except EmbeddingsFailed:
        return None  # a search says it


def _describe(drift: Drift, tenant: TenantId) -> Difference:
    values = f"by {drift.stored[:_MAX_CHARS]!r}, now it would be by {drift.current[:_MAX_CHARS]!r}."
    owner = f"--tenant {shlex.quote(str(tenant))}"
    if drift.folder is not None:
        message = f"{drift.folder.path} was read with another {drift.what}: {values}"
        return Difference(message, f"`cogniverse index {_arguments(drift.folder)} {owner}` reads it again.")
    if drift.what == VECTORS:
        repair = (
            f"`cogniverse graph reset-vectors --yes {owner}` removes the old ones, so that the next index makes them "
            "anew; or set COGNIVERSE_EMBEDDING_MODEL back. Until then search goes without vectors."
        )
        return Difference(f"The graph's {drift.what} were made {values}", repair)
    return Difference(f"{drift.what} were read {values}", "Ingest them again, or set the models back.")


def _arguments(folder: "Folder") -> str:
    """What the folder was indexed with, as far as that decides what its documents are."""
    code = any(" extractor: " in made for made in folder.made_by)
    texts = any(made.startswith("document reader: ") for made in folder.made_by)
    kind = "auto" if code and texts else "code" if code else "docs"
    prefix = f" --prefix {shlex.quote(folder.prefix)}" if folder.prefix else ""
    return f"{shlex.quote(folder.path)} --type {kind}{prefix}"

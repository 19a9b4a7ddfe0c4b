"""What a search text means: its vector, and who puts the hits in order, by the models of the settings."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeVar

from api.config import Settings
from api.modelling import Models, embedding_options
from extraction.embeddings.base import EmbeddingsFailed
from graph.answers import Degradation, SearchMode
from graph.database import find_time_left
from graph.errors import InvalidInput
from graph.vectors.query import QueryVector

if TYPE_CHECKING:
    from extraction.embeddings.reranking import RerankOptions
    from graph.ranking import Reranker

_Answer = TypeVar("_Answer")
_PATIENCE: Final = 0.5
"""The part of a request's time that a model may take."""

_MAX_CHARS: Final = 4_000


@dataclass(frozen=True, slots=True)
class Meaning:
    """A search text's vector, or why there is none; None for both when no model is set up or asked for."""

    vector: QueryVector | Degradation | None = None
    reranker: "Reranker | None" = None
    degraded: tuple[Degradation, ...] = ()


async def find_meaning(models: Models, query: str, mode: SearchMode = SearchMode.HYBRID) -> Meaning:
    """Ask the models about a search text, off the event loop. What fails or takes too long is a Degradation."""
    if mode is SearchMode.TEXT or not query.strip():
        return Meaning()
    vector = await _in_time("vector", "the embedding model", lambda: _embed(models, query))
    if mode is not SearchMode.HYBRID or models.settings.rerank == "off":
        return Meaning(vector)
    reranker = await _in_time("rerank", "the reranker", lambda: _find_reranker(models.settings))
    return Meaning(vector, None, (reranker,)) if isinstance(reranker, Degradation) else Meaning(vector, reranker)


def _embed(models: Models, query: str) -> QueryVector | None:
    embedder = models.find_embedder()
    if embedder is None:
        return None
    (values,) = embedder.embed([query[:_MAX_CHARS]])
    return QueryVector(embedder.model, tuple(values))


async def _in_time(part: str, what: str, ask: Callable[[], _Answer]) -> _Answer | Degradation:
    left_s = find_time_left()
    patience_s = None if left_s is None else left_s * _PATIENCE
    try:
        return await asyncio.wait_for(asyncio.to_thread(ask), patience_s)
    except (EmbeddingsFailed, InvalidInput) as exc:
        return Degradation(part, str(exc))
    except TimeoutError:
        return Degradation(part, f"{what} did not answer within {patience_s:.1f} s, perhaps as it is loaded: try again")


def _find_reranker(settings: Settings) -> "Reranker | None":
    from extraction.embeddings.reranking import RerankOptions

    folder = embedding_options(settings).models_dir
    return _load_reranker(RerankOptions(settings.rerank, settings.rerank_model, folder))


@lru_cache(maxsize=1)
def _load_reranker(options: "RerankOptions") -> "Reranker | None":
    from extraction.embeddings.reranking import find_reranker

    return find_reranker(options)

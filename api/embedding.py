"""Vectors for what was just written, by the model of the settings. Search does without those that are missing."""

import asyncio
import threading
from collections.abc import Callable

from api.modelling import Models
from extraction.embeddings.base import EmbeddingsFailed
from graph.answers import Degradation
from graph.database import Database
from graph.vectors.state import VectorsMismatch
from graph.vectors.writing import VectorsRefused, embed_missing


async def embed_new(
    database: Database,
    models: Models,
    *,
    cancel: threading.Event | None = None,
    on_progress: Callable[[int], None] = lambda _: None,
) -> tuple[Degradation, ...]:
    """Give vectors to all nodes and segments that have none of their present text; tells why some still have none.

    Where no model is set up nothing is done and nothing told. `on_progress` hears how many are done.
    """
    try:
        embedder = await asyncio.to_thread(models.find_embedder)
        if embedder is not None:
            await embed_missing(
                database,
                embedder.embed,
                model=embedder.model,
                dimension=embedder.dimension,
                cancel=cancel,
                on_progress=on_progress,
            )
    except (EmbeddingsFailed, VectorsMismatch, VectorsRefused) as exc:
        return (Degradation("vector", str(exc)),)
    return ()

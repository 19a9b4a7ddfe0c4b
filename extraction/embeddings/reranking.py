"""From the settings to what puts the best hits of a search in order once more."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from extraction.embeddings.base import EmbeddingsFailed
from graph.ranking import MMR, Candidate, Reranker


@dataclass(frozen=True, slots=True)
class RerankOptions:
    """`engine` is `off`, `mmr` or `cross-encoder`; `model` a name or a folder; fetched models lie in `models_dir`."""

    engine: str = "off"
    model: str = "Xenova/ms-marco-MiniLM-L-6-v2"
    models_dir: Path | None = None


def find_reranker(options: RerankOptions) -> Reranker | None:
    """The reranker that is asked for, loaded; None when that is `off`. Downloads nothing. Raises EmbeddingsFailed."""
    match options.engine:
        case "off":
            return None
        case "mmr":
            return MMR
        case "cross-encoder":
            return _load_cross_encoder(options)
        case engine:
            raise EmbeddingsFailed(f"There is no way to rerank called {engine!r}: use off, mmr or cross-encoder.")


def _load_cross_encoder(options: RerankOptions) -> Reranker:
    from extraction.embeddings.local import find_folder, load_cross_encoder

    encoder = load_cross_encoder(options.model, find_folder(options.model, options.models_dir))

    def order(query: str, candidates: Sequence[Candidate]) -> list[int]:
        scores = encoder.score(query, [candidate.text for candidate in candidates])
        return sorted(range(len(candidates)), key=lambda number: (-scores[number], number))

    return Reranker(order)

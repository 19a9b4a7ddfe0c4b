"""Vectors as they are kept: of unit length, of one dimension, finite, and never zero."""

import math
from collections.abc import Iterable, Sequence

from extraction.embeddings.base import EmbeddingsFailed


def unit_vectors(vectors: Iterable[Sequence[float]], *, model: str, count: int) -> list[list[float]]:
    """The vectors at unit length. Raises EmbeddingsFailed unless there are `count`, each as long as the first."""
    units = [_unit(vector, model) for vector in vectors]
    if len(units) != count:
        raise EmbeddingsFailed(f"The embedding model {model!r} gave {len(units)} vectors for {count} texts.")
    lengths = {len(unit) for unit in units}
    if len(lengths) > 1:
        raise EmbeddingsFailed(f"The embedding model {model!r} gave vectors of different lengths: {sorted(lengths)}.")
    return units


def _unit(vector: Sequence[float], model: str) -> list[float]:
    length = math.hypot(*vector)
    if not math.isfinite(length):
        raise EmbeddingsFailed(f"The embedding model {model!r} gave a vector that holds NaN or infinity: see its log.")
    if not length:
        raise EmbeddingsFailed(f"The embedding model {model!r} gave a vector that is all zero: is it meant for text?")
    return [value / length for value in vector]

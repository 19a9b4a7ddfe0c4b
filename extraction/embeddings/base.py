"""What every engine that makes vectors has in common."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from graph.errors import CogniverseError


class EmbeddingsFailed(CogniverseError):
    """A model could not be loaded or could not embed; the message is the reason and says what to do."""


@dataclass(frozen=True, slots=True)
class EmbeddingOptions:
    """Which model makes vectors.

    `engine` is `auto`, `fastembed`, `openai` or `off`; `model` a name or a folder; `url` and `key` are those of a
    server that speaks OpenAI's API; fetched models lie in `models_dir`.
    """

    engine: str = "auto"
    model: str = "sentence-transformers/all-MiniLM-L6-v2"
    url: str | None = None
    key: str | None = None
    models_dir: Path | None = None


class Embedder(Protocol):
    """A loaded model. Safe to call from several threads."""

    @property
    def model(self) -> str:
        """The name under which its vectors are kept; vectors of two names are never compared."""
        ...

    @property
    def dimension(self) -> int:
        """The length of its vectors."""
        ...

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """A vector of unit length for each text. Blocking. Raises EmbeddingsFailed; no NaN, no zero vector."""
        ...

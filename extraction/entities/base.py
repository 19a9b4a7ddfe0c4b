"""What every engine that finds entities has in common."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from graph.errors import CogniverseError


class EntitiesFailed(CogniverseError):
    """A model could not be loaded or could not read a text; the message is the reason and says what to do.

    `index` is the number of the text in the call, from 0, None where no single one is to blame.
    """

    def __init__(self, message: str, *, index: int | None = None) -> None:
        super().__init__(message)
        self.index = index


@dataclass(frozen=True, slots=True)
class EntityOptions:
    """Which model finds entities, and how.

    `engine` is `auto`, `onnx`, `gliner`, `sidecar` or `off`; `model` a name or a folder, None for the default one where
    it is at hand; `labels` are kinds of the vocabulary in any case; `url` is that of a sidecar; fetched models lie in
    `models_dir`.
    """

    engine: str = "auto"
    model: str | None = None
    labels: tuple[str, ...] = ()
    threshold: float = 0.5
    batch: int = 8
    url: str | None = None
    models_dir: Path | None = None


@dataclass(frozen=True, slots=True)
class EntitySpan:
    """A named thing in a text: `text == given[char_start:char_end]`, never blank at its ends.

    `kind` is a kind of the vocabulary in lower case (`person`); `score` is the model's confidence in [0, 1].
    """

    char_start: int
    char_end: int
    text: str
    kind: str
    score: float


class EntityExtractor(Protocol):
    """A loaded model. Safe to call from several threads."""

    @property
    def fingerprint(self) -> str:
        """All that the spans of a text depend on: engine, model, labels, threshold, version of the code around it."""
        ...

    def extract(self, texts: Sequence[str]) -> list[list[EntitySpan]]:
        """The entities of each text, sorted by place, none overlapping. Blocking.

        A text is never cut short: what is over the model's limit is read in windows. Nothing found is an empty list;
        trouble is EntitiesFailed, never an empty list.
        """
        ...

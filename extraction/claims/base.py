"""What goes to a reader of claims and what comes back."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from extraction.report import Dropped
from graph.errors import CogniverseError


class ClaimsFailed(CogniverseError):
    """The language model could not be asked; the message is the reason and says what to do. `index` as in a call."""

    def __init__(self, message: str, *, index: int | None = None) -> None:
        super().__init__(message)
        self.index = index


@dataclass(frozen=True, slots=True)
class ClaimOptions:
    """Which model is asked, and how. `model` is a LiteLLM name, None for no claims; answers are kept in `cache_dir`."""

    model: str | None = None
    url: str | None = None
    key: str | None = None
    concurrency: int = 4
    timeout_s: float = 60.0
    free_form: bool = False
    cache_dir: Path | None = None


@dataclass(frozen=True, slots=True)
class PriorEntity:
    """A thing that the document has named so far; `kind` is one of the vocabulary's."""

    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class ClaimText:
    """A segment to read.

    `entities` are what the document has named up to the segment's end, each once, the one mentioned last at the end.
    """

    text: str
    entities: tuple[PriorEntity, ...] = ()


@dataclass(frozen=True, slots=True)
class ClaimEnd:
    """An end of a claim: a prior entity's name, or another name that stands in the text.

    `kind` is the prior entity's, `entity` for other names. `char_start` and `char_end` tell where the text names it
    (within the evidence where it does so there), None where it is meant by a pronoun or the like.
    """

    name: str
    kind: str
    char_start: int | None = None
    char_end: int | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """A fact `subject predicate object`, in the direction of the canonical predicate (`born_in`).

    `text[evidence_start:evidence_end]` is its evidence, verbatim. `description` is one sentence for free-form facts,
    whose `relation_text` is the model's own wording (predicate then is ``related_to``); `valid_from` and `valid_to` are
    ISO 8601 dates of any precision when the text says so.
    """

    subject: ClaimEnd
    predicate: str
    object: ClaimEnd
    evidence_start: int
    evidence_end: int
    confidence: float
    valid_from: str | None = None
    valid_to: str | None = None
    relation_text: str | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True)
class SegmentClaims:
    """What a segment states, in the order of the evidence, and what was dropped of the model's answer."""

    claims: tuple[Claim, ...] = ()
    drops: tuple[Dropped, ...] = ()


class ClaimReader(Protocol):
    """A language model that is ready to be asked."""

    @property
    def fingerprint(self) -> str:
        """All that the claims of a text depend on, beside the text and its prior entities."""
        ...

    async def read(self, texts: Sequence[ClaimText]) -> list[SegmentClaims]:
        """The claims of each text, each from its own input alone: the order and number of texts change nothing.

        Raises ClaimsFailed when the model can't be reached after all tries; cancelling the task stops its calls.
        """
        ...

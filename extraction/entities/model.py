"""A model in this process as an extractor: windows, batches, exact places, whatever the engine."""

from collections.abc import Iterator, Sequence
from typing import Final, Protocol

from extraction.entities.base import EntitiesFailed, EntitySpan
from extraction.entities.legible import make_legible
from extraction.entities.spans import Found, settle_spans
from extraction.entities.windows import Window, make_windows, place
from graph.errors import InvalidInput

VERSION: Final = "1"
"""Raised whenever the same answer of a model would give other spans."""

_OVERLAP_WORDS: Final = 24
"""Twice the widest name of the usual models, so that one on the border is whole on one side with words around it."""


class SpanModel(Protocol):
    """What an engine is to the code around it. Safe to call from several threads."""

    @property
    def name(self) -> str:
        """The model's name or folder, to be shown."""
        ...

    @property
    def fingerprint(self) -> str:
        """Engine and weights."""
        ...

    @property
    def max_words(self) -> int:
        """The most words (`legible.WORD`) that it reads of a text."""
        ...

    def fits(self, text: str, kinds: Sequence[str]) -> bool:
        """Whether it has places for all tokens of a text beside those of the kinds."""
        ...

    def predict(self, texts: Sequence[str], kinds: Sequence[str], threshold: float) -> list[list[Found]]:
        """What is found in texts that fit, each with a word at least, by characters. Raises EntitiesFailed."""
        ...


class ModelExtractor:
    """An EntityExtractor with a model behind it."""

    def __init__(self, model: SpanModel, *, kinds: tuple[str, ...], threshold: float, batch: int) -> None:
        self.model = model
        self._kinds = kinds
        self._threshold = check_threshold(threshold)
        self._batch = max(1, batch)

    @property
    def fingerprint(self) -> str:
        """See EntityExtractor."""
        return f"{self.model.fingerprint}|{','.join(self._kinds)}|{self._threshold:g}|{VERSION}"

    def extract(self, texts: Sequence[str]) -> list[list[EntitySpan]]:
        """See EntityExtractor."""
        legible = [make_legible(text) for text in texts]
        found: list[list[Found]] = [[] for _ in texts]
        for batch in self._batches(legible):
            answers = self._predict([(index, legible[index][one.start : one.end]) for index, one in batch])
            for (index, window), answer in zip(batch, answers, strict=True):
                found[index] += place(window, answer)
        # What was made legible inside of a name is not what the model saw.
        return [
            [span for span in settle_spans(seen, spans) if text[span.char_start : span.char_end] == span.text]
            for text, seen, spans in zip(texts, legible, found, strict=True)
        ]

    def _batches(self, texts: Sequence[str]) -> Iterator[list[tuple[int, Window]]]:
        """Windows of like length together: a batch takes as long as its longest one does."""
        windows = [(index, window) for index, text in enumerate(texts) for window in self._windows(text)]
        windows.sort(key=lambda one: one[1].end - one[1].start)
        for start in range(0, len(windows), self._batch):
            yield windows[start : start + self._batch]

    def _windows(self, text: str) -> list[Window]:
        return make_windows(
            text,
            max_words=self.model.max_words,
            overlap=_OVERLAP_WORDS,
            fits=lambda part: self.model.fits(part, self._kinds),
        )

    def _predict(self, parts: Sequence[tuple[int, str]]) -> list[list[Found]]:
        try:
            answers = self.model.predict([part for _, part in parts], self._kinds, self._threshold)
        except EntitiesFailed as exc:
            if len({index for index, _ in parts}) == 1:
                raise EntitiesFailed(str(exc), index=parts[0][0]) from exc
            # Which one is to blame shows when each is read alone; a batch too large for the memory may go through.
            return [answer for part in parts for answer in self._predict([part])]
        for (index, part), answer in zip(parts, answers, strict=True):
            _check(answer, part, index, self.model.name)
        return answers


def check_threshold(threshold: float) -> float:
    """Return it. Raises InvalidInput for one that is no probability."""
    if not 0.0 <= threshold <= 1.0:
        raise InvalidInput(f"A threshold of {threshold:g} can't be met: give one from 0 to 1.")
    return threshold


def _check(found: Sequence[Found], text: str, index: int, name: str) -> None:
    """Raise EntitiesFailed for a span that isn't one of the text's: an engine that counts bytes would give such."""
    for one in found:
        if not 0 <= one.start < one.end <= len(text):
            raise EntitiesFailed(
                f"The model {name} answered with characters {one.start} to {one.end} of a text of {len(text)}: its "
                "engine does not count as it should. Try another engine or version.",
                index=index,
            )

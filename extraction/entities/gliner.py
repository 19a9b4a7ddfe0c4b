"""GLiNER on torch, every kind of model that its library knows: the seam to gliner and torch."""

import threading
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Protocol, cast

from extraction.entities.base import EntitiesFailed
from extraction.entities.legible import WORD
from extraction.entities.limits import load_reading
from extraction.entities.spans import Found
from extraction.models.once import Once
from extraction.models.store import TORCH_ENTITIES, find_file, fingerprint_of

PACKAGES: Final = ("gliner", "torch")


class _Gliner(Protocol):
    data_processor: Any

    def eval(self) -> object: ...

    def inference(
        self, texts: list[str], labels: list[str], *, flat_ner: bool, threshold: float, batch_size: int
    ) -> list[list[dict[str, Any]]]: ...


def is_installed() -> bool:
    """Whether the packages of the extra `torch` are there."""
    return all(find_spec(package) is not None for package in PACKAGES)


class GlinerModel:
    """A SpanModel of torch weights, on the first GPU where there is one. One call at a time."""

    def __init__(self, folder: Path, *, name: str) -> None:
        self.name = name
        self._reading = load_reading(folder)
        weights = find_file(folder, TORCH_ENTITIES[-1])
        if weights is None:
            raise EntitiesFailed(f"{folder} holds no torch weights: fetch them with `cogniverse models fetch {name}`.")
        self._model = Once(lambda: _load(folder, name))  # by the first text: see onnx
        self._lock = threading.Lock()
        self.fingerprint = f"gliner:{fingerprint_of(folder, weights)}"
        self.max_words = self._reading.max_words

    def fits(self, text: str, kinds: Sequence[str]) -> bool:
        """See SpanModel."""
        limit = self._reading.max_tokens
        if limit is None or self._reading.bi_encoder:
            return limit is None or self._count(WORD.findall(text)) <= limit
        prompt = [part for kind in kinds for part in (self._reading.entity_token, kind)]
        return self._count([*prompt, self._reading.separator, *WORD.findall(text)]) <= limit

    def predict(self, texts: Sequence[str], kinds: Sequence[str], threshold: float) -> list[list[Found]]:
        """See SpanModel."""
        model = self._model.get()
        try:
            with self._lock:
                answers = model.inference(
                    list(texts), list(kinds), flat_ner=True, threshold=threshold, batch_size=len(texts)
                )
        except Exception as exc:
            raise EntitiesFailed(f"The model {self.name} failed on {len(texts)} texts: {exc}") from exc
        return [[_read(one) for one in answer] for answer in answers]

    def _count(self, words: list[str]) -> int:
        model = self._model.get()
        try:
            with self._lock:
                tokens = model.data_processor.transformer_tokenizer(words, is_split_into_words=True)
            return len(tokens["input_ids"])
        except Exception as exc:
            raise EntitiesFailed(f"The tokenizer of {self.name} failed: {exc}") from exc


def _load(folder: Path, name: str) -> _Gliner:
    try:
        gliner, torch = import_module("gliner"), import_module("torch")
    except ImportError as exc:
        raise EntitiesFailed(
            f'Entities by torch need more packages ({exc}): pip install "cogniverse-graph[torch]".'
        ) from exc
    try:
        device = "cuda" if torch.cuda.is_available() else "cpu"
        model = gliner.GLiNER.from_pretrained(str(folder), local_files_only=True, map_location=device)
        model.eval()
    except Exception as exc:
        raise EntitiesFailed(
            f"The model {name} in {folder} can't be loaded ({exc}): fetch it again with "
            f"`cogniverse models fetch {name}`."
        ) from exc
    return cast("_Gliner", model)


def _read(one: dict[str, Any]) -> Found:
    return Found(int(one["start"]), int(one["end"]), str(one["label"]), float(one["score"]))

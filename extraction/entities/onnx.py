"""GLiNER's span models on ONNX Runtime, without torch: the seam to onnxruntime, tokenizers and numpy.

Source: gliner, data_processing/processor.py and decoding/decoder.py (UniEncoderSpan).
"""

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from extraction.entities.base import EntitiesFailed
from extraction.entities.legible import WORD
from extraction.entities.limits import Reading, load_reading
from extraction.entities.spans import Found
from extraction.models.once import Once
from extraction.models.store import find_file, fingerprint_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PACKAGES: Final = ("numpy", "onnxruntime", "tokenizers")
_WEIGHTS: Final = (
    "onnx/model.onnx",
    "model.onnx",
    "onnx/model_quantized.onnx",
    "onnx/model_int8.onnx",
    "onnx/*.onnx",
    "*.onnx",
)


class _Encoding(Protocol):
    ids: list[int]
    word_ids: list[int | None]


class _Tokenizer(Protocol):
    def encode(self, sequence: list[str], *, is_pretokenized: bool) -> _Encoding: ...


class _Session(Protocol):
    def run(self, output_names: list[str], input_feed: "dict[str, NDArray[Any]]") -> "list[NDArray[np.float32]]": ...


def is_installed() -> bool:
    """Whether the packages of the extra `models` are there."""
    return all(find_spec(package) is not None for package in PACKAGES)


class OnnxModel:
    """A SpanModel of ONNX weights. Both libraries allow calls from several threads."""

    def __init__(self, folder: Path, *, name: str) -> None:
        self.name = name
        self._reading = _check(load_reading(folder), name)
        weights = find_file(folder, _WEIGHTS)
        if weights is None:
            raise EntitiesFailed(f"{folder} holds no ONNX weights: fetch them with `cogniverse models fetch {name}`.")
        # Loaded by the first text: whoever only asks what has changed should not wait for weights.
        self._tokenizer = Once(lambda: _load_tokenizer(folder / "tokenizer.json"))
        self._session = Once(lambda: _load_session(weights))
        self.fingerprint = f"onnx:{fingerprint_of(folder, weights)}"
        self.max_words = self._reading.max_words

    def fits(self, text: str, kinds: Sequence[str]) -> bool:
        """See SpanModel."""
        limit = self._reading.max_tokens
        return limit is None or len(self._encode(WORD.findall(text), kinds).ids) <= limit

    def predict(self, texts: Sequence[str], kinds: Sequence[str], threshold: float) -> list[list[Found]]:
        """See SpanModel. One text at a time: quantised weights answer otherwise by what else is in a batch."""
        return [self._predict(text, kinds, threshold) for text in texts]

    def _encode(self, words: list[str], kinds: Sequence[str]) -> _Encoding:
        prompt = [part for kind in kinds for part in (self._reading.entity_token, kind)]
        tokenizer = self._tokenizer.get()
        try:
            return tokenizer.encode([*prompt, self._reading.separator, *words], is_pretokenized=True)
        except Exception as exc:
            raise EntitiesFailed(f"The tokenizer of {self.name} failed: {exc}") from exc

    def _predict(self, text: str, kinds: Sequence[str], threshold: float) -> list[Found]:
        import numpy as np

        words = [match.span() for match in WORD.finditer(text)]
        encoding = self._encode([text[start:end] for start, end in words], kinds)
        logits = self._run(_make_inputs(encoding, len(words), 2 * len(kinds) + 1, self._reading.max_width))
        scores = 1.0 / (1.0 + np.exp(-np.clip(logits[0].astype(np.float64), -80.0, 80.0)))
        found: list[Found] = []
        for first, width, kind in np.argwhere(scores >= threshold).tolist():
            if first + width < len(words):
                score = float(scores[first, width, kind])
                found.append(Found(words[first][0], words[first + width][1], kinds[kind], score))
        return found

    def _run(self, inputs: "dict[str, NDArray[Any]]") -> "NDArray[np.float32]":
        session = self._session.get()
        try:
            return session.run(["logits"], inputs)[0]
        except Exception as exc:
            raise EntitiesFailed(f"The model {self.name} failed on a text: {exc}") from exc


def _make_inputs(encoding: _Encoding, words: int, prompt: int, max_width: int) -> "dict[str, NDArray[Any]]":
    """The tensors of one text. A word is known by its first token; spans beyond the last word are masked."""
    import numpy as np

    mask = np.zeros(len(encoding.ids), dtype=np.int64)
    last = prompt - 1
    for place, word in enumerate(encoding.word_ids):
        if word is not None and word > last:
            mask[place], last = word - prompt + 1, word
    first = np.repeat(np.arange(words, dtype=np.int64), max_width)
    final = first + np.tile(np.arange(max_width, dtype=np.int64), words)
    inside = final < words
    ids = np.asarray(encoding.ids, dtype=np.int64)
    return {
        "input_ids": ids[None],
        "attention_mask": np.ones_like(ids)[None],
        "words_mask": mask[None],
        "text_lengths": np.array([[words]], dtype=np.int64),
        "span_idx": (np.stack([first, final], axis=1) * inside[:, None])[None],
        "span_mask": inside[None],
    }


def _check(reading: Reading, name: str) -> Reading:
    if reading.bi_encoder or reading.span_mode == "token_level" or reading.splitter != "whitespace":
        raise EntitiesFailed(
            f"{name} is not a model that the engine onnx reads, which takes GLiNER's span models with words split at "
            'blanks: set COGNIVERSE_ENTITY_ENGINE=gliner (pip install "cogniverse-graph[torch]"), or take another.'
        )
    return reading


def _load_tokenizer(file: Path) -> _Tokenizer:
    try:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(file))
        tokenizer.no_truncation()
        tokenizer.no_padding()
    except ImportError as exc:
        raise _missing(exc) from exc
    except Exception as exc:
        raise _damaged(file, exc) from exc
    return cast("_Tokenizer", tokenizer)


def _load_session(weights: Path) -> _Session:
    try:
        onnxruntime = import_module("onnxruntime")
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3  # errors; warnings of the exporter's doing are no news to users
        # Threads that spin while they wait take the processors from the other workers.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        session = onnxruntime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])
    except ImportError as exc:
        raise _missing(exc) from exc
    except Exception as exc:
        raise _damaged(weights, exc) from exc
    return cast("_Session", session)


def _missing(exc: ImportError) -> EntitiesFailed:
    return EntitiesFailed(f'Entities by ONNX need more packages ({exc}): pip install "cogniverse-graph[models]".')


def _damaged(file: Path, exc: Exception) -> EntitiesFailed:
    return EntitiesFailed(
        f"{file} can't be loaded ({exc}): delete its folder and fetch it again with `cogniverse models fetch`."
    )

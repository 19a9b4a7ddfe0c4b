"""The seam to fastembed: models of the ONNX format that lie on this machine. Nothing is ever downloaded here."""

import importlib.util
import json
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar, cast

from extraction.embeddings.base import EmbeddingsFailed
from extraction.embeddings.unit import unit_vectors
from extraction.models.store import ONNX_TEXT, find_file, find_model, is_path

_Model = TypeVar("_Model")
_Loaded_co = TypeVar("_Loaded_co", covariant=True)
_BATCH: Final = 16
_PROBE: Final = "dimension"
_WEIGHTS: Final = ("model.onnx", "onnx/model.onnx", "model_optimized.onnx", "*.onnx", "onnx/*.onnx")
_INSTALL: Final = 'Install it: pip install "cogniverse-graph[models]".'


class _Array(Protocol):
    def tolist(self) -> list[float]: ...


class _TextModel(Protocol):
    def embed(self, documents: list[str], batch_size: int) -> Iterable[_Array]: ...


class _PairModel(Protocol):
    def rerank(self, query: str, documents: Sequence[str], batch_size: int) -> Iterable[float]: ...


class _Kind(Protocol[_Loaded_co]):
    """A class of fastembed's that loads models by name."""

    def __call__(self, model_name: str, **options: object) -> _Loaded_co: ...

    def list_supported_models(self) -> list[dict[str, Any]]: ...

    def add_custom_model(self, model: str, **options: object) -> None: ...


class LocalEmbedder:
    """An embedding model in this process."""

    def __init__(self, name: str, loaded: _TextModel) -> None:
        self._loaded = loaded
        self.model = name
        self.dimension = len(self.embed([_PROBE])[0])

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """A vector of unit length for each text. Raises EmbeddingsFailed."""
        # A batch is as long as its longest text: texts of like length go together.
        order = sorted(range(len(texts)), key=lambda number: len(texts[number]))
        vectors = _guarded(
            f"The embedding model {self.model!r} could not embed {len(texts)} texts",
            lambda: [vector.tolist() for vector in self._loaded.embed([texts[one] for one in order], _BATCH)],
        )
        by_number = dict(zip(order, unit_vectors(vectors, model=self.model, count=len(texts)), strict=True))
        return [by_number[number] for number in range(len(texts))]


class LocalCrossEncoder:
    """A model that reads a query and a text together and says how well they fit."""

    def __init__(self, name: str, loaded: _PairModel) -> None:
        self._loaded = loaded
        self.model = name

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """How well each text answers the query, higher is better. Raises EmbeddingsFailed."""
        return _guarded(
            f"The reranker {self.model!r} could not read {len(texts)} texts",
            lambda: [float(score) for score in self._loaded.rerank(query, texts, _BATCH)],
        )


def is_installed() -> bool:
    """Whether fastembed is."""
    return importlib.util.find_spec("fastembed") is not None


def find_folder(model: str, models_dir: Path | None) -> Path | None:
    """The folder of a model that is named by it, or was fetched under that name; None when there is none."""
    return find_model(model, models_dir, wanted=ONNX_TEXT)


def may_be_cached(model: str) -> bool:
    """Whether a cache of fastembed or of the hub seems to have the model: a look at names, without loading anything."""
    wanted = model.rpartition("/")[2].lower()
    return any(wanted in entry.name.lower() for cache in _caches() for entry in _entries(cache))


def load_embedder(model: str, folder: Path | None) -> LocalEmbedder:
    """The embedding model of a folder, or of that name in a cache. Raises EmbeddingsFailed that says what to do."""
    text_embedding = cast("_Kind[_TextModel]", _load_kind("fastembed", "TextEmbedding"))
    if folder is None:
        return LocalEmbedder(model, _load_cached(model, text_embedding))
    name, known = _find_known(model, folder, text_embedding)
    if known is None:
        known = str(folder.resolve())
        if known.lower() not in _supported(text_embedding):
            _register_embedder(known, folder, text_embedding)
    return LocalEmbedder(name, _load_folder(known, folder, text_embedding))


def load_cross_encoder(model: str, folder: Path | None) -> LocalCrossEncoder:
    """The cross-encoder of a folder, or of that name in a cache. Raises EmbeddingsFailed that says what to do."""
    cross_encoder = cast("_Kind[_PairModel]", _load_kind("fastembed.rerank.cross_encoder", "TextCrossEncoder"))
    if folder is None:
        return LocalCrossEncoder(model, _load_cached(model, cross_encoder))
    name, known = _find_known(model, folder, cross_encoder)
    if known is None:
        known = str(folder.resolve())
        if known.lower() not in _supported(cross_encoder):
            source = importlib.import_module("fastembed.common.model_description").ModelSource(
                url=folder.resolve().as_uri()
            )
            cross_encoder.add_custom_model(known, sources=source, model_file=_find_weights(folder))
    return LocalCrossEncoder(name, _load_folder(known, folder, cross_encoder))


def _load_kind(module: str, name: str) -> object:
    try:
        loaded = importlib.import_module(module)
        # It says on standard error what its exceptions say as well.
        importlib.import_module("loguru").logger.disable("fastembed")
    except ImportError as exc:
        raise EmbeddingsFailed(f"Local models need fastembed, which can't be loaded ({exc}). {_INSTALL}") from exc
    return getattr(loaded, name)


def _load_cached(model: str, kind: _Kind[_Model]) -> _Model:
    if model.lower() not in _supported(kind):
        raise EmbeddingsFailed(
            f"fastembed knows no model {model!r}: name one of its own, or a folder with model.onnx and tokenizer.json."
        )
    for cache in _caches():
        if not cache.is_dir():
            continue
        try:
            return kind(model, cache_dir=str(cache), local_files_only=True)
        except _failures():
            continue
    raise EmbeddingsFailed(
        f"The model {model!r} is not on this machine: fetch it with `cogniverse models fetch {model}`, or name the "
        "folder of its weights."
    )


def _load_folder(known: str, folder: Path, kind: _Kind[_Model]) -> _Model:
    return _guarded(
        f"The model in {folder} could not be loaded",
        lambda: kind(known, specific_model_path=str(folder), local_files_only=True),
    )


def _find_known(model: str, folder: Path, kind: _Kind[object]) -> tuple[str, str | None]:
    """The model's name, and fastembed's name when it can load these files as a model of its own."""
    name = folder.resolve().name.replace("--", "/", 1) if is_path(model) else model
    known = _supported(kind).get(name.lower())
    if known is None or not (folder / known["model_file"]).is_file():
        return name, None
    return str(known["model"]), str(known["model"])


def _supported(kind: _Kind[object]) -> dict[str, dict[str, Any]]:
    return {description["model"].lower(): description for description in kind.list_supported_models()}


def _register_embedder(known: str, folder: Path, kind: _Kind[object]) -> None:
    descriptions = importlib.import_module("fastembed.common.model_description")
    kind.add_custom_model(
        model=known,
        pooling=descriptions.PoolingType.CLS if _pools_by_first_token(folder) else descriptions.PoolingType.MEAN,
        normalization=True,
        sources=descriptions.ModelSource(url=folder.resolve().as_uri()),
        dim=0,  # told by the first vector
        model_file=_find_weights(folder),
    )


def _pools_by_first_token(folder: Path) -> bool:
    """Source: https://sbert.net/docs/package_reference/sentence_transformer/models.html (1_Pooling/config.json)."""
    try:
        told: object = json.loads((folder / "1_Pooling" / "config.json").read_text("utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(told, dict) and bool(cast("dict[str, object]", told).get("pooling_mode_cls_token"))


def _find_weights(folder: Path) -> str:
    weights = find_file(folder, _WEIGHTS)
    if weights is None:
        raise EmbeddingsFailed(f"There are no weights of the ONNX format in {folder}: a file such as model.onnx.")
    return weights.relative_to(folder).as_posix()


def _caches() -> tuple[Path, ...]:
    """Where fastembed and the hub keep what they fetched. Source: fastembed.common.utils.define_cache_dir."""
    own = Path(tempfile.gettempdir()) / "fastembed_cache"
    if importlib.util.find_spec("huggingface_hub") is None:
        return (own,)
    return own, Path(importlib.import_module("huggingface_hub.constants").HF_HUB_CACHE)


def _entries(folder: Path) -> Iterable[Path]:
    return folder.iterdir() if folder.is_dir() else ()


def _guarded(failure: str, work: Callable[[], _Model]) -> _Model:
    try:
        return work()
    except _failures() as exc:
        raise EmbeddingsFailed(f"{failure}: {exc}") from exc


def _failures() -> tuple[type[Exception], ...]:
    """What loading and running a model may raise: onnxruntime's own exceptions have no common base."""
    runtime = importlib.import_module("onnxruntime.capi.onnxruntime_pybind11_state")
    own = [value for value in vars(runtime).values() if isinstance(value, type) and issubclass(value, Exception)]
    return (OSError, ValueError, KeyError, TypeError, RuntimeError, MemoryError, *own)

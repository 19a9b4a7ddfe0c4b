"""Where the weights of models lie on this machine. Nothing here uses a network."""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Final

Files = tuple[tuple[str, ...], ...]
"""What a folder must hold: of each group of patterns, a match of one at least."""

ONNX_ENTITIES: Final[Files] = (("gliner_config.json",), ("tokenizer.json",), ("*.onnx", "onnx/*.onnx"))
TORCH_ENTITIES: Final[Files] = (("gliner_config.json",), ("model.safetensors", "pytorch_model.bin"))
ONNX_TEXT: Final[Files] = (("tokenizer.json",), ("*.onnx", "onnx/*.onnx"))
"""Sentence vectors and cross-encoders."""

_SAMPLE_BYTES: Final = 1_000_000


def models_dir(cache_dir: Path) -> Path:
    """The folder of fetched models."""
    return cache_dir / "models"


def folder_of(name: str, models_dir: Path) -> Path:
    """Where a model of this name is fetched to: `org/name` lies in `org--name`."""
    return models_dir / name.strip("/").replace("/", "--")


def is_path(name_or_path: str) -> bool:
    """Whether a folder is meant and not a name at the hub, which is `name` or `org/name`."""
    return name_or_path.startswith(("/", "./", "../", "~")) or Path(name_or_path).is_dir()


def find_model(name_or_path: str, models_dir: Path | None, *, wanted: Files) -> Path | None:
    """The folder of a model that holds all that is wanted; None when there is none.

    Looked for as a folder, among the fetched models, and in the hub's own cache.
    """
    return next((folder for folder in _folders(name_or_path, models_dir) if holds(folder, wanted)), None)


def holds(folder: Path, wanted: Files) -> bool:
    """Whether a folder has a file for each group of patterns."""
    return folder.is_dir() and all(find_file(folder, patterns) is not None for patterns in wanted)


def find_file(folder: Path, patterns: Iterable[str]) -> Path | None:
    """The first file of a folder that matches, patterns in their order, then by name."""
    files = (file for pattern in patterns for file in sorted(folder.glob(pattern)) if file.is_file())
    return next(files, None)


def measure_folder(folder: Path) -> int:
    """The bytes of all files in a folder, those of the hub's own bookkeeping left out."""
    return sum(
        file.stat().st_size
        for file in folder.rglob("*")
        if file.is_file() and ".cache" not in file.relative_to(folder).parts
    )


def fingerprint_of(folder: Path, weights: Path) -> str:
    """A digest of a model: its configuration, and the size and both ends of its weights."""
    digest = hashlib.sha256()
    for name in ("gliner_config.json", "tokenizer.json"):
        file = folder / name
        digest.update(file.read_bytes() if file.is_file() else b"")
    size = weights.stat().st_size
    digest.update(str(size).encode())
    with weights.open("rb") as stream:
        digest.update(stream.read(_SAMPLE_BYTES))
        stream.seek(max(0, size - _SAMPLE_BYTES))
        digest.update(stream.read(_SAMPLE_BYTES))
    return digest.hexdigest()[:16]


def _folders(name_or_path: str, models_dir: Path | None) -> Iterable[Path]:
    if is_path(name_or_path):
        yield Path(name_or_path).expanduser()
        return
    if models_dir is not None:
        yield folder_of(name_or_path, models_dir)
    cached = _find_in_hub_cache(name_or_path)
    if cached is not None:
        yield cached


def _find_in_hub_cache(name: str) -> Path | None:
    try:
        from huggingface_hub import snapshot_download  # pyright: ignore[reportUnknownVariableType]
        from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError
    except ImportError:
        return None
    try:
        return Path(snapshot_download(name, local_files_only=True))
    except (LocalEntryNotFoundError, HFValidationError, HfHubHTTPError, OSError):
        return None

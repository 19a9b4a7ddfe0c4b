"""Model weights from the hub: the seam to huggingface_hub."""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from extraction.models.store import folder_of, is_path
from graph.errors import DownloadFailed, InvalidInput, NotAvailable, NotFound

Format = Literal["onnx", "torch"]

_TEXTS: Final = (
    "config.json",
    "gliner_config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
    "spm.model",
    "sentencepiece.bpe.model",
    "1_Pooling/config.json",
)
_WEIGHTS: Final[dict[Format, tuple[str, ...]]] = {
    "onnx": ("onnx/model.onnx", "model.onnx", "model_optimized.onnx", "onnx/model_quantized.onnx", "onnx/*.onnx"),
    "torch": ("model.safetensors", "pytorch_model.bin"),
}
_CONVERTED: Final = "onnx-community"
"""Who keeps ONNX weights of models whose makers publish none."""

_CHUNK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file at the hub; `sha256` is known of large ones."""

    name: str
    size: int
    sha256: str | None


@dataclass(frozen=True, slots=True)
class FetchStep:
    """Of `total` files of a model this is number `number`, from 1."""

    model: str
    file: RemoteFile
    number: int
    total: int


def fetch_model(
    name: str, models_dir: Path, *, form: Format, on_step: Callable[[FetchStep], None] = lambda _: None
) -> Path:
    """Fetch what one engine needs of a model, go on where an earlier call stopped, check it, return the folder.

    Weights come last, so that a folder that has them is whole. Raises NotFound for a model that the hub does not have
    or not in this format, DownloadFailed when it can't be reached or sends something else.
    """
    if is_path(name):
        raise InvalidInput(f"{name} is a folder of this machine: there is nothing to fetch.")
    hub = _import_hub()
    repository, revision, files = _find_files(hub, name, form)
    folder = folder_of(name, models_dir)
    _fetch_files(hub, repository, revision, files, folder, on_step)
    if form == "torch":
        _fetch_encoder(hub, folder, on_step)
    return folder


def choose_files(files: Iterable[RemoteFile], form: Format) -> tuple[RemoteFile, ...]:
    """What an engine needs: configuration, tokenizer, and the best weights, which come last; none without weights."""
    by_name = {file.name: file for file in files}
    weights = next(
        (name for pattern in _WEIGHTS[form] for name in sorted(by_name) if fnmatch(name, pattern)),
        None,
    )
    if weights is None:
        return ()
    # Weights over 2 GB lie in a file beside.
    parts = [name for name in sorted(by_name) if name.startswith((f"{weights}_data", f"{weights}.data"))]
    return tuple(by_name[name] for name in (*(name for name in _TEXTS if name in by_name), *parts, weights))


def _find_files(hub: Any, name: str, form: Format) -> tuple[str, str, tuple[RemoteFile, ...]]:  # noqa: ANN401
    revision, listed = _list_files(hub, name)
    chosen = choose_files(listed, form)
    if chosen:
        return name, revision, chosen
    converted = f"{_CONVERTED}/{name.rpartition('/')[2]}"
    if form == "onnx" and converted != name:
        try:
            revision, listed = _list_files(hub, converted)
        except NotFound:
            listed = ()
        if chosen := choose_files(listed, form):
            return converted, revision, chosen
    raise NotFound(f"{name} has no weights for {form} at the hub: take another model or engine.")


def _list_files(hub: Any, name: str) -> tuple[str, tuple[RemoteFile, ...]]:  # noqa: ANN401
    info = _ask(hub, name, lambda: hub.HfApi().model_info(name, files_metadata=True))
    files = tuple(
        RemoteFile(one.rfilename, one.size or 0, one.lfs.sha256 if one.lfs else None) for one in info.siblings or ()
    )
    return str(info.sha), files


def _fetch_files(
    hub: Any,  # noqa: ANN401
    repository: str,
    revision: str,
    files: Sequence[RemoteFile],
    folder: Path,
    on_step: Callable[[FetchStep], None],
) -> None:
    for number, file in enumerate(files, 1):
        on_step(FetchStep(repository, file, number, len(files)))
        if not _is_right(folder / file.name, file):
            _ask(
                hub,
                repository,
                lambda name=file.name: hub.hf_hub_download(repository, name, revision=revision, local_dir=folder),
            )
        if not _is_right(folder / file.name, file):
            (folder / file.name).unlink(missing_ok=True)
            raise DownloadFailed(
                f"{file.name} of {repository} came damaged (size or sha256 is wrong) and was deleted: fetch it again."
            )


def _fetch_encoder(hub: Any, folder: Path, on_step: Callable[[FetchStep], None]) -> None:  # noqa: ANN401
    """Folders of GLiNER's makers only name their encoder: the library takes its tokenizer from the hub's cache."""
    config = folder / "gliner_config.json"
    if not config.is_file() or (folder / "tokenizer_config.json").is_file():
        return
    encoder = msgspec.json.decode(config.read_bytes(), type=dict[str, Any]).get("model_name")
    if not isinstance(encoder, str) or is_path(encoder):
        return
    _, listed = _list_files(hub, encoder)
    files = [file for file in listed if file.name in _TEXTS]
    for number, file in enumerate(files, 1):
        on_step(FetchStep(encoder, file, number, len(files)))
        _ask(hub, encoder, lambda name=file.name: hub.hf_hub_download(encoder, name))


def _is_right(path: Path, file: RemoteFile) -> bool:
    if not path.is_file() or path.stat().st_size != file.size:
        return False
    if file.sha256 is None:
        return True
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest() == file.sha256


def _import_hub() -> Any:  # noqa: ANN401 - a package without types that hold
    try:
        return import_module("huggingface_hub")
    except ImportError as exc:
        raise NotAvailable(
            f'Models are fetched with more packages ({exc}): pip install "cogniverse-graph[models]".'
        ) from exc


def _ask(hub: Any, name: str, call: Callable[[], Any]) -> Any:  # noqa: ANN401
    try:
        return call()
    except hub.errors.GatedRepoError as exc:
        raise DownloadFailed(
            f"{name} is given out to who has agreed to its terms: do so at the hub and log in with `hf auth login`."
        ) from exc
    except (hub.errors.RepositoryNotFoundError, hub.errors.HFValidationError) as exc:
        raise NotFound(f"The hub has no model {name!r}, or only for its members: look at its spelling.") from exc
    except Exception as exc:
        raise DownloadFailed(
            f"The hub can't be reached, or broke off, while {name} was fetched ({_reason(exc)}). What came stays: run "
            "the same command again. Without a network, copy a folder of weights here and name it in the setting."
        ) from exc


def _reason(exc: Exception) -> str:
    """The first line, short; a broken connection's says nothing that its name doesn't."""
    name = type(exc).__name__
    text = str(exc).partition("\n")[0]
    return name if not text or "Connect" in name or "Timeout" in name else f"{name}: {text[:200]}"

"""From settings to the model that finds entities."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from extraction.entities import gliner, onnx
from extraction.entities.base import EntitiesFailed, EntityExtractor, EntityOptions
from extraction.entities.labels import parse_labels
from extraction.entities.model import ModelExtractor, SpanModel, check_threshold
from extraction.entities.sidecar import SidecarExtractor
from extraction.models.store import ONNX_ENTITIES, TORCH_ENTITIES, Files, find_model, is_path
from graph.errors import InvalidInput

DEFAULT_MODEL: Final = "urchade/gliner_large-v2.1"

_WANTED: Final[dict[str, Files]] = {"onnx": ONNX_ENTITIES, "gliner": TORCH_ENTITIES}
_EXTRAS: Final = {"onnx": "models", "gliner": "torch"}
_INSTALLED: Final[dict[str, Callable[[], bool]]] = {"onnx": onnx.is_installed, "gliner": gliner.is_installed}


def find_extractor(options: EntityOptions) -> EntityExtractor | None:
    """Load what finds entities; None when nothing is set up. Never downloads.

    Raises EntitiesFailed for what was asked for and can't be had, InvalidInput for a bad label or threshold.
    """
    if options.engine == "off":
        return None
    kinds, threshold = parse_labels(options.labels), check_threshold(options.threshold)
    if options.engine == "sidecar" or (options.engine == "auto" and options.url is not None):
        return SidecarExtractor(_get_url(options), kinds=kinds, threshold=threshold, batch=options.batch)
    model = load_model(options)
    if model is None:
        return None
    return ModelExtractor(model, kinds=kinds, threshold=threshold, batch=options.batch)


def load_model(options: EntityOptions) -> SpanModel | None:
    """Load a model into this process. See find_extractor."""
    name = options.model or DEFAULT_MODEL
    chosen = choose_engine(options)
    if chosen is None:
        return None
    engine, folder = chosen
    model = onnx.OnnxModel if engine == "onnx" else gliner.GlinerModel
    return model(folder, name=name)


def choose_engine(options: EntityOptions) -> tuple[str, Path] | None:
    """The engine in this process and the folder that it loads; None when nothing is asked for and nothing there."""
    if options.engine not in ("auto", *_WANTED):
        raise InvalidInput(
            f"Unknown engine {options.engine!r} for entities (COGNIVERSE_ENTITY_ENGINE): use auto, onnx, gliner, "
            "sidecar or off."
        )
    name = options.model or DEFAULT_MODEL
    engines = tuple(_WANTED) if options.engine == "auto" else (options.engine,)
    at_hand = [
        (engine, folder)
        for engine in engines
        if (folder := find_model(name, options.models_dir, wanted=_WANTED[engine])) is not None
    ]
    ready = next(((engine, folder) for engine, folder in at_hand if _INSTALLED[engine]()), None)
    if ready is not None or (options.engine == "auto" and options.model is None):
        return ready
    if at_hand:
        raise _missing_package(name, at_hand[0][0])
    if options.engine != "auto" and not _INSTALLED[options.engine]():
        raise _missing_package(name, options.engine)
    raise _missing_model(name, engines)


def _get_url(options: EntityOptions) -> str:
    if options.url is None:
        raise EntitiesFailed(
            "The engine sidecar has no address: set COGNIVERSE_MODELS_URL to that of `cogniverse models serve`."
        )
    return options.url


def _missing_package(name: str, engine: str) -> EntitiesFailed:
    return EntitiesFailed(
        f"{name} can't be loaded, the packages of the engine {engine} are not installed: "
        f'pip install "cogniverse-graph[{_EXTRAS[engine]}]".'
    )


def _missing_model(name: str, engines: tuple[str, ...]) -> EntitiesFailed:
    needed = " or ".join(", ".join(" or ".join(group) for group in _WANTED[engine]) for engine in engines)
    if is_path(name):
        state = "is no folder" if not Path(name).expanduser().is_dir() else "is not complete"
        return EntitiesFailed(
            f"The entity model {name} {state}: COGNIVERSE_ENTITY_MODEL must name a folder with {needed}, or a model."
        )
    return EntitiesFailed(f"The entity model {name} is not on this machine: run `cogniverse models fetch {name}`.")

"""Which models are wanted, and which of them are on this machine."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path

from extraction.models.fetching import Format
from extraction.models.store import Files, find_model, is_path, measure_folder


class State(StrEnum):
    """Whether a model can be used."""

    AT_HAND = "at hand"
    NOT_FETCHED = "not fetched"
    PACKAGE_MISSING = "package missing"
    REMOTE = "at a server"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Need:
    """A model that the settings name. `form` is that of its weights, None where it needs none on this machine."""

    role: str
    model: str
    engine: str
    form: Format | None = None
    wanted: Files = ()
    packages: tuple[str, ...] = ()
    extra: str | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Holding:
    """What is there of a need. `hint` says what to do when it can't be used, else it is empty."""

    role: str
    model: str
    engine: str
    state: State
    where: str | None = None
    size_bytes: int | None = None
    hint: str = ""


def look_up(needs: Iterable[Need], models_dir: Path) -> list[Holding]:
    """What is there of each need. No model is loaded and nothing is asked of a network."""
    return [_look_up(need, models_dir) for need in needs]


def _look_up(need: Need, models_dir: Path) -> Holding:
    missing = [package for package in need.packages if find_spec(package) is None]
    folder = None if need.form is None else find_model(need.model, models_dir, wanted=need.wanted)
    where = need.url if folder is None else str(folder)
    size = None if folder is None else measure_folder(folder)
    state, hint = _judge(need, missing, folder)
    return Holding(need.role, need.model, need.engine, state, where, size, hint)


def _judge(need: Need, missing: list[str], folder: Path | None) -> tuple[State, str]:
    if need.engine == State.OFF:
        return State.OFF, ""
    if missing:
        return State.PACKAGE_MISSING, f'pip install "cogniverse-graph[{need.extra}]"'
    if need.form is None:
        return State.REMOTE, ""
    if folder is not None:
        return State.AT_HAND, ""
    files = ", ".join(" or ".join(group) for group in need.wanted)
    fix = f"make it a folder with {files}" if is_path(need.model) else f"cogniverse models fetch {need.model}"
    return State.NOT_FETCHED, fix

"""The seam to jgo, which speaks to Maven repositories: one file in, or DownloadFailed."""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from graph.errors import DownloadFailed

_TIMEOUT_S = 30
_LEAST_PARTS = 4


@dataclass(frozen=True, slots=True)
class Coordinate:
    """What a path in a Maven repository says: group/…/artifact/version/artifact-version[-classifier].extension."""

    group: str
    artifact: str
    version: str
    classifier: str
    extension: str

    @classmethod
    def of_path(cls, path: str) -> "Coordinate":
        """Take a repository path apart. Raises ValueError for one that isn't laid out that way."""
        parts = PurePosixPath(path).parts
        artifact, version = parts[-3:-1] if len(parts) >= _LEAST_PARTS else ("", "")
        stem, dot, extension = path.rpartition("/")[2].rpartition(".")
        if not artifact or not dot or not stem.startswith(f"{artifact}-{version}"):
            raise ValueError(f"not a path of a Maven artifact: {path}")
        classifier = stem.removeprefix(f"{artifact}-{version}").removeprefix("-")
        return cls(".".join(parts[:-3]), artifact, version, classifier, extension)


def local_file(path: str) -> Path | None:
    """Return the file of the user's own Maven repository at a repository path, unchecked, when there is one."""
    from jgo.constants import default_maven_repo

    file = default_maven_repo() / path
    return file if file.is_file() else None


def download(path: str, *, into: Path, repositories: Mapping[str, str] | None, on_bytes: Callable[[int], None]) -> Path:
    """Fetch one file below the empty or missing folder `into` and return where it stands, unchecked.

    `repositories` are URLs by name, None for jgo's own; `on_bytes` gets the size of each chunk as it comes.
    Raises DownloadFailed with the bare cause.
    """
    # Imported here because only a first start needs them, and each command would pay.
    import requests
    from jgo.maven import MavenContext, PythonResolver

    @contextmanager
    def count(_name: str, _size: int) -> Generator[Callable[[int], None]]:
        yield on_bytes

    context = MavenContext(
        resolver=PythonResolver(progress_callback=count),
        repo_cache=into,
        remote_repos=dict(repositories) if repositories else None,
        timeout=_TIMEOUT_S,
    )
    at = Coordinate.of_path(path)
    component = context.project(at.group, at.artifact).at_version(at.version)
    try:
        return component.artifact(at.classifier, at.extension).resolve()
    except requests.RequestException as exc:
        raise DownloadFailed(f"the repository did not answer: {exc}") from exc
    except RuntimeError as exc:  # jgo's answer to every status but 200
        raise DownloadFailed(f"no repository has it: {', '.join(context.remote_repos.values())}") from exc
    except OSError as exc:
        raise DownloadFailed(f"it could not be written: {exc}") from exc

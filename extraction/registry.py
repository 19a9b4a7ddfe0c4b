"""The one table of extractors: which language reads which file."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from extraction.code.facts import FileFacts
from extraction.code.languages.python import PythonLanguage
from extraction.code.projects import ProjectConfig
from extraction.code.results import ResolvedFile


class CodeLanguage(Protocol):
    """A programming language. Facts are taken file by file, in any process; resolution sees a whole folder."""

    @property
    def name(self) -> str:
        """Its name, as documents carry it."""
        ...

    @property
    def suffixes(self) -> tuple[str, ...]:
        """The endings of its files, in lower case, with the dot."""
        ...

    @property
    def version(self) -> str:
        """Raised whenever the same text would give other facts: part of every cache key."""
        ...

    def extract_facts(self, path: str, text: str) -> FileFacts:
        """Read one file by itself. Pure, and never raises whatever the text is."""
        ...

    def resolve(self, files: Mapping[str, FileFacts], config: ProjectConfig) -> Iterator[ResolvedFile]:
        """Resolve all files of this language in a folder; yields them by path, the same for any order of `files`."""
        ...


LANGUAGES: tuple[CodeLanguage, ...] = (PythonLanguage(),)
"""All languages; another one joins by its entry here."""

_BY_SUFFIX = {suffix: language for language in LANGUAGES for suffix in language.suffixes}
_BY_NAME = {language.name: language for language in LANGUAGES}


def find_language(path: str) -> CodeLanguage | None:
    """The language of a file by its ending, None when no extractor reads it."""
    base = path.rpartition("/")[2]
    return _BY_SUFFIX.get(base[base.rfind(".") :].lower()) if "." in base[1:] else None


def code_versions(languages: Iterable[str]) -> dict[str, str]:
    """The versions of the extractors of some languages, by what they are."""
    return {f"{name} extractor": get_language(name).version for name in sorted(languages)}


def get_language(name: str) -> CodeLanguage:
    """The language of a name that the table gave. Raises KeyError for any other."""
    return _BY_NAME[name]

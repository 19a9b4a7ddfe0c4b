"""Python, as one entry of the table of languages."""

from collections.abc import Iterator, Mapping

from extraction.code.facts import FileFacts
from extraction.code.languages import python_facts, python_modules, python_resolve
from extraction.code.projects import ProjectConfig
from extraction.code.results import ResolvedFile


class PythonLanguage:
    """Python 3, as far as a file parses; Python 2 leaves gaps."""

    name = "python"
    suffixes = python_modules.SUFFIXES
    version = python_facts.EXTRACTOR_VERSION

    def extract_facts(self, path: str, text: str) -> FileFacts:
        """What one file says by itself."""
        return python_facts.extract_facts(path, text)

    def resolve(self, files: Mapping[str, FileFacts], config: ProjectConfig) -> Iterator[ResolvedFile]:
        """Nodes and links of all files, by path."""
        return python_resolve.resolve(files, config)

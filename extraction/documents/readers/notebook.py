"""Jupyter notebooks: the sources of their cells and what these printed. Source: nbformat 4, "The notebook format"."""

import json
from collections.abc import Iterator, Mapping
from typing import Final, cast

from extraction.documents.readers.composer import Composer
from extraction.documents.readers.decoding import decode_document
from extraction.documents.readers.markdown import find_headings
from extraction.documents.text import DocumentText
from extraction.source import SourceFailed


def read_notebook(data: bytes) -> DocumentText:
    """The cells in order; pictures and rich outputs are left out, their plain text is kept."""
    composer = Composer()
    for cell in _fetch_cells(_parse(data)):
        source = _join(cell.get("source", cell.get("input")))
        if cell.get("cell_type") == "markdown":
            _compose_markdown(source, composer)
        else:
            composer.add(source)
        for output in _maps(cell.get("outputs")):
            composer.add(_join(output.get("text") or _map(output.get("data")).get("text/plain")))
    return composer.build()


def _parse(data: bytes) -> Mapping[str, object]:
    try:
        notebook: object = json.loads(decode_document(data))
    except (ValueError, RecursionError) as exc:
        raise SourceFailed("damaged: the notebook is no valid JSON") from exc
    return _map(notebook)


def _fetch_cells(notebook: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    found = [*_maps(notebook.get("cells"))]
    for sheet in _maps(notebook.get("worksheets")):  # before format 4
        found.extend(_maps(sheet.get("cells")))
    if not found and notebook.get("cells") != []:
        raise SourceFailed("damaged: the notebook has no cells")
    return iter(found)


def _compose_markdown(source: str, composer: Composer) -> None:
    """A block for each heading with what follows it."""
    begin = 0
    for mark in find_headings(source):
        composer.add(source[begin : mark.char_offset])
        composer.start_heading(mark.heading)
        begin = mark.char_offset
    composer.add(source[begin:])


def _join(value: object) -> str:
    """A text, which notebooks write as one string or as a list of lines."""
    lines = cast("list[object]", value) if isinstance(value, list) else [value]
    return "".join(line for line in lines if isinstance(line, str))


def _maps(value: object) -> Iterator[Mapping[str, object]]:
    items = cast("list[object]", value) if isinstance(value, list) else _NONE
    return (_map(item) for item in items)


def _map(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else {}


_NONE: Final[list[object]] = []

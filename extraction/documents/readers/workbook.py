"""Excel workbooks: a sheet is a heading, a row a line. The one seam to openpyxl."""

import datetime
import io
from collections.abc import Iterable, Iterator
from typing import Any, Final

from extraction.documents.readers.archive import open_archive
from extraction.documents.readers.composer import LINE, PARAGRAPH, Composer
from extraction.documents.text import DocumentText
from extraction.source import SourceFailed

_MIDNIGHT: Final = datetime.time()
_MAX_COLUMNS: Final = 1_000
"""Cells beyond are left out: no table that people read is as wide."""


def read_workbook(data: bytes) -> DocumentText:
    """The name of each sheet, then its rows, cells apart by tabs; formulas as their last results."""
    from openpyxl import load_workbook

    open_archive(data).close()
    try:
        workbook = load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
    except (KeyError, OSError, ValueError) as exc:
        raise SourceFailed("damaged: no Excel workbook is in it") from exc
    composer = Composer()
    for sheet in workbook.worksheets:
        composer.start_heading(sheet.title)
        separator = PARAGRAPH
        for row in _fetch_rows(sheet):
            line = _join(row)
            if not line:
                continue
            if separator == PARAGRAPH:
                composer.add(sheet.title)
            composer.add(line, separator=separator)
            separator = LINE
    return composer.build()


def _fetch_rows(sheet: Any) -> Iterator[list[object]]:  # noqa: ANN401 - openpyxl has no types
    """The rows that a sheet has cells in, each up to its last one, no wider than is read.

    openpyxl's own rows are filled up to the farthest cell of the sheet, which may be the 17,179,869,184th.
    """
    from openpyxl.worksheet._reader import WorkSheetParser

    book = sheet.parent
    with sheet._get_source() as source:  # noqa: SLF001 - as ReadOnlyWorksheet reads it
        parser: Any = WorkSheetParser(
            source,
            sheet._shared_strings,  # noqa: SLF001
            data_only=True,
            epoch=book.epoch,
            date_formats=book._date_formats,  # noqa: SLF001
            timedelta_formats=book._timedelta_formats,  # noqa: SLF001
        )
        for _, cells in parser.parse():
            row: list[object] = []
            for cell in cells:
                if cell["column"] > _MAX_COLUMNS:
                    break
                row.extend([None] * (cell["column"] - 1 - len(row)))
                row.append(cell["value"])
            yield row


def _join(row: Iterable[object]) -> str:
    return "\t".join("" if value is None else _show(value) for value in row).rstrip()


def _show(value: object) -> str:
    match value:
        case datetime.datetime():
            return value.date().isoformat() if value.time() == _MIDNIGHT else value.isoformat(" ")
        case bool():
            return str(value).upper()
        case _:
            return " ".join(str(value).split())

"""Excel workbooks: a sheet is a heading, a row a line. The one seam to openpyxl."""

import datetime
import io
from collections.abc import Iterable
from typing import Final

from extraction.documents.readers.archive import open_archive
from extraction.documents.readers.composer import LINE, PARAGRAPH, Composer
from extraction.documents.text import DocumentText
from extraction.source import SourceFailed

_MIDNIGHT: Final = datetime.time()


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
        for row in sheet.iter_rows(values_only=True):
            line = _join(row)
            if not line:
                continue
            if separator == PARAGRAPH:
                composer.add(sheet.title)
            composer.add(line, separator=separator)
            separator = LINE
    return composer.build()


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

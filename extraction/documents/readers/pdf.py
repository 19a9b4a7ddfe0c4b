"""PDF files, page by page. The one seam to pypdfium2."""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, Protocol, cast

from extraction.documents.readers.composer import Composer
from extraction.documents.readers.decoding import unify_newlines
from extraction.documents.text import DocumentText
from extraction.source import SourceFailed, SourceSkipped

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument

# Source: PDFium, public/fpdfview.h, FPDF_ERR_PASSWORD and FPDF_ERR_SECURITY.
_TROUBLES: Final = {4: "needs a password: save it without one", 5: "protected in a way that can't be opened"}
# PDFium writes it for a hyphen at the end of a line, and joins the lines.
_HYPHEN: Final = re.compile("[\x02\ufffe]")
_WORD: Final = re.compile(r"\w+")
_WORD_CHARS: Final = 60


class _Text(Protocol):
    def get_text_bounded(self) -> str: ...
    def close(self) -> None: ...


class _Page(Protocol):
    def get_textpage(self) -> _Text: ...
    def get_objects(self) -> Iterator[object]: ...
    def close(self) -> None: ...


def read_pdf(data: bytes) -> DocumentText:
    """The text of all pages in the order in which the file has it."""
    document = _open(data)
    try:
        pages = [_read_page(document, number) for number in range(len(document))]
        if not any(page.strip() for page in pages):
            raise _describe_empty(document)
    finally:
        document.close()
    composer = Composer()
    for number, page in enumerate(_join_words(pages), 1):
        composer.start_page(number)
        composer.add(page)
    return composer.build()


def _open(data: bytes) -> "PdfDocument":
    from pypdfium2 import PdfDocument, PdfiumError

    try:
        return PdfDocument(data)
    except PdfiumError as exc:
        code: object = getattr(exc, "err_code", None)
        reason = _TROUBLES.get(code) if isinstance(code, int) else None
        raise SourceFailed(reason or "damaged: it can't be opened as a PDF") from exc


def _find_page(document: "PdfDocument", number: int) -> _Page | None:
    """A page; None for one that can't be loaded, which viewers show as empty."""
    from pypdfium2 import PdfiumError

    try:
        return cast("_Page", cast("object", document[number]))
    except PdfiumError:
        return None


def _read_page(document: "PdfDocument", number: int) -> str:
    page = _find_page(document, number)
    if page is None:
        return ""
    text = page.get_textpage()
    try:
        return unify_newlines(text.get_text_bounded())
    finally:
        text.close()
        page.close()


def _describe_empty(document: "PdfDocument") -> SourceFailed | SourceSkipped:
    pages = [_find_page(document, number) for number in range(len(document))]
    if any(page is not None and next(page.get_objects(), None) is not None for page in pages):
        return SourceFailed("no text layer: its pages are pictures; run text recognition (OCR) on it first")
    return SourceFailed("damaged: its pages can't be loaded") if None in pages else SourceSkipped("empty")


def _join_words(pages: Sequence[str]) -> Iterator[str]:
    """Words that were divided at line ends, whole where the document has them whole elsewhere, else as they stand."""
    divided = [_HYPHEN.split(page) for page in pages]
    is_any = any(len(parts) > 1 for parts in divided)
    known = {word for page in pages for word in page.split()} if is_any else set[str]()
    for first, *others in divided:
        parts = [first]
        for part in others:
            parts += ("" if _make_word(parts[-1], part) in known else "-\n", part)
        yield "".join(parts)


def _make_word(left: str, right: str) -> str | None:
    lasts = left[-_WORD_CHARS:].rsplit(None, 1)
    last = _WORD.fullmatch(lasts[-1]) if lasts else None
    first = _WORD.match(right[:_WORD_CHARS])
    return last[0] + first[0] if last and first else None

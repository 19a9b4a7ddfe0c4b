"""Documents made for the tests."""

import io
import zipfile
from collections.abc import Mapping

from docx import Document
from openpyxl import Workbook
from PIL import Image
from pptx import Presentation
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from extraction.documents.reading import ReadLimits, read_document
from extraction.documents.text import DocumentText

CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
PACKAGE = """<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">
<metadata><dc:title>Radium</dc:title><dc:creator>Marie Curie</dc:creator></metadata>
<manifest><item id="b" href="two%20b.xhtml" media-type="application/xhtml+xml"/>
<item id="a" href="one.xhtml" media-type="application/xhtml+xml"/>
<item id="c" href="style.css" media-type="text/css"/></manifest>
<spine><itemref idref="a"/><itemref idref="c"/><itemref idref="b"/></spine></package>"""
CHAPTER = (
    '<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head>'
    "<body><h1>{0}</h1><p>Text of <a id='x'/>{0}.</p></body></html>"
)


def read(name: str, data: bytes, **limits: float) -> DocumentText:
    return read_document(name, data, limits=ReadLimits(**{"timeout_s": 60.0, "memory_bytes": 600_000_000} | limits))


def make_pdf(*pages: str | None, password: str | None = None) -> bytes:
    """A page for each text; None is a page with a picture."""
    file = io.BytesIO()
    canvas = Canvas(file, encrypt=None if password is None else StandardEncryption(password))
    for page in pages:
        if page is None:
            canvas.drawImage(ImageReader(Image.new("RGB", (20, 20), "red")), 50, 50, 200, 200)
        else:
            text = canvas.beginText(50, 800)
            text.textLines(page)
            canvas.drawText(text)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def make_word() -> bytes:
    document = Document()
    document.add_heading("Radium", 1)
    document.add_paragraph("Marie Curie discovered radium.")
    table = document.add_table(2, 2)
    for row, cells in zip(table.rows, (("Year", "Prize"), ("1911", "Chemistry")), strict=True):
        for cell, text in zip(row.cells, cells, strict=True):
            cell.text = text
    document.add_heading("Later", 2)
    document.add_paragraph("She won again.")
    return saved(document)


def make_slides() -> bytes:
    presentation = Presentation()
    for number in (1, 2):
        slide = presentation.slides.add_slide(presentation.slide_layouts[1])
        slide.shapes.title.text = f"Slide {number}"
        slide.placeholders[1].text = f"Body {number}"
        table = slide.shapes.add_table(1, 2, 0, 0, 100, 100).table
        table.cell(0, 0).text, table.cell(0, 1).text = "left", "right"
        slide.notes_slide.notes_text_frame.text = f"Note {number}"
    return saved(presentation)


def make_workbook() -> bytes:
    workbook = Workbook()
    workbook.active.title = "People"
    workbook.active.append(["Name", "Born"])
    workbook.active.append(["Marie Curie", 1867])
    workbook.create_sheet("Empty")
    workbook.create_sheet("Prizes").append([None, True, 2.5])
    return saved(workbook)


def make_book(**entries: str) -> bytes:
    return make_zip(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": CONTAINER,
            "OEBPS/book.opf": PACKAGE,
            "OEBPS/one.xhtml": CHAPTER.format("First"),
            "OEBPS/two b.xhtml": CHAPTER.format("Second"),
        }
        | {name.replace("__", "/"): text for name, text in entries.items()}
    )


def make_zip(entries: Mapping[str, str | bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in entries.items():
            stored = zipfile.ZIP_STORED if name == "mimetype" else None  # as EPUB wants it
            archive.writestr(name, text, stored)
    return file.getvalue()


def replace_entry(data: bytes, name: str, text: bytes) -> bytes:
    """The same archive with another content for one of its entries."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return make_zip({entry: archive.read(entry) for entry in archive.namelist()} | {name: text})


def saved(document: object) -> bytes:
    file = io.BytesIO()
    document.save(file)  # type: ignore[attr-defined]
    return file.getvalue()

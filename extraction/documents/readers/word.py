"""Word documents. python-docx opens them; their text is gathered here, since it leaves out insertions and controls."""

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, cast

from extraction.documents.readers.archive import open_archive
from extraction.documents.readers.composer import LINE, PARAGRAPH, Composer
from extraction.documents.readers.markup import Element, local_name, parse_xml
from extraction.documents.text import DocumentText
from extraction.source import SourceFailed

if TYPE_CHECKING:
    from docx.document import Document

_W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_WRAPPERS: Final = frozenset({"sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag"})
# What was deleted, moved away, is said twice, or is no text.
_LEFT_OUT: Final = frozenset({"del", "moveFrom", "Fallback", "pPr", "rPr", "tblPr", "tcPr", "trPr", "sdtPr"})
_SIGNS: Final = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_STYLES_DEEP: Final = 10


def read_word(data: bytes) -> DocumentText:
    """Paragraphs, tables with a row a line, then the notes at the foot."""
    from docx import Document

    open_archive(data).close()
    try:
        document = Document(io.BytesIO(data))
    except (KeyError, ValueError) as exc:
        raise SourceFailed("damaged: no Word document is in it") from exc
    composer = Composer()
    _compose_body(_element(cast("object", document.element.body)), composer, _find_heading_styles(document))
    composer.start_heading(None)
    for relation in document.part.rels.values():
        if relation.reltype.endswith(("/footnotes", "/endnotes")) and not relation.is_external:
            _compose_notes(parse_xml(relation.target_part.blob), composer)
    return composer.build()


def _find_heading_styles(document: "Document") -> frozenset[str]:
    """The ids of the styles that make a heading, in any language of Word, and of those based on them."""
    found: set[str] = set()
    names = {"title", *(f"heading {level}" for level in range(1, 10))}
    based: dict[str, str] = {}
    for style in _element(document.styles.element).iter(f"{_W}style"):
        key = style.get(f"{_W}styleId")
        for part in style:
            if local_name(part) == "name" and part.get(f"{_W}val").lower() in names:
                found.add(key)
            elif local_name(part) == "basedOn":
                based[key] = part.get(f"{_W}val")
    for _ in range(_STYLES_DEEP):
        found.update(key for key, base in based.items() if base in found)
    return frozenset(found)


def _compose_body(body: Element, composer: Composer, headings: frozenset[str]) -> None:
    for block in _unwrap(body):
        match local_name(block):
            case "p":
                text = "".join(_fetch_text(block)).strip()
                properties = _fetch_properties(block)
                if text and properties.get("pStyle") in headings:
                    composer.start_heading(text)
                composer.add(text, separator=LINE if "numPr" in properties else PARAGRAPH)
            case "tbl":
                _compose_table(block, composer)
            case _:
                pass


def _compose_table(table: Element, composer: Composer) -> None:
    separator = PARAGRAPH
    for row in _unwrap(table):
        cells = [cell for cell in _unwrap(row) if local_name(cell) == "tc"] if local_name(row) == "tr" else []
        line = "\t".join(" ".join("".join(_fetch_text(cell)).split()) for cell in cells)
        if line.strip():
            composer.add(line, separator=separator)
            separator = LINE


def _compose_notes(notes: Element, composer: Composer) -> None:
    for note in notes:
        composer.add("".join(_fetch_text(note)).strip())


def _unwrap(parent: Element) -> Iterator[Element]:
    """An element's children, those inside of content controls and insertions among them."""
    for child in parent:
        if local_name(child) in _WRAPPERS:
            yield from _unwrap(child)
        else:
            yield child


def _fetch_text(parent: Element) -> Iterator[str]:
    for child in parent:
        name = local_name(child)
        if name == "t":
            yield child.text or ""
        elif name in _SIGNS:
            yield _SIGNS[name]
        elif name not in _LEFT_OUT:
            yield from _fetch_text(child)
            yield "\n" if name in {"p", "tr"} else ""


def _fetch_properties(paragraph: Element) -> dict[str, str]:
    properties = next((part for part in paragraph if local_name(part) == "pPr"), None)
    return {} if properties is None else {local_name(part): part.get(f"{_W}val") for part in properties}


def _element(value: object) -> Element:
    return cast("Element", value)

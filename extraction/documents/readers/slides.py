"""PowerPoint presentations: a slide is a page, its title the heading. The one seam to python-pptx."""

import io
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, cast

from extraction.documents.readers.archive import open_archive
from extraction.documents.readers.composer import LINE, PARAGRAPH, Composer
from extraction.documents.text import DocumentText
from extraction.source import SourceFailed

if TYPE_CHECKING:
    from pptx.shapes.autoshape import Shape
    from pptx.shapes.base import BaseShape
    from pptx.shapes.graphfrm import GraphicFrame
    from pptx.shapes.group import GroupShape
    from pptx.slide import Slide


def read_slides(data: bytes) -> DocumentText:
    """Titles, texts and tables of all slides, each with its notes."""
    from pptx import Presentation

    open_archive(data).close()
    try:
        presentation = Presentation(io.BytesIO(data))
    except (KeyError, ValueError) as exc:
        raise SourceFailed("damaged: no PowerPoint presentation is in it") from exc
    composer = Composer()
    for number, slide in enumerate(presentation.slides, 1):
        composer.start_page(number)
        _compose_slide(slide, composer)
    return composer.build()


def _compose_slide(slide: "Slide", composer: Composer) -> None:
    title = slide.shapes.title
    if title is not None and title.text_frame.text.strip():
        composer.start_heading(title.text_frame.text)
        composer.add(_unbreak(title.text_frame.text))
    for shape in _flatten(slide.shapes):
        if title is not None and shape.shape_id == title.shape_id:
            continue
        _compose_shape(shape, composer)
    notes = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    if notes is not None:
        composer.add(_unbreak(notes.text))


def _compose_shape(shape: "BaseShape", composer: Composer) -> None:
    if shape.has_text_frame:
        composer.add(_unbreak(cast("Shape", shape).text_frame.text))
    elif shape.has_table:
        separator = PARAGRAPH
        for row in cast("GraphicFrame", shape).table.rows:
            composer.add("\t".join(" ".join(cell.text.split()) for cell in row.cells), separator=separator)
            separator = LINE


def _flatten(shapes: "Iterable[BaseShape]") -> "Iterator[BaseShape]":
    from pptx.enum.shapes import MSO_SHAPE_TYPE

    for shape in shapes:
        if shape.shape_type == MSO_SHAPE_TYPE.GROUP:
            yield from _flatten(cast("GroupShape", shape).shapes)
        else:
            yield shape


def _unbreak(text: str) -> str:
    return text.replace("\v", "\n").strip()

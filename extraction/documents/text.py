"""A document's text as it was read, with what is known of its parts."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mark:
    """From this character of the text on: this page (from 1), and under this heading; None where there is none."""

    char_offset: int
    page: int | None = None
    heading: str | None = None


@dataclass(frozen=True, slots=True)
class DocumentText:
    """A document's decoded text and its marks, sorted by offset, one an offset at most."""

    text: str
    marks: tuple[Mark, ...] = ()

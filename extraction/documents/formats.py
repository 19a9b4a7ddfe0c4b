"""What a file is, told by its first bytes and its name. Nothing is ever unpacked for it."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of document that is read; its suffixes are in lower case, with the dot."""

    name: str
    suffixes: tuple[str, ...]


FORMATS: Final = (
    Format("markdown", (".md", ".markdown")),
    Format("rst", (".rst",)),
    Format("text", (".txt", ".text")),
    Format("table", (".csv", ".tsv")),
    Format("json", (".json", ".jsonl")),
    Format("html", (".html", ".htm", ".xhtml")),
    Format("pdf", (".pdf",)),
    Format("docx", (".docx",)),
    Format("pptx", (".pptx",)),
    Format("xlsx", (".xlsx",)),
    Format("epub", (".epub",)),
    Format("notebook", (".ipynb",)),
    Format("mail", (".eml",)),
)
_BY_SUFFIX: Final = {suffix: form.name for form in FORMATS for suffix in form.suffixes}
_ZIPPED: Final = frozenset({"docx", "pptx", "xlsx", "epub"})

# Source: https://en.wikipedia.org/wiki/List_of_file_signatures
_SIGNATURES: Final = (
    (b"%PDF-", "a PDF"),
    (b"\x89PNG\r\n", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"GIF87a", "an image"),
    (b"GIF89a", "an image"),
    (b"II*\x00", "an image"),
    (b"MM\x00*", "an image"),
    (b"ID3\x02", "an audio file"),
    (b"ID3\x03", "an audio file"),
    (b"ID3\x04", "an audio file"),
    (b"\xff\xfb", "an audio file"),
    (b"OggS", "an audio or video file"),
    (b"fLaC", "an audio file"),
    (b"\x1aE\xdf\xa3", "a video"),
    (b"PK\x03\x04", "an archive or office document"),
    (b"PK\x05\x06", "an archive"),
    (b"\x1f\x8b", "an archive"),
    (b"\xfd7zXZ", "an archive"),
    (b"7z\xbc\xaf", "an archive"),
    (b"Rar!", "an archive"),
    (b"\x28\xb5\x2f\xfd", "an archive"),
    (b"\xd0\xcf\x11\xe0", "an office document"),
    (b"{\\rtf", "an office document"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3", "a database"),
)
_INNER_SIGNATURES: Final = (
    (4, b"ftyp", "a video or image"),
    (8, b"WAVE", "an audio file"),
    (8, b"AVI ", "a video"),
    (8, b"WEBP", "an image"),
    (4, b"1AY&SY", "an archive"),
)
_SUFFIXES: Final = {
    **dict.fromkeys(("pdf", "ps", "djvu"), "a PDF or the like"),
    **dict.fromkeys(("png", "jpg", "jpeg", "gif", "webp", "bmp", "tif", "tiff", "heic", "avif", "ico"), "an image"),
    **dict.fromkeys(("mp3", "wav", "m4a", "aac", "flac", "ogg", "opus", "wma"), "an audio file"),
    **dict.fromkeys(("mp4", "mov", "mkv", "webm", "avi", "m4v", "mpg", "mpeg"), "a video"),
    **dict.fromkeys(("zip", "gz", "tgz", "bz2", "xz", "7z", "rar", "tar", "zst", "jar", "whl"), "an archive"),
    **dict.fromkeys(
        ("doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods", "odp", "epub", "rtf"), "an office document"
    ),
}
_ZIP: Final = (b"PK\x03\x04", b"PK\x05\x06")
_OLE: Final = b"\xd0\xcf\x11\xe0"  # an encrypted office document, or one of before 2007
_EPUB: Final = b"mimetypeapplication/epub+zip"  # Source: EPUB 3.3, OCF: the first entry, stored
_PROBE: Final = 8_000
_ORDINARY: Final = frozenset("\t\n\v\f\r\x1b")
_CONTROLS_AT_MOST: Final = 0.1


def document_suffixes() -> frozenset[str]:
    """The endings of all files that are read, in lower case, with the dot."""
    return frozenset(_BY_SUFFIX)


def find_format(name: str) -> str | None:
    """The format that a file's name promises, None for an ending that is in no table."""
    base = name.rpartition("/")[2]
    return _BY_SUFFIX.get(base[base.rfind(".") :].lower()) if "." in base[1:] else None


def format_name(name: str, data: bytes) -> str | None:
    """The format that a file is read as: by its first bytes where they are sure, else by its name.

    A text of any other ending is `text`; None for what no reader reads.
    """
    promised = find_format(name)
    if data.startswith(b"%PDF-"):
        return "pdf"
    if data.startswith(_ZIP):
        return promised if promised in _ZIPPED else "epub" if data[30:58] == _EPUB else None
    if data.startswith(_OLE):
        return promised if promised in _ZIPPED else None
    if _find_signature(data) is not None:
        return None
    return promised or (None if _suffix(name) in _SUFFIXES else "text")


def find_foreign_kind(name: str, data: bytes) -> str | None:
    """What a file is (`an image`) that holds no plain text; None for what may be text."""
    return _find_signature(data) or _SUFFIXES.get(_suffix(name))


def _find_signature(data: bytes) -> str | None:
    kind = next((kind for signature, kind in _SIGNATURES if data.startswith(signature)), None)
    for place, mark, inner in _INNER_SIGNATURES:
        if kind is None and data[place : place + len(mark)] == mark:
            kind = inner
    return kind


def _suffix(name: str) -> str:
    return name.rpartition(".")[2].lower()


def is_binary_text(text: str) -> bool:
    """Whether what was decoded as text can't be meant as such, for all its control characters."""
    probe = text[:_PROBE]
    controls = sum((char < " " and char not in _ORDINARY) or "\x7f" <= char < "\xa0" for char in probe)
    return controls > _CONTROLS_AT_MOST * len(probe)

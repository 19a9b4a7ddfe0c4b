"""EPUB books, chapter by chapter.

Source: EPUB 3.3, 4.2 Open Container Format, 5 Package document; OCF 3.3, 4.2.6.3.2 encryption.xml.
"""

import posixpath
import zipfile
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote

from extraction.documents.readers.archive import open_archive, read_entry
from extraction.documents.readers.composer import Composer
from extraction.documents.readers.html import compose_html, decode_html
from extraction.documents.readers.markup import Element, local_name, parse_xml
from extraction.documents.text import DocumentText
from extraction.source import SourceFailed, SourceSkipped

_CONTAINER: Final = "META-INF/container.xml"
_ENCRYPTION: Final = "META-INF/encryption.xml"


def read_book(data: bytes) -> DocumentText:
    """The title and authors, then the chapters in reading order under their headings."""
    with open_archive(data) as archive:
        path = _find_package(archive)
        package = parse_xml(read_entry(archive, path))
        composer = Composer()
        for part in package.iter():
            if local_name(part) in {"title", "creator"} and next(part.iterancestors(), package) is not package:
                composer.add(part.text or "")
        locked = _find_locked(archive)
        for chapter in _fetch_spine(package, posixpath.dirname(path)):
            if chapter in locked:
                raise SourceFailed("needs a licence: the book is protected against copying")
            _compose_chapter(archive, chapter, composer)
    return composer.build()


def _compose_chapter(archive: zipfile.ZipFile, chapter: str, composer: Composer) -> None:
    try:
        source = decode_html(read_entry(archive, chapter))
    except SourceSkipped:  # an empty chapter
        return
    composer.start_heading(None)
    compose_html(source, composer, with_title=False)


def _find_package(archive: zipfile.ZipFile) -> str:
    for part in parse_xml(read_entry(archive, _CONTAINER)).iter():
        if local_name(part) == "rootfile":
            return part.get("full-path")
    raise SourceFailed("damaged: the book names no package")


def _fetch_spine(package: Element, folder: str) -> Iterator[str]:
    parts = list(package.iter())
    items = {part.get("id"): part for part in parts if local_name(part) == "item"}
    for part in parts:
        item = items.get(part.get("idref")) if local_name(part) == "itemref" else None
        if item is not None and "html" in item.get("media-type"):
            yield posixpath.normpath(posixpath.join(folder, unquote(item.get("href"))))


def _find_locked(archive: zipfile.ZipFile) -> frozenset[str]:
    """The encrypted parts; fonts often are, and their books can be read."""
    if _ENCRYPTION not in archive.namelist():
        return frozenset()
    parts = parse_xml(read_entry(archive, _ENCRYPTION)).iter()
    return frozenset(unquote(part.get("URI")) for part in parts if local_name(part) == "CipherReference")

"""The one seam to lxml. No entity is expanded that the text itself doesn't spell out, and nothing is fetched."""

import importlib
from collections.abc import Iterator, Mapping
from typing import Protocol, cast

from extraction.source import SourceFailed


class Element(Protocol):
    """As much of an element of lxml's as is used here; comments and the like have no text for a tag."""

    tag: object
    text: str | None

    def get(self, key: str, default: str = "") -> str:
        """An attribute's value."""
        ...

    def iter(self, *tags: str) -> "Iterator[Element]":
        """The element and all below it, in document order."""
        ...

    def iterancestors(self, *tags: str) -> "Iterator[Element]":
        """The elements around it, the nearest first."""
        ...

    def __iter__(self) -> "Iterator[Element]": ...


class Target(Protocol):
    """What a page is told to, tag by tag: no tree is built, so that no depth is too great."""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """An element begins; `tag` in lower case."""
        ...

    def end(self, tag: str) -> None:
        """An element ends, written or implied."""
        ...

    def data(self, text: str) -> None:
        """A piece of text, entities decoded."""
        ...

    def close(self) -> None:
        """The page is over."""
        ...


class _Parser(Protocol):
    def feed(self, data: bytes) -> None: ...
    def close(self) -> object: ...


class _Etree(Protocol):
    LxmlError: type[Exception]

    def HTMLParser(self, **options: object) -> _Parser: ...  # noqa: N802
    def XMLParser(self, **options: object) -> _Parser: ...  # noqa: N802
    def fromstring(self, data: bytes, parser: _Parser) -> Element: ...


def parse_xml(data: bytes) -> Element:
    """The root of a small XML file. Raises SourceFailed."""
    etree = _load()
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        return etree.fromstring(data, parser)
    except (etree.LxmlError, ValueError) as exc:
        raise SourceFailed(f"damaged: {exc}") from exc


def parse_html(text: str, target: Target) -> None:
    """Tell a page to a target. Raises SourceFailed."""
    etree = _load()
    parser = etree.HTMLParser(target=target, encoding="utf-8", no_network=True, huge_tree=False)
    try:
        parser.feed(text.encode("utf-8", "replace"))
        parser.close()
    except (etree.LxmlError, ValueError) as exc:
        raise SourceFailed(f"damaged: {exc}") from exc


def local_name(element: Element) -> str:
    """An element's name without its namespace; empty for comments and the like."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _load() -> _Etree:
    return cast("_Etree", cast("object", importlib.import_module("lxml.etree")))

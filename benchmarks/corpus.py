"""Documents made up for measuring: people, places and firms in plain sentences, as Markdown, HTML, PDF and Word."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

PARAGRAPHS: Final = 14
"""Paragraphs of a document: some three pages of 2,000 characters."""

FIRST: Final = ("Ada", "Boris", "Chen", "Dora", "Emil", "Fatima", "Goran", "Hanna", "Igor", "Jana", "Karim", "Lena")
LAST: Final = ("Novak", "Okafor", "Petrov", "Quist", "Rossi", "Sato", "Tanaka", "Umarov", "Vidal", "Weber", "Young")
PLACES: Final = ("Warsaw", "Lisbon", "Nairobi", "Osaka", "Lima", "Oslo", "Zagreb", "Toronto", "Hanoi", "Cairo")
FIRMS: Final = ("Acme Corporation", "University of Oslo", "Globex", "Initech", "Nordwind Labs", "Sato Institute")
THINGS: Final = ("Turbofan X1", "Aurora Phone", "Kestrel Engine", "Lumen Scanner", "Delta Press")
SENTENCES: Final = (
    "{first} {last} was born in {place} in {year}.",
    "{first} {last} worked at {firm} with {other} {kin}.",
    "In {year} the {thing} was shown in {place} by {firm}.",
    "{other} {kin} moved from {place} to {there} and joined {firm}.",
    "The report does not say why the work was put off for so long, or who had asked for it.",
    "{firm} sold the {thing} to a school in {there}, which has used it ever since without a fault.",
)


def make_corpus(root: Path, documents: int, *, seed: int = 7) -> list[Path]:
    """Write so many documents into a folder, the same ones for the same seed, and return their paths."""
    chance = random.Random(seed)  # noqa: S311 - texts
    makers = (_markdown, _html, _pdf, _word)
    paths: list[Path] = []
    for number in range(documents):
        paragraphs = [_paragraph(chance) for _ in range(PARAGRAPHS)]
        make = makers[number % len(makers)]
        paths.append(make(root / f"document-{number:05}", f"Report {number}", paragraphs))
    return paths


def _paragraph(chance: random.Random) -> str:
    return " ".join(_sentences(chance, 6))


def _sentences(chance: random.Random, count: int) -> Iterator[str]:
    for _ in range(count):
        yield chance.choice(SENTENCES).format(
            first=chance.choice(FIRST),
            last=chance.choice(LAST),
            other=chance.choice(FIRST),
            kin=chance.choice(LAST),
            place=chance.choice(PLACES),
            there=chance.choice(PLACES),
            firm=chance.choice(FIRMS),
            thing=chance.choice(THINGS),
            year=chance.randint(1850, 2020),
        )


def _markdown(place: Path, title: str, paragraphs: list[str]) -> Path:
    file = place.with_suffix(".md")
    file.write_text("\n\n".join([f"# {title}", *paragraphs]) + "\n", encoding="utf-8")
    return file


def _html(place: Path, title: str, paragraphs: list[str]) -> Path:
    file = place.with_suffix(".html")
    body = "".join(f"<p>{paragraph}</p>\n" for paragraph in paragraphs)
    file.write_text(f"<html><head><title>{title}</title></head><body><h1>{title}</h1>{body}</body></html>", "utf-8")
    return file


def _pdf(place: Path, title: str, paragraphs: list[str]) -> Path:
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import Paragraph, SimpleDocTemplate

    file = place.with_suffix(".pdf")
    styles: Any = getSampleStyleSheet()
    parts: list[Any] = [Paragraph(title, styles["Heading1"]), *(Paragraph(one, styles["Normal"]) for one in paragraphs)]
    SimpleDocTemplate(str(file)).build(parts)
    return file


def _word(place: Path, title: str, paragraphs: list[str]) -> Path:
    from docx import Document

    file = place.with_suffix(".docx")
    document = Document()
    document.add_heading(title, level=1)
    for paragraph in paragraphs:
        document.add_paragraph(paragraph)
    document.save(str(file))
    return file

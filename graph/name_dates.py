"""Dates as names: the ways to write one day or month in English and in ISO 8601."""

import re
from typing import Final

Day = tuple[int, int, int | None]
"""Year, month, and day where one is named."""

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAMES: Final = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_SHAPES: Final = (
    re.compile(r"(?P<day>\d{1,2})(?:st|nd|rd|th)?(?: of)? (?P<name>[a-z]+)\.?,? (?P<year>\d{4})"),
    re.compile(r"(?P<name>[a-z]+)\.? (?P<day>\d{1,2})(?:st|nd|rd|th)?,? (?P<year>\d{4})"),
    re.compile(r"(?P<year>\d{4})-(?P<month>\d\d)(?:-(?P<day>\d\d))?"),
    re.compile(r"(?P<name>[a-z]+)\.?,? (?P<year>\d{4})"),
)


def find_day(written: str) -> Day | None:
    """The day or month that a date names; None for years, spans and what can be read in two ways (12/05/1867)."""
    text = " ".join(written.casefold().split())
    for shape in _SHAPES:
        match = shape.fullmatch(text)
        if match is not None:
            parts = match.groupdict()
            month = _month(parts["name"]) if parts.get("name") else int(parts.get("month") or 0)
            day = int(parts["day"]) if parts.get("day") else None
            return (int(parts["year"]), month, day) if 1 <= month <= 12 and 1 <= (day or 1) <= 31 else None
    return None


def _month(name: str) -> int:
    """Return the month's number, 0 for another word."""
    short = name[:3]
    known = short in _MONTHS and (name == short or name == "sept" or name in _NAMES)
    return _MONTHS.index(short) + 1 if known else 0

"""When a fact held, as far as the text says so."""

import re
import unicodedata
from collections.abc import Callable
from datetime import date
from typing import Final

from extraction.claims.drops import NotTaken

_DATE: Final = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2})(?:T[\d:.,+Z-]*)?)?)?", re.ASCII)

Note = Callable[[str, str], None]


def read_period(
    valid_from: str | None, valid_to: str | None, *, text: str, note: Note
) -> tuple[str | None, str | None]:
    """Both dates, each None when it is missing or not to be trusted; `note` is told the field and the reason."""
    start = _find_date("valid_from", valid_from, text, note)
    end = _find_date("valid_to", valid_to, text, note)
    if start is not None and end is not None and start[: len(end)] > end[: len(start)]:
        note("valid_from", "after valid_to")
        return None, None
    return start, end


def _find_date(field: str, value: str | None, text: str, note: Note) -> str | None:
    if value is None or value.casefold() in {"null", "none", "n/a", "unknown", "-"}:
        return None
    try:
        return _read_date(value, text)
    except NotTaken as exc:
        note(field, str(exc))
        return None


def _read_date(value: str, text: str) -> str:
    match = _DATE.fullmatch(value.strip())
    if match is None or not _is_day(*(int(part or 1) for part in match.groups())):
        raise NotTaken("not a date as 2019, 2019-05 or 2019-05-31")
    if not re.search(rf"(?<!\d){match[1]}(?!\d)", unicodedata.normalize("NFKC", text)):
        raise NotTaken("its year is not in the text")
    return "-".join(part for part in match.groups() if part)


def _is_day(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True

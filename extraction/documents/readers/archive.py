"""The zip archives that office documents and books are, looked over before anything is unpacked."""

import io
import zipfile
from typing import Final

from extraction.source import SourceFailed, SourceSkipped

_MAX_BYTES: Final = 500_000_000
_MAX_ENTRIES: Final = 20_000
# Sheets of like rows are packed 50 times smaller in earnest; deflate ends at 1,032 times.
_MAX_RATIO: Final = 200
_RATIO_FROM_BYTES: Final = 20_000_000
_OLE: Final = b"\xd0\xcf\x11\xe0"
_ENCRYPTED_PACKAGE: Final = "EncryptedPackage".encode("utf-16-le")  # Source: MS-OFFCRYPTO, 1.3.2


def open_archive(data: bytes) -> zipfile.ZipFile:
    """An archive of bounded size. Raises SourceSkipped for one that would unpack to too much, and SourceFailed."""
    if data.startswith(_OLE):
        old = "an office document of before 2007: save it in the present format"
        raise SourceFailed("needs a password: save it without one" if _ENCRYPTED_PACKAGE in data else old)
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, OSError, EOFError, NotImplementedError) as exc:
        raise SourceFailed("damaged: its archive can't be opened") from exc
    _check_size(archive.infolist(), len(data))
    return archive


def read_entry(archive: zipfile.ZipFile, name: str) -> bytes:
    """An entry unpacked; never more of it than it promises. Raises SourceFailed."""
    try:
        return archive.read(name)
    except KeyError as exc:
        raise SourceFailed(f"damaged: {name[:80]} is missing in its archive") from exc
    except Exception as exc:
        raise SourceFailed(f"damaged: {name[:80]} can't be unpacked") from exc


def _check_size(entries: list[zipfile.ZipInfo], packed: int) -> None:
    total = sum(entry.file_size for entry in entries)
    if len(entries) > _MAX_ENTRIES:
        raise SourceSkipped(f"too large: its archive has {len(entries):,} entries; {_MAX_ENTRIES:,} is the most")
    if total > _MAX_BYTES:
        raise SourceSkipped(f"too large: it unpacks to {total / 1e6:,.0f} MB; {_MAX_BYTES / 1e6:,.0f} MB is the most")
    if total > _RATIO_FROM_BYTES and total > packed * _MAX_RATIO:
        raise SourceSkipped(f"too large: it unpacks to {total // packed:,} times its size, as only a zip bomb does")
    if any(entry.flag_bits & 1 for entry in entries):
        raise SourceFailed("needs a password: save it without one")

"""Mails: who wrote to whom about what, and the text."""

from typing import TYPE_CHECKING, Final

from extraction.documents.readers.composer import LINE, Composer
from extraction.documents.readers.decoding import decode_document
from extraction.documents.readers.html import compose_html, decode_html
from extraction.documents.text import DocumentText
from extraction.source import SourceFailed, SourceSkipped

if TYPE_CHECKING:
    from email.message import EmailMessage, Message

_HEADERS: Final = ("Subject", "From", "To", "Cc", "Date")
_PROBE: Final = 8_000


def read_mail(data: bytes) -> DocumentText:
    """The headers that people read, the plain text (else that of the page), then the attachments' names."""
    from email import message_from_bytes, policy

    if b"\0" in data[:_PROBE]:
        raise SourceSkipped("binary")
    try:
        mail = message_from_bytes(data, policy=policy.default)
        return _compose(mail)
    except RecursionError as exc:
        raise SourceFailed("damaged: its parts are nested too deeply") from exc


def _compose(mail: "EmailMessage") -> DocumentText:
    composer = Composer()
    for header in _HEADERS:
        value = _find_header(mail, header)
        if value:
            composer.add(f"{header}: {value}", separator=LINE)
    bodies = [body for kind in ("plain", "html") if (body := mail.get_body(preferencelist=(kind,))) is not None]
    for body in bodies:
        if _compose_body(body, composer):
            break
    for part in mail.walk():
        if part.get_content_disposition() == "attachment" or (part not in bodies and part.get_filename()):
            composer.add(f"Attachment: {part.get_filename() or part.get_content_type()}")
    return composer.build()


def _find_header(mail: "Message", header: str) -> str | None:
    try:
        value = mail.get(header)
    except Exception:  # noqa: BLE001 - the parsers of odd addresses and dates raise whatever they fall over
        return None
    return None if value is None else " ".join(str(value).split())


def _compose_body(body: "Message", composer: Composer) -> bool:
    """Whether the part held any text."""
    payload = body.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    is_page = body.get_content_type() == "text/html"
    try:
        text = _decode(data, body.get_content_charset(), is_page=is_page)
    except SourceSkipped as exc:
        if str(exc) == "binary":
            raise
        return False
    if is_page:
        compose_html(text, composer, with_title=False)
    else:
        composer.add(text)
    return bool(text.strip())


def _decode(data: bytes, charset: str | None, *, is_page: bool) -> str:
    try:
        return data.decode(charset or "unknown", "replace")
    except (LookupError, ValueError):  # none, an unknown one, or one that is no encoding of texts
        return decode_html(data) if is_page else decode_document(data)

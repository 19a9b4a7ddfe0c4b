"""The check that stands before every write: a mention's span is what its segment says at that place."""

from graph.errors import CogniverseError
from graph.model import ExtractionResult


class EvidenceMismatch(CogniverseError):
    """An extractor gave a span that its source does not have: the document is refused."""


def check_evidence(result: ExtractionResult) -> None:
    """Raise EvidenceMismatch unless each mention's span stands in its segment, character for character."""
    texts = {segment.segment_id: segment.text for segment in result.segments}
    for mention in result.mentions:
        text = texts.get(mention.segment_id)
        if text is None or text[mention.char_start : mention.char_end] != mention.evidence_span:
            raise EvidenceMismatch(
                f"{result.document.path}: the evidence {mention.evidence_span[:80]!r} does not stand at"
                f" {mention.char_start}–{mention.char_end} of segment {mention.segment_id}. Nothing of the file was"
                " stored; please report this as a fault of its extractor."
            )

"""One reader a format: bytes in, DocumentText out, SourceSkipped or SourceFailed for all trouble that is foreseen."""

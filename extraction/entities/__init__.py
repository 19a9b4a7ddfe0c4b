"""Named things in text, found by a model."""

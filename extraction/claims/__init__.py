"""Facts that a text states, read by a language model and checked against the text."""

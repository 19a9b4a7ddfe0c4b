"""Documents: files as texts, texts as segments, and what models find in them as facts."""

"""Plain text as segments."""

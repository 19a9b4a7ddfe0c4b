"""One module for each programming language."""

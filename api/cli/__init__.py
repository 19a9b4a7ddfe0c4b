"""The `cogniverse` command."""

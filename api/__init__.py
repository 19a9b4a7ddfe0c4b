"""How people reach the graph: command line and settings."""

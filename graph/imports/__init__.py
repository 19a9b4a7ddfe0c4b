"""Graphs out of files that `graph.exports` wrote as JSON lines, whole or not at all."""

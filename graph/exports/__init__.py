"""Whole graphs as files: Cypher, GraphML and JSON lines, each the same bytes for the same graph."""

from graph.exports.export import ExportSummary, write_export

__all__ = ["ExportSummary", "write_export"]

"""Answers of the graph as lines for a terminal. Pure: values in, renderables out."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import RenderableType
from rich.text import Text

from api.cli.terminal import make_table, printable
from extraction.report import FileOutcome, IndexReport
from graph.answers import (
    Count,
    Degradation,
    EdgeView,
    GraphStats,
    Hubs,
    Neighbor,
    Neighborhood,
    NodeHit,
    NodeView,
    NoPath,
    Path,
    SearchResult,
    SegmentHit,
)
from graph.errors import Candidate

_SHOWN_OUTCOMES = 5
_SHOWN_COUNTS = 12
_PASSAGE_CHARS = 240


def render_stats(stats: GraphStats) -> list[RenderableType]:
    """Sizes, then counts by kind, relation and reason."""
    documents = f"{stats.documents:,}"
    if stats.failed_documents:
        documents += f" ({stats.failed_documents:,} failed)"
    rows = [
        ("documents", documents),
        ("nodes", f"{stats.nodes:,}"),
        ("edges", f"{stats.edges:,}"),
        ("mentions", f"{stats.mentions:,}"),
        ("unresolved", f"{stats.unresolved:,}"),
    ]
    lines: list[RenderableType] = [make_table([(Text(name, "bold"), count) for name, count in rows])]
    lines += _render_counts("nodes by kind", stats.nodes_by_kind)
    lines += _render_counts("edges by relation", stats.edges_by_relation)
    lines += _render_counts("unresolved by reason", stats.unresolved_by_reason)
    return lines


@dataclass(frozen=True, slots=True)
class Passage:
    """A segment that a search has found, with its text."""

    hit: SegmentHit
    text: str


@dataclass(frozen=True, slots=True)
class Passages:
    """Segments, best first."""

    hits: tuple[Passage, ...]
    truncated: bool
    degraded: tuple[Degradation, ...]


def render_passages(result: Passages, *, query: str) -> list[RenderableType]:
    """Passages with rank, place and how they begin, best first."""
    if not result.hits:
        return [Text(f"No text says {printable(query)}."), *_render_degraded(result)]
    lines: list[RenderableType] = []
    for rank, passage in enumerate(result.hits, start=1):
        segment = passage.hit.segment
        page = f", page {segment.page}" if segment.page is not None else ""
        heading = f"  {printable(segment.heading)}" if segment.heading else ""
        place = f"{printable(segment.document_id)}:{segment.line_start}{page}"
        lines.append(Text.assemble((f"{rank}  ", "dim"), (place, "bold"), (heading, "cyan")))
        lines.append(Text(f"   {printable(' '.join(passage.text.split())[:_PASSAGE_CHARS])}"))
    if result.truncated:
        lines.append(Text("There are more: raise --top-k to see them.", "dim"))
    return [*lines, *_render_degraded(result)]


def render_search(result: SearchResult, *, query: str) -> list[RenderableType]:
    """Hits with rank, id, kind, place and score, best first."""
    if not result.hits:
        hint = Text("What documents say is searched by `cogniverse graph search --segments`.", "dim")
        return [Text(f"Nothing found for {printable(query)}."), hint, *_render_degraded(result)]
    rows = [
        (
            Text(str(rank), "dim"),
            Text(printable(hit.node.node_id), "bold"),
            Text(printable(hit.node.kind), "cyan"),
            Text(_place(hit.node), "dim"),
            "exact name" if hit.exact_name else f"{hit.score:.3f}",
            _found_by(hit),
        )
        for rank, hit in enumerate(result.hits, start=1)
    ]
    lines: list[RenderableType] = [
        make_table(rows, header=("", "node", "kind", "place", "score", "found by"), right=(0,))
    ]
    if result.truncated:
        lines.append(Text("There are more: raise --top-k to see them.", "dim"))
    return [*lines, *_render_degraded(result)]


def _found_by(hit: NodeHit) -> str:
    ways = (("words", hit.text_rank), ("meaning", hit.vector_rank))
    return " and ".join(way for way, rank in ways if rank is not None) or "name"


def render_neighborhood(hood: Neighborhood) -> list[RenderableType]:
    """Draw the node, then what it points to, then what points to it."""
    lines: list[RenderableType] = [_render_node(hood.center)]
    if hood.center.description:
        lines.append(Text(printable(hood.center.description.partition("\n")[0]), "italic"))
    for title, neighbors in (("outgoing", hood.outgoing), ("incoming", hood.incoming)):
        if neighbors:
            lines += [Text(), Text(f"{title} ({len(neighbors)})", "bold")]
            lines.append(make_table([_neighbor_row(neighbor, outgoing=title == "outgoing") for neighbor in neighbors]))
    if not hood.outgoing and not hood.incoming:
        lines.append(Text("Nothing around it in this direction, with these relations.", "dim"))
    if hood.truncated:
        lines.append(Text("There is more around it: raise --limit, or choose with --relation.", "dim"))
    return lines


def render_path(path: Path) -> list[RenderableType]:
    """One edge a line, drawn along the path; an edge that runs against it points back."""
    if not path.edges:
        return [_render_node(path.nodes[0]), Text("Both ends are this node.", "dim")]
    rows: list[tuple[Text, ...]] = []
    for here, there, edge in zip(path.nodes, path.nodes[1:], path.edges, strict=False):
        step = Text(printable(here.node_id), "bold")
        step.append(f" {arrow(edge.relation, forward=edge.source == here.node_id)} ", "cyan")
        step.append(printable(there.node_id), "bold")
        rows.append((step, Text(_edge_place(edge), "dim")))
    return [make_table(rows), Text(_count(path.length, "edge"), "dim")]


def render_no_path(answer: NoPath) -> Text:
    """Why there is no path to show."""
    source, target = printable(answer.source.node_id), printable(answer.target.node_id)
    if answer.shortest is None:
        return Text(f"No path from {source} to {target}. Try --direction both, or other ends.")
    return Text(
        f"Too far: {target} is {_count(answer.shortest, 'edge')} from {source}, further than the "
        f"{answer.max_depth} allowed. Use --max-depth {answer.shortest}."
    )


def render_hubs(hubs: Hubs) -> list[RenderableType]:
    """Nodes by rank, with their score."""
    if not hubs.nodes:
        return [Text("The graph has no such nodes yet.")]
    rows = [
        (
            Text(f"{hub.score:,.0f}" if hub.score == int(hub.score) else f"{hub.score:,.3f}", "bold"),
            Text(printable(hub.node.node_id), "bold"),
            Text(printable(hub.node.kind), "cyan"),
            Text(_place(hub.node), "dim"),
        )
        for hub in hubs.nodes
    ]
    return [make_table(rows, header=(hubs.by, "node", "kind", "place"), right=(0,))]


def render_nodes(nodes: Sequence[NodeView]) -> RenderableType:
    """Nodes as a table of id, kind and place."""
    return make_table(
        [
            (
                Text(printable(node.node_id), "bold"),
                Text(printable(node.kind), "cyan"),
                Text(_place(node), "dim"),
            )
            for node in nodes
        ]
    )


def render_candidates(candidates: Sequence[Candidate]) -> RenderableType:
    """List what an ambiguous name may mean, each with the id to give instead."""
    return make_table(
        [
            (
                Text(f"  {printable(candidate.node_id)}", "bold"),
                Text(printable(candidate.kind), "cyan"),
                Text(_file_line(candidate.path, candidate.line_start), "dim"),
            )
            for candidate in candidates
        ]
    )


def render_report(report: IndexReport, *, verbose: bool) -> list[RenderableType]:
    """How every file ended, what the folder says now, what was left out and why."""
    lines = render_summary(report)
    lines += _render_outcomes("failed", report.failed, style="red", verbose=verbose)
    lines += _render_outcomes("skipped", report.skipped, style="yellow", verbose=verbose)
    lines += _render_counts("unresolved by reason", report.unresolved)
    drops = [Count(f"{drop.what}: {drop.reason}", drop.count) for drop in report.dropped]
    lines += _render_counts("dropped from documents", drops)
    lines += [Text(f"without {part.part}: {printable(part.reason)}", "yellow") for part in report.degraded]
    stages = ", ".join(f"{stage} {seconds:.1f}" for stage, seconds in report.timings_s.items())
    lines.append(Text(f"{report.elapsed_s:.1f} seconds" + (f" ({stages})" if stages else ""), "dim"))
    return lines


def render_summary(report: IndexReport) -> list[RenderableType]:
    """How many files ended how, and what the folder says now."""
    files = [
        ("indexed", report.files_indexed),
        ("unchanged", report.files_unchanged),
        ("removed", report.files_removed),
        ("skipped", len(report.skipped)),
        ("failed", len(report.failed)),
    ]
    facts = [("nodes", report.nodes), ("edges", report.edges), ("mentions", report.mentions)]
    return [
        make_table([[Text("files", "bold"), *(f"{count:,} {name}" for name, count in files)]]),
        make_table([[Text("graph", "bold"), *(f"{count:,} {name}" for name, count in facts)]]),
    ]


def arrow(relation: str, *, forward: bool) -> str:
    """Return `-calls->`, or `<-calls-` for an edge that points back."""
    name = printable(relation)
    return f"-{name}->" if forward else f"<-{name}-"


def _neighbor_row(neighbor: Neighbor, *, outgoing: bool) -> tuple[Text, ...]:
    edge = neighbor.edge
    near = edge.source if outgoing else edge.target
    indent = "  " * neighbor.distance
    name = Text(printable(neighbor.node.node_id), "bold")
    if neighbor.distance > 1:
        name.append(f"  via {printable(near)}", "dim")
    provenance = edge.provenance if edge.confidence >= 1 else f"{edge.provenance} {edge.confidence:.2f}"
    return (
        Text(indent + arrow(edge.relation, forward=outgoing), "cyan"),
        name,
        Text(printable(neighbor.node.kind)),
        Text(printable(provenance), "dim"),
        Text(_edge_place(edge), "dim"),
    )


def _render_node(node: NodeView) -> Text:
    line = Text(printable(node.node_id), "bold")
    line.append(f"  {printable(node.kind)}", "cyan")
    if node.signature:
        line.append(f"  {printable(node.signature)}")
    return line.append(f"  {_place(node)}", "dim")


def _render_counts(title: str, counts: Sequence[Count]) -> list[RenderableType]:
    if not counts:
        return []
    rows: list[tuple[str, str]] = [(f"{count.count:,}", count.name) for count in counts[:_SHOWN_COUNTS]]
    if rest := counts[_SHOWN_COUNTS:]:
        rows.append((f"{sum(count.count for count in rest):,}", f"in {len(rest)} more"))
    return [Text(), Text(title, "bold"), make_table(rows, right=(0,))]


def _render_outcomes(title: str, outcomes: Sequence[FileOutcome], *, style: str, verbose: bool) -> list[RenderableType]:
    if not outcomes:
        return []
    shown = outcomes if verbose else outcomes[:_SHOWN_OUTCOMES]
    rows: list[tuple[Text | str, ...]] = [(Text(f"  {printable(outcome.path)}"), outcome.reason) for outcome in shown]
    lines: list[RenderableType] = [Text(), Text(title, f"bold {style}"), make_table(rows)]
    if hidden := len(outcomes) - len(shown):
        lines.append(Text(f"  and {hidden:,} more: --verbose shows all", "dim"))
    return lines


def _render_degraded(result: SearchResult | Passages) -> list[RenderableType]:
    return [
        Text(f"degraded: without {printable(part.part)}, {printable(part.reason)}", "yellow")
        for part in result.degraded
    ]


def _place(node: NodeView) -> str:
    return _file_line(node.path, node.line_start)


def _edge_place(edge: EdgeView) -> str:
    return _file_line(edge.path, edge.line)


def _file_line(path: str | None, line: int | None) -> str:
    if path is None:
        return ""
    return printable(path) if line is None else f"{printable(path)}:{line}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def render_size(size_bytes: int) -> str:
    """Return a size in the unit that suits it, such as 1.5 GB."""
    size, unit = float(size_bytes), "B"
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if size < 1000 or unit == "TB":
            break
        size /= 1000
    return f"{size:.0f} {unit}" if unit in {"B", "kB"} else f"{size:.1f} {unit}"


def render_duration(seconds: float | None) -> str:
    """Return a time span such as 45 s, 12 min or 3.5 h; a dash for none."""
    if seconds is None:
        return "-"
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"

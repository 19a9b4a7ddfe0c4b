"""`cogniverse graph duplicates`, `merge` and `unmerge`: several names of one thing."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import RenderableType
from rich.text import Text

from api.cli.options import AsJson, Tenant
from api.cli.outcome import ExitCode, reported
from api.cli.render import render_nodes
from api.cli.session import run_query
from api.cli.terminal import Terminal, make_table, printable
from graph.answers import NodeView
from graph.errors import InvalidInput

if TYPE_CHECKING:
    from graph.database import Database
    from graph.duplicates import DuplicatesView
    from graph.merges import MergeRecord


@reported
def duplicates(
    min_score: Annotated[float, typer.Option(metavar="0..1", help="The least score; from 0.8 on a rule holds.")] = 0.8,
    limit: Annotated[int, typer.Option(metavar="N", help="The most pairs to show.")] = 100,
    kind: Annotated[
        list[str] | None,
        typer.Option("--kind", metavar="NAME", help="Only these kinds; may be given again.", show_default=False),
    ] = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """List entities that may be one thing under two names: suggestions, merged only by `graph merge`."""
    from graph.duplicates import find_duplicates

    answer = run_query(
        tenant, lambda database: find_duplicates(database, min_score=min_score, limit=limit, kinds=kind or None)
    )
    terminal = Terminal()
    if as_json:
        terminal.print_json(answer)
    else:
        terminal.print(*_render_duplicates(answer))


@reported
def merge(
    into: Annotated[str, typer.Argument(metavar="INTO", help="The node that stays: an id or a name.")],
    nodes: Annotated[list[str], typer.Argument(metavar="NODE…", help="The nodes that are shown as it from now on.")],
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask.")] = False,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Make nodes one; sources keep their own words, and `graph unmerge` brings the graph back as it was."""
    from graph.lookup import get_node
    from graph.merges import merge_nodes

    async def run(database: "Database") -> "MergeRecord | None":
        target, *others = [await get_node(database, ref) for ref in (into, *nodes)]
        if not yes and not _confirm(target, others):
            return None
        return await merge_nodes(database, target.node_id, [other.node_id for other in others])

    if not yes and not sys.stdin.isatty():
        raise InvalidInput("There is nobody to ask whether to merge: give --yes.")
    record = run_query(tenant, run, refs=(into, *nodes))
    terminal = Terminal()
    if record is None:
        terminal.note("Nothing was merged.")
        raise typer.Exit(ExitCode.ERROR)
    if as_json:
        terminal.print_json(record)
        return
    names = ", ".join(printable(node_id) for node_id in record.merged)
    terminal.print(f"{names} → {printable(record.into)}")
    terminal.print(Text(f"Merge {record.merge_id}; to take it back: cogniverse graph unmerge {record.merge_id}", "dim"))


@reported
def unmerge(
    merge_id: Annotated[str, typer.Argument(metavar="ID", help="The merge's id, from `graph merge`.")],
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Take a merge back: the graph is as it would be without it."""
    from graph.merges import undo_merge

    record = run_query(tenant, lambda database: undo_merge(database, merge_id))
    terminal = Terminal()
    if as_json:
        terminal.print_json(record)
        return
    names = ", ".join(printable(node_id) for node_id in record.merged)
    terminal.print(f"Merge {record.merge_id} is undone: {names} and {printable(record.into)} are apart.")


def _confirm(target: NodeView, others: list[NodeView]) -> bool:
    terminal = Terminal()
    terminal.err.print(render_nodes([target, *others]))
    return typer.confirm(f"Show all of these as {printable(target.node_id)}?", err=True)


def _render_duplicates(answer: "DuplicatesView") -> list[RenderableType]:
    lines: list[RenderableType] = []
    if answer.pairs:
        rows = [
            (
                Text(f"{pair.score:.2f}", "bold"),
                Text(printable(pair.a.node_id), "bold"),
                Text(printable(pair.b.node_id), "bold"),
                Text(printable(_kinds(pair.a, pair.b)), "cyan"),
                Text(printable("; ".join(pair.reasons)), "dim"),
            )
            for pair in answer.pairs
        ]
        lines.append(make_table(rows, header=("score", "node", "node", "kind", "because"), right=(0,)))
    else:
        lines.append("No two entities look like one.")
    if answer.truncated:
        lines.append(Text("There are more: raise --limit, or choose with --kind.", "dim"))
    lines += [Text(f"Without {part.part}: {printable(part.reason)}", "dim") for part in answer.degraded]
    return lines


def _kinds(a: NodeView, b: NodeView) -> str:
    return a.kind if a.kind == b.kind else f"{a.kind}, {b.kind}"

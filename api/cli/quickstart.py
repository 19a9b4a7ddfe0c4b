"""What ./start runs: from nothing to a graph of a folder, and questions that it can answer."""

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from api.cli.index import run_index
from api.cli.options import Tenant
from api.cli.outcome import ExitCode, reported
from api.cli.render import render_hubs, render_stats, render_summary
from api.cli.session import get_tenant, run_query
from api.cli.terminal import Terminal, printable
from api.config import load_settings
from graph.answers import Direction, GraphStats, Hubs, NodeView
from graph.answers import Path as GraphPath

if TYPE_CHECKING:
    from graph.database import Database

_HUBS = 10
_REACH = 4


@dataclass(frozen=True, slots=True)
class Question:
    """Something to ask, in words and as arguments of the program."""

    words: str
    arguments: tuple[str, ...]


@reported
def quickstart(
    folder: Annotated[Path, typer.Argument(help="The folder to index.", show_default=False)],
    tenant: Tenant = None,
) -> None:
    """Fetch and start Neo4j, index a folder, show what came of it and what to ask next."""
    from extraction.scan import get_folder

    settings = load_settings()
    terminal = Terminal()
    root = get_folder(folder)
    terminal.note(Text(f"Indexing {printable(str(root))}"))
    report = run_index(settings, terminal, root, tenant=tenant)
    terminal.print(*render_summary(report))
    if report.cancelled:
        terminal.note(Text("Stopped. Run the same command again to go on.", "yellow"))
        raise typer.Exit(ExitCode.INTERRUPTED)
    stats, hubs, questions = run_query(tenant, _look_around)
    terminal.print("", Text("The graph", "bold"), *render_stats(stats))
    terminal.print("", Text("Its hubs", "bold"), *render_hubs(hubs))
    program = find_program()
    chosen = () if get_tenant(settings, tenant) == "default" else ("--tenant", get_tenant(settings, tenant))
    terminal.print("", Text("Three questions to try next" if len(questions) == 3 else "To try next", "bold"))
    for question in questions:
        command = shlex.join([program, *question.arguments, *chosen])
        terminal.print(f"  {printable(question.words)}", Text(f"    {printable(command)}", "cyan"))
    terminal.print("", f"All commands: {shlex.join([program, '--help'])}")


def find_program() -> str:
    """Return the shortest way to call this program from where the user stands."""
    program = Path(sys.argv[0]).absolute()
    try:
        return str(program.relative_to(Path.cwd()))
    except ValueError:
        return str(program)


async def fetch_questions(database: "Database", hubs: Hubs) -> list[Question]:
    """Make up to three questions that this graph has an answer to."""
    own = [hub.node for hub in hubs.nodes if hub.node.path is not None]
    if not own:
        return []
    own.sort(key=lambda node: node.kind == "module")  # a module's neighbours are mostly what it holds
    hub = own[0]
    questions = [
        Question(f"What is around {hub.name}, the {hub.kind} with the most edges?", ("graph", "neighbors", hub.node_id))
    ]
    path = await _find_long_path(database, own)
    if path is not None:
        first, last = path.nodes[0], path.nodes[-1]
        questions.append(
            Question(f"How does {first.name} reach {last.name}?", ("graph", "path", first.node_id, last.node_id))
        )
    questions.append(Question(f"Where else is {hub.name} spoken of?", ("graph", "search", hub.name, "--top-k", "5")))
    if len(questions) < 3:
        questions.append(Question("What seems unused?", ("graph", "unused", "--limit", "20")))
    return questions


async def _look_around(database: "Database") -> tuple[GraphStats, Hubs, list[Question]]:
    from graph.analytics import fetch_hubs
    from graph.stats import get_stats

    hubs = await fetch_hubs(database, limit=_HUBS)
    return await get_stats(database), hubs, await fetch_questions(database, hubs)


async def _find_long_path(database: "Database", nodes: list[NodeView]) -> GraphPath | None:
    """Return a path of calls to one of `nodes` from as far as there are any, or None."""
    from graph.neighbors import fetch_neighbors
    from graph.paths import find_path

    for node in nodes:
        around = await fetch_neighbors(
            database, node.node_id, depth=_REACH, direction=Direction.INCOMING, relations=("calls",), limit=200
        )
        if around.incoming and around.incoming[-1].distance > 1:
            start = around.incoming[-1].node
            found = await find_path(database, start.node_id, node.node_id, max_depth=_REACH)
            if isinstance(found, GraphPath):
                return found
    return None

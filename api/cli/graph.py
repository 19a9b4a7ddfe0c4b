"""`cogniverse graph`: questions to a tenant's graph."""

from typing import TYPE_CHECKING, Annotated

import typer

from api.cli import merging, vectors
from api.cli.options import AsJson, Relations, Tenant
from api.cli.outcome import ExitCode, reported
from api.cli.render import (
    Passage,
    Passages,
    render_hubs,
    render_neighborhood,
    render_no_path,
    render_nodes,
    render_passages,
    render_path,
    render_search,
    render_stats,
)
from api.cli.session import run_query
from api.cli.terminal import Terminal
from graph.answers import Direction, NoPath, SearchMode

if TYPE_CHECKING:
    from graph.answers import SearchResult
    from graph.database import Database

app = typer.Typer(no_args_is_help=True, help="Ask the graph.")


@app.command()
@reported
def stats(tenant: Tenant = None, as_json: AsJson = False) -> None:
    """Show how much the graph holds, by kind, relation and reason."""
    from graph.stats import get_stats

    answer = run_query(tenant, get_stats)
    terminal = Terminal()
    if as_json:
        terminal.print_json(answer)
    else:
        terminal.print(*render_stats(answer))


@app.command()
@reported
def search(
    words: Annotated[str, typer.Argument(help="Any text: names, words, parts of identifiers.")],
    top_k: Annotated[int, typer.Option("--top-k", metavar="N", help="The most hits to show.")] = 10,
    mode: Annotated[SearchMode, typer.Option(help="By words, by meaning, or both.")] = SearchMode.HYBRID,
    segments: Annotated[bool, typer.Option("--segments", help="Search what documents say, not nodes.")] = False,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Find nodes by words and meaning, exact names first; with --segments the places of texts that say it."""
    terminal = Terminal()
    if segments:
        found = run_query(tenant, lambda database: _search_segments(database, words, top_k, mode))
        if as_json:
            terminal.print_json(found)
        else:
            terminal.print(*render_passages(found, query=words))
        return
    answer = run_query(tenant, lambda database: _search(database, words, top_k, mode))
    if as_json:
        terminal.print_json(answer)
    else:
        terminal.print(*render_search(answer, query=words))


@app.command()
@reported
def neighbors(
    name: Annotated[str, typer.Argument(help="A node's id, the end of one (Class.method), or its name.")],
    depth: Annotated[int, typer.Option(metavar="N", help="How many edges away.")] = 1,
    direction: Annotated[Direction, typer.Option(help="Which edges, seen from the node.")] = Direction.BOTH,
    relation: Relations = None,
    limit: Annotated[int, typer.Option(metavar="N", help="The most to show in each direction.")] = 50,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Show what a node points to and what points to it, with the place of each fact."""
    from graph.neighbors import fetch_neighbors

    answer = run_query(
        tenant,
        lambda database: fetch_neighbors(
            database, name, depth=depth, direction=direction, relations=relation or (), limit=limit
        ),
        refs=(name,),
    )
    terminal = Terminal()
    if as_json:
        terminal.print_json(answer)
    else:
        terminal.print(*render_neighborhood(answer))


@app.command()
@reported
def path(
    source: Annotated[str, typer.Argument(metavar="A", help="Where the path begins: an id or a name.")],
    target: Annotated[str, typer.Argument(metavar="B", help="Where it ends.")],
    max_depth: Annotated[int, typer.Option(metavar="N", help="The most edges.")] = 6,
    direction: Annotated[
        Direction, typer.Option(help="Which way the edges point along the path.")
    ] = Direction.OUTGOING,
    relation: Relations = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Show the shortest path from A to B. Exit code 5: there is none; 6: it is longer than --max-depth."""
    from graph.paths import find_path

    answer = run_query(
        tenant,
        lambda database: find_path(
            database, source, target, max_depth=max_depth, direction=direction, relations=relation or ()
        ),
        refs=(source, target),
    )
    terminal = Terminal()
    if isinstance(answer, NoPath):
        if as_json:
            terminal.print_json({"found": False, **_fields(answer)})
        else:
            terminal.note(render_no_path(answer))
        raise typer.Exit(ExitCode.NO_PATH if answer.shortest is None else ExitCode.TOO_FAR)
    if as_json:
        terminal.print_json({"found": True, "length": answer.length, **_fields(answer)})
    else:
        terminal.print(*render_path(answer))


@app.command()
@reported
def hubs(
    limit: Annotated[int, typer.Option(metavar="N", help="The most to show.")] = 10,
    kind: Annotated[
        list[str] | None,
        typer.Option("--kind", metavar="NAME", help="Only these kinds; may be given again.", show_default=False),
    ] = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Show the nodes with the most edges."""
    from graph.analytics import fetch_hubs

    answer = run_query(tenant, lambda database: fetch_hubs(database, kinds=kind or (), limit=limit))
    terminal = Terminal()
    if as_json:
        terminal.print_json(answer)
    else:
        terminal.print(*render_hubs(answer))


@app.command(name="hash")
@reported
def hash_(tenant: Tenant = None, as_json: AsJson = False) -> None:
    """Print the hash of all nodes, edges and mentions; equal graphs have equal hashes."""
    from graph.fingerprint import get_graph_hash

    answer = run_query(tenant, get_graph_hash)
    terminal = Terminal()
    if as_json:
        terminal.print_json({"hash": answer})
    else:
        terminal.print(answer)


@app.command()
@reported
def unused(
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="The most to show.")] = 100,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """List functions, methods and classes that nothing seems to use: a hint, not a verdict."""
    from graph.unused import fetch_unused

    found = run_query(tenant, lambda database: fetch_unused(database, limit=limit + 1))
    nodes, truncated = found[:limit], len(found) > limit
    terminal = Terminal()
    if as_json:
        terminal.print_json({"nodes": nodes, "truncated": truncated})
        return
    terminal.print(render_nodes(nodes) if nodes else "Nothing seems unused.")
    if truncated:
        terminal.print("There are more: raise --limit to see them.")


for _command in (merging.duplicates, merging.merge, merging.unmerge, vectors.reset_vectors):
    app.command()(_command)


async def _search_segments(database: "Database", words: str, top_k: int, mode: SearchMode) -> "Passages":
    from api.config import load_settings
    from api.meaning import find_meaning
    from api.modelling import Models
    from graph.segments import search_segments
    from graph.support import fetch_segment_texts

    meaning = await find_meaning(Models(load_settings()), words, mode)
    found = await search_segments(
        database, words, top_k=top_k, mode=mode, vector=meaning.vector, reranker=meaning.reranker
    )
    texts = await fetch_segment_texts(database, [hit.segment.segment_id for hit in found.hits])
    passages = tuple(Passage(hit, texts.get(hit.segment.segment_id, "")) for hit in found.hits)
    return Passages(passages, found.truncated, (*found.degraded, *meaning.degraded))


async def _search(database: "Database", words: str, top_k: int, mode: SearchMode) -> "SearchResult":
    from dataclasses import replace

    from api.config import load_settings
    from api.meaning import find_meaning
    from api.modelling import Models
    from graph.search import search_nodes

    meaning = await find_meaning(Models(load_settings()), words, mode)
    found = await search_nodes(
        database, words, top_k=top_k, mode=mode, vector=meaning.vector, reranker=meaning.reranker
    )
    return replace(found, degraded=(*found.degraded, *meaning.degraded))


def _fields(answer: object) -> dict[str, object]:
    import msgspec

    return msgspec.to_builtins(answer)

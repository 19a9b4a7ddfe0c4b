import io
from collections.abc import Sequence

from rich.console import Console, RenderableType

from api.cli.render import (
    Passage,
    Passages,
    arrow,
    render_candidates,
    render_hubs,
    render_neighborhood,
    render_no_path,
    render_passages,
    render_path,
    render_report,
    render_search,
    render_stats,
)
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
    RankedNode,
    SearchResult,
    SegmentHit,
    SegmentView,
)
from graph.errors import Candidate


def show(renderables: RenderableType | Sequence[RenderableType]) -> list[str]:
    console = Console(file=io.StringIO(), width=200, markup=False, highlight=False, emoji=False)
    with console.capture() as capture:
        console.print(*([renderables] if not isinstance(renderables, list) else renderables), sep="\n")
    return [line.rstrip() for line in capture.get().splitlines()]


def node(node_id: str, *, kind: str = "function", path: str | None = "a.py", line: int | None = 3) -> NodeView:
    return NodeView(node_id, node_id.rpartition("::")[2], kind, "", (), path, line, line, None)


def edge(source: str, target: str, *, relation: str = "calls", confidence: float = 1.0) -> EdgeView:
    return EdgeView("e", source, target, relation, "EXTRACTED", confidence, 1, "a.py", 7, "g()")


def test_arrows_point_along_the_edge() -> None:
    assert arrow("calls", forward=True) == "-calls->"
    assert arrow("calls", forward=False) == "<-calls-"


def test_a_path_is_one_edge_a_line_each_in_its_own_direction() -> None:
    path = Path((node("a"), node("b"), node("c")), (edge("a", "b"), edge("c", "b", relation="imports")))

    assert show(render_path(path)) == ["a -calls-> b    a.py:7", "b <-imports- c  a.py:7", "2 edges"]


def test_a_path_of_one_node_says_so() -> None:
    assert show(render_path(Path((node("a"),), ()))) == ["a  function  a.py:3", "Both ends are this node."]


def test_no_path_and_too_far_are_different_messages() -> None:
    none = render_no_path(NoPath(node("a"), node("b"), 6, None)).plain
    far = render_no_path(NoPath(node("a"), node("b"), 6, 9)).plain

    assert none.startswith("No path from a to b.")
    assert far == "Too far: b is 9 edges from a, further than the 6 allowed. Use --max-depth 9."


def test_neighbors_are_grouped_by_direction_with_provenance_and_place() -> None:
    hood = Neighborhood(
        node("a"),
        (Neighbor(node("b"), edge("a", "b"), 1), Neighbor(node("c"), edge("b", "c", confidence=0.5), 2)),
        (Neighbor(node("m", kind="module"), edge("m", "a", relation="contains"), 1),),
        truncated=True,
    )

    assert show(render_neighborhood(hood)) == [
        "a  function  a.py:3",
        "",
        "outgoing (2)",
        "  -calls->    b         function  EXTRACTED       a.py:7",
        "    -calls->  c  via b  function  EXTRACTED 0.50  a.py:7",
        "",
        "incoming (1)",
        "  <-contains-  m  module  EXTRACTED  a.py:7",
        "There is more around it: raise --limit, or choose with --relation.",
    ]


def test_names_are_shown_as_data() -> None:
    odd = node("[red]x[/]\x1b[31m\n", path="p\x9b.py")
    found = SearchResult((NodeHit(odd, 1.0, 1, 1.0, exact_name=True),), truncated=False, degraded=())

    assert show(render_search(found, query="x"))[1] == (
        r"1  [red]x[/]\x1b[31m\n  function  p\x9b.py:3  exact name  words"
    )
    assert show(render_hubs(Hubs((RankedNode(odd, 2.0),), by="degree")))[1].split()[1] == r"[red]x[/]\x1b[31m\n"


def test_search_says_what_it_did_without_and_that_there_is_more() -> None:
    hit = NodeHit(node("a"), 1.5, 1, 1.5, exact_name=False)
    found = SearchResult((hit,), truncated=True, degraded=(Degradation("vectors", "no model"),))

    lines = show(render_search(found, query="a"))

    assert "1.500" in lines[1]
    assert lines[2:] == ["There are more: raise --top-k to see them.", "degraded: without vectors, no model"]


def test_nothing_found_says_so() -> None:
    assert show(render_search(SearchResult((), truncated=False, degraded=()), query="\x1b")) == [
        r"Nothing found for \x1b.",
        "What documents say is searched by `cogniverse graph search --segments`.",
    ]


def test_stats_are_counts_and_tables() -> None:
    stats = GraphStats(2, 1, 1_234, 5, 6, 7, (Count("function", 3),), (Count("calls", 4),), ())

    lines = show(render_stats(stats))

    assert lines[:2] == ["documents   2 (1 failed)", "nodes       1,234"]
    assert lines[-5:] == ["nodes by kind", "3  function", "", "edges by relation", "4  calls"]


def test_candidates_come_with_ids_to_choose_by() -> None:
    lines = show(render_candidates([Candidate("a.py::f", "f", "function", "a.py", 1), Candidate("b", "f", "class")]))

    assert lines == ["  a.py::f  function  a.py:1", "  b        class"]


def report(*, skipped: int = 0) -> IndexReport:
    return IndexReport(
        root="/r",
        files_indexed=3,
        files_unchanged=2,
        files_removed=1,
        skipped=tuple(FileOutcome(f"s{number}.py", "binary") for number in range(skipped)),
        failed=(FileOutcome("f\n.py", "no permission to read it"),),
        nodes=1_000,
        edges=2,
        mentions=3,
        unresolved=(Count("unknown receiver", 9),),
        elapsed_s=1.25,
        timings_s={"scan": 0.5},
    )


def test_a_report_tells_how_every_file_ended() -> None:
    assert show(render_report(report(), verbose=False)) == [
        "files  3 indexed  2 unchanged  1 removed  0 skipped  1 failed",
        "graph  1,000 nodes  2 edges  3 mentions",
        "",
        "failed",
        r"  f\n.py  no permission to read it",
        "",
        "unresolved by reason",
        "9  unknown receiver",
        "1.2 seconds (scan 0.5)",
    ]


def test_long_lists_are_shortened_with_a_count() -> None:
    short = show(render_report(report(skipped=20), verbose=False))
    whole = show(render_report(report(skipped=20), verbose=True))

    assert "  and 15 more: --verbose shows all" in short
    assert sum("binary" in line for line in short) == 5
    assert sum("binary" in line for line in whole) == 20


def test_passages_have_their_place_and_how_they_begin() -> None:
    segment = SegmentView("a.pdf#p2", "a.pdf", "p2", 1, "TEXT", 900, 12, None, None, page=2, heading="A [red]life[/]")
    found = Passages(
        (Passage(SegmentHit(segment, 0.5, 1), "Born  in\n\x1b[31m Ulm. " * 40),), truncated=True, degraded=()
    )

    place, text, *_, more = show(render_passages(found, query="x"))

    assert place == "1  a.pdf:12, page 2  A [red]life[/]"
    assert text.strip().startswith(r"Born in \x1b[31m Ulm. Born")
    assert more == "There are more: raise --top-k to see them."
    assert show(render_passages(Passages((), truncated=False, degraded=()), query="x")) == ["No text says x."]

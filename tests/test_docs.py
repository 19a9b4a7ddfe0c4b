"""The README is true: settings, commands, extractors and exit codes, all of them and no others."""

import re
from pathlib import Path

import pytest
import typer.main

from api.cli.app import app
from api.cli.outcome import ExitCode
from api.config import Settings
from extraction.registry import LANGUAGES

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")


def commands(command, path: str = "") -> list[str]:
    children = getattr(command, "commands", None)
    if children is None:
        return [] if command.hidden else [path]
    return [found for name, child in children.items() for found in commands(child, f"{path} {name}".strip())]


COMMANDS = commands(typer.main.get_command(app))


def test_there_are_commands() -> None:
    assert {"index", "doctor", "graph search", "db load"} <= set(COMMANDS)


@pytest.mark.parametrize("name", Settings.model_fields)
def test_every_setting_is_in_the_readme(name: str) -> None:
    assert f"`COGNIVERSE_{name.upper()}`" in README


def test_the_readme_has_no_setting_that_is_not_there() -> None:
    named = set(re.findall(r"`COGNIVERSE_([A-Z0-9_]+)`", README))
    assert named == {name.upper() for name in Settings.model_fields}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_in_the_readme(command: str) -> None:
    first, _, second = command.partition(" ")
    lines = [line for line in README.splitlines() if f"cogniverse {first}" in line]
    assert any(second in line for line in lines)


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_every_extractor_is_in_the_readme(language) -> None:
    row = f"| {language.name} | {', '.join(f'`{suffix}`' for suffix in language.suffixes)} |"
    assert row in README


def test_every_exit_code_is_in_the_readme() -> None:
    assert {int(code) for code in re.findall(r"^\| (\d+) \|", README, re.MULTILINE)} == {
        code.value for code in ExitCode
    }


def test_links_lead_somewhere() -> None:
    root = Path(__file__).parent.parent
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert links
    assert [link for link in links if not (root / link).exists()] == []

"""Configuration of a folder, the table of languages, the life of a folder's facts."""

from extraction.code.projects import read_config
from extraction.registry import LANGUAGES, find_language, get_language


def test_entry_points_of_both_files_are_read():
    config = read_config(
        {
            "pyproject.toml": '[project.scripts]\na = "pkg.cli:main"\n[project.gui-scripts]\nb = "pkg.gui:App.run"\n'
            '[project.entry-points."x.y"]\nc = "pkg.plug:make [extra]"\n[tool.poetry.scripts]\nd = "pkg:old"\n',
            "setup.cfg": "[options.entry_points]\nconsole_scripts =\n    e = pkg.e:main\n",
        }
    )

    targets = [entry.target for entry in config.entry_points]
    assert targets == ["pkg.cli:main", "pkg.gui:App.run", "pkg.plug:make", "pkg:old", "pkg.e:main"]


def test_entry_points_count_in_each_project_of_a_folder(project):
    config = '[project.scripts]\nrun = "cli:main"\n'
    one = "def main(): ...\ndef idle(): ...\n"

    found = project({"one/pyproject.toml": config, "one/cli.py": one, "two/cli.py": one, "two/src/cli/__init__.py": ""})

    assert found.nodes()["one/cli.py::main"].exposed == ("entry_point",)
    assert found.nodes()["two/cli.py::main"].exposed == ()


def test_unreadable_configuration_says_nothing():
    assert read_config({"pyproject.toml": "[project\nscripts = 1", "setup.cfg": "what\n"}).entry_points == ()
    assert read_config({"pyproject.toml": "[project]\nscripts = 1\n"}).entry_points == ()


def test_files_find_their_language_by_their_ending():
    assert find_language("a/b.py") is get_language("python")
    assert find_language("a/B.PYI") is get_language("python")
    assert find_language("a/.py") is None
    assert find_language("a/b.txt") is None
    assert find_language("Makefile") is None
    assert len({language.name for language in LANGUAGES}) == len(LANGUAGES)


def test_the_life_of_a_folder(project):
    x = "def f(): ...\ndef g(): ...\n"
    y = "from x import f\n\nf()\n"

    both = project(x=x, y=y)
    without_g = project(x="def f(): ...\n", y=y)
    renamed = project(z="def f(): ...\n", y=y)
    alone = project(y=y)

    assert both.calls("y.py") == without_g.calls("y.py") == {"x.py::f"}
    assert both.files["y.py"].fingerprint == without_g.files["y.py"].fingerprint
    assert renamed.calls("y.py") == alone.calls("y.py") == {"pkg:x"}
    assert renamed.files["y.py"].fingerprint == alone.files["y.py"].fingerprint
    assert project().results == {}

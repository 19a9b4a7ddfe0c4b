"""Texts of every sort: broken, deep, long, in any encoding's remains and with any line ends."""

import pytest

FUNCTION = "def f():\n    return g()\n\n\ndef g():\n    return 'é'\n\n\nf()\n"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n\n\t\n",
        "x",
        "x = " + "(" * 10_000 + "1" + ")" * 10_000,
        "x = " + "(" * 10_000,
        "x = " + "f(" * 10_000 + ")" * 10_000,
        "x = a" + ".f()" * 10_000,
        "[" * 20_000,
        "x = " + "-" * 20_000 + "1",
        "x = " + " or ".join(["a()"] * 20_000),
        "x = ['" + "a" * 5_000_000 + "']",
        "if a: pass\n" + "elif b: pass\n" * 5_000,
        "".join("  " * depth + f"def f{depth}():\n" for depth in range(300)) + "  " * 300 + "pass\n",
        "class C0: ...\n" + "".join(f"class C{n + 1}(C{n}): ...\n" for n in range(1_500)) + "C1500().x()\n",
        "x0 = A()\n" + "".join(f"x{n + 1} = x{n}.f()\n" for n in range(3_000)) + "x3000.g()\n",
        "def f(x: " + "list[" * 5_000 + "int" + "]" * 5_000 + "): x.f()\n",
        "def f(x: '" + "list[" * 50 + "int" + "]" * 50 + "'): x.f()\n",
        "def f(:\n  g(\nclass\nclass A(\n def x(self)\n  @\n import\nfrom . import\nfrom .. import (a,\n",
        "def f():\0\n    return 1\n\0f()\n",
        "s = '\udc80'\ndef \udc80f(): ...\n",
        "print 'a'\nexec 'b'\n",
        "\ufeff\ufeffdef f(): ...\n",
        "def ():\n    pass\nclass :\n    pass\nlambda: (yield)\n",
    ],
)
def test_no_text_is_too_much(project, text):
    found = project(m=text)

    result = found.results["m.py"]
    assert "".join(segment.text for segment in result.segments) == text
    segments = {segment.segment_id: segment for segment in result.segments}
    for mention in result.mentions:
        assert segments[mention.segment_id].text[mention.char_start : mention.char_end] == mention.evidence_span


@pytest.mark.parametrize("ending", ["\r\n", "\r"])
def test_line_ends_change_neither_nodes_nor_edges_nor_lines(project, ending):
    plain, other = project(m=FUNCTION), project(m=FUNCTION.replace("\n", ending))

    assert other.results["m.py"].nodes == plain.results["m.py"].nodes
    assert other.results["m.py"].edges == plain.results["m.py"].edges
    assert [(item.line_start, item.line_end, item.evidence_span) for item in other.results["m.py"].mentions] == [
        (item.line_start, item.line_end, item.evidence_span) for item in plain.results["m.py"].mentions
    ]


@pytest.mark.parametrize("text", ["\ufeff" + FUNCTION, "\x0c" + FUNCTION, "# -*- coding: utf-8 -*-\n" + FUNCTION])
def test_what_stands_in_front_changes_no_edge(project, text):
    assert project(m=text).edges() == project(m=FUNCTION).edges()


def test_what_parses_is_kept_around_a_syntax_error(project):
    found = project(m="def good():\n    return 1\n\ndef bad(:\n    x = = 2\n\ngood()\n")

    assert "m.py::good" in found.nodes()
    assert found.files["m.py"].facts.has_errors
    assert not project(m="x = 1\n").files["m.py"].facts.has_errors


def test_names_of_every_script_are_normalised_as_python_does(project):
    found = project(m="# é\nclass 東京:\n    def ſ(self): ...\n\n東京().s()\n")

    assert found.calls("m.py") == {"m.py::東京", "m.py::東京.s"}
    spans = {mention.evidence_span for mention in found.results["m.py"].mentions if mention.edge}
    assert "東京().s()" in spans


def test_a_long_file_is_cut_at_statements_and_a_long_class_at_its_members(project):
    member = "    # what it is for\n    @property\n    def m{0}(self):\n        return '" + "x" * 300 + "'\n\n"
    text = '"""Doc."""\n\nimport os\n\n\nclass Long:\n' + "".join(member.format(n) for n in range(20)) + "x = 1\n" * 900

    segments = project(m=text).results["m.py"].segments

    assert "".join(segment.text for segment in segments) == text
    assert max(len(segment.text) for segment in segments) <= 2_000
    in_class = [segment.text for segment in segments if "x" * 300 in segment.text]
    assert len(in_class) > 3
    assert all(part.startswith(("    # what it is for\n    @property", '"""Doc')) for part in in_class)
    assert [segment.label for segment in segments] == [f"L{segment.line_start}" for segment in segments]


def test_an_oversize_statement_stays_whole(project):
    text = "a = 1\nTABLE = [\n" + "    'a line of a table',\n" * 400 + "]\nb = 2\n"

    segments = project(m=text).results["m.py"].segments

    assert [segment.line_start for segment in segments] == [1, 2, 404]


def test_a_line_added_above_a_function_changes_no_other_document(project):
    before = project(a="def f(): ...\n", b="from a import f\nf()\n")
    after = project(a="\n\ndef f(): ...\n", b="from a import f\nf()\n")
    gone = project(a="def g(): ...\n", b="from a import f\nf()\n")

    assert after.files["a.py"].fingerprint != before.files["a.py"].fingerprint
    assert after.files["b.py"].fingerprint == before.files["b.py"].fingerprint
    assert gone.files["b.py"].fingerprint != before.files["b.py"].fingerprint

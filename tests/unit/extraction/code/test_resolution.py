"""What names, attributes and calls resolve to: certain, or unresolved with a reason."""

import pytest

MAILER = """
class Mailer:
    def send(self):
        return True

    def again(self):
        return self

    def copy(self) -> "Mailer":
        return self
"""


def reasons(found, source="m.py::use"):
    return {(name, reason) for origin, relation, name, reason in found.unresolved() if origin == source}


@pytest.mark.parametrize(
    "body",
    [
        "def use():\n    Mailer().send()",
        "def use():\n    mailer = Mailer()\n    mailer.send()",
        "def use(mailer: Mailer):\n    mailer.send()",
        "def use(mailer: 'Mailer'):\n    mailer.send()",
        "def use(mailer: Mailer | None = None):\n    mailer.send()",
        "def use(mailer: 'Mailer | None' = None):\n    mailer.send()",
        "from typing import Optional\ndef use(mailer: Optional[Mailer]):\n    mailer.send()",
        "from typing import Annotated\ndef use(mailer: Annotated[Mailer, 'x']):\n    mailer.send()",
        "def use(kind: type[Mailer]):\n    kind().send()",
        "def use(mailers: list[Mailer]):\n    for mailer in mailers:\n        mailer.send()",
        "def use(mailers: list[Mailer]):\n    return [mailer.send() for mailer in mailers]",
        "def use(mailers: list[Mailer]):\n    mailers[0].send()",
        "def use():\n    mailer = None\n    mailer = Mailer()\n    mailer.send()",
        "def use():\n    if (mailer := Mailer()):\n        mailer.send()",
        "def use():\n    Mailer().again().send()",
        "def use():\n    Mailer().copy().send()",
        "def use():\n    mailer = Mailer()\n    mailer = mailer.copy()\n    mailer.send()",
        "def make() -> Mailer: ...\ndef use():\n    make().send()",
        "def make():\n    return Mailer()\ndef use():\n    make().send()",
        "async def make() -> Mailer: ...\nasync def use():\n    (await make()).send()",
        "Alias = Mailer\ndef use():\n    Alias().send()",
        "mailer = Mailer()\ndef use():\n    mailer.send()",
        "mailer: Mailer\ndef use():\n    mailer.send()",
        "def use(given=None):\n    mailer = Mailer() if given else None\n    mailer.send()",
        "def use():\n    mailer: Mailer = find()\n    mailer.send()",
        "def use():\n    Mailer.send(1)",
        "def use():\n    def inner():\n        mailer.send()\n    mailer = Mailer()",
        "class Sub(Mailer):\n    pass\ndef use():\n    Sub().send()",
        "class Sub(Mailer):\n    pass\ndef use():\n    Sub().again().send()",
        "class Box:\n    mailer: Mailer\ndef use(box: Box):\n    box.mailer.send()",
        "class Box:\n    def __init__(self, m: Mailer):\n        self.m = m\ndef use(box: Box):\n    box.m.send()",
        "class Box:\n    def __init__(self, m=None):\n        self.m: Mailer = m\ndef use(box: Box):\n    box.m.send()",
        "class Box:\n    @property\n    def m(self) -> Mailer: ...\ndef use(box: Box):\n    box.m.send()",
        (
            "class Box:\n    def __enter__(self):\n        return self\n    def __exit__(self, *a): ...\n"
            "    send = Mailer.send\ndef use():\n    with Box() as box:\n        box.send()"
        ),
        "class Box:\n    def __enter__(self) -> Mailer: ...\ndef use():\n    with Box() as m:\n        m.send()",
        (
            "from contextlib import contextmanager\nfrom collections.abc import Iterator\n@contextmanager\n"
            "def opened() -> Iterator[Mailer]: ...\ndef use():\n    with opened() as m:\n        m.send()"
        ),
        (
            "class Deep:\n    def __init__(self):\n        self.box = Box()\nclass Box:\n    def __init__(self):\n"
            "        self.m = Mailer()\ndef use(deep: Deep):\n    deep.box.m.send()"
        ),
        (
            "class Box:\n    @classmethod\n    def make(cls) -> 'Box': ...\n    def m(self) -> Mailer: ...\n"
            "def use():\n    Box.make().m().send()"
        ),
        (
            "from typing import Self\nclass Sub(Mailer):\n    @classmethod\n    def make(cls) -> Self: ...\n"
            "def use():\n    Sub.make().send()"
        ),
    ],
)
def test_a_receiver_of_known_class_reaches_its_method(project, body):
    found = project(m=MAILER + body + "\n")

    assert "m.py::Mailer.send" in found.calls("m.py::use") | found.calls("m.py::use.inner")


@pytest.mark.parametrize(
    ("body", "missed"),
    [
        ("def use(thing):\n    thing.send()", ("thing.send", "untyped receiver")),
        ("def use(a):\n    m = Mailer()\n    m = a\n    m.send()", ("m.send", "untyped receiver")),
        (
            "class Other:\n    def send(self): ...\ndef use(a):\n    m = Mailer() if a else Other()\n    m.send()",
            ("m.send", "several types"),
        ),
        ("def use(function):\n    function()", ("function", "dynamic callee")),
        ("def use():\n    missing()", ("missing", "unknown name")),
        ("def use():\n    missing.send()", ("missing.send", "unknown name")),
        ("def use():\n    Mailer().sned()", ("Mailer().sned", "no such attribute")),
        ("from os import *\ndef use():\n    getcwd()", ("getcwd", "star import from outside")),
        (
            "from http.server import HTTPServer\nclass S(HTTPServer): ...\ndef use(s: S):\n    s.serve()",
            ("s.serve", "inherited from outside"),
        ),
        ("import yaml\ndef use():\n    yaml.load('').send()", ("yaml.load().send", "returned from outside")),
        (
            "from logging import LogRecord\ndef use(record: LogRecord):\n    record.name.send()",
            ("record.name.send", "returned from outside"),
        ),
        (
            (
                "class Other:\n    def send(self): ...\n    def turn(self) -> Mailer: ...\n"
                "def use():\n    m = Other()\n    m = m.turn()\n    m.send()"
            ),
            ("m.send", "circular definition"),
        ),
        ("def use():\n    x = x.send()\n    x.send()", ("x.send", "circular definition")),
        (
            "class C:\n    def send(self): ...\n    def m(self):\n        send()\ndef use():\n    send()",
            ("send", "unknown name"),
        ),
    ],
)
def test_what_is_not_certain_is_unresolved_with_its_reason(project, body, missed):
    found = project(m=MAILER + body + "\n")

    assert missed in reasons(found)
    assert "m.py::Mailer.send" not in found.calls("m.py::use")


def test_parameters_locals_and_comprehensions_shadow(project):
    found = project(
        m="def run(): ...\n"
        "def by_parameter(run):\n    run()\n"
        "def by_local():\n    run = 1\n    run()\n"
        "def by_loop():\n    for run in []:\n        run()\n"
        "def by_comprehension():\n    return [run() for run in []]\n"
        "def by_lambda():\n    return lambda run: run()\n"
        "def by_import():\n    import run\n    run()\n"
        "def by_except():\n    try: ...\n    except E as run:\n        run()\n"
        "def by_with():\n    with a as run:\n        run()\n"
        "def by_match(x):\n    match x:\n        case [run]:\n            run()\n"
        "def plain():\n    run()\n"
        "def outer():\n    def run(): ...\n    run()\n"
    )

    assert found.edges("calls") - {("m.py::by_import", "calls", "pkg:run")} == {
        ("m.py::plain", "calls", "m.py::run"),
        ("m.py::outer", "calls", "m.py::outer.run"),
    }


def test_global_and_nonlocal_reach_out(project):
    found = project(
        m="def one(): ...\ndef two(): ...\n"
        "def set():\n    global chosen\n    chosen = one\n"
        "def use():\n    chosen()\n"
        "def outer():\n    def inner():\n        nonlocal f\n        f = two\n    f = two\n    f()\n"
    )

    assert found.calls("m.py::use") == {"m.py::one"}
    assert found.calls("m.py::outer") == {"m.py::two"}


def test_a_method_does_not_see_the_names_of_its_class(project):
    found = project(
        m="def run(): ...\nclass C:\n    def run(self): ...\n    def use(self):\n        run()\n        self.run()\n"
    )

    assert found.calls("m.py::C.use") == {"m.py::run", "m.py::C.run"}


def test_look_up_along_the_order_of_bases(project):
    found = project(
        m="class A:\n    def f(self): ...\n    def g(self): ...\nclass B(A):\n    def f(self): ...\n"
        "class C(A):\n    def f(self): ...\n    def g(self): ...\nclass D(B, C):\n"
        "    def use(self):\n        self.f()\n        self.g()\n        super().f()\n        C.f(self)\n"
        "    def f(self):\n        super().f()\n"
    )

    assert found.calls("m.py::D.use") == {"m.py::D.f", "m.py::C.g", "m.py::B.f", "m.py::C.f"}
    assert found.calls("m.py::D.f") == {"m.py::B.f"}
    assert found.edges("inherits") == {
        ("m.py::B", "inherits", "m.py::A"),
        ("m.py::C", "inherits", "m.py::A"),
        ("m.py::D", "inherits", "m.py::B"),
        ("m.py::D", "inherits", "m.py::C"),
    }


def test_the_last_definition_at_one_level_wins(project):
    found = project(
        m="from typing import overload\n@overload\ndef f(a: int): ...\n@overload\ndef f(a: str): ...\ndef f(a): ...\n"
        "def g(): ...\ndef g(): ...\nf(1)\ng()\n"
        "class P:\n    @property\n    def x(self): ...\n    @x.setter\n    def x(self, v): ...\n"
        "    def use(self):\n        return self.x\n"
    )

    assert found.calls("m.py") == {"m.py::f#3", "m.py::g#2"}
    assert ("m.py::P.use", "references", "m.py::P.x") in found.edges("references")


def test_import_fallbacks_are_alternatives(project):
    found = project(
        fast="def loads(): ...\n",
        slow="def loads(): ...\n",
        m="try:\n    from fast import loads\nexcept ImportError:\n    from slow import loads\n\nloads()\n"
        "try:\n    import json\nexcept ImportError:\n    json = None\njson.dumps(1)\n",
    )

    assert found.calls("m.py") == {"fast.py::loads", "slow.py::loads", "pkg:json"}


def test_submodules_relative_imports_and_star_imports(project):
    found = project(
        {
            "a/__init__.py": "",
            "a/b/__init__.py": "from ._impl import *\nfrom . import c\n",
            "a/b/_impl.py": "__all__ = ['f', '_g']\ndef f(): ...\ndef _g(): ...\ndef h(): ...\n",
            "a/b/c.py": "from ... import top\nfrom ..b._impl import f as ff\nfrom . import missing\n"
            "def g():\n    ff()\n",
            "m.py": "import a.b.c\nimport a.b as ab\nfrom a.b import f, _g, h\nfrom a.b import c as cc\n"
            "a.b.c.g()\nab.f()\ncc.g()\n_g()\nh()\nimport a.nothing\n",
        }
    )

    assert found.calls("m.py") == {"a/b/c.py::g", "a/b/_impl.py::f", "a/b/_impl.py::_g"}
    assert found.calls("a/b/c.py::g") == {"a/b/_impl.py::f"}
    assert found.unresolved() == {
        ("m.py", "imports", "a.b:h", "no such attribute"),
        ("m.py", "calls", "h", "no such attribute"),
        ("m.py", "imports", "a.nothing", "no such module"),
        ("a/b/c.py", "imports", "...:top", "no such attribute"),
        ("a/b/c.py", "imports", ".:missing", "no such attribute"),
    }
    assert ("a/b/__init__.py", "re_exports", "a/b/_impl.py::f") in found.edges("re_exports")


def test_source_roots_and_siblings(project):
    found = project(
        {
            "src/pkg/__init__.py": "",
            "src/pkg/core.py": "def run(): ...\n",
            "lib/other/__init__.py": "def go(): ...\n",
            "tests/test_it.py": "from pkg.core import run\nfrom other import go\nimport helper\nimport json\n"
            "def test_it():\n    run()\n    go()\n    helper.help()\n    json.dumps(1)\n",
            "tests/helper.py": "def help(): ...\n",
            "scripts/json.py": "def dumps(a): ...\n",
        }
    )

    assert found.calls("tests/test_it.py::test_it") == {
        "src/pkg/core.py::run",
        "lib/other/__init__.py::go",
        "tests/helper.py::help",
        "pkg:json",
    }


def test_a_module_in_two_roots_is_ambiguous_unless_one_is_nearer(project):
    found = project(
        {
            "src/x/__init__.py": "def f(): ...\n",
            "lib/x/__init__.py": "def f(): ...\n",
            "lib/near.py": "from x import f\nf()\n",
            "tools/far.py": "from x import f\nf()\n",
        }
    )

    assert found.calls("lib/near.py") == {"lib/x/__init__.py::f"}
    assert found.calls("tools/far.py") == set()
    assert ("tools/far.py", "imports", "x", "ambiguous module") in found.unresolved()


def test_circular_imports_and_bases_end(project):
    found = project(
        a="from b import g\nfrom b import lost\ndef f():\n    g()\n    lost()\n",
        b="from a import f\nfrom a import lost\ndef g():\n    f()\n",
        c="class A(B): ...\nclass B(A): ...\nA().x()\n",
    )

    assert found.calls("a.py::f") == {"b.py::g"}
    assert found.calls("b.py::g") == {"a.py::f"}


def test_values_that_are_passed_on_are_references(project):
    found = project(
        m="class E(Exception): ...\nclass K:\n    def m(self): ...\n"
        "    def use(self):\n        return register(self.m)\n"
        "def a(): ...\ndef b(): ...\ndef c(): ...\ndef d(): ...\n"
        "def use(x: K):\n    start(target=a)\n    table = {'b': b}\n    isinstance(x, K)\n"
        "    try: ...\n    except E: ...\n    return c\n"
        "def after(callback=d) -> K: ...\n"
    )

    assert found.edges("references") == {
        ("m.py::K.use", "references", "m.py::K.m"),
        ("m.py::use", "references", "m.py::a"),
        ("m.py::use", "references", "m.py::b"),
        ("m.py::use", "references", "m.py::c"),
        ("m.py::use", "references", "m.py::E"),
        ("m.py::use", "references", "m.py::K"),
        ("m.py::after", "references", "m.py::d"),
        ("m.py::after", "references", "m.py::K"),
    }


def test_outside_and_builtin_calls_are_told_apart(project):
    found = project(
        m="import os.path\nfrom pathlib import Path\nimport numpy as np\n"
        "def use():\n    os.path.join('a')\n    Path('x').exists()\n    np.zeros(1)\n    len('a')\n"
        "    ', '.join([])\n    [].append(1)\n    open('f').read()\n    {}.get(1)\n"
    )

    assert found.calls("m.py::use") == {"pkg:os", "pkg:pathlib", "pkg:numpy"}
    tally = found.files["m.py"].tally
    assert (tally.resolved, tally.outside, tally.builtin, tally.unresolved) == (0, 4, 6, 0)


def test_overrides_are_exposed(project):
    found = project(
        m="from http.server import BaseHTTPRequestHandler\nclass H(BaseHTTPRequestHandler):\n"
        "    def do_GET(self): ...\n"
        "class A:\n    def f(self): ...\nclass B(A):\n    def f(self): ...\n    def g(self): ...\n"
    )

    assert {(node.node_id, node.exposed) for node in found.nodes().values() if node.exposed} == {
        ("m.py::H.do_GET", ("override",)),
        ("m.py::B.f", ("override",)),
    }


def test_edges_outside_end_at_packages(project):
    found = project(m="import os\nfrom enum import Enum\nclass C(Enum):\n    A = 1\n    def f(self): ...\nC.A.f()\n")

    assert found.edges("inherits", "imports") == {
        ("m.py", "imports", "pkg:os"),
        ("m.py", "imports", "pkg:enum"),
        ("m.py::C", "inherits", "pkg:enum"),
    }
    assert found.calls("m.py") == {"m.py::C.f"}
    assert [node.kind for node in found.nodes().values() if node.node_id.startswith("pkg:")] == ["package"] * 2


def test_a_name_imported_from_its_own_module_is_still_itself(project):
    live = "class Live: ...\n\nif __name__ == '__main__':\n    from .live import Live\n    Live()\n"

    found = project({"p/__init__.py": "", "p/live.py": live, "p/use.py": "from .live import Live\nLive()\n"})

    assert found.calls("p/use.py") == found.calls("p/live.py") == {"p/live.py::Live"}
    assert found.unresolved() == set()


def test_a_builtin_under_its_own_name_is_the_builtin(project):
    found = project(
        compat="str = str\nbuiltin_str = str\n", use="from compat import builtin_str, str\nbuiltin_str(1)\nstr(2)\n"
    )

    assert found.unresolved() == set()


def test_a_setter_is_not_unused_code(project):
    found = project(m="class C:\n    @property\n    def x(self): ...\n\n    @x.setter\n    def x(self, value): ...\n")

    assert found.nodes()["m.py::C.x#2"].exposed == ("decorated",)

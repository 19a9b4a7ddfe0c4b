"""The cases that tools of this kind get wrong: same names, re-exports, shapes, fields, common names, dead code."""


def test_same_names_in_two_packages_are_told_apart(folder):
    found = folder("a1_same_names")

    assert found.edges("calls") == {
        ("main.py", "calls", "main.py::save"),
        ("main.py::save", "calls", "a/util.py::run"),
        ("main.py::save", "calls", "b/util.py::run"),
    }
    assert {node for node, kind in found.kinds() if kind == "function"} == {
        "a/util.py::run",
        "a/util.py::save",
        "b/util.py::run",
        "b/util.py::save",
        "main.py::save",
    }
    assert not {node.name for node in found.nodes().values()} & {"run_a", "bu"}


def test_imports_end_where_the_name_is_defined(folder):
    found = folder("a2_imports")

    assert found.calls("user.py") == {"pkg/_impl.py::f"}
    assert found.edges("re_exports") == {("pkg/__init__.py", "re_exports", "pkg/_impl.py::f")}
    assert {target for source, _, target in found.edges("imports") if source == "pkg/sub/x.py"} == {
        "pkg/other.py",
        "pkg/other.py::g",
        "pkg/_impl.py",
        "pkg/_impl.py::one",
        "pkg/_impl.py::two",
        "pkg/_impl.py::three",
        "pkg/_impl.py::four",
    }
    assert found.calls("pkg/sub/x.py::use") == {"pkg/other.py::g", "pkg/_impl.py::three"}
    assert found.edges("contains") == {
        ("pkg/__init__.py", "contains", "pkg/_impl.py"),
        ("pkg/__init__.py", "contains", "pkg/other.py"),
        ("pkg/__init__.py", "contains", "pkg/sub/__init__.py"),
        ("pkg/sub/__init__.py", "contains", "pkg/sub/x.py"),
    }
    assert found.unresolved() == set()


def test_every_shape_of_definition_hangs_on_its_own_parent(folder):
    found = folder("a3_shapes")

    assert {edge for edge in found.edges("defines") if edge[0].startswith("shapes.py")} == {
        ("shapes.py", "defines", "shapes.py::loud"),
        ("shapes.py::loud", "defines", "shapes.py::loud.wrapper"),
        ("shapes.py", "defines", "shapes.py::twice"),
        ("shapes.py", "defines", "shapes.py::Shape"),
        ("shapes.py::Shape", "defines", "shapes.py::Shape.Corner"),
        ("shapes.py::Shape.Corner", "defines", "shapes.py::Shape.Corner.angle"),
        ("shapes.py::Shape", "defines", "shapes.py::Shape.area"),
        ("shapes.py::Shape", "defines", "shapes.py::Shape.unit"),
        ("shapes.py::Shape", "defines", "shapes.py::Shape.make"),
        ("shapes.py::Shape", "defines", "shapes.py::Shape.draw"),
        ("shapes.py::Shape.draw", "defines", "shapes.py::Shape.draw.inner"),
        ("shapes.py::Shape", "defines", "shapes.py::Shape.shout"),
        ("shapes.py", "defines", "shapes.py::double"),
        ("shapes.py", "defines", "shapes.py::chosen"),
        ("shapes.py", "defines", "shapes.py::chosen#2"),
        ("shapes.py", "defines", "shapes.py::left"),
        ("shapes.py", "defines", "shapes.py::first"),
        ("shapes.py", "defines", "shapes.py::last"),
        ("shapes.py", "defines", "shapes.py::Many"),
    }
    assert found.edges("decorates") == {
        ("pkg:functools", "decorates", "shapes.py::loud.wrapper"),
        ("shapes.py::loud", "decorates", "shapes.py::Shape.shout"),
        ("shapes.py::twice", "decorates", "shapes.py::Shape.shout"),
    }
    assert found.calls("shapes.py::last") == {"shapes.py::first"}
    assert found.calls("shapes.py::Shape.make") == {"paint.py::Colour.mix", "shapes.py::Shape"}


def test_alternative_definitions_are_both_called_with_half_the_confidence(folder):
    found = folder("a3_shapes")

    chosen = {
        (edge.target, edge.provenance.value, edge.confidence)
        for edge in found.results["shapes.py"].edges
        if edge.source == "shapes.py::left" and edge.relation == "calls"
    }

    assert chosen == {
        ("shapes.py::chosen", "INFERRED", 0.5),
        ("shapes.py::chosen#2", "INFERRED", 0.5),
    }


def test_nodes_carry_signature_lines_and_the_first_paragraph(folder):
    nodes = folder("a3_shapes").nodes()

    shape = nodes["shapes.py::Shape"]
    draw = nodes["shapes.py::Shape.draw"]
    assert (shape.kind, shape.description, shape.signature) == ("class", "A shape.", "class Shape")
    assert draw.signature == 'async def draw( self, where: str = "here", ) -> None'
    assert (draw.kind, draw.line_start, draw.line_end) == ("method", 43, 50)
    assert nodes["shapes.py::double"].signature == "double = lambda number"
    assert nodes["shapes.py::double"].kind == "function"


def test_a_call_on_a_field_goes_to_the_class_of_the_field(folder):
    found = folder("a4_fields")

    assert found.edges("calls") == {
        ("mail.py::Service.__init__", "calls", "mail.py::Mailer"),
        ("mail.py::Service.send", "calls", "mail.py::Mailer.send"),
    }
    assert found.unresolved() == {
        ("mail.py::Service.forward", "calls", "self.other.send", "untyped receiver"),
    }


def test_common_names_on_an_untyped_parameter_are_no_edges(folder):
    found = folder("a5_common")

    assert found.calls("caller.py::work") == set()
    assert found.calls("caller.py::known") == {"stores.py::Red.get"}
    assert {(name, reason) for _, _, name, reason in found.unresolved()} == {
        ("thing.get", "untyped receiver"),
        ("thing.log", "untyped receiver"),
        ("thing.execute", "untyped receiver"),
    }


def test_only_the_unused_function_is_dead(folder):
    found = folder("a9_dead")

    used = {target for _, _, target in found.edges("calls", "references", "imports", "inherits", "re_exports")}
    used |= {target for _, _, target in found.edges("decorates")} | {
        source for source, _, _ in found.edges("decorates")
    }
    dead = {
        node.node_id
        for node in found.nodes().values()
        if node.kind in ("function", "method", "class") and node.node_id not in used and not node.exposed
    }

    assert dead == {"app.py::unused"}
    assert {(node.node_id, node.exposed) for node in found.nodes().values() if node.exposed} == {
        ("app.py::Money.__add__", ("dunder",)),
        ("app.py::index", ("decorated",)),
        ("app.py::main", ("entry_point",)),
        ("app.py::offered", ("exported",)),
    }

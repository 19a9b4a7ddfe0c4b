"""Relations and kinds as data."""

import pytest

from graph.errors import InvalidInput
from graph.vocabulary import (
    CLAIM_RELATIONS,
    CODE_RELATIONS,
    KIND_LABELS,
    RELATION_TYPES,
    RELATIONS,
    canonical_relation,
    kind_label,
    kind_of,
    relation_of,
    relation_type,
)

CLAIMS = """born_in discovered discovered_in located_at won worked_at wrote invented studied contains occurred_at
part_of preceded_by followed_by caused_by contradicts"""
CODE = (
    """contains defines calls imports re_exports inherits implements references decorates overrides raises documents"""
)


def test_the_claim_relations_are_the_locked_sixteen() -> None:
    assert sorted(CLAIM_RELATIONS) == sorted(CLAIMS.split())


def test_the_code_relations_are_these() -> None:
    assert sorted(CODE_RELATIONS) == sorted(CODE.split())


def test_inverses_are_each_others() -> None:
    pairs = {(name, relation.inverse) for name, relation in RELATIONS.items() if relation.inverse}
    assert pairs == {(inverse, name) for name, inverse in pairs}


def test_traits_are_those_of_the_model() -> None:
    assert {name for name, relation in RELATIONS.items() if relation.functional} == {"born_in"}
    assert {name for name, relation in RELATIONS.items() if relation.symmetric} == {"contradicts", "same_as"}
    assert {"part_of", "preceded_by"} <= {name for name, relation in RELATIONS.items() if relation.transitive}


def test_names_go_to_neo4j_and_back() -> None:
    assert (relation_type("re_exports"), kind_label("function")) == ("RE_EXPORTS", "Function")
    assert {relation_of(native) for native in RELATION_TYPES.values()} == set(RELATIONS)
    assert {kind_of(label) for label in KIND_LABELS.values()} == set(KIND_LABELS)


@pytest.mark.parametrize("bad", ["call", "CALLS", "`x`", "", "a\nb", "x" * 10_000, "\\u0060"])
def test_an_unknown_relation_is_refused_with_near_ones(bad: str) -> None:
    with pytest.raises(InvalidInput, match="use one of"):
        relation_type(bad)


def test_the_nearest_relation_is_named() -> None:
    with pytest.raises(InvalidInput, match="calls"):
        relation_type("call")


@pytest.mark.parametrize(
    ("spelling", "relation", "swapped"),
    [
        ("discovered", "discovered", False),
        ("Was Discovered By", "discovered", True),
        ("BORN-IN", "born_in", False),
        ("caused", "caused_by", True),
    ],
)
def test_spellings_of_relations(spelling: str, relation: str, swapped: bool) -> None:
    found, ends_swapped = canonical_relation(spelling)
    assert (found.name, ends_swapped) == (relation, swapped)

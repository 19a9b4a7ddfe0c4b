"""What tenants share, have alone, and can't both be right about."""

import itertools

import pytest

from graph.answers import EdgeView, EdgeWithEnds, NodeView
from graph.comparison import Comparison, compare_facts
from graph.identity import entity_id

Fact = tuple[str, str, str]
WARSAW = ("Marie Curie", "born_in", "Warsaw")
PARIS = ("Marie Curie", "born_in", "Paris")
RADIUM = ("Marie Curie", "discovered", "Radium")


def stated(fact: Fact, *, edge_id: str = "e", confidence: float = 1.0) -> EdgeWithEnds:
    source, relation, target = fact
    ids = entity_id(source), entity_id(target)
    edge = EdgeView(edge_id, *ids, relation, "EXTRACTED", confidence, 1, None, None, None)
    return EdgeWithEnds(edge, named(source), named(target))


def named(name: str) -> NodeView:
    return NodeView(entity_id(name), name, "entity", "", (), None, None, None, None)


def verdict(comparison: Comparison) -> dict[str, set[tuple[tuple[str, ...], Fact]]]:
    return {
        part: {
            (fact.tenants, (fact.edge.source.name, fact.edge.edge.relation, fact.edge.target.name))
            for fact in getattr(comparison, part)
        }
        for part in ("shared", "only_in", "conflicting")
    }


def test_facts_are_shared_by_two_or_had_by_one() -> None:
    found = verdict(compare_facts({"a": [stated(RADIUM), stated(WARSAW)], "b": [stated(RADIUM)]}))

    assert found == {"shared": {(("a", "b"), RADIUM)}, "only_in": {(("a",), WARSAW)}, "conflicting": set()}


def test_two_birth_places_conflict_in_any_order() -> None:
    facts = {"a": [stated(WARSAW), stated(RADIUM)], "b": [stated(WARSAW)], "c": [stated(RADIUM), stated(PARIS)]}
    expected = {
        "shared": {(("a", "c"), RADIUM)},
        "only_in": set(),
        "conflicting": {(("a", "b"), WARSAW), (("c",), PARIS)},
    }

    for tenants in itertools.permutations(facts):
        for turn in (1, -1):
            found = compare_facts({tenant: facts[tenant][::turn] for tenant in tenants})
            assert verdict(found) == expected
            assert found == compare_facts(facts)


def test_one_tenant_can_conflict_with_itself() -> None:
    found = verdict(compare_facts({"a": [stated(WARSAW), stated(PARIS)], "b": [stated(RADIUM)]}))

    assert found["conflicting"] == {(("a",), WARSAW), (("a",), PARIS)}


@pytest.mark.parametrize("relation", ["worked_at", "located_at", "discovered", "part_of"])
def test_relations_that_allow_several_targets_never_conflict(relation: str) -> None:
    facts = {"a": [stated(("Curie", relation, "A"))], "b": [stated(("Curie", relation, "B"))]}

    assert compare_facts(facts).conflicting == ()


def test_spellings_of_one_thing_are_no_conflict() -> None:
    found = compare_facts({"a": [stated(WARSAW)], "b": [stated(("MARIE  CURIE", "born_in", "warsaw"))]})

    assert [fact.tenants for fact in found.shared] == [("a", "b")]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("Paris", "part_of", "France"), ("France", "contains", "Paris")),
        (("Radium", "same_as", "radium salt"), ("radium salt", "same_as", "Radium")),
        (("A", "preceded_by", "B"), ("B", "followed_by", "A")),
    ],
)
def test_a_fact_and_its_other_way_round_are_one(one: Fact, other: Fact) -> None:
    found = compare_facts({"a": [stated(one)], "b": [stated(other)]})

    assert [fact.tenants for fact in found.shared] == [("a", "b")]
    assert found.only_in == ()
    assert found.shared[0].edge == stated(one)


def test_a_calls_b_is_not_b_calls_a() -> None:
    found = compare_facts({"a": [stated(("f", "calls", "g"))], "b": [stated(("g", "calls", "f"))]})

    assert len(found.only_in) == 2


def test_the_first_tenants_surest_edge_is_shown() -> None:
    several = [stated(RADIUM, edge_id="z", confidence=0.4), stated(RADIUM, edge_id="y", confidence=0.9)]
    found = compare_facts({"b": [stated(RADIUM, edge_id="x")], "a": several})

    assert [(fact.tenant, fact.edge.edge.edge_id) for fact in found.shared] == [("a", "y")]


def test_nothing_compares_to_nothing() -> None:
    assert compare_facts({}) == Comparison((), (), ()) == compare_facts({"a": [], "b": []})

import pytest

from extraction.claims.drops import NotTaken
from extraction.claims.predicates import LOCKED, allowed_kinds, canonical_predicate, is_allowed
from graph.vocabulary import ENTITY_KINDS


@pytest.mark.parametrize("name", sorted(LOCKED))
def test_the_locked_predicates_are_themselves(name: str) -> None:
    assert canonical_predicate(name) == (name, False)
    assert canonical_predicate(name.upper().replace("_", " ")) == (name, False)


def test_there_are_sixteen() -> None:
    assert len(LOCKED) == 16


@pytest.mark.parametrize(
    ("spelling", "predicate"),
    [
        ("discovered by", "discovered"),
        ("was_discovered_by", "discovered"),
        ("has been discovered by", "discovered"),
        ("was first discovered by", "discovered"),
        ("was discovered", "discovered"),
        ("won by", "won"),
        ("was won by", "won"),
        ("awarded to", "won"),
        ("written by", "wrote"),
        ("was written by", "wrote"),
        ("were later written by", "wrote"),
        ("is authored by", "wrote"),
        ("invented by", "invented"),
        ("was studied by", "studied"),
        ("employs", "worked_at"),
        ("caused", "caused_by"),
        ("causes", "caused_by"),
        ("led to", "caused_by"),
        ("preceded", "preceded_by"),
        ("followed", "followed_by"),
        ("is the birthplace of", "born_in"),
    ],
)
def test_wordings_that_swap_the_ends(spelling: str, predicate: str) -> None:
    assert canonical_predicate(spelling) == (predicate, True)


@pytest.mark.parametrize(
    ("spelling", "predicate"),
    [
        ("was born in", "born_in"),
        ("bornIn", "born_in"),
        ("Born-In", "born_in"),
        ("is located in", "located_at"),
        ("located in", "located_at"),
        ("is based in", "located_at"),
        ("works at", "worked_at"),
        ("has worked for", "worked_at"),
        ("was employed by", "worked_at"),
        ("was caused by", "caused_by"),
        ("is caused by", "caused_by"),
        ("was caused", "caused_by"),
        ("wins", "won"),
        ("has won", "won"),
        ("was awarded", "won"),
        ("is the author of", "wrote"),
        ("has discovered", "discovered"),
        ("did discover", "discovered"),
        ("was discovered in", "discovered_in"),
        ("took place in", "occurred_at"),
        ("happened at", "occurred_at"),
        ("is a part of", "part_of"),
        ("is contained in", "part_of"),
        ("includes", "contains"),
        ("was preceded by", "preceded_by"),
        ("was followed", "followed_by"),
        ("follows", "preceded_by"),
        ("precedes", "followed_by"),
        ("contradicts", "contradicts"),
    ],
)
def test_wordings_that_keep_the_ends(spelling: str, predicate: str) -> None:
    assert canonical_predicate(spelling) == (predicate, False)


@pytest.mark.parametrize(
    "spelling", ["owns", "calls", "same_as", "married", "", "_", "by", "was", "admin owns", "related_to"]
)
def test_others_are_not_taken(spelling: str) -> None:
    with pytest.raises(NotTaken, match="not a predicate"):
        canonical_predicate(spelling)


@pytest.mark.parametrize("spelling", ["was not born in", "never won", "didn't discover", "wasn\u2019t caused by"])
def test_a_denied_fact_is_no_fact(spelling: str) -> None:
    with pytest.raises(NotTaken, match="denied"):
        canonical_predicate(spelling)


def test_kinds_are_those_of_the_vocabulary() -> None:
    named = {kind for name in LOCKED for kinds in allowed_kinds(name) for kind in kinds or ()}
    assert named <= set(ENTITY_KINDS)


def test_the_unknown_kind_may_stand_anywhere() -> None:
    assert all(is_allowed("entity", kinds) for name in LOCKED for kinds in allowed_kinds(name))
    assert not is_allowed("substance", allowed_kinds("born_in")[0])
    assert is_allowed("galaxy", allowed_kinds("born_in")[1])

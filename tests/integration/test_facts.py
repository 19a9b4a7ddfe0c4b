"""The facts of a name, as comparisons want them."""

import pytest

from graph.comparison import fetch_facts
from graph.database import Database
from graph.errors import InvalidInput, LimitExceeded
from graph.store import upsert_documents
from tests.builders import document

FACTS = [("Marie Curie", "discovered", "Radium"), ("Warsaw", "contains", "Marie Curie"), ("Ada", "wrote", "Notes")]


async def test_facts_of_a_name_come_both_ways_with_their_first_place(database: Database) -> None:
    await upsert_documents(database, [document("b.txt", *FACTS), document("a.txt", FACTS[0])])

    facts = await fetch_facts(database, "MARIE  curie")

    shown = [(fact.source.name, fact.edge.relation, fact.target.name) for fact in facts]
    assert shown == FACTS[:2]
    assert (facts[0].edge.mentions, facts[0].edge.path, facts[0].edge.line) == (2, "a.txt", 1)
    assert facts[0].edge.evidence_span == "Marie Curie discovered Radium"
    assert await fetch_facts(database, "nobody") == []


async def test_more_facts_than_asked_for_are_refused_and_so_is_no_name(database: Database) -> None:
    await upsert_documents(database, [document("b.txt", *FACTS)])

    with pytest.raises(LimitExceeded, match="Marie Curie"):
        await fetch_facts(database, "Marie Curie", limit=1)
    with pytest.raises(InvalidInput, match="blank"):
        await fetch_facts(database, " ")

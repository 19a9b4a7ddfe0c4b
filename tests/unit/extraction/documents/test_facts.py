"""From what models find to what a document states."""

import re

from extraction.claims.base import Claim, ClaimEnd, SegmentClaims
from extraction.documents.facts import DocumentFacts
from extraction.documents.naming import Naming, long_forms
from extraction.entities.base import EntitySpan
from extraction.report import Dropped
from graph.evidence import check_evidence
from graph.identity import edge_id, segment_id
from graph.model import Document, DocumentId, ExtractionResult, Modality, Segment

ID = DocumentId("curie.md")
DOCUMENT = Document(ID, "curie.md", "0" * 64, Modality.TEXT)


def segments(*texts: str) -> list[Segment]:
    return [
        Segment(segment_id(ID, f"L{number}"), f"L{number}", number, text, 0, 10 * number + 1, Modality.TEXT)
        for number, text in enumerate(texts)
    ]


def spans(text: str, **kinds: str) -> list[EntitySpan]:
    """A span for each place of each name; `_` stands for a blank in a name."""
    found = [
        EntitySpan(match.start(), match.end(), match.group(), kind, 0.9)
        for name, kind in kinds.items()
        for match in re.finditer(re.escape(name.replace("_", " ")), text)
    ]
    return sorted(found, key=lambda span: span.char_start)


def facts_of(texts: list[str], naming: Naming | None = None, **kinds: str) -> DocumentFacts:
    cut = segments(*texts)
    facts = DocumentFacts(DOCUMENT, cut, naming or Naming())
    facts.add_entities([spans(one.text, **kinds) for one in cut])
    return facts


def statements(result: ExtractionResult) -> dict[str, tuple[str, str, tuple[str, ...], int]]:
    return {
        str(one.node_id): (one.stated.name, one.stated.kind, one.stated.aliases, one.stated.weight)
        for one in result.mentions
        if one.stated
    }


def test_a_thing_is_stated_once_and_mentioned_wherever_it_is_named() -> None:
    facts = facts_of(
        ["Marie Curie met MARIE CURIE.", "Paris.\nMarie Curie"],
        Marie_Curie="person",
        MARIE_CURIE="person",
        Paris="location",
    )
    result = facts.result()

    assert statements(result) == {
        "marie_curie": ("Marie Curie", "person", ("MARIE CURIE",), 3),
        "paris": ("Paris", "location", (), 1),
    }
    assert [(one.node_id, one.char_start, one.line_start) for one in result.mentions] == [
        ("marie_curie", 0, 1),
        ("marie_curie", 16, 1),
        ("paris", 0, 11),
        ("marie_curie", 7, 12),
    ]
    assert result.node_count == 2
    check_evidence(result)


def test_the_kind_that_is_given_most_often_counts() -> None:
    cut = segments("Radium radium RADIUM")
    facts = DocumentFacts(DOCUMENT, cut, Naming())
    facts.add_entities(
        [
            [
                EntitySpan(0, 6, "Radium", "product", 0.9),
                EntitySpan(7, 13, "radium", "substance", 0.9),
                EntitySpan(14, 20, "RADIUM", "substance", 0.9),
            ]
        ]
    )

    assert statements(facts.result())["radium"][1] == "substance"
    assert [one.kind for one in facts.result().mentions] == ["product", "substance", "substance"]


def test_an_acronym_is_its_long_form_in_this_document() -> None:
    naming = Naming(long_forms=long_forms([("MIT", "Massachusetts Institute of Technology")]))
    text = "Massachusetts Institute of Technology (MIT). MIT grew."
    cut = segments(text)
    facts = DocumentFacts(DOCUMENT, cut, naming)
    facts.add_entities([spans(text, Massachusetts_Institute_of_Technology="organization", MIT="organization")])

    assert statements(facts.result()) == {
        "massachusetts_institute_of_technology": (
            "Massachusetts Institute of Technology",
            "organization",
            ("MIT",),
            3,
        )
    }


def test_an_acronym_with_two_long_forms_has_none() -> None:
    assert long_forms([("CA", "Canada Air"), ("CA", "Central Authority"), ("EU", "European Union")]) == {
        "eu": "European Union"
    }


def test_pronouns_and_marks_are_no_things() -> None:
    facts = facts_of(["She said *** to It."], She="person", It="product", **{"***": "concept"})

    assert facts.result().mentions == ()
    assert {(one.what, one.reason, one.count) for one in facts.drops()} == {
        ("entity", "a pronoun", 2),
        ("entity", "no letter or digit", 1),
    }


def test_the_pool_of_a_segment_has_what_was_named_up_to_its_end_the_latest_last() -> None:
    facts = facts_of(
        ["Marie Curie and Pierre.", "Radium.", "Marie Curie again."],
        Marie_Curie="person",
        Pierre="person",
        Radium="substance",
    )

    assert [[one.name for one in text.entities] for text in facts.claim_texts()] == [
        ["Marie Curie", "Pierre"],
        ["Marie Curie", "Pierre", "Radium"],
        ["Pierre", "Radium", "Marie Curie"],
    ]


def test_a_claim_is_an_edge_with_its_evidence() -> None:
    text = "Marie Curie was born in Warsaw."
    facts = facts_of([text, "She won."], Marie_Curie="person")
    born = Claim(
        ClaimEnd("Marie Curie", "person", 0, 11),
        "born_in",
        ClaimEnd("Warsaw", "entity", 24, 30),
        0,
        len(text),
        0.8,
        valid_from="1867",
    )
    facts.add_claims([SegmentClaims((born, born)), SegmentClaims((), (Dropped("won", "no span", 2),))])
    result = facts.result()

    [edge] = result.edges
    assert (edge.edge_id, edge.source, edge.target) == (
        edge_id(edge.source, "born_in", edge.target),
        "marie_curie",
        "warsaw",
    )
    [mention] = [one for one in result.mentions if one.edge]
    assert (mention.evidence_span, mention.valid_from, mention.edge) == (text, "1867", edge)
    assert statements(result)["warsaw"] == ("Warsaw", "entity", (), 1)
    assert {(one.what, one.reason, one.count) for one in facts.drops()} == {
        ("won", "no span", 2),
        ("born_in", "stated twice in one place", 1),
    }
    check_evidence(result)


def test_an_end_that_the_document_never_names_is_no_end() -> None:
    facts = facts_of(["Marie Curie was born."], Marie_Curie="person")
    claim = Claim(ClaimEnd("Marie Curie", "person"), "born_in", ClaimEnd("Warsaw", "entity"), 0, 21, 0.8)
    facts.add_claims([SegmentClaims((claim,))])

    assert facts.result().edges == ()
    assert [(one.what, one.count) for one in facts.drops()] == [("born_in", 1)]


def test_what_is_meant_by_a_pronoun_is_the_thing_of_that_name() -> None:
    text = "She later won the Nobel Prize."
    facts = facts_of(["Marie Curie studied.", text], Marie_Curie="person", Nobel_Prize="award")
    claim = Claim(ClaimEnd("Marie Curie", "person"), "won", ClaimEnd("Nobel Prize", "award", 18, 29), 0, 30, 0.7)
    facts.add_claims([SegmentClaims(), SegmentClaims((claim,))])

    assert [(edge.source, edge.relation, edge.target) for edge in facts.result().edges] == [
        ("marie_curie", "won", "nobel_prize")
    ]
    assert [one.node_id for one in facts.result().mentions if one.node_id == "marie_curie"] == ["marie_curie"]


def test_a_symmetric_fact_reads_the_same_from_both_ends() -> None:
    text = "Beta contradicts Alpha."
    facts = facts_of([text], Beta="concept", Alpha="concept")
    claim = Claim(ClaimEnd("Beta", "concept", 0, 4), "contradicts", ClaimEnd("Alpha", "concept", 17, 22), 0, 23, 1.0)
    facts.add_claims([SegmentClaims((claim,))])

    assert [(edge.source, edge.target) for edge in facts.result().edges] == [("alpha", "beta")]

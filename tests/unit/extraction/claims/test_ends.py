import pytest

from extraction.claims.base import ClaimEnd, PriorEntity
from extraction.claims.drops import NotTaken
from extraction.claims.ends import EndFinder
from extraction.claims.predicates import allowed_kinds
from extraction.claims.spans import SearchedText, Span

MARIE = PriorEntity("Marie Curie", "person")
ALBERT = PriorEntity("Albert Einstein", "person")
ACME = PriorEntity("Acme Inc", "organization")
SORBONNE = PriorEntity("Sorbonne", "organization")
WARSAW = PriorEntity("Warsaw", "location")
RADIUM = PriorEntity("Radium", "substance")
PRIZE = PriorEntity("Nobel Prize", "award")


def end(text: str, name: str, evidence: str, *entities: PriorEntity, allowed: frozenset[str] | None = None) -> ClaimEnd:
    source = SearchedText(text)
    return EndFinder(source, entities).find_end(name, source.find(evidence)[0], allowed)


def meant(text: str, name: str, evidence: str, *entities: PriorEntity, allowed: frozenset[str] | None = None) -> str:
    found = end(text, name, evidence, *entities, allowed=allowed)
    if found.char_start is not None:
        raise AssertionError(f"{name!r} was taken for a name")
    return found.name


@pytest.mark.parametrize("name", ["Marie Curie", "MARIE CURIE", "marie-curie", "Marie  Curie", "Marie Curie's"])
def test_a_prior_entity_by_any_spelling(name: str) -> None:
    assert end("There Marie Curie won.", name, "Marie Curie won", MARIE) == ClaimEnd("Marie Curie", "person", 6, 17)


def test_a_prior_entity_that_only_an_earlier_text_names() -> None:
    assert end("She later won it.", "Marie Curie", "She later won it", MARIE) == ClaimEnd("Marie Curie", "person")


def test_the_place_inside_the_evidence_counts() -> None:
    text = "Warsaw is big. Ada was born in Warsaw. Warsaw is old."
    assert end(text, "Warsaw", "born in Warsaw", WARSAW).char_start == 31
    assert end(text, "Ada", "born in Warsaw") == ClaimEnd("Ada", "entity", 15, 18)


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("the fire was caused by a short circuit", "a short circuit", ClaimEnd("short circuit", "entity", 25, 38)),
        ("the fire was caused by a short circuit", "The fire", ClaimEnd("fire", "entity", 4, 8)),
        ("It stands in The Hague now", "The Hague", ClaimEnd("The Hague", "entity", 13, 22)),
        ("by Ada\u00a0\n Lovelace then", "Ada Lovelace", ClaimEnd("Ada Lovelace", "entity", 3, 17)),
    ],
)
def test_other_names_are_as_the_text_spells_them(text: str, name: str, expected: ClaimEnd) -> None:
    assert end(text, name, text) == expected


@pytest.mark.parametrize("name", ["Ada", "Einstein", "Can", ""])
def test_a_name_that_is_not_in_the_text_is_none(name: str) -> None:
    with pytest.raises(NotTaken):
        end("Canada won.", name, "Canada won")


@pytest.mark.parametrize("name", ["everything", "Everyone", "all", "nothing", "---"])
def test_words_that_name_nothing(name: str) -> None:
    with pytest.raises(NotTaken, match="names nothing"):
        end(f"admin owns {name} here", name, "admin owns")


def test_she_is_the_person_named_last_before() -> None:
    text = "Albert Einstein came. Marie Curie stayed. She won. Albert Einstein left."
    assert meant(text, "She", "She won", ALBERT, MARIE, WARSAW) == "Marie Curie"


def test_she_is_not_the_person_of_her_own_clause() -> None:
    text = "Marie Curie stayed. Albert Einstein gave her the Nobel Prize."
    assert meant(text, "her", "Albert Einstein gave her the Nobel Prize", MARIE, ALBERT, PRIZE) == "Marie Curie"


def test_she_may_be_named_in_the_evidence_before_her() -> None:
    text = "Marie Curie was born in Warsaw; she won the Nobel Prize."
    assert meant(text, "she", text[:-1], MARIE, WARSAW, PRIZE) == "Marie Curie"


def test_she_is_of_an_earlier_text_where_this_one_names_nobody_before() -> None:
    text = "She won. Albert Einstein left."
    assert meant(text, "She", "She won", WARSAW, MARIE, ACME, ALBERT) == "Marie Curie"


def test_one_named_further_on_is_meant_only_when_there_is_no_other() -> None:
    text = "She won. Marie Curie left."
    assert meant(text, "She", "She won", WARSAW, MARIE) == "Marie Curie"
    with pytest.raises(NotTaken, match="nobody for 'She'"):
        meant("She won. Marie Curie and Albert Einstein left.", "She", "She won", MARIE, ALBERT)


def test_it_is_never_a_person() -> None:
    text = "Acme Inc grew. Marie Curie stayed. It won."
    assert meant(text, "It", "It won", ACME, MARIE) == "Acme Inc"
    with pytest.raises(NotTaken, match="nobody for 'It'"):
        meant(text, "It", "It won", MARIE)


def test_what_the_predicate_can_not_join_is_not_meant() -> None:
    text = "Acme Inc sold Radium. It won."
    assert meant(text, "It", "It won", ACME, RADIUM) == "Radium"
    assert meant(text, "It", "It won", ACME, RADIUM, allowed=allowed_kinds("won")[0]) == "Acme Inc"


def test_they_are_an_organization_before_anything_else_and_no_single_person() -> None:
    text = "Acme Inc sold Radium. Marie Curie left. They won."
    assert meant(text, "They", "They won", ACME, RADIUM, MARIE) == "Acme Inc"
    with pytest.raises(NotTaken, match="nobody for 'They'"):
        meant(text, "They", "They won", MARIE)


def test_there_is_a_place() -> None:
    text = "Marie Curie left Warsaw for the Sorbonne. There she studied."
    assert meant(text, "There", "There she studied", MARIE, WARSAW, SORBONNE) == "Warsaw"


@pytest.mark.parametrize("name", ["the company", "This company", "the small company", "that firm"])
def test_descriptions_are_things_of_their_kind(name: str) -> None:
    text = f"Acme Inc grew. Marie Curie left {name}."
    assert meant(text, name, "Marie Curie left", ACME, MARIE) == "Acme Inc"
    with pytest.raises(NotTaken, match="nobody for"):
        meant(text, name, "Marie Curie left", MARIE)


def test_a_prize_may_have_no_other_name() -> None:
    text = "The prize was won by her."
    assert end(text, "The prize", "prize was won by her", MARIE) == ClaimEnd("prize", "entity", 4, 9)
    assert end(text, "The prize", "prize was won by her", MARIE, PRIZE).name == "Nobel Prize"


def test_capitals_tell_names_from_pronouns() -> None:
    text = "IT is old. The US won. The Open University won."
    assert end(text, "IT", "IT is old").name == "IT"
    assert end(text, "US", "The US won").name == "US"
    assert end(text, "The Open University", "The Open University won").name == "The Open University"


@pytest.mark.parametrize("name", ["I", "we", "You", "who"])
def test_speakers_and_listeners_are_nobody(name: str) -> None:
    with pytest.raises(NotTaken, match="nobody for"):
        end(f"Marie Curie left. {name} won.", name, "won", MARIE)


def test_spans_tell_their_distance() -> None:
    assert Span(0, 5).distance(Span(7, 9)) == Span(7, 9).distance(Span(0, 5)) == 2
    assert Span(0, 5).distance(Span(4, 9)) == 0

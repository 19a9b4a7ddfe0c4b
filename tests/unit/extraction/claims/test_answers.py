import json
import time

import pytest

from extraction.claims.answers import MAX_ITEMS, parse_answer

GOOD = {
    "subject": "Marie Curie",
    "predicate": "discovered",
    "object": "radium",
    "evidence": "she did",
    "confidence": 0.9,
}
OTHER = GOOD | {"object": "polonium"}
ONE, TWO = json.dumps(GOOD), json.dumps(OTHER)


def objects(raw: str) -> list[str]:
    return [item.object for item in parse_answer(raw).items]


def reasons(raw: str) -> dict[tuple[str, str], int]:
    return {(drop.what, drop.reason): drop.count for drop in parse_answer(raw).drops}


@pytest.mark.parametrize(
    "raw",
    [
        f"[{ONE}, {TWO}]",
        f"```json\n[{ONE}, {TWO}]\n```",
        f"```\n[{ONE}, {TWO}]\n```\nThese are all.",
        f"Here is what I found [see below]:\n\n[{ONE}, {TWO}]\n\nI hope that helps!",
        f"[{ONE}, {TWO},]",
        f"[{ONE[:-1]},}}, {TWO},]",
        f'{{"claims": [{ONE}, {TWO}]}}',
        f'{{"claims": [{ONE}, {TWO},]}}',
        f"{ONE}\n{TWO}",
        f"Facts: {ONE} and then {TWO}",
        json.dumps([GOOD, OTHER], indent=2).replace("\n", "\r\n"),
        f"[[ ## reasoning ## ]]\nTwo facts.\n\n[[ ## claims ## ]]\n[{ONE}, {TWO}]",
        f"```json\n[{ONE}, {TWO}]",
    ],
    ids=lambda raw: raw[:24],
)
def test_every_shape_gives_its_items(raw: str) -> None:
    assert objects(raw) == ["radium", "polonium"]
    assert reasons(raw) == {}


def test_a_trailing_comma_inside_a_string_stays() -> None:
    raw = '[{"subject": "a", "predicate": "won", "object": "b", "evidence": "list [1,2, ] of, }", },]'
    assert parse_answer(raw).items[0].evidence == "list [1,2, ] of, }"


@pytest.mark.parametrize("cut", range(len(ONE) + 4, len(ONE) + len(TWO), 17))
def test_a_cut_off_list_keeps_what_is_whole(cut: int) -> None:
    raw = f"[{ONE}, {TWO}]"[:cut]
    assert objects(raw) == ["radium"]
    assert reasons(raw) == {("item", "cut off"): 1}


def test_a_cut_off_object_around_the_list_keeps_what_is_whole() -> None:
    raw = f'{{"claims": [{ONE}, {TWO}, {{"subject": "Ma'
    assert objects(raw) == ["radium", "polonium"]
    assert reasons(raw) == {("item", "cut off"): 1}


@pytest.mark.parametrize(
    ("bad", "what", "reason"),
    [
        ('{"subject": "a"}', "item", "no predicate"),
        ('{"predicate": "won", "object": "b"}', "won", "no subject"),
        ('{"subject": "a", "predicate": "won", "object": "  "}', "won", "no object"),
        ('{"subject": null, "predicate": "won", "object": "b"}', "won", "no subject"),
        ('{"subject": ["a"], "predicate": "won", "object": "b"}', "won", "no subject"),
        (json.dumps(GOOD | {"subject": "x" * 201}), "discovered", "subject over 200 characters"),
        ('"just a string"', "item", "not an object"),
        ("17", "item", "not an object"),
        ("null", "item", "not an object"),
    ],
)
def test_one_bad_item_of_five_is_counted_and_the_others_kept(bad: str, what: str, reason: str) -> None:
    raw = f"[{ONE}, {ONE}, {bad}, {TWO}, {TWO}]"
    assert objects(raw) == ["radium", "radium", "polonium", "polonium"]
    assert reasons(raw) == {(what, reason): 1}


def test_an_item_that_is_not_json_costs_only_itself() -> None:
    raw = f'[{ONE}, {{"subject": Marie, "predicate": won}}, {TWO}]'
    assert objects(raw) == ["radium", "polonium"]
    assert reasons(raw) == {("item", "not JSON"): 1}


@pytest.mark.parametrize(
    ("given", "confidence"),
    [
        (0.9, 0.9),
        ("0.9", 0.9),
        ("0,9", 0.9),
        (1, 1.0),
        (0, 0.0),
        (90, 0.9),
        ("90", 0.9),
        ("90%", 0.9),
        ("87.5 %", 0.875),
        ("high", 0.9),
        ("High", 0.9),
        ("medium", 0.6),
        ("low", 0.3),
        (None, 0.5),
    ],
)
def test_confidence_in_every_wording(given: object, confidence: float) -> None:
    assert parse_answer(json.dumps([GOOD | {"confidence": given}])).items[0].confidence == pytest.approx(confidence)


@pytest.mark.parametrize("given", [float("nan"), float("inf"), -0.5, 101, 1.5, "banana", "200%", [], True, {"a": 1}])
def test_confidence_that_is_none_is_counted(given: object) -> None:
    raw = json.dumps([GOOD, OTHER | {"confidence": given}])
    assert objects(raw) == ["radium"]
    assert reasons(raw) == {("discovered", "confidence is not a number from 0 to 1"): 1}


def test_numbers_and_objects_as_names() -> None:
    item = parse_answer(json.dumps([GOOD | {"Object": 1903, "subject": {"name": "Ada", "kind": "person"}}])).items[0]
    assert item.subject == "Ada"
    items = parse_answer(json.dumps([GOOD | {"object": 1903}])).items
    assert [item.object for item in items] == ["1903"]


@pytest.mark.parametrize("raw", ["[]", " [ ] ", "```json\n[]\n```", '{"claims": []}', "The text states nothing: []"])
def test_no_facts_is_no_fault(raw: str) -> None:
    answer = parse_answer(raw)
    assert (answer.items, answer.drops, answer.readable) == ((), (), True)


@pytest.mark.parametrize(
    ("raw", "reason"), [("", "an empty answer"), (" \n", "an empty answer"), ("None.", "no JSON in the answer")]
)
def test_an_answer_without_any_list_is_counted(raw: str, reason: str) -> None:
    answer = parse_answer(raw)
    assert (answer.items, answer.readable) == ((), False)
    assert reasons(raw) == {("item", reason): 1}


def test_more_items_than_anyone_reads_are_counted() -> None:
    raw = f"[{', '.join([ONE] * (MAX_ITEMS + 7))}]"
    assert len(parse_answer(raw).items) == MAX_ITEMS
    assert reasons(raw) == {("item", f"more than {MAX_ITEMS} items"): 7}


@pytest.mark.parametrize(
    "raw",
    ["{" * 200_000, "[" * 100_000, '{"a":' * 50_000, '"' * 200_001, "{" + '"' * 100_000, f"[{ONE}" + '{"' * 90_000],
)
def test_a_hostile_answer_costs_no_more_than_a_moment(raw: str) -> None:
    start = time.process_time()
    parse_answer(raw)
    assert time.process_time() - start < 2.0

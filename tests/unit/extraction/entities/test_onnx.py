"""The light engine with real weights: tiny ones, trained on made-up sentences, sure of plain names."""

import hashlib
import shutil
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import pytest

from extraction.entities.base import EntitiesFailed, EntityExtractor, EntityOptions, EntitySpan
from extraction.entities.engines import find_extractor
from extraction.entities.limits import load_reading
from extraction.entities.onnx import OnnxModel

TINY = Path(__file__).parents[3] / "fixtures" / "models" / "tiny-gliner-onnx"
LABELS = ("Person", "organization", "LOCATION", "Date", "Product")
SENTENCE = "Marie Curie was born in Warsaw in 1867."
NAMES = {("Marie Curie", "person"), ("Warsaw", "location"), ("1867", "date")}


def make(**options: object) -> EntityExtractor:
    extractor = find_extractor(EntityOptions(**{"engine": "onnx", "model": str(TINY), "labels": LABELS} | options))
    assert extractor is not None
    return extractor


@pytest.fixture(scope="module")
def extractor() -> EntityExtractor:
    return make()


def named(spans: list[EntitySpan]) -> set[tuple[str, str]]:
    return {(one.text, one.kind) for one in spans}


def check_exact(text: str, spans: list[EntitySpan]) -> None:
    assert all(text[one.char_start : one.char_end] == one.text for one in spans)
    assert all(0.0 <= one.score <= 1.0 for one in spans)
    places = [(one.char_start, one.char_end) for one in spans]
    assert places == sorted(places)
    assert all(left[1] <= right[0] for left, right in pairwise(places))


def test_names_are_found_with_their_kinds(extractor: EntityExtractor) -> None:
    [spans] = extractor.extract([SENTENCE])

    assert named(spans) == NAMES
    check_exact(SENTENCE, spans)


@pytest.mark.parametrize(
    "before",
    [
        "😀 ",
        "👩‍👩‍👧 ",
        "\U0001f468\u200d\U0001f469 𝔘𝔫𝔦 ",
        "e\u0301te\u0301. ",
        "東京。 ",
        "\u202eabc\u202c. ",
        "\x00\x01 ",
        "\ud83d. ",
    ],
)
def test_places_are_characters_whatever_comes_before(extractor: EntityExtractor, before: str) -> None:
    text = before + SENTENCE

    [spans] = extractor.extract([text])

    assert {("Warsaw", "location"), ("1867", "date")} <= named(spans)
    assert any("Marie Curie" in one.text for one in spans)
    check_exact(text, spans)


@pytest.mark.parametrize(
    "text", ["", " \n\t ", "\x00\x01\x02", "\u0301\u0301", "\u200b", "😀", "\ud800", "…!?", "a" * 5_000]
)
def test_where_nothing_is_nothing_is_found(extractor: EntityExtractor, text: str) -> None:
    assert extractor.extract([text]) == [[]]


def test_no_texts_give_no_answers(extractor: EntityExtractor) -> None:
    assert extractor.extract([]) == []


def test_names_far_into_a_text_without_a_full_stop_are_found(extractor: EntityExtractor) -> None:
    """D4: the model reads 256 words, and 512 tokens with the labels."""
    starts = [9, 389, 799, 1_195]
    words = ["word"] * 1_200
    for start in starts:
        words[start : start + 5] = ["Marie", "Curie", "lives", "in", "Warsaw"]
    text = " ".join(words)

    [spans] = extractor.extract([text])

    places = [len(" ".join(words[:start])) + 1 for start in starts]
    assert [one.char_start for one in spans if named([one]) == {("Marie Curie", "person")}] == places
    check_exact(text, spans)


def test_a_word_of_5000_characters_hides_no_other(extractor: EntityExtractor) -> None:
    text = f"{SENTENCE} {'x' * 5_000} {SENTENCE}"

    [spans] = extractor.extract([text])

    assert [one.text for one in spans] == ["Marie Curie", "Warsaw", "1867"] * 2
    check_exact(text, spans)


def test_words_of_many_tokens_are_read_in_more_windows(extractor: EntityExtractor) -> None:
    """240 such words have over 1,000 tokens: the encoder has places for 512."""
    filler = ["uncharacteristically"] * 120
    text = " ".join([*filler, SENTENCE, *filler, SENTENCE])

    [spans] = extractor.extract([text])

    assert [one.text for one in spans if one.kind == "person"] == ["Marie Curie"] * 2
    check_exact(text, spans)


def test_many_texts_give_what_each_gives_alone(extractor: EntityExtractor) -> None:
    texts = [SENTENCE, "", "Ada Lovelace works at Acme in Paris.", SENTENCE * 3, "nothing here", "x" * 900]

    together = extractor.extract(texts)

    assert together == [extractor.extract([text])[0] for text in texts]


def test_threads_share_a_model(extractor: EntityExtractor) -> None:
    texts = [f"{name} was born in Warsaw in 1867." for name in ("Marie Curie", "Ada Lovelace", "Alan Turing")] * 4
    alone = extractor.extract(texts)

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: extractor.extract(texts), range(8)))

    assert answers == [alone] * 8


def test_a_lower_threshold_finds_no_less() -> None:
    text = f"{SENTENCE} Then she met the people of Acme about a new thing in the old town."

    low, high = (make(threshold=threshold).extract([text])[0] for threshold in (0.05, 0.9))

    assert min(one.score for one in low) < 0.5 < 0.9 <= min(one.score for one in high)
    assert len(low) > len(high)


def test_a_fingerprint_says_what_spans_depend_on(extractor: EntityExtractor, tmp_path: Path) -> None:
    same = make()
    others = [make(threshold=0.4), make(labels=("Person",)), make(model=str(copy_model(tmp_path, changed=True)))]

    assert same.fingerprint == extractor.fingerprint
    assert len({extractor.fingerprint, *(other.fingerprint for other in others)}) == 4
    assert make(model=str(copy_model(tmp_path / "twin"))).fingerprint == extractor.fingerprint


@pytest.mark.parametrize("broken", ["tokenizer.json", "gliner_config.json", "onnx/model.onnx"])
def test_a_damaged_model_is_named_with_the_way_out(tmp_path: Path, broken: str) -> None:
    folder = copy_model(tmp_path)
    (folder / broken).write_bytes(b"{damaged")

    with pytest.raises(EntitiesFailed, match="models fetch") as caught:
        make(model=str(folder)).extract(["Ada lives in Paris."])

    assert broken.rpartition("/")[2] in str(caught.value)


def test_a_model_of_another_make_is_refused(tmp_path: Path) -> None:
    folder = copy_model(tmp_path)
    config = folder / "gliner_config.json"
    config.write_text(config.read_text().replace('"markerV0"', '"token_level"'))

    with pytest.raises(EntitiesFailed, match="COGNIVERSE_ENTITY_ENGINE=gliner"):
        make(model=str(folder)).extract(["Ada lives in Paris."])


def test_the_text_that_fails_is_named(extractor: EntityExtractor, tmp_path: Path) -> None:
    """A model that claims more places than it has: real weights fail on what is too long for them, and only on that."""
    folder = copy_model(tmp_path)
    config = folder / "gliner_config.json"
    config.write_text(config.read_text().replace('"max_position_embeddings": 512', '"max_position_embeddings": 9000'))
    (folder / "tokenizer_config.json").unlink()
    too_long = " ".join(map(make_hash, range(100)))

    with pytest.raises(EntitiesFailed, match="failed on a text") as caught:
        make(model=str(folder)).extract([SENTENCE, "", too_long, SENTENCE])

    assert caught.value.index == 2
    assert extractor.extract([too_long])


def test_the_limits_are_those_of_the_model() -> None:
    reading = load_reading(TINY)

    assert (reading.max_words, reading.max_tokens, reading.max_width) == (256, 512, 6)
    assert OnnxModel(TINY, name="tiny").max_words == 256


def make_hash(number: int) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()[:40]


def copy_model(root: Path, *, changed: bool = False) -> Path:
    folder = root / "model"
    shutil.copytree(TINY, folder)
    if changed:
        config = folder / "gliner_config.json"
        config.write_text(config.read_text().replace('"max_len": 256', '"max_len": 128'))
    return folder

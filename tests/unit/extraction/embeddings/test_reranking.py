"""Rerankers by the settings, the cross-encoder a real ONNX model that likes long texts."""

from pathlib import Path

import pytest

from extraction.embeddings.base import EmbeddingsFailed
from extraction.embeddings.reranking import RerankOptions, find_reranker
from graph.ranking import MMR, Candidate
from tests.crossencoder import make_cross_encoder
from tests.minilm import fetch_minilm

TEXTS = ("short", "a text that is much longer than all others here", "of middle length", "short")


def test_a_cross_encoder_orders_by_its_scores_ties_as_they_were(tmp_path: Path) -> None:
    folder = make_cross_encoder(tmp_path / "longest", fetch_minilm())
    options = RerankOptions("cross-encoder", str(folder))

    for reranker in (find_reranker(options), find_reranker(options)):
        assert reranker.order("what?", [Candidate(str(one), text, 1.0) for one, text in enumerate(TEXTS)]) == [
            1,
            2,
            0,
            3,
        ]
        assert reranker.order("what?", []) == []


def test_a_model_that_is_no_cross_encoder_is_told() -> None:
    reranker = find_reranker(RerankOptions("cross-encoder", str(fetch_minilm())))

    with pytest.raises(EmbeddingsFailed, match="could not read 1 texts"):
        reranker.order("what?", [Candidate("a", "text", 1.0)])


def test_what_is_set_is_taken() -> None:
    assert find_reranker(RerankOptions()) is None
    assert find_reranker(RerankOptions("mmr")) is MMR


@pytest.mark.parametrize(("engine", "said"), [("cross-encoder", "cogniverse models fetch Xenova"), ("magic", "mmr")])
def test_what_can_not_be_had_is_told(engine: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(EmbeddingsFailed, match=said):
        find_reranker(RerankOptions(engine, models_dir=tmp_path))

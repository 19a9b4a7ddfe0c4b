"""What a GLiNER folder says of the model: how it reads, and how much at once."""

from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from extraction.entities.base import EntitiesFailed

_MAX_WORDS: Final = 384
"""Source: gliner, config.py: the default of `max_len`, which the published models were trained with."""

_ENDLESS: Final = 100_000
"""Tokenizers without a limit state a huge one."""

_ABSOLUTE: Final = frozenset({"albert", "bert", "camembert", "distilbert", "electra", "roberta", "xlm-roberta"})


class Reading(NamedTuple):
    """How a model reads. `max_tokens` counts labels and text together, None where there is no fixed limit."""

    max_words: int
    max_tokens: int | None
    max_width: int
    span_mode: str
    splitter: str
    entity_token: str
    separator: str
    bi_encoder: bool


def load_reading(folder: Path) -> Reading:
    """Read `gliner_config.json`. Raises EntitiesFailed when that can't be done."""
    config = _load(folder / "gliner_config.json")
    return Reading(
        max_words=min(_whole(config, "max_len", _MAX_WORDS), _MAX_WORDS),
        max_tokens=_max_tokens(config, folder),
        max_width=_whole(config, "max_width", 12),
        span_mode=str(config.get("span_mode") or "markerV0"),
        splitter=str(config.get("words_splitter_type") or "whitespace"),
        entity_token=str(config.get("ent_token") or "<<ENT>>"),
        separator=str(config.get("sep_token") or "<<SEP>>"),
        bi_encoder=bool(config.get("labels_encoder")),
    )


def _max_tokens(config: dict[str, Any], folder: Path) -> int | None:
    encoder: dict[str, Any] = config.get("encoder_config") or {}
    limits: list[int] = []
    if encoder.get("model_type") in _ABSOLUTE:
        limits.append(_whole(encoder, "max_position_embeddings", _ENDLESS))
    tokenizer = folder / "tokenizer_config.json"
    if tokenizer.is_file():
        limits.append(_whole(_load(tokenizer), "model_max_length", _ENDLESS))
    limit = min(limits, default=_ENDLESS)
    return limit if limit < _ENDLESS else None


def _whole(config: dict[str, Any], name: str, default: int) -> int:
    value = config.get(name)
    return int(value) if isinstance(value, int | float) and value > 0 else default


def _load(file: Path) -> dict[str, Any]:
    try:
        return msgspec.json.decode(file.read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.DecodeError, msgspec.ValidationError) as exc:
        raise EntitiesFailed(
            f"{file} can't be read ({exc}): the model is damaged. Delete its folder and fetch it again with "
            "`cogniverse models fetch`."
        ) from exc

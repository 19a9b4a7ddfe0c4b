"""The kinds of entities that are asked for."""

from collections.abc import Sequence

from graph.errors import InvalidInput
from graph.vocabulary import DEFAULT_KIND, ENTITY_KINDS


def parse_labels(labels: Sequence[str]) -> tuple[str, ...]:
    """The kinds that labels in any case mean, each once, in their order; all of them without labels.

    Raises InvalidInput for a label that is no kind of entity.
    """
    known = tuple(kind for kind in ENTITY_KINDS if kind != DEFAULT_KIND)
    given = [label.strip() for label in labels if label.strip()]
    unknown = [label for label in given if label.casefold() not in known]
    if unknown:
        raise InvalidInput(
            f"Unknown label {unknown[0][:60]!r} among those of entities (COGNIVERSE_ENTITY_LABELS): "
            f"use some of {', '.join(known)}."
        )
    return tuple(dict.fromkeys(label.casefold() for label in given)) or known

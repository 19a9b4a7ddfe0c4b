"""Ontologies in YAML.

    entities:
      - name: Marie Curie          # the canonical name; needed, once in the file
        kind: person               # a kind of the vocabulary; without it the entry fits every kind
        synonyms: [Maria Skłodowska, Madame Curie]
        id: Q7186                  # what the entry is called elsewhere; the normalised name when left out

Nothing of the file is ever run, and anchors cost no more than what they stand for.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

import yaml

from extraction.ontology.entries import MAX_NAMES, OntologyFault, Stated
from graph.identity import entity_id
from graph.vocabulary import DEFAULT_KIND

_KEYS: Final = frozenset({"name", "kind", "synonyms", "id"})
_MAX_DEPTH: Final = 8
_TEXT: Final = "tag:yaml.org,2002:str"
_Loader: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_parse: Final[Callable[..., Iterator[Any]]] = yaml.parse  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
_compose: Final[Callable[..., Any]] = yaml.compose  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


def read_yaml(data: bytes, source: str) -> Iterator[Stated]:
    """The entries of a YAML file, in order. Raises OntologyFault with the line."""
    root = _parse_safely(data, source)
    if root is None:
        return
    if not isinstance(root, yaml.MappingNode):
        raise _fault(source, root, "the file must be a mapping with the key `entities`")
    fields = _fields(root, frozenset({"entities"}), source)
    entities = fields.get("entities")
    if not isinstance(entities, yaml.SequenceNode):
        raise _fault(source, entities or root, "`entities` must be a list")
    for node in entities.value:
        yield _read_entry(node, source)


def _parse_safely(data: bytes, source: str) -> yaml.Node | None:
    try:
        depth = 0
        for event in _parse(data, Loader=_Loader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > _MAX_DEPTH:
                raise _fault(source, event, f"lists and mappings lie more than {_MAX_DEPTH} deep in each other")
        return _compose(data, Loader=_Loader)
    except yaml.MarkedYAMLError as exc:
        mark = exc.problem_mark or exc.context_mark
        where = f", line {mark.line + 1}" if mark else ""
        raise OntologyFault(f"{source}{where}: this is not YAML: {exc.problem or exc.context}.") from exc
    except (yaml.YAMLError, UnicodeError) as exc:
        raise OntologyFault(f"{source} is not YAML in UTF-8: {str(exc).splitlines()[0]}.") from exc


def _read_entry(node: yaml.Node, source: str) -> Stated:
    if not isinstance(node, yaml.MappingNode):
        raise _fault(source, node, "an entity must be a mapping with `name`")
    fields = _fields(node, _KEYS, source)
    if "name" not in fields:
        raise _fault(source, node, "an entity has no `name`")
    name = _text(fields["name"], "name", source)
    synonyms = fields.get("synonyms")
    if synonyms is not None and not isinstance(synonyms, yaml.SequenceNode):
        raise _fault(source, synonyms, "`synonyms` must be a list")
    if synonyms is not None and len(synonyms.value) > MAX_NAMES:
        raise _fault(source, synonyms, f"an entity has more than {MAX_NAMES:,} synonyms")
    kind = _text(fields["kind"], "kind", source).strip().casefold() if "kind" in fields else DEFAULT_KIND
    return Stated(
        name=name,
        kind=kind,
        synonyms=tuple(_text(one, "a synonym", source) for one in synonyms.value) if synonyms is not None else (),
        entry_id=_text(fields["id"], "id", source) if "id" in fields else entity_id(name) if name.strip() else "",
        place=f"line {node.start_mark.line + 1}",
    )


def _fields(node: yaml.MappingNode, known: frozenset[str], source: str) -> dict[str, yaml.Node]:
    fields: dict[str, yaml.Node] = {}
    for key, value in node.value:
        name = key.value if isinstance(key, yaml.ScalarNode) else "…"
        if name not in known:
            raise _fault(source, key, f"the key {name[:60]!r} is unknown: use {', '.join(sorted(known))}")
        if name in fields:
            raise _fault(source, key, f"the key {name!r} is there twice")
        fields[name] = value
    return fields


def _text(node: yaml.Node, what: str, source: str) -> str:
    if not isinstance(node, yaml.ScalarNode):
        raise _fault(source, node, f"{what} must be a text")
    if node.tag != _TEXT:
        raise _fault(source, node, f"{what} {node.value[:60]!r} is read as no text: put it into quotes")
    return str(node.value)


def _fault(source: str, place: yaml.Node | yaml.Event, message: str) -> OntologyFault:
    return OntologyFault(f"{source}, line {place.start_mark.line + 1}: {message}.")

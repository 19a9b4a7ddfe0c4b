"""Ontologies in RDF: Turtle and RDF/XML, with the words of RDFS, OWL and SKOS.

What has an rdfs:label or skos:prefLabel is an entry, but for properties, schemes and classes that have instances.
Further labels, skos:altLabel and skos:hiddenLabel are its synonyms; owl:sameAs joins entries. The kind is that of a
`urn:cogniverse:kind "person"` on the entry or on a class of it, or follows from a class's label or name (Person, City),
superclasses after classes. Nothing is fetched: owl:imports are not followed.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from extraction.ontology.entries import OntologyFault, Stated
from graph.errors import NotAvailable
from graph.identity import entity_id
from graph.vocabulary import DEFAULT_KIND, ENTITY_KINDS

if TYPE_CHECKING:
    from rdflib import Graph
    from rdflib.term import Node

_OWL: Final = "http://www.w3.org/2002/07/owl#"
_RDF: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_RDFS: Final = "http://www.w3.org/2000/01/rdf-schema#"
_SKOS: Final = "http://www.w3.org/2004/02/skos/core#"
KIND_PROPERTY: Final = "urn:cogniverse:kind"

_NAMES: Final = (f"{_SKOS}prefLabel", f"{_RDFS}label")
_SYNONYMS: Final = (f"{_SKOS}altLabel", f"{_SKOS}hiddenLabel")
_CLASSES: Final = frozenset({f"{_OWL}Class", f"{_RDFS}Class"})
_NO_ENTRIES: Final = frozenset(
    {
        *(f"{_OWL}{name}Property" for name in ("Object", "Datatype", "Annotation", "Functional", "Transitive")),
        *(f"{_OWL}Ontology", f"{_RDF}Property", f"{_SKOS}ConceptScheme", f"{_SKOS}Collection", f"{_RDFS}Datatype"),
    }
)
_XML_STARTS: Final = ("<?xml", "<!DOCTYPE", "<rdf:RDF", "<!--")
_DECLARATION: Final = re.compile(r"<\?xml[^>]*\?>")
_ENTITY: Final = re.compile(r"""<!ENTITY\s+([\w.-]+)\s+(["'])(.*?)\2\s*>""", re.DOTALL)
_MAX_GROWTH: Final = 64 << 20
_NO_KINDS: Final = frozenset({f"{_OWL}NamedIndividual", f"{_OWL}Thing", f"{_RDFS}Resource", *_CLASSES})
_KINDS: Final[Mapping[str, str]] = {
    **{kind: kind for kind in ENTITY_KINDS},
    **dict.fromkeys(("human", "people"), "person"),
    **dict.fromkeys(("organisation", "company", "corporation", "university", "institution", "agency"), "organization"),
    **dict.fromkeys(("place", "city", "country", "region", "settlement"), "location"),
    **dict.fromkeys(("chemical", "chemicalsubstance", "drug", "molecule", "compound"), "substance"),
    **dict.fromkeys(("programminglanguage",), "language"),
    **dict.fromkeys(("software", "softwareapplication"), "technology"),
    **dict.fromkeys(("prize",), "award"),
    **dict.fromkeys(("topic", "term"), "concept"),
}
"""Kinds by the names of classes, in small letters without blanks."""


def read_rdf(data: bytes, source: str, kinds: Mapping[str, str]) -> Iterator[Stated]:
    """The entries of an RDF file, by their IRIs. `kinds` maps names or IRIs of classes to kinds, before our own.

    Raises OntologyFault, and NotAvailable without rdflib.
    """
    if find_spec("rdflib") is None:
        raise NotAvailable(f'{source} needs rdflib: pip install "cogniverse-graph[ontology]".')
    graph = _parse(data, source)
    return _Reader(graph, source, {_flat(name): kind for name, kind in kinds.items()}).read()


def _parse(data: bytes, source: str) -> "Graph":
    from xml.sax import SAXException

    from rdflib import Graph
    from rdflib.exceptions import Error

    text = _decode(data, source)
    is_xml = text.startswith(_XML_STARTS)
    if is_xml:
        text = _DECLARATION.sub("", text)  # it is text by now, whatever encoding that speaks of
        _check_dtd(text, source)
    try:
        return Graph().parse(data=text, format="xml" if is_xml else "turtle", publicID="urn:ontology:")
    except RecursionError as exc:
        raise OntologyFault(f"{source}: its parts lie too deep in each other.") from exc
    except (
        SAXException,
        Error,
        SyntaxError,
        ValueError,
        AssertionError,
        LookupError,
        TypeError,
        AttributeError,
    ) as exc:
        # The parsers raise what their insides do on many broken files.
        form = "RDF/XML" if is_xml else "Turtle"
        raise OntologyFault(f"{source} is not {form}{_line(exc)}: {_shorten(exc)}") from exc


def _decode(data: bytes, source: str) -> str:
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return data.decode(encoding).lstrip()
    except UnicodeDecodeError as exc:
        raise OntologyFault(f"{source} is not in UTF-8: byte {exc.start:,} is none of it. Convert the file.") from exc


def _check_dtd(text: str, source: str) -> None:
    """Take abbreviations of IRIs, as OWL editors write them; refuse what grows or is fetched."""
    if "<!DOCTYPE" not in text:
        return
    declared = _ENTITY.findall(text)
    if len(declared) != text.count("<!ENTITY") or any("&" in value or "%" in value for _, _, value in declared):
        raise OntologyFault(f"{source}: its DTD has entities of entities or of other files: write them out.")
    grown = sum(len(value) * text.count(f"&{name};") for name, _, value in declared)
    if grown > _MAX_GROWTH:
        raise OntologyFault(f"{source}: the entities of its DTD stand for {grown:,} characters: write them out.")


class _Reader:
    def __init__(self, graph: "Graph", source: str, kinds: Mapping[str, str]) -> None:
        self._graph, self._source, self._kinds = graph, source, kinds
        self._types = self._links(f"{_RDF}type")
        self._instances = {one for types in self._types.values() for one in types}
        self._parents = self._links(f"{_RDFS}subClassOf")

    def read(self) -> Iterator[Stated]:
        labelled = {node for predicate in _NAMES for node in self._links(predicate)}
        entries = sorted(node for node in labelled if self._is_entry(node))
        for group in _groups(entries, self._links(f"{_OWL}sameAs")):
            yield self._state(group)

    def _state(self, group: list[str]) -> Stated:
        labels = [label for node in group for predicate in _NAMES for label in self._texts(node, predicate)]
        others = {text for node in group for predicate in _SYNONYMS for _, text in self._texts(node, predicate)}
        name = labels[0][1]
        iri = next((node for node in group if not node.startswith("_:")), entity_id(name) if name.strip() else "")
        synonyms = tuple(sorted(({text for _, text in labels} | others) - {name}))
        return Stated(name=name, kind=self._kind(group), synonyms=synonyms, entry_id=iri, place=iri or "a blank node")

    def _is_entry(self, node: str) -> bool:
        types = self._types.get(node, set())
        deprecated = any(text == "true" for _, text in self._texts(node, f"{_OWL}deprecated"))
        return not deprecated and not types & _NO_ENTRIES and not (types & _CLASSES and node in self._instances)

    def _kind(self, group: list[str]) -> str:
        level = set(group)
        seen: set[str] = set()
        while level:
            found = {kind for node in level if (kind := self._kind_of(node, own=node in group))}
            telling = found - {"concept", DEFAULT_KIND} or found
            if len(telling) > 1:
                raise OntologyFault(
                    f"{self._source}, {group[0]}: its classes make it {' and '.join(sorted(telling))}: say which with "
                    f'<{KIND_PROPERTY}> "…" on it.'
                )
            if telling:
                return telling.pop()
            seen |= level
            level = {up for node in level for up in self._types.get(node, set()) | self._parents.get(node, set())}
            level -= seen | _NO_KINDS
        return DEFAULT_KIND

    def _kind_of(self, node: str, *, own: bool) -> str | None:
        for _, text in self._texts(node, KIND_PROPERTY):
            return text.strip().casefold()
        if own:
            return None
        spellings = [node, re.split(r"[#/:]", node)[-1]]
        spellings += [text for predicate in _NAMES for _, text in self._texts(node, predicate)]
        flat = [_flat(spelling) for spelling in spellings]
        return next((table[one] for table in (self._kinds, _KINDS) for one in flat if one in table), None)

    def _links(self, predicate: str) -> dict[str, set[str]]:
        from rdflib import URIRef

        links: dict[str, set[str]] = {}
        for subject, value in self._graph.subject_objects(URIRef(predicate)):
            links.setdefault(_name(subject), set()).add(_name(value))
        return links

    def _texts(self, node: str, predicate: str) -> list[tuple[str, str]]:
        """Literals with their languages: English first, then those without a language, then by language and text."""
        from rdflib import BNode, Literal, URIRef

        subject = BNode(node[2:]) if node.startswith("_:") else URIRef(node)
        found = [one for one in self._graph.objects(subject, URIRef(predicate)) if isinstance(one, Literal)]
        pairs = {(str(one.language or ""), str(one)) for one in found}
        return sorted(pairs, key=lambda pair: (pair[0].partition("-")[0] != "en", pair[0] != "", pair))


def _groups(entries: list[str], same: Mapping[str, set[str]]) -> Iterator[list[str]]:
    """Entries that are said to be the same, together, each group sorted."""
    both: dict[str, set[str]] = {}
    for one, others in same.items():
        for other in others:
            both.setdefault(one, set()).add(other)
            both.setdefault(other, set()).add(one)
    known, done = set(entries), set[str]()
    for entry in entries:
        group, coming = set[str](), [entry] if entry not in done else []
        while coming:
            node = coming.pop()
            if node not in done:
                done.add(node)
                group.add(node)
                coming += both.get(node, set())
        if group:
            yield sorted(group & known)


def _name(node: "Node") -> str:
    from rdflib import BNode

    return f"_:{node}" if isinstance(node, BNode) else str(node)


def _flat(name: str) -> str:
    return name.casefold() if ":" in name else re.sub(r"[\s_-]", "", name).casefold()


def _line(exc: BaseException) -> str:
    get = getattr(exc, "getLineNumber", None)
    line = get() if callable(get) else getattr(exc, "lines", None)
    return f", line {line + (0 if callable(get) else 1)}" if isinstance(line, int) else ""


def _shorten(exc: BaseException) -> str:
    said: Iterable[str] = str(getattr(exc, "_why", "") or exc).split()
    return " ".join(said)[:300] or type(exc).__name__

"""Ontologies: what they say, what they may not, and that nothing of a file does harm."""

import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from extraction.ontology import Ontology, OntologyFault, find_ontology, load_ontology
from extraction.ontology.loading import MAX_BYTES
from graph.errors import TooLarge

CURIE = """\
entities:
  - name: Marie Curie
    kind: person
    synonyms: [Maria Skłodowska, "Madame Curie"]
    id: Q7186
  - {name: Radium}
"""
PREFIXES = """\
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix ex: <http://example.org/> .
"""
XML = """\
<?xml version="1.0" encoding="{encoding}"?>
<!DOCTYPE rdf:RDF [<!ENTITY ex "http://example.org/">]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#"
  xmlns:ex="http://example.org/"><ex:Person rdf:about="&ex;ada"><rdfs:label>Ada Łucja</rdfs:label></ex:Person></rdf:RDF>
"""


def load(tmp_path: Path, name: str, text: str | bytes, **options) -> Ontology:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_ontology(path, **options)


def turtle(tmp_path: Path, text: str, **options) -> Ontology:
    return load(tmp_path, "o.ttl", PREFIXES + text, **options)


def test_yaml_says_names_kinds_synonyms_and_ids(tmp_path: Path) -> None:
    ontology = load(tmp_path, "o.yaml", CURIE)

    curie = ontology.find("MARIA  skłodowska", "person")
    assert curie is not None
    assert (curie.name, curie.kind, curie.entry_id) == ("Marie Curie", "person", "Q7186")
    assert curie.aliases == ("Madame Curie", "Maria Skłodowska")
    radium = ontology.find("radium", "substance")
    assert radium is not None
    assert (radium.kind, radium.entry_id) == ("entity", "radium")


def test_a_kind_must_fit(tmp_path: Path) -> None:
    ontology = load(tmp_path, "o.yaml", CURIE)

    assert ontology.find("Marie Curie", "organization") is None
    assert ontology.find("Marie Curie", "entity") is not None
    assert ontology.find("nobody", "person") is None
    assert ontology.find(" ", "person") is None


def test_one_synonym_of_two_kinds_is_told_apart_by_kind(tmp_path: Path) -> None:
    island = "{name: Java island, kind: location, synonyms: [Java]}"
    language = "{name: Java SE, kind: language, synonyms: [Java]}"
    text = f"entities: [{island}, {language}]"
    ontology = load(tmp_path, "o.yaml", text)

    assert [
        entry and entry.name for entry in (ontology.find("java", kind) for kind in ("location", "language", "entity"))
    ] == [
        "Java island",
        "Java SE",
        None,
    ]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "entities: [{name: A, synonyms: [x]}, {name: B, synonyms: [X]}]",
            ("'A'", "'B'", "line 1", "take it from one"),
        ),
        ("entities:\n- {name: A}\n- {name: a}", ("'a' (line 3)", "'A' (line 2)", "make them one entry")),
        ("entities:\n- {name: A, kind: persn}", ("line 2", "'persn' is no kind")),
        ("entities:\n- {name: NO}", ("line 2", "put it into quotes")),
        ("entities:\n- {name: 1984}", ("line 2", "put it into quotes")),
        ("entities:\n- {kind: person}", ("line 2", "no `name`")),
        ("entities:\n- {name: ' '}", ("line 2", "blank")),
        ("entities:\n- {name: A, colour: red}", ("line 2", "'colour' is unknown")),
        ("entities:\n- {name: A, name: B}", ("line 2", "twice")),
        ("entities:\n- {name: A, synonyms: B}", ("line 2", "must be a list")),
        ("entities:\n- A", ("line 2", "mapping")),
        ("entities: 5", ("line 1", "list")),
        ("- A", ("line 1", "mapping")),
        ("entities: [", ("line", "not YAML")),
        ("entities: [{name: !!python/object/apply:os.system [ls]}]", ("must be a text",)),
        (b"entities: [{name: \xff}]", ("UTF-8",)),
        ("[" * 100_000, ("line 1",)),
    ],
)
def test_faults_name_the_file_and_the_place(tmp_path: Path, text: str | bytes, parts: tuple[str, ...]) -> None:
    with pytest.raises(OntologyFault) as caught:
        load(tmp_path, "mine.yaml", text)

    assert all(part in str(caught.value) for part in ("mine.yaml", *parts)), caught.value


def test_anchors_are_only_as_large_as_what_they_stand_for(tmp_path: Path) -> None:
    lists = "\n".join(f"  synonyms: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 5))
    began = time.monotonic()

    with pytest.raises(OntologyFault):
        load(tmp_path, "o.yaml", f"entities:\n- name: A\n  synonyms: &a0 [x]\n{lists}")

    assert time.monotonic() - began < 5


def test_turtle_gives_labels_synonyms_and_kinds_by_class(tmp_path: Path) -> None:
    ontology = turtle(
        tmp_path,
        """
        ex: a owl:Ontology ; rdfs:label "Ours" .
        ex:City a owl:Class ; rdfs:label "City" .
        ex:Capital a owl:Class ; rdfs:subClassOf ex:City ; rdfs:label "Capital" .
        ex:w a ex:Capital ; rdfs:label "Warsaw"@en, "Warszawa"@pl ; skos:altLabel "Varsovie"@fr .
        ex:w2 owl:sameAs ex:w ; rdfs:label "Warschau"@de .
        ex:lab a ex:Laboratory ; skos:prefLabel "Radium Institute" ; skos:hiddenLabel "Radum Institute" .
        ex:Laboratory a owl:Class ; <urn:cogniverse:kind> "organization" .
        ex:loves a owl:ObjectProperty ; rdfs:label "loves" .
        ex:old rdfs:label "Old" ; owl:deprecated true .
        """,
    )

    assert {(entry.name, entry.kind, entry.aliases, entry.entry_id) for entry in ontology.entries} == {
        ("Warsaw", "location", ("Varsovie", "Warschau", "Warszawa"), "http://example.org/w"),
        ("Radium Institute", "organization", ("Radum Institute",), "http://example.org/lab"),
        ("City", "entity", (), "http://example.org/City"),
    }


def test_classes_can_be_mapped_to_kinds(tmp_path: Path) -> None:
    ontology = turtle(tmp_path, 'ex:a a ex:Gizmo ; rdfs:label "Thing A" .', kinds={"gizmo": "product"})

    assert [entry.kind for entry in ontology.entries] == ["product"]


def test_classes_of_two_kinds_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OntologyFault, match=r"http://example.org/a: its classes make it organization and person"):
        turtle(tmp_path, 'ex:a a ex:Person, ex:Company ; rdfs:label "A" .')


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16"])
def test_rdf_xml_is_read_whatever_its_suffix(tmp_path: Path, encoding: str) -> None:
    ontology = load(tmp_path, "o.owl", XML.format(encoding=encoding).encode(encoding))

    assert [(entry.name, entry.kind, entry.entry_id) for entry in ontology.entries] == [
        ("Ada Łucja", "person", "http://example.org/ada")
    ]


def test_equal_ontologies_have_equal_fingerprints(tmp_path: Path) -> None:
    one = load(tmp_path, "a.yaml", "entities: [{name: A, synonyms: [x, y]}, {name: B}]")
    other = load(tmp_path, "b.yml", "entities:\n- name: B\n- name: A\n  synonyms: [y, x]\n")
    third = load(tmp_path, "c.yml", "entities:\n- name: B\n- name: A\n  synonyms: [y]\n")

    assert one.fingerprint == other.fingerprint != third.fingerprint


@pytest.mark.parametrize(
    ("name", "text", "part"),
    [
        ("o.ttl", "<http://a> <http://b> .", "not Turtle"),
        ("o.ttl", "@prefix e: <http://e/> . e:a e:b " + "[" * 20_000, "Turtle|too deep"),
        ("o.rdf", "<?xml version='1.0'?><rdf:RDF", "not RDF/XML"),
        (
            "o.rdf",
            '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><r>&b;</r>',
            "entities of entities",
        ),
        (
            "o.rdf",
            '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]><r>&a;</r>',
            "other files",
        ),
        (
            "o.rdf",
            '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "' + "a" * 10_000 + '">]><r>' + "&a;" * 10_000 + "</r>",
            "write them out",
        ),
        ("o.ttl", b"\xff\x00", "UTF-8"),
        ("o.txt", "x", "must end in"),
    ],
)
def test_broken_and_hostile_files_are_refused(tmp_path: Path, name: str, text: str | bytes, part: str) -> None:
    with pytest.raises(OntologyFault, match=part) as caught:
        load(tmp_path, name, text)

    assert name in str(caught.value)


def test_nothing_is_fetched(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.3)
        address = f"http://127.0.0.1:{server.getsockname()[1]}/more.ttl"
        ontology = turtle(tmp_path, f'<{address}> a owl:Ontology ; owl:imports <{address}> . ex:a rdfs:label "A" .')

        with pytest.raises(TimeoutError):
            server.accept()
    assert [entry.name for entry in ontology.entries] == ["A"]


def test_a_file_over_the_limit_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "o.yaml"
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)

    with pytest.raises(TooLarge, match="32 MB"):
        load_ontology(path)


def test_without_rdflib_the_message_names_the_extra(tmp_path: Path) -> None:
    path = tmp_path / "o.ttl"
    path.write_text(PREFIXES)
    program = (
        "import sys; sys.modules['rdflib'] = None\n"
        "from pathlib import Path\nfrom extraction.ontology import load_ontology\n"
        "from graph.errors import NotAvailable\n"
        "try:\n    load_ontology(Path(sys.argv[1]))\nexcept NotAvailable as exc:\n    print(exc)"
    )

    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True)

    assert 'pip install "cogniverse-graph[ontology]"' in done.stdout


def test_a_tenant_has_the_file_of_its_name_in_a_folder(tmp_path: Path) -> None:
    load(tmp_path, "acme__shop.yaml", CURIE)

    found = find_ontology(tmp_path, "acme:shop")

    assert found is not None
    assert found.find("Marie Curie", "person") is not None
    assert find_ontology(tmp_path, "acme") is None
    assert find_ontology(None, "acme:shop") is None
    assert find_ontology(tmp_path / "acme__shop.yaml", "anybody") is not None


def test_a_folder_with_two_files_for_a_tenant_and_a_missing_place_are_refused(tmp_path: Path) -> None:
    load(tmp_path, "a.yaml", CURIE)
    (tmp_path / "a.ttl").write_text(PREFIXES)

    with pytest.raises(OntologyFault, match=r"a\.ttl and a\.yaml"):
        find_ontology(tmp_path, "a")
    with pytest.raises(OntologyFault, match="COGNIVERSE_ONTOLOGY"):
        find_ontology(tmp_path / "none", "a")


def test_a_file_that_changed_is_read_again(tmp_path: Path) -> None:
    load(tmp_path, "a.yaml", CURIE)
    first = find_ontology(tmp_path, "a")
    assert find_ontology(tmp_path, "a") is first

    load(tmp_path, "a.yaml", "entities: [{name: Polonium}]")

    again = find_ontology(tmp_path, "a")
    assert again is not None
    assert [entry.name for entry in again.entries] == ["Polonium"]

"""From a setting to the ontology of a tenant."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from extraction.ontology.entries import Ontology, OntologyFault, make_ontology
from extraction.ontology.rdf_file import read_rdf
from extraction.ontology.yaml_file import read_yaml
from graph.errors import TooLarge

MAX_BYTES: Final = 32 << 20
_YAML: Final = (".yaml", ".yml")
_RDF: Final = (".ttl", ".rdf", ".owl")
SUFFIXES: Final = (*_YAML, *_RDF)


def load_ontology(path: Path, *, kinds: Mapping[str, str] | None = None) -> Ontology:
    """Read an ontology: YAML (`.yaml`, `.yml`), or RDF as Turtle or XML (`.ttl`, `.rdf`, `.owl`).

    `kinds` maps names or IRIs of RDF classes to kinds. The formats are described in `yaml_file` and `rdf_file`. Raises
    OntologyFault for a file that can't be read or contradicts itself, TooLarge, and NotAvailable without rdflib.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise OntologyFault(f"{path} can't be an ontology: its name must end in one of {', '.join(SUFFIXES)}.")
    data = _read(path)
    source = f"The ontology {path}"
    stated = read_yaml(data, source) if suffix in _YAML else read_rdf(data, source, kinds or {})
    return make_ontology(stated, source)


def find_ontology(place: Path | None, tenant: str) -> Ontology | None:
    """The ontology of a tenant: the file, or that of the folder which bears its name, `org__name.yaml` for `org:name`.

    None without a place and for a tenant without a file. A file is read again only after it has changed.
    """
    if place is None:
        return None
    if not place.exists():
        raise OntologyFault(f"The ontology {place} is not there: correct COGNIVERSE_ONTOLOGY, or unset it.")
    path = place if place.is_file() else _find_file(place, tenant.replace(":", "__"))
    if path is None:
        return None
    state = path.stat()
    return _load_once(path, state.st_mtime_ns, state.st_size, state.st_ino)


def _find_file(folder: Path, name: str) -> Path | None:
    try:
        found = sorted(path for path in folder.iterdir() if path.stem == name and path.suffix.lower() in SUFFIXES)
    except OSError as exc:
        raise OntologyFault(f"The folder of ontologies {folder} can't be read: {exc.strerror}.") from exc
    if len(found) > 1:
        names = " and ".join(path.name for path in found)
        raise OntologyFault(f"The folder {folder} has two ontologies for one tenant, {names}: leave one of them.")
    return found[0] if found else None


@lru_cache(maxsize=8)
def _load_once(path: Path, _modified_ns: int, _size: int, _file: int) -> Ontology:
    return load_ontology(path)


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as exc:
        raise OntologyFault(f"The ontology {path} can't be read: {exc.strerror}.") from exc
    if len(data) > MAX_BYTES:
        raise TooLarge(
            f"The ontology {path} has more than {MAX_BYTES >> 20} MB: leave out what documents don't speak of."
        )
    return data

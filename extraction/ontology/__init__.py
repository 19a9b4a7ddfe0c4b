"""A tenant's own names: canonical ones, their synonyms and kinds, from a file."""

from extraction.ontology.entries import Ontology, OntologyEntry, OntologyFault
from extraction.ontology.loading import find_ontology, load_ontology

__all__ = ["Ontology", "OntologyEntry", "OntologyFault", "find_ontology", "load_ontology"]

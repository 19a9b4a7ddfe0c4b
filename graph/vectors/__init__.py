"""Vectors of nodes and segments: what they were made by, how they come in, how they are searched."""

from graph.vectors.query import QueryVector as QueryVector
from graph.vectors.state import VectorModel as VectorModel
from graph.vectors.state import VectorsMismatch as VectorsMismatch
from graph.vectors.state import VectorState as VectorState
from graph.vectors.state import ensure_vectors as ensure_vectors
from graph.vectors.state import find_vectors as find_vectors
from graph.vectors.state import reset_vectors as reset_vectors
from graph.vectors.writing import VectorsRefused as VectorsRefused
from graph.vectors.writing import embed_missing as embed_missing

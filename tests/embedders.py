"""A model of sentence vectors for tests that need no meaning: words hashed to numbers, the same every time."""

import hashlib
import math
import re
from collections.abc import Sequence


class HashingEmbedder:
    """Texts that share words are near each other. Counts the texts that it was given."""

    def __init__(self, dimension: int = 64, model: str = "hashing") -> None:
        self.model = model
        self.dimension = dimension
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.texts += texts
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> list[float]:
        vector = [0.0] * self.dimension
        for word in re.findall(r"\w+", text.casefold()) or [text]:
            digest = hashlib.sha256(word.encode()).digest()
            vector[int.from_bytes(digest[:4], "big") % self.dimension] += 1.0 if digest[4] % 2 else -1.0
            vector[int.from_bytes(digest[5:9], "big") % self.dimension] += 0.5
        length = math.hypot(*vector)
        return [value / length for value in vector] if length else [1.0, *vector[1:]]

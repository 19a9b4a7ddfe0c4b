"""Something dear that is made when it is first needed, and once."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

_Made = TypeVar("_Made")


class Once(Generic[_Made]):
    """A value that the first who asks makes while others wait. What failed is tried again by the next."""

    def __init__(self, make: Callable[[], _Made]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._made: list[_Made] = []

    def get(self) -> _Made:
        """The value. Raises what its making raises."""
        with self._lock:
            if not self._made:
                self._made.append(self._make())
            return self._made[0]

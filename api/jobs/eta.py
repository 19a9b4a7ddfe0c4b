"""How long a job will take, by its speed so far."""

import time
from collections.abc import Callable

from extraction.report import IndexProgress, Stage


class Estimate:
    """Seconds to the end of an index run.

    Before writing has begun it is taken to be as fast as reading is. `clock` gives seconds that only ever grow.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._stage: Stage | None = None
        self._began = 0.0
        self._first = 0
        self._left_s: float | None = None
        self._at = 0.0

    def update(self, progress: IndexProgress) -> None:
        """Take note of how far the run is."""
        now = self._clock()
        if progress.stage is not self._stage:
            self._stage, self._began, self._first = progress.stage, now, progress.done
        done = progress.done - self._first
        if progress.stage is Stage.SCAN or done <= 0 or now <= self._began:
            return
        a_file = (now - self._began) / done
        left = progress.total - progress.done
        if progress.stage is Stage.EXTRACT:
            left += progress.total - self._first
        self._left_s, self._at = left * a_file, now

    def find_left_s(self) -> float | None:
        """The seconds that are left, None while nothing is known, or when it takes longer than was thought."""
        if self._left_s is None:
            return None
        left_s = self._left_s - (self._clock() - self._at)
        return left_s if left_s > 0 else None

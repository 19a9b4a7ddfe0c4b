"""Calls that may go through when they are made again: bounded tries, with longer and longer pauses."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Final

from extraction.claims.base import ClaimsFailed

TRIES: Final = 4
_LONGEST_PAUSE_S: Final = 60.0


class PassingTrouble(ClaimsFailed):
    """A call that failed for a reason that may pass; the server may have said when."""

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


async def call_with_retries(call: Callable[[], Awaitable[str]], *, pause_s: float) -> str:
    """Call up to four times.

    Pauses double from `pause_s` on and are spread at random, so that many callers don't come back as one; a server
    that names a time is obeyed up to a minute. Raises ClaimsFailed, at once for what won't pass.
    """
    for number in range(1, TRIES + 1):
        try:
            return await call()
        except PassingTrouble as exc:
            pause = _pause(exc, number, pause_s)
            if number == TRIES or pause > _LONGEST_PAUSE_S:
                raise ClaimsFailed(_final(exc, number)) from exc.__cause__
            await asyncio.sleep(pause)
    raise AssertionError  # the last try returns or raises


def _pause(trouble: PassingTrouble, number: int, pause_s: float) -> float:
    own = min(pause_s * 2 ** (number - 1), _LONGEST_PAUSE_S) * random.uniform(0.5, 1.0)  # noqa: S311 - no secret
    return max(own, trouble.retry_after_s or 0.0)


def _final(trouble: PassingTrouble, tries: int) -> str:
    if trouble.retry_after_s is not None and trouble.retry_after_s > _LONGEST_PAUSE_S:
        return f"{trouble} It asks for {trouble.retry_after_s:.0f} s of patience: try again then."
    return f"{trouble} Gave up after {tries} tries: try again later, what was answered so far is kept."

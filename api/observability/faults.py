"""Faults of our own: the log has them whole, callers an id."""

import logging
import uuid
from dataclasses import dataclass
from typing import Final

_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Fault:
    """What a caller may know of a fault."""

    fault_id: str

    @property
    def message(self) -> str:
        """Say that it is not the caller's."""
        return f"Something went wrong on our side. The log has it as {self.fault_id}."


def log_fault(exc: BaseException, where: object, **fields: str) -> Fault:
    """Log an exception that nobody expected, with traceback and more `fields`; return what may be said of it."""
    fault = Fault(uuid.uuid4().hex)
    _log.error("fault %s at %s", fault.fault_id, where, exc_info=exc, extra={"fault_id": fault.fault_id, **fields})
    return fault

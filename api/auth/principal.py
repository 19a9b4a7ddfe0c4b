"""What a caller may do: a role, and the tenants that it holds for."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from graph.errors import Forbidden, InvalidInput
from graph.tenants import TenantId, parse_tenant

EVERYTHING: Final = "*"


class Role(StrEnum):
    """What may be done; each covers those before it."""

    READER = "reader"
    WRITER = "writer"
    ADMIN = "admin"

    def covers(self, needed: "Role") -> bool:
        """Tell whether this role may do what `needed` may."""
        order = tuple(Role)
        return order.index(self) >= order.index(needed)


@dataclass(frozen=True, slots=True)
class Principal:
    """A caller that is known. `tenants` holds `name`, `org:name`, `org:*` for an organisation's, `*` for all."""

    subject: str
    role: Role
    tenants: tuple[str, ...]

    def may_see(self, tenant: TenantId) -> bool:
        """Tell whether a tenant is one of the caller's."""
        wanted = {EVERYTHING, str(tenant)}
        if tenant.org is not None:
            wanted.add(f"{tenant.org}:{EVERYTHING}")
        return not wanted.isdisjoint(self.tenants)

    def require(self, role: Role) -> None:
        """Raise Forbidden unless the caller's role covers `role`."""
        if not self.role.covers(role):
            raise Forbidden(f"This needs the role {role}, and yours is {self.role}: use a key or token that has it.")


def parse_tenants(texts: Iterable[str]) -> tuple[str, ...]:
    """Check tenants as a principal holds them; return them sorted, each once. Raises InvalidInput."""
    found: set[str] = set()
    for text in texts:
        if text != EVERYTHING:
            parse_tenant(f"{text[:-1]}any" if text.endswith(f":{EVERYTHING}") else text)
        found.add(text)
    return tuple(sorted(found))


def parse_role(text: str) -> Role:
    """Return the role of that name. Raises InvalidInput."""
    try:
        return Role(text)
    except ValueError as exc:
        raise InvalidInput(f"{text[:80]!r} is no role: take one of {', '.join(Role)}.") from exc

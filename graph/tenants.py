"""Tenants: who owns a graph, and the one name on disk and on a server that each of them has."""

import base64
import hashlib
import re
from dataclasses import dataclass
from typing import Final

from graph.errors import InvalidInput

_PART = re.compile(r"[A-Za-z0-9._-]{1,63}")
_RULE = "1 to 63 of the letters a to z and A to Z, digits, '-', '_' and '.'"
_PREFIX: Final = "cg-"
_MAX_SLUG: Final = 30
_HASH_LETTERS: Final = 26
"""130 bits, at five a letter."""


@dataclass(frozen=True, slots=True)
class TenantId:
    """A tenant, `name` or `org:name`. Upper and lower case are different tenants.

    An instance is always valid: the constructor raises InvalidInput.
    """

    name: str
    org: str | None = None

    def __post_init__(self) -> None:
        for role, part in (("name", self.name), ("organisation", self.org)):
            if part is not None and not _PART.fullmatch(part):
                raise InvalidInput(f"{part[:80]!r} can't be a tenant's {role}: it takes {_RULE}.")

    def __str__(self) -> str:
        return self.name if self.org is None else f"{self.org}:{self.name}"


def parse_tenant(text: str) -> TenantId:
    """Return the tenant that `name` or `org:name` says. Raises InvalidInput for anything else; nothing is trimmed."""
    org, colon, name = text.rpartition(":")
    if ":" in org:
        raise InvalidInput(f"{text[:140]!r} can't be a tenant: write it as name or org:name, with one ':' at most.")
    return TenantId(name, org if colon else None)


def directory_name(tenant: TenantId) -> str:
    """Return the folder name of a tenant: injective, at most 162 characters, the same on every file system.

    Capitals are folded and remembered as a bit mask in hex, so that names that differ in case only also differ where
    the file system ignores case. A prefix and ',' for '.' keep clear of hidden, relative and reserved names.
    """
    text = str(tenant)
    capitals = sum(1 << place for place, letter in enumerate(text) if letter.isupper())
    mask = f"+{capitals:x}" if capitals else ""
    return "t-" + text.lower().replace(".", ",").replace(":", "=") + mask


def database_name(tenant: TenantId, generation: int = 0) -> str:
    """Return the name of a tenant's database on a server that holds many; each generation has another one.

    Of 29 to 60 lower-case letters, digits and single dashes, begins with a letter and ends with a letter or digit, so
    that every server from 5.26 on takes it, in a composite database too. Names differ when tenants or generations do,
    unless two sha256 sums begin with the same 130 bits. The readable part is for people alone.
    Source: https://neo4j.com/docs/operations-manual/current/database-administration/standard-databases/naming-databases
    """
    digest = hashlib.sha256(f"{generation}:{tenant}".encode()).digest()
    code = base64.b32encode(digest).decode("ascii").lower()[:_HASH_LETTERS]
    slug = re.sub(r"[^a-z0-9]+", "-", str(tenant).lower())[:_MAX_SLUG].strip("-")
    return f"{_PREFIX}{slug}-{code}" if slug else f"{_PREFIX}{code}"

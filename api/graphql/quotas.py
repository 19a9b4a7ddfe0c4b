"""Limits as a client gives them."""

from dataclasses import fields

from api.graphql.errors import InvalidField
from api.graphql.inputs import TenantQuotaInput
from graph.quotas import Quota


def make_quota(given: TenantQuotaInput) -> Quota:
    """Return the limits that are given. Raises InvalidField for one that is no whole number."""
    limits: dict[str, int | None] = {}
    for field in fields(Quota):
        limit: float | None = getattr(given, field.name)
        if limit is not None and not limit.is_integer():
            raise InvalidField(field.name, f"{field.name} is {limit}; it must be a whole number.")
        limits[field.name] = None if limit is None else int(limit)
    return Quota(**limits)

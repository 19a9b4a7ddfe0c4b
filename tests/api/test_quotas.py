"""What a tenant may hold, through GraphQL: set by an admin, seen by all of its users, told when it is met."""

import pytest

from graph.database import Database
from graph.quotas import Quota, get_quota
from tests.api.conftest import TENANT, Api

SET = """mutation($input: TenantQuotaInput!) { setTenantQuota(input: $input) {
  ... on Tenant { id quota { documents { limit used } nodes { limit used } bytes { limit used } jobs { limit used } } }
  ... on Problem { code field message } } }"""
INGEST = """mutation($input: IngestFileInput!) { ingestFile(input: $input) {
  ... on IngestReport { document { id } } ... on Problem { code message } } }"""
FOLDER = """mutation($input: IngestFolderInput!) { ingestFolder(input: $input) {
  ... on Job { id } ... on Problem { code message } } }"""


async def limit(api: Api, **limits: float) -> dict:
    return (await api.query(SET, input={"tenant": TENANT} | limits))["setTenantQuota"]


async def test_limits_are_set_together_and_shown_with_what_there_is(api: Api, graph: Database) -> None:
    await api.query(INGEST, input={"tenant": TENANT, "text": "def f(): pass\n", "name": "a.py"})
    await limit(api, documents=1, jobs=3)
    set_ = await limit(api, documents=7, bytes=9_000_000_000)

    assert set_["id"] == TENANT
    assert set_["quota"] == {
        "documents": {"limit": 7, "used": 1},
        "nodes": {"limit": None, "used": 2},
        "bytes": {"limit": 9_000_000_000, "used": 14},
        "jobs": {"limit": None, "used": 0},
    }
    assert await api.tenant("quota { documents { used } }") == {"quota": {"documents": {"used": 1}}}
    assert await get_quota(graph) == Quota(documents=7, bytes=9_000_000_000)


@pytest.mark.parametrize("wrong", [{"documents": 1.5}, {"nodes": -1}, {"bytes": 1e300}])
async def test_a_limit_that_is_no_number_of_things_is_refused(
    api: Api, graph: Database, wrong: dict[str, float]
) -> None:
    await limit(api, jobs=5)

    answer = await limit(api, **wrong)

    assert answer["code"] == "INVALID_INPUT"
    assert next(iter(wrong)) in answer["message"]
    assert await get_quota(graph) == Quota(jobs=5)


async def test_a_write_over_a_limit_is_a_problem_with_a_code(api: Api, graph: Database) -> None:
    await limit(api, documents=0, jobs=0)

    file = await api.query(INGEST, input={"tenant": TENANT, "text": "x = 1\n", "name": "a.py"})
    root = api.services.settings.allowed_roots[0] / "limited"
    root.mkdir(exist_ok=True)
    folder = await api.query(FOLDER, input={"tenant": TENANT, "path": str(root)})

    assert file["ingestFile"]["code"] == "LIMIT_EXCEEDED"
    assert "0 documents" in file["ingestFile"]["message"]
    assert folder["ingestFolder"]["code"] == "LIMIT_EXCEEDED"
    assert "jobs" in folder["ingestFolder"]["message"]

"""The worked queries of docs/graphql.md, run in their order."""

import json
import re
from pathlib import Path

from tests.api.conftest import TENANT, Api

TEXT = (Path(__file__).parents[2] / "docs/graphql.md").read_text("utf-8")
BLOCK = re.compile(r"```graphql\n(.*?)```\n(?:```json\n(.*?)```)?", re.DOTALL)


def worked() -> list[tuple[str, dict]]:
    return [
        (query.replace('"default"', f'"{TENANT}"'), json.loads(variables or "{}"))
        for query, variables in BLOCK.findall(TEXT)
    ]


async def test_every_worked_query_gives_what_the_page_promises(api: Api) -> None:
    answers = [await api.query(query, **variables) for query, variables in worked()]

    assert len(answers) == 10
    assert not any("code" in node for answer in answers for node in problems(answer))
    said, ingested, found, around, between, evidence, page, shape, merged, download = answers
    assert said["upsertGraph"]["edgesUpserted"] == 3
    assert ingested["ingestFile"]["document"]["status"] == "DONE"
    assert {hit["node"]["name"] for hit in found["tenant"]["search"]["hits"]} == {"Marie Curie", "Pierre Curie"}
    assert around["tenant"]["neighbors"]["center"]["name"] == "Marie Curie"
    assert between["tenant"]["path"]["length"] == 2
    (call,) = evidence["tenant"]["node"]["edges"]["nodes"]
    (mention,) = call["mentions"]["nodes"]
    assert call["target"]["id"] == "shop/cart.py::Cart.check"
    assert mention["segment"]["text"][mention["charStart"] : mention["charEnd"]] == mention["evidenceSpan"]
    assert page["tenant"]["nodes"]["pageInfo"]["hasNextPage"]
    assert shape["tenant"]["stats"]["edges"] > 3
    assert merged["mergeNodes"]["into"]["name"] == "Marie Curie"
    response = await api.client.get(download["tenant"]["export"]["url"])
    assert response.status_code == 200


def problems(value):
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from problems(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from problems(inner)

"""What a tenant may hold: refused at the write door, counted exactly, and nothing in the way of what has no limit."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from extraction.pipeline import IndexOptions, index_folder
from graph.assertions import EdgeAssertion, NodeAssertion, upsert_graph
from graph.database import Database
from graph.errors import InvalidInput, LimitExceeded
from graph.fingerprint import get_graph_hash
from graph.jobs import cancel_job, create_job, make_job_id
from graph.merges import merge_nodes, undo_merge
from graph.quotas import MAX_LIMIT, Quota, get_quota, get_usage, set_quota
from graph.retraction import delete_document
from graph.store import upsert_documents
from tests.builders import document
from tests.raw import Cypher


async def new_job(database: Database, lane: str = "lane") -> str:
    return (await create_job(database, job_id=make_job_id(), kind="folder", lane=lane, params="{}")).job_id


async def real_bytes(cypher: Cypher) -> int:
    return sum(len(row["text"].encode()) for row in await cypher("MATCH (s:Segment) RETURN s.text AS text"))


async def test_there_is_no_limit_at_first(database: Database) -> None:
    assert await get_quota(database) == Quota()

    await upsert_documents(database, [document("a.txt", ("Ä", "won", "B"))])

    usage = await get_usage(database)
    assert (usage.documents, usage.nodes, usage.bytes, usage.jobs) == (1, 2, len("Ä won B.\n".encode()), 0)


async def test_limits_are_kept_whole_and_taken_back(database: Database) -> None:
    for quota in (Quota(1, 2, 3, 4), Quota(documents=0), Quota(bytes=MAX_LIMIT), Quota()):
        await set_quota(database, quota)

        assert await get_quota(database) == quota


@pytest.mark.parametrize("quota", [Quota(documents=-1), Quota(jobs=-5), Quota(bytes=MAX_LIMIT + 1)])
async def test_a_limit_must_be_a_number_that_can_be_kept(database: Database, quota: Quota) -> None:
    await set_quota(database, Quota(nodes=7))

    with pytest.raises(InvalidInput, match="must be 0 to"):
        await set_quota(database, quota)
    assert await get_quota(database) == Quota(nodes=7)


@pytest.mark.parametrize(
    ("quota", "said"),
    [
        (Quota(documents=2), "2 documents and would hold 3"),
        (Quota(nodes=4), "4 nodes and would hold 5"),
        (Quota(bytes=27), "27 bytes of text and would hold 36"),
    ],
)
async def test_a_write_over_a_limit_is_refused_whole(database: Database, quota: Quota, said: str) -> None:
    await set_quota(database, quota)
    await upsert_documents(database, [document("a.txt", ("A", "won", "B"))])
    before = await get_graph_hash(database), await get_usage(database)

    with pytest.raises(LimitExceeded, match=said):
        await upsert_documents(
            database, [document("b.txt", ("A", "won", "C"), ("A", "won", "D")), document("c.txt", ("A", "won", "E"))]
        )

    assert (await get_graph_hash(database), await get_usage(database)) == before


async def test_what_fills_a_limit_exactly_goes_in(database: Database) -> None:
    await set_quota(database, Quota(documents=1, nodes=2, bytes=9))

    await upsert_documents(database, [document("a.txt", ("A", "won", "B"))])

    usage = await get_usage(database)
    assert (usage.documents, usage.nodes, usage.bytes) == (1, 2, 9)


async def test_a_tenant_over_its_limits_may_shrink_but_not_grow(database: Database) -> None:
    long = document("a.txt", ("A", "won", "B"), ("A", "won", "C"), ("A", "won", "D"))
    await upsert_documents(database, [long, document("b.txt", ("E", "won", "F"))])
    await set_quota(database, Quota(documents=1, nodes=1, bytes=1))

    await upsert_documents(database, [document("a.txt", ("A", "won", "B"), ("A", "won", "C"))])  # one fact less
    await upsert_documents(database, [document("a.txt", ("A", "won", "B"), ("A", "won", "X"))])  # another of its size
    for grown in (
        document("a.txt", ("A", "won", "B"), ("A", "won", "X"), ("A", "studied", "B")),
        document("a.txt", ("A", "won", "B"), ("A", "won", "XY")),
        document("c.txt"),
    ):
        with pytest.raises(LimitExceeded):
            await upsert_documents(database, [grown])
    await delete_document(database, "b.txt")

    usage = await get_usage(database)
    assert (usage.documents, usage.nodes, usage.bytes) == (1, 3, 18)


@pytest.mark.parametrize("quota", [Quota(documents=3), Quota(nodes=6), Quota(bytes=27)])
async def test_of_writers_at_a_limit_only_so_many_pass_as_there_is_room(database: Database, quota: Quota) -> None:
    await set_quota(database, quota)
    texts = [document(f"{n}.txt", (f"A{n}", "won", f"{n}")) for n in range(8)]
    texts = [replace(one, folder_id=f"folder {n}") for n, one in enumerate(texts)]

    ended = await asyncio.gather(*(upsert_documents(database, [one]) for one in texts), return_exceptions=True)

    assert [type(end) for end in ended].count(LimitExceeded) == 8 - (await get_usage(database)).documents
    assert {type(end) for end in ended} == {LimitExceeded, type(None)}
    usage = await get_usage(database)
    assert usage.documents == (3 if quota.bytes is None else 2)  # ten bytes each


async def test_statements_of_callers_are_counted(database: Database, cypher: Cypher) -> None:
    await upsert_documents(database, [document("a.txt", ("Übel", "won", "B"))])
    [cited] = await cypher("MATCH (s:Segment) RETURN s.segment_id AS id")
    await set_quota(database, Quota(documents=2, nodes=3, bytes=22))
    edge = EdgeAssertion("Übel", "B", "won", segment_id=cited["id"], evidence_span="Übel won")

    await upsert_graph(database, "mine", [NodeAssertion("C")], [edge])
    await upsert_graph(database, "mine", [NodeAssertion("C")], [edge])  # the same again

    usage = await get_usage(database)
    assert (usage.documents, usage.nodes, usage.bytes) == (2, 3, await real_bytes(cypher))
    for source, nodes, edges in (
        ("other", [NodeAssertion("C")], []),
        ("mine", [NodeAssertion("D")], []),
        ("mine", [], [replace(edge, evidence_span="Übel won B.")]),
    ):
        with pytest.raises(LimitExceeded):
            await upsert_graph(database, source, nodes, edges)
    assert await get_usage(database) == usage
    await delete_document(database, "mine")
    assert (await get_usage(database)).bytes == await real_bytes(cypher)


async def test_nodes_that_come_back_from_a_merge_are_counted(database: Database) -> None:
    await upsert_documents(database, [document("a.txt", ("A", "won", "B"), ("A", "won", "C"))])
    merge = await merge_nodes(database, "B", ["C"])
    await upsert_documents(database, [document("b.txt", alone=("D",))])
    await set_quota(database, Quota(nodes=3))

    with pytest.raises(LimitExceeded, match="3 nodes and would hold 4"):
        await undo_merge(database, merge.merge_id)

    await delete_document(database, "b.txt")
    assert (await undo_merge(database, merge.merge_id)).undone
    assert (await get_usage(database)).nodes == 3


async def test_texts_of_an_earlier_version_are_measured(database: Database, cypher: Cypher) -> None:
    await upsert_documents(database, [document(f"{n}.txt", (f"É{n}", "won", "B")) for n in range(3)])
    await upsert_graph(database, "mine", [NodeAssertion("C")], [])
    await cypher("MATCH (d:Document) WHERE d.source_doc_id <> '0.txt' REMOVE d.text_bytes")

    await set_quota(database, Quota(bytes=30))

    assert (await get_usage(database)).bytes == await real_bytes(cypher)
    with pytest.raises(LimitExceeded):
        await upsert_documents(database, [document("3.txt", ("F", "won", "B"))])


async def test_no_more_jobs_wait_or_run_than_may(database: Database) -> None:
    await set_quota(database, Quota(jobs=2))

    ended = await asyncio.gather(*(new_job(database, str(n)) for n in range(5)), return_exceptions=True)

    made = [end for end in ended if isinstance(end, str)]
    assert len(made) == 2
    assert [type(end) for end in ended].count(LimitExceeded) == 3
    assert (await get_usage(database)).jobs == 2
    await cancel_job(database, made[0])
    await new_job(database)
    await set_quota(database, Quota())
    await new_job(database)
    assert (await get_usage(database)).jobs == 3


@pytest.mark.parametrize("suffix", ["py", "md"])
async def test_an_index_fills_what_room_there_is_and_goes_on_when_there_is_more(
    database: Database, tmp_path: Path, suffix: str
) -> None:
    for n in range(5):
        (tmp_path / f"m{n}.{suffix}").write_text(f"x{n} = {n}\n")
    options = IndexOptions(content_type="auto", workers=1)
    await set_quota(database, Quota(documents=3))

    with pytest.raises(LimitExceeded, match="3 documents and would hold 4"):
        await index_folder(database, tmp_path, options=options)

    assert (await get_usage(database)).documents == 3
    await set_quota(database, Quota(documents=5))
    report = await index_folder(database, tmp_path, options=options)
    assert (report.files_unchanged, report.files_indexed) == (3, 2)


async def test_a_full_tenant_takes_files_under_new_names(database: Database, tmp_path: Path) -> None:
    for n in range(3):
        (tmp_path / f"m{n}.py").write_text(f"x{n} = {n}\n")
    await index_folder(database, tmp_path, options=IndexOptions(workers=1))
    usage = await get_usage(database)
    await set_quota(database, Quota(documents=usage.documents, nodes=usage.nodes, bytes=usage.bytes))

    (tmp_path / "m0.py").rename(tmp_path / "n0.py")
    report = await index_folder(database, tmp_path, options=IndexOptions(workers=1))

    assert (report.files_indexed, report.files_removed) == (1, 1)
    assert await get_usage(database) == usage

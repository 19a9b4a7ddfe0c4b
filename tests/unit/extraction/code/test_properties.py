"""What holds for every project: exact evidence, whole partitions, unique ids, the same answer in any order."""

import random
import sysconfig
from pathlib import Path

import pytest

from extraction.code.facts import decode_facts, encode_facts

ROOT = Path(__file__).parents[4]
FIXTURES = ROOT / "tests" / "fixtures" / "code"
LIBRARY = Path(sysconfig.get_paths()["stdlib"])
FOLDERS = {
    **{folder.name: folder for folder in sorted(FIXTURES.iterdir()) if folder.is_dir()},
    "graph": ROOT / "graph",
    "extraction": ROOT / "extraction",
    "api": ROOT / "api",
    "asyncio": LIBRARY / "asyncio",
    "email": LIBRARY / "email",
}


@pytest.fixture(params=FOLDERS, scope="module")
def found(request, folder):
    return folder(FOLDERS[request.param])


def test_segments_partition_the_text(found):
    for path, result in found.results.items():
        assert "".join(segment.text for segment in result.segments) == found.texts[path]
        assert len({segment.segment_id for segment in result.segments}) == len(result.segments)
        for segment in result.segments:
            before = found.texts[path][: segment.char_offset]
            assert segment.line_start == before.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1


def test_every_span_is_verbatim_and_in_its_lines(found):
    for path, result in found.results.items():
        segments = {segment.segment_id: segment for segment in result.segments}
        for mention in result.mentions:
            segment = segments[mention.segment_id]
            assert segment.text[mention.char_start : mention.char_end] == mention.evidence_span
            assert mention.evidence_span.strip() or not found.texts[path].strip()
            start = segment.line_start + segment.text[: mention.char_start].count("\n")
            assert mention.line_start <= start <= mention.line_end
            assert (mention.node_id is None) != (mention.edge is None)


def test_everything_is_supported_and_said_once(found):
    for result in found.results.values():
        nodes = {node.node_id for node in result.nodes}
        edges = {edge.edge_id for edge in result.edges}
        assert len(nodes) == len(result.nodes)
        assert len(edges) == len(result.edges)
        assert len({mention.mention_id for mention in result.mentions}) == len(result.mentions)
        assert {end for edge in result.edges for end in (edge.source, edge.target)} <= nodes
        assert {mention.edge.edge_id for mention in result.mentions if mention.edge} == edges
        assert {mention.node_id for mention in result.mentions if mention.node_id} == {
            node.node_id for node in result.nodes if node.declared
        }


def test_a_foreign_node_has_the_properties_that_its_document_gives_it(found):
    declared = found.nodes()
    for result in found.results.values():
        for node in result.nodes:
            if not node.declared:
                assert node.node_id in declared
                assert (node.signature, node.exposed) == (
                    declared[node.node_id].signature,
                    declared[node.node_id].exposed,
                )


def test_the_order_of_files_and_a_trip_through_bytes_change_nothing(found, project):
    shuffled = sorted(found.texts.items())
    random.Random(7).shuffle(shuffled)  # noqa: S311

    again = project(dict(shuffled))

    if not any("entry_point" in node.exposed for node in found.nodes().values()):
        assert list(again.results.items()) == list(found.results.items())
        assert [file.fingerprint for file in again.files.values()] == [
            file.fingerprint for file in found.files.values()
        ]
    for file in again.files.values():
        assert decode_facts(encode_facts(file.facts)) == file.facts

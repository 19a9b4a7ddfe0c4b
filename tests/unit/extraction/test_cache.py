"""The cache of facts, which may be damaged or locked but never in the way."""

from pathlib import Path

import pytest

from extraction.cache import FactsCache
from extraction.code.facts import find_facts


def test_what_is_stored_is_found_by_the_next_run(tmp_path: Path) -> None:
    with FactsCache(tmp_path / "sub" / "facts.sqlite") as cache:
        cache.store({"a": b"1", "b": b"2"})

    with FactsCache(tmp_path / "sub" / "facts.sqlite") as cache:
        assert cache.fetch(["a", "b", "c"]) == {"a": b"1", "b": b"2"}


def test_many_keys_are_asked_for_at_once(tmp_path: Path) -> None:
    bodies = {str(number): b"x" for number in range(2_000)}
    with FactsCache(tmp_path / "facts.sqlite") as cache:
        cache.store(bodies)
        assert cache.fetch(list(bodies)) == bodies


def test_what_nobody_used_for_a_month_is_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_000_000_000.0
    monkeypatch.setattr("extraction.cache.time.time", lambda: now)
    with FactsCache(tmp_path / "facts.sqlite") as cache:
        cache.store({"old": b"1", "kept": b"2"})
        now += 20 * 24 * 3600
        cache.touch(["kept"])
        now += 20 * 24 * 3600
        cache.touch([])
        assert cache.fetch(["old", "kept"]) == {"kept": b"2"}


def test_a_damaged_file_is_made_anew(tmp_path: Path) -> None:
    file = tmp_path / "facts.sqlite"
    file.write_bytes(b"this is no database" * 100)

    with FactsCache(file) as cache:
        cache.store({"a": b"1"})
        assert cache.fetch(["a"]) == {"a": b"1"}


@pytest.mark.parametrize("path", [None, Path("/proc/nowhere/facts.sqlite")])
def test_without_a_place_it_is_done_without(path: Path | None) -> None:
    with FactsCache(path) as cache:
        cache.store({"a": b"1"})
        assert cache.fetch(["a"]) == {}


@pytest.mark.parametrize("data", [b"", b"\xc1", b"not facts", b"\x90"])
def test_facts_of_another_kind_are_none(data: bytes) -> None:
    assert find_facts(data) is None

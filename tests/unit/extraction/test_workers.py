"""Facts from several processes, one of which a file kills."""

import os
from pathlib import Path

import pytest

from extraction import workers
from extraction.inputs import Input
from extraction.workers import Taken, take_facts
from graph.model import DocumentStatus


def die_on_bad(task: Input) -> Taken:
    if "bad" in task.path:
        os._exit(1)
    return Taken(task.path, "hash", b"facts")


def die_on_bad_batch(tasks: list[Input]) -> list[Taken]:
    return [die_on_bad(task) for task in tasks]


async def test_a_file_that_kills_its_process_fails_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    # The functions are sent to the workers by name, so these stand in there, too.
    monkeypatch.setattr(workers, "_take", die_on_bad)
    monkeypatch.setattr(workers, "_take_batch", die_on_bad_batch)
    tasks = [Input(f"{name}.py", Path(name), "python", 300_000, "") for name in ("a", "bad", "b", "c")]

    taken = [one async for batch in take_facts(tasks, workers=2) for one in batch]

    ends = {one.path: one.status for one in taken}
    assert ends == {
        "a.py": DocumentStatus.DONE,
        "b.py": DocumentStatus.DONE,
        "c.py": DocumentStatus.DONE,
        "bad.py": DocumentStatus.FAILED,
    }
    assert len(taken) == 4

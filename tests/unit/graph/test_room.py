import os
from pathlib import Path

import pytest

from graph.errors import NotAvailable
from graph.room import Room


def free_bytes(folder: Path) -> int:
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize


def test_too_little_room_is_refused_with_both_numbers_and_the_way_out(tmp_path: Path) -> None:
    wanted = free_bytes(tmp_path) * 2
    with pytest.raises(NotAvailable, match=rf"MB are free in {tmp_path}, and {wanted // 10**6} MB are needed to write"):
        Room(tmp_path, wanted).check("to write")


@pytest.mark.parametrize("least_bytes", [0, 1])
def test_room_enough_is_passed(tmp_path: Path, least_bytes: int) -> None:
    room = Room(tmp_path, least_bytes)
    room.check("to write")
    assert room.find_shortage() is None


def test_a_folder_that_is_gone_is_the_business_of_who_needs_it(tmp_path: Path) -> None:
    Room(tmp_path / "gone", 10**18).check("to write")

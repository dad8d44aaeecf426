"""Moving folders to the system's trash and back."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QFile

from app.models import system_trash
from tests.app.trash_bin import own_trash

pytestmark = pytest.mark.skipif(sys.platform == "darwin", reason="the Finder puts things back")


@pytest.fixture(autouse=True)
def trash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return own_trash(tmp_path, monkeypatch)


def folder_in(place: Path, name: str) -> Path:
    made = place / name
    made.mkdir(parents=True)
    (made / "file").write_text("kept")
    return made


@pytest.mark.parametrize("name", ["plain", "with blank 100%", "ümläut…"])
def test_trashed_folder_is_restored(tmp_path: Path, trash: Path, name: str) -> None:
    folder = folder_in(tmp_path / "models", name)
    trashed = system_trash.move(folder)
    assert not folder.exists()
    assert trashed.kept.parent == trash / "files"
    system_trash.restore(trashed)
    assert (folder / "file").read_text() == "kept"
    assert not list((trash / "info").iterdir())


def test_trashed_folders_of_one_name_are_restored(tmp_path: Path) -> None:
    one, two = folder_in(tmp_path / "a", "same"), folder_in(tmp_path / "b", "same")
    (two / "file").write_text("two")
    first, second = system_trash.move(one), system_trash.move(two)
    system_trash.restore(second)
    system_trash.restore(first)
    assert (one / "file").read_text() == "kept"
    assert (two / "file").read_text() == "two"


def test_restoring_overwrites_nothing(tmp_path: Path) -> None:
    trashed = system_trash.move(folder_in(tmp_path / "m", "x"))
    again = folder_in(tmp_path / "m", "x")
    (again / "file").write_text("new")
    with pytest.raises(OSError, match="already exists"):
        system_trash.restore(trashed)
    assert (again / "file").read_text() == "new"
    assert trashed.kept is not None
    assert (trashed.kept / "file").read_text() == "kept"


def test_missing_trash_entry_is_reported(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="no longer exists"):
        system_trash.move(tmp_path / "none")
    trashed = system_trash.move(folder_in(tmp_path, "x"))
    trashed.kept.rename(tmp_path / "emptied")
    with pytest.raises(OSError, match="no longer in the Trash"):
        system_trash.restore(trashed)


def test_restoring_recreates_parent_folder(tmp_path: Path) -> None:
    folder = folder_in(tmp_path / "owner", "x")
    trashed = system_trash.move(folder)
    folder.parent.rmdir()
    system_trash.restore(trashed)
    assert (folder / "file").read_text() == "kept"


def test_trash_failure_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = folder_in(tmp_path, "x")
    for taken, words in ((True, "wasn’t moved to the Trash"), (False, "not supported")):
        refusing = type(
            "Refusing",
            (QFile,),
            {"moveToTrash": lambda _, said=taken: said, "errorString": lambda _: "not supported"},
        )
        monkeypatch.setattr(system_trash, "QFile", refusing)
        with pytest.raises(OSError, match=words):
            system_trash.move(folder)
    assert (folder / "file").exists()


def test_non_utf_8_name_stays_in_place(tmp_path: Path) -> None:
    folder = folder_in(tmp_path / "models", "bad\udcff\udcfename")
    with pytest.raises(OSError, match=r"."):
        system_trash.move(folder)
    assert (folder / "file").read_text() == "kept"

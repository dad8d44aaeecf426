"""The Models window."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QMenu, QPushButton

from app.chats.turn import Event
from app.models.loading import LoadState
from app.settings.settings import Settings
from app.ui.models.models_table import ModelColumn
from app.ui.models.models_window import ModelsWindow
from engine.hub import downloads
from tests.app.conftest import Run, Start, answering
from tests.app.trash_bin import own_trash

LEFT = Qt.MouseButton.LeftButton
SHIFT = Qt.KeyboardModifier.ShiftModifier
CTRL = Qt.KeyboardModifier.ControlModifier


def make_model(folder: Path, size: int = 2_000_000, **config) -> Path:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps({"model_type": "llama", **config}))
    (folder / "model.safetensors").write_bytes(bytes(size))
    return folder


class Listed:
    def __init__(self, run: Run, root: Path) -> None:
        self.run, self.root = run, root
        run.app.settings.set(model_folders=(str(root),))

    def open(self) -> ModelsWindow:
        self.run.window.commands["models"].trigger()
        self.run.until(lambda: not self.installed.looking)
        return self.window

    @property
    def window(self) -> ModelsWindow:
        window = self.run.window.models.window
        assert window is not None
        return window

    @property
    def installed(self):
        return self.run.app.models.installed

    def names(self) -> list[str]:
        return [model.name for model in self.window.table.rows]

    def choose(self, name: str) -> None:
        assert self.window.choose(self.root / name)

    def click(self, name: str) -> None:
        button = getattr(self.window.foot, name)
        assert button.isVisible()
        assert button.isEnabled(), button.toolTip()
        if isinstance(button, QAction):  # entry of the menu
            button.trigger()
        else:
            self.run.qtbot.mouseClick(button, LEFT)

    def cell(self, name: str, column: ModelColumn) -> str:
        at = self.window.table.row_of(self.root / name)
        return str(self.window.table.index(at, column).data())


@pytest.fixture
def listed(start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    own_trash(tmp_path, monkeypatch)
    monkeypatch.setattr(downloads, "cache_root", lambda: tmp_path / "hub")
    root = tmp_path / "models"
    make_model(root / "Amber-1B", 3_000_000, torch_dtype="bfloat16")
    make_model(root / "Birch-7B-4bit", quantization={"bits": 4, "group_size": 64})
    make_model(root / "Cedar-3B", 1_000_000, max_position_embeddings=32768)
    run = start().ready()
    return Listed(run, root)


# Listing.


def test_shortcut_opens_window_with_model_details(listed: Listed):
    run = listed.run
    run.qtbot.keyClick(run.window, Qt.Key.Key_M, CTRL | SHIFT)
    run.until(lambda: len(listed.names()) == 4)
    assert listed.names() == ["Amber-1B", "Birch-7B-4bit", "Cedar-3B", "Guide"]
    assert listed.cell("Amber-1B", ModelColumn.PRECISION) == "bfloat16"
    assert listed.cell("Amber-1B", ModelColumn.SIZE) == "3.0 MB"
    assert listed.cell("Birch-7B-4bit", ModelColumn.PRECISION) == "4-bit"
    assert listed.cell("Cedar-3B", ModelColumn.CONTEXT) == "32K"
    assert listed.cell("Cedar-3B", ModelColumn.LICENCE) == "–"
    guide = listed.window.table.rows[3]
    assert (guide.ref, listed.installed.status(guide).state) == ("guide", LoadState.READY)

    # A search keeps the models that match all of its words.
    window = listed.open()
    window.search.setText("4-BIT llama")
    assert listed.names() == ["Birch-7B-4bit"]
    window.search.setText("none such")
    assert not window.view.isVisible()
    assert not window.foot.open.isEnabled()
    listed.run.qtbot.keyClick(window.search, Qt.Key.Key_Escape)
    assert window.isVisible()
    assert len(listed.names()) == 4
    window.search.setFocus()
    listed.run.qtbot.keyClick(window.search, Qt.Key.Key_Down)
    listed.run.until(window.view.hasFocus)

    # Clicking a header sorts, and the selected model stays selected.
    listed.choose("Cedar-3B")
    window.view.sortByColumn(ModelColumn.SIZE, Qt.SortOrder.AscendingOrder)
    assert listed.names()[:1] == ["Cedar-3B"] or listed.names()[1] == "Cedar-3B"
    window.view.sortByColumn(ModelColumn.NAME, Qt.SortOrder.DescendingOrder)
    assert listed.names() == ["Guide", "Cedar-3B", "Birch-7B-4bit", "Amber-1B"]
    assert window.model.name == "Cedar-3B"


# Loading, pinning, using.


def test_models_window_opens_once_with_search_focused(listed: Listed):
    first = listed.open()
    assert listed.open() is first
    first.close()
    assert listed.run.window.models.window is None

    # The pane's list of models opens the window.
    run = listed.run
    run.qtbot.mouseClick(run.pane.header.model_button, LEFT)
    menu = QApplication.activePopupWidget()
    next(a for a in menu.actions() if a.text() == "Manage Models…").trigger()
    menu.close()
    assert listed.window.isVisible()

    # The focus starts at the search and moves down.
    window = listed.window
    run.until(lambda: not listed.installed.looking)
    listed.choose("Birch-7B-4bit")
    assert window.focusWidget() is window.search
    order = [window.search, window.add, window.get, window.view, window.remotes.add]
    for before, after in pairwise([*order, window.foot.more, window.foot.open]):
        assert window.focusWidget() is before
        listed.run.qtbot.keyClick(before, Qt.Key.Key_Tab)
        assert window.focusWidget() is after

    # A row has one main action and a menu of the others.
    visible = [b.text() for b in window.foot.findChildren(QPushButton) if b.isVisible()]
    assert visible == ["New Chat"]
    at = window.table.index(window.table.row_of(listed.root / "Birch-7B-4bit"), ModelColumn.MORE)
    listed.run.qtbot.mouseClick(
        window.view.viewport(), LEFT, pos=window.view.visualRect(at).center()
    )
    assert window.model.name == "Birch-7B-4bit"
    (menu,) = [m for m in window.foot.findChildren(QMenu) if m.isVisible()]
    menu.actions()[2].trigger()
    assert listed.installed.is_pinned(window.model)
    menu.close()

    # An empty list says what to do.
    listed.installed.models.clear()
    listed.installed.changed.emit()
    assert window.empty.isVisible()


def test_model_is_loaded_and_unloaded_in_window(listed: Listed):
    window = listed.open()
    listed.choose("Amber-1B")
    listed.run.engine.loading.clear()
    listed.click("load")
    assert listed.cell("Amber-1B", ModelColumn.MEMORY) == "Loading…"
    assert window.foot.load.text() == "Cancel Loading"
    listed.click("load")
    assert listed.cell("Amber-1B", ModelColumn.MEMORY) == ""
    listed.click("load")
    listed.run.engine.loading.set()
    listed.run.until(lambda: window.foot.load.text() == "Unload")
    assert listed.cell("Amber-1B", ModelColumn.MEMORY) == "0.0 MB"
    assert listed.cell("Amber-1B", ModelColumn.USED) == "Today"
    listed.click("load")
    assert listed.run.engine.unloaded == ["Amber-1B"]

    # The model of a running reply cannot be unloaded, and the reason is shown.
    assert window.choose(next(f for f in listed.installed.models if f.name == "guide"))
    pane = listed.run.say("hold 1")
    listed.run.until(lambda: not window.foot.load.isEnabled())
    pane.chat.turn.handle(Event.STOP)
    listed.run.until(window.foot.load.isEnabled)
    assert not window.foot.trash.isEnabled()  # the Guide is part of Stretto

    # Enter opens a chat with it.
    listed.choose("Birch-7B-4bit")
    listed.run.qtbot.keyClick(window.view, Qt.Key.Key_Return)
    listed.run.until(lambda: listed.run.pane.header.model_button.text() == "Birch-7B-4bit")


def test_pinned_ones_stand_first_and_are_remembered(listed: Listed, profile: Path):
    window = listed.open()
    listed.choose("Cedar-3B")
    listed.click("pin")
    assert listed.names()[0] == "Cedar-3B"
    assert Settings.load(profile / "settings.json").pinned == (str(listed.root / "Cedar-3B"),)
    window.view.sortByColumn(ModelColumn.NAME, Qt.SortOrder.DescendingOrder)
    assert listed.names() == ["Cedar-3B", "Guide", "Birch-7B-4bit", "Amber-1B"]
    listed.click("pin")
    assert listed.run.app.settings.pinned == ()


def test_folder_is_added_and_removed(listed: Listed, tmp_path, monkeypatch):
    window = listed.open()
    more = make_model(tmp_path / "more" / "Dune-2B")
    answering(monkeypatch, "ask_for_folder", more.parent)
    listed.run.qtbot.mouseClick(window.add, LEFT)
    listed.run.until(lambda: "Dune-2B" in listed.names())
    assert window.choose(more)
    window.view.customContextMenuRequested.emit(QPoint(5, 5))
    menu = QApplication.activePopupWidget()
    next(a for a in menu.actions() if a.text() == "Remove from List").trigger()
    menu.close()
    listed.run.until(lambda: "Dune-2B" not in listed.names())
    listed.run.qtbot.mouseClick(window.foot.undo, LEFT)
    listed.run.until(lambda: "Dune-2B" in listed.names())
    assert listed.run.app.settings.model_folders == (str(listed.root), str(more.parent))


# Removing.


def test_unused_model_moves_to_trash_and_back(listed: Listed):
    window = listed.open()
    listed.choose("Amber-1B")
    listed.run.qtbot.keyClick(window.view, Qt.Key.Key_Delete)
    listed.run.until(lambda: window.foot.undo.isVisible())
    assert not (listed.root / "Amber-1B").exists()
    assert "Amber-1B" not in listed.names()
    listed.click("undo")
    listed.run.until(lambda: "Amber-1B" in listed.names())
    assert (listed.root / "Amber-1B" / "model.safetensors").stat().st_size == 3_000_000

    # The removal can be undone after the window was closed.
    listed.choose("Amber-1B")
    listed.click("trash")
    listed.run.until(lambda: window.foot.undo.isVisible())
    window.close()
    listed.run.window.commands["undo_close"].trigger()
    listed.run.until((listed.root / "Amber-1B" / "config.json").exists)
    listed.run.until(lambda: listed.run.window.toast.text == "Amber-1B restored")

    # If the window is closed during a removal, the notice is still shown.
    window = listed.open()
    listed.choose("Amber-1B")
    listed.click("trash")
    window.close()
    listed.run.until(lambda: listed.run.window.toast.text == "Amber-1B moved to the Trash.")


def test_removing_a_model_in_use_asks_first(listed: Listed):
    run = listed.run
    ref = str(listed.root / "Cedar-3B")
    run.window.chats.use_model(ref)
    run.ready()
    run.ask("say one")
    run.app.settings.set(model=ref, models=("/other", ref), pinned=(ref,))
    window = listed.open()
    listed.choose("Cedar-3B")
    listed.click("trash")
    assert "“say one”" in window.foot.status_label.text()
    assert (window.foot.keep.hasFocus(), window.foot.open.isVisible()) == (True, False)
    run.qtbot.keyClick(window.foot.keep, Qt.Key.Key_Escape)
    assert window.isVisible()
    assert window.foot.open.isVisible()
    listed.click("trash")
    listed.click("yes")
    run.until(lambda: window.foot.undo.isVisible())
    assert run.engine.unloaded == ["Cedar-3B"]
    settings = run.app.settings
    assert (settings.model, settings.models, settings.pinned) == ("guide", ("/other",), ())
    listed.click("undo")
    run.until(lambda: "Cedar-3B" in listed.names())
    assert (settings.model, settings.models, settings.pinned) == (ref, ("/other", ref), (ref,))
    run.say("say two")
    assert run.answered() == "two "


def test_busy_model_cannot_be_removed(listed: Listed):
    run = listed.run
    window = listed.open()
    listed.choose("Amber-1B")
    run.engine.loading.clear()
    listed.click("load")
    assert "is loading" in window.foot.trash.toolTip()
    run.qtbot.keyClick(window.view, Qt.Key.Key_Delete)
    assert "is loading" in window.foot.status_label.text()
    run.engine.loading.set()
    run.until(lambda: window.foot.load.text() == "Unload")
    run.window.chats.use_model(str(listed.root / "Amber-1B"))
    run.ready()
    pane = run.say("hold 1")
    run.until(lambda: run.answer(pane))
    listed.choose("Amber-1B")
    run.qtbot.keyClick(window.view, Qt.Key.Key_Delete)
    assert (listed.root / "Amber-1B").exists()
    pane.chat.turn.handle(Event.STOP)
    run.answered(pane)


@pytest.mark.parametrize("place", ["{root}/Gone-7B", "owner/Gone-7B"])
def test_vanished_opened_model_can_be_removed(listed: Listed, place: str):
    gone = place.format(root=listed.root)
    listed.run.app.settings.set(models=(gone,))
    window = listed.open()
    assert window.choose(Path(gone))
    assert not window.foot.reveal.isEnabled()
    listed.click("trash")
    listed.run.until(lambda: "Gone-7B" not in listed.names())
    assert listed.run.app.settings.models == ()


def test_revisions_are_removed_together_with_a_notice(listed: Listed, tmp_path):
    repo = tmp_path / "hub" / "models--owner--Elm-4bit"
    for revision, commit in (("main", "a" * 40), ("v1", "b" * 40)):
        make_model(repo / "snapshots" / commit)
        (repo / "refs").mkdir(exist_ok=True)
        (repo / "refs" / revision).write_text(commit)
    window = listed.open()
    assert {"Elm-4bit", "Elm-4bit @ v1"} <= {*listed.names()}
    assert window.choose(repo / "snapshots" / ("a" * 40))
    listed.click("trash")
    listed.click("yes")
    listed.run.until(lambda: window.foot.undo.isVisible())
    assert not repo.exists()
    assert not {"Elm-4bit", "Elm-4bit @ v1"} & {*listed.names()}
    listed.click("undo")
    listed.run.until(lambda: "Elm-4bit @ v1" in listed.names())


def test_folder_with_other_files_needs_confirmation(listed: Listed, tmp_path):
    mixed = listed.root / "Amber-1B"
    (mixed / "Letters").mkdir()
    make_model(tmp_path / "home" / "Downloads")
    listed.run.app.settings.set(models=(str(tmp_path / "home" / "Downloads"),))
    window = listed.open()
    listed.choose("Amber-1B")
    listed.click("trash")
    assert "Letters" in window.foot.status_label.text()
    listed.click("keep")
    assert window.choose(tmp_path / "home" / "Downloads")
    assert not window.foot.trash.isEnabled()


# Many models, and closing during work.


def test_removed_loaded_model_stays_removed(listed: Listed) -> None:
    run = listed.run
    ref = str(listed.root / "Amber-1B")
    run.window.chats.use_model(ref)
    run.ready()
    assert ref in run.app.settings.models
    run.app.settings.set(models=tuple(m for m in run.app.settings.models if m != ref))
    model = run.app.loader.get(ref).model
    assert model is not None
    run.app.loader.renew(model)  # as after a change of its draft model
    assert ref not in run.app.settings.models

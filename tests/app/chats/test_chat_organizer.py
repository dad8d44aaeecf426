"""Folders, pins, tags and the archive, by menu, keyboard and drag."""

from __future__ import annotations

import time

import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtWidgets import QLineEdit, QMenu

from app.chats.chat_organizer import ARCHIVE, ListEntry, entries, tidy_tags
from app.chats.turn import Event
from app.store import ChatRecord, Folder, Store, new_id
from app.ui.dialogs.name_dialogs import NameDialog
from tests.app.conftest import Run, Start

READ = int(Qt.ItemDataRole.AccessibleTextRole)
MORE = int(Qt.ItemDataRole.AccessibleDescriptionRole)
SELECT = QItemSelectionModel.SelectionFlag.Select


@pytest.fixture
def five(start: Start, profile):
    profile.mkdir()
    now = time.time()
    with Store.open(profile / "chats.db") as store:
        for number, title in enumerate("ABCDE"):
            store.save_chat(ChatRecord(f"{title}0", title, updated_at=now - number / 1000))
    return start()


def titles(run: Run) -> list[str]:
    model = run.window.sidebar.model
    return [model.index(n).data() for n in range(model.rowCount())]


def choose(run: Run, *ids: str) -> None:
    view, model = run.window.sidebar.list, run.window.sidebar.model
    view.setFocus()
    view.setCurrentIndex(model.row_of(ids[0]))
    for chat_id in ids[1:]:
        view.selectionModel().select(model.row_of(chat_id), SELECT)
    run.until(view.hasFocus)


def press(run: Run, key: Qt.Key) -> None:
    run.qtbot.keyClick(run.window.sidebar.list, key)


def dialog(run: Run, kind):
    run.until(lambda: [d for d in run.window.findChildren(kind) if d.isVisible()])
    return next(d for d in run.window.findChildren(kind) if d.isVisible())


def test_closed_chat_is_renamed(five: Run):
    for name in (" New\n name ", "  "):
        five.app.library.rename("B0", name)
    chat = five.app.library.chat("B0")
    assert (chat.title, chat.titled_by) == ("New name", "person")


def test_chats_are_pinned_archived_deleted_and_brought_back(five: Run):
    choose(five, "C0", "E0")
    five.window.commands["pin"].trigger()
    assert titles(five) == ["Pinned", "C", "E", "Today", "A", "B", "D"]
    assert five.window.toast.text == "2 chats pinned"
    five.window.commands["undo_close"].trigger()
    assert titles(five) == ["Today", "A", "B", "C", "D", "E"]

    choose(five, "A0")
    five.window.commands["archive"].trigger()
    assert titles(five) == ["Today", "B", "C", "D", "E", "Archive"]
    choose(five, ARCHIVE)
    press(five, Qt.Key.Key_Return)
    assert titles(five)[-2:] == ["Archive", "A"]
    five.window.sidebar.organizer.archive(["A0"])
    assert titles(five) == ["Today", "A", "B", "C", "D", "E"]

    choose(five, "B0", "D0", "E0")
    press(five, Qt.Key.Key_Delete)
    assert titles(five) == ["Today", "A", "C"]
    five.window.commands["undo_close"].trigger()
    assert titles(five) == ["Today", "A", "B", "C", "D", "E"]


def test_folder_is_created_filled_folded_and_deleted_by_key(five: Run):
    five.window.commands["new_folder"].trigger()
    asked = dialog(five, NameDialog)
    asked.field.setText("Work")
    asked.ok.click()
    (work,) = five.app.store.folders.list_all()
    choose(five, "A0", "B0")
    five.app.library.order.make("Inner", work.id)
    five.window.commands["move_chat"].trigger()
    five.until(lambda: five.qtbot and five.window.findChildren(QMenu))
    menu = next(m for m in five.window.findChildren(QMenu) if m.isVisible())
    assert [a.text() for a in menu.actions() if a.text()] == ["Work", "Work / Inner", "New Folder…"]
    five.qtbot.keyClick(menu, Qt.Key.Key_Return)
    assert titles(five) == ["Folders", "Work", "Today", "C", "D", "E"]
    choose(five, work.id)
    press(five, Qt.Key.Key_Right)
    assert titles(five) == ["Folders", "Work", "Inner", "A", "B", "Today", "C", "D", "E"]
    choose(five, "B0")
    press(five, Qt.Key.Key_Left)  # selects its folder
    assert five.window.sidebar.list.currentIndex() == five.window.sidebar.model.row_of(work.id)
    press(five, Qt.Key.Key_Delete)
    assert titles(five) == ["Folders", "Inner", "Today", "A", "B", "C", "D", "E"]
    five.window.commands["undo_close"].trigger()
    assert titles(five) == ["Folders", "Work", "Inner", "A", "B", "Today", "C", "D", "E"]
    five.app.store.flush()
    assert {c.id: c.folder_id for c in five.app.store.chats()}["A0"] == work.id


def test_folders_and_folding_survive_a_restart(start: Start, five: Run):
    order = five.app.library.order
    work, other = order.make("Work"), order.make("Other")
    order.move(["A0"], work.id)
    order.archive(["B0"], True)
    order.tag(["A0"], ["#to do", "to  do", "x"])
    five.window.sidebar.model.fold(work.id)
    order.rename(other.id, "Later")
    five.end()
    again = start()
    assert titles(again) == ["Folders", "Later", "Work", "A", "Today", "C", "D", "E", "Archive"]
    assert again.app.library.chat("A0").tags == ("to do", "x")


def test_modified_click_selects_without_opening(five: Run):
    view, model = five.window.sidebar.list, five.window.sidebar.model
    before = five.pane.chat.id
    left = Qt.MouseButton.LeftButton
    choose(five, "B0")
    place = view.visualRect(model.row_of("D0")).center()
    control = Qt.KeyboardModifier.ControlModifier
    five.qtbot.mouseClick(view.viewport(), left, control, pos=place)
    assert view.selected_ids() == ["B0", "D0"]
    assert five.pane.chat.id == before
    five.qtbot.mouseClick(view.viewport(), left, pos=place)
    assert five.pane.chat.id == "D0"


def test_rows_are_dragged_to_folders_and_sections(five: Run):
    model, order = five.window.sidebar.model, five.app.library.order
    work = order.make("Work")
    inner = order.make("Inner")

    def drag(what: list[str], onto: str) -> None:
        data = model.mimeData([model.row_of(each) for each in what])
        where = {model.entry(model.index(n)).id: n for n in range(model.rowCount())}
        target = model.index(where[onto])
        assert model.canDropMimeData(data, Qt.DropAction.MoveAction, -1, -1, target)
        model.dropMimeData(data, Qt.DropAction.MoveAction, -1, -1, target)
        five.qtbot.wait(1)

    drag(["A0", "B0"], work.id)
    assert titles(five) == ["Folders", "Inner", "Work", "Today", "C", "D", "E"]
    drag([inner.id], work.id)
    model.fold(work.id)
    assert titles(five) == ["Folders", "Work", "Inner", "A", "B", "Today", "C", "D", "E"]
    drag([work.id], inner.id)  # would nest folders twice
    assert order.folder(work.id).parent_id is None
    drag(["A0"], "D0")
    assert titles(five) == ["Folders", "Work", "Inner", "B", "Today", "A", "C", "D", "E"]
    drag(["C0"], "B0")
    assert five.app.library.chat("C0").folder_id == work.id
    order.pin(["D0"], True)
    drag(["E0"], "Pinned")
    assert five.app.library.chat("E0").pinned_at is not None
    order.move(["E0"], work.id)  # already in this folder, so it stays pinned
    assert five.app.library.chat("E0").folder_id == work.id
    assert titles(five)[:3] == ["Pinned", "D", "E"]
    asides = [model.row(model.row_of(each)).end_texts for each in ("D0", "E0", "B0")]
    assert asides == [[], ["Work"], []], "a pinned chat shows where it lies"


def test_tags_of_several_chats_are_edited(five: Run):
    order = five.app.library.order
    order.tag(["A0"], ["mine", "both"])
    order.tag(["B0"], ["both"])
    choose(five, "A0", "B0")
    five.window.commands["tags"].trigger()
    field = five.window.sidebar.list.findChild(QLineEdit, "rename")
    assert field.text() == "both"
    five.qtbot.keyClick(field, Qt.Key.Key_Escape)
    view = five.window.sidebar.list
    five.until(lambda: view.findChild(QLineEdit, "rename") is None)
    choose(five, "A0", "B0")
    five.window.commands["tags"].trigger()
    field = view.findChild(QLineEdit, "rename")
    field.setText("new, #Other")
    five.qtbot.keyClick(field, Qt.Key.Key_Return)
    five.until(lambda: five.app.library.chat("A0").tags == ("mine", "new", "Other"))
    assert five.app.library.chat("B0").tags == ("new", "Other")


def test_deleting_a_chat_ends_editing_its_tags(five: Run):
    view = five.window.sidebar.list
    choose(five, "B0")
    five.window.commands["tags"].trigger()
    five.app.library.delete("B0")
    five.until(lambda: view.findChild(QLineEdit, "rename") is None)
    choose(five, "A0")
    five.window.commands["rename"].trigger()
    assert view.findChild(QLineEdit, "rename").text() == "A"


def test_rows_say_their_state_in_words(run: Run):
    run.ask("say one")
    first = run.pane.chat.id
    model, order = run.window.sidebar.model, run.app.library.order
    assert model.row_of(first).data(READ) == "say one"
    assert model.row_of(first).data(MORE) == "open"
    run.window.chats.new()
    run.ready()
    run.say("hold 3")
    chat = run.pane.chat
    run.until(lambda: chat.reply.is_active)
    assert model.row_of(chat.id).data(READ) == "hold 3, replying"
    work = order.make("Work")
    order.move([chat.id], work.id)
    assert model.row_of(work.id).data(READ) == "Work, folder, 1 chat, collapsed, replying"
    chat.turn.handle(Event.STOP)
    run.answered()
    order.pin([first], True)
    order.tag([first], ["a", "b"])
    assert model.row_of(first).data(MORE) == "open, pinned, tagged a, b"


def test_folder_is_renamed_and_renaming_a_chat_expands_it(five: Run):
    order = five.app.library.order
    work = order.make("Work")
    five.window.sidebar.rename(work.id)
    editor = five.window.sidebar.list.findChild(QLineEdit, "rename")
    editor.setText("  Work &  more ")
    five.qtbot.keyClick(editor, Qt.Key.Key_Return)
    five.until(lambda: titles(five)[1] == "Work & more")
    assert [f.name for f in five.app.store.folders.list_all()] == ["Work & more"]
    inner = order.make("Inner", work.id)
    order.move(["A0"], inner.id)
    five.window.chats.open("A0")
    five.window.commands["rename"].trigger()
    assert five.window.sidebar.list.findChild(QLineEdit, "rename") is not None
    assert "A" in titles(five)


def test_tags_are_tidied():
    assert tidy_tags([" a  b ", "#A b", "", "#", "x" * 99, *map(str, range(30))])[:2] == (
        "a b",
        "x" * 30,
    )
    assert len(tidy_tags(map(str, range(30)))) == 12


def test_ten_thousand_chats_list_only_folders():
    folders = [
        Folder(f"f{n:02}", f"Folder {n:02}", f"f{n - 1:02}" if n % 2 else None) for n in range(50)
    ]
    chats = [
        ChatRecord(new_id(), folder_id=f"f{n % 50:02}", updated_at=1e9 - n) for n in range(10_000)
    ]
    listed, counts, _ = entries(chats, folders, set())
    assert listed == [
        ListEntry("heading", "Folders"),
        *(ListEntry("folder", f.id) for f in folders[::2]),
    ]
    assert (counts["f00"], counts["f01"]) == (400, 200)
    shown, *_ = entries(chats, folders, {"f00"})
    assert len(shown) == 26 + 1 + 200
    assert shown[2] == ListEntry("folder", "f01", 1)
    assert shown[3] == ListEntry("chat", chats[0].id, 1)

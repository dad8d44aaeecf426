"""Groups of chats in the list."""

from __future__ import annotations

import time

from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit

from app.chats.chat_organizer import ListEntry, day_heading, day_headings, entries
from app.store import ChatRecord
from app.ui.pane.pane import ChatPane
from app.ui.sidebar.chat_row import ChatListRow
from tests.app.conftest import Run, Start


def rows(run: Run) -> list[ChatListRow]:
    model = run.window.sidebar.model
    found = [model.row(model.index(n)) for n in range(model.rowCount())]
    return [row for row in found if row is not None]


def words(run: Run) -> list[str]:
    return [row.text for row in rows(run)]


def compared(run: Run) -> list[ChatPane]:
    run.ready()
    panes = [run.pane]
    for _ in range(2):
        run.window.chats.split("right")
        panes.append(run.pane)
    for pane in panes:
        pane.chat.turn.send("say hello")
        run.answered(pane)
    run.app.library.order.group({p.chat.id: f"Seed {n}" for n, p in enumerate(panes, 1)})
    run.window.workspace.activate(panes[0])
    return panes


def focus(run: Run, row: int) -> None:
    view = run.window.sidebar.list
    view.setFocus()
    view.setCurrentIndex(run.window.sidebar.model.index(row))
    run.until(view.hasFocus)


def press(run: Run, key: Qt.Key) -> None:
    run.qtbot.keyClick(run.window.sidebar.list, key)


def test_group_row_expands_to_its_chats(start: Start):
    run = start()
    panes = compared(run)
    assert words(run) == ["Today", "say hello"]
    group = rows(run)[1]
    assert (group.kind, group.count) == ("group", 3)
    assert panes[0].chat.id in group.holds, "the line of the chat that has the focus is marked"
    focus(run, 1)
    press(run, Qt.Key.Key_Right)
    assert words(run) == ["Today", "say hello", "Seed 1", "Seed 2", "Seed 3"]
    focus(run, 4)
    press(run, Qt.Key.Key_Left)
    press(run, Qt.Key.Key_Left)
    assert words(run) == ["Today", "say hello"]
    run.end()
    run = start()
    assert words(run) == ["Today", "say hello"]

    # The group stays expanded after another restart.
    focus(run, 1)
    press(run, Qt.Key.Key_Right)
    run.until(lambda: len(words(run)) == 5)
    run.end()
    run = start()
    run.until(lambda: words(run)[2:] == ["Seed 1", "Seed 2", "Seed 3"])


def test_broadcast_to_new_chats_forms_group(run: Run):
    first = run.pane
    run.window.commands["split_right"].trigger()
    second = run.pane
    run.window.broadcast.toggle()
    run.window.broadcast.toggle_kept()
    run.say("say all", second)
    assert run.answered(first) == run.answered(second) == "all "
    dock = run.window.workspace.dock
    assert [dock(p.chat.id).windowTitle() for p in (first, second)] == ["Guide 1", "Guide 2"]
    run.window.sidebar.model.reveal(second.chat.id)
    assert words(run) == ["Today", "say all", "Guide 1", "Guide 2"]
    run.say("say more", second)
    run.answered(first)
    run.answered(second)
    assert words(run) == ["Today", "say all", "Guide 1", "Guide 2"]
    run.window.workspace.close_pane(first)
    assert dock(second.chat.id).windowTitle() == "say all – Guide 2"


def test_actions_apply_to_whole_group(start: Start):
    run = start()
    ids = [pane.chat.id for pane in compared(run)]
    library, sidebar = run.app.library, run.window.sidebar
    focus(run, 1)
    run.window.commands["rename"].trigger()
    editor = sidebar.list.findChild(QLineEdit, "rename")
    assert editor.text() == "say hello"
    editor.setText("Three seeds")
    run.qtbot.keyClick(editor, Qt.Key.Key_Return)
    run.until(lambda: {library.chat(i).title for i in ids} == {"Three seeds"})
    focus(run, 1)
    run.window.commands["pin"].trigger()
    assert words(run) == ["Pinned", "Three seeds"]
    run.window.commands["undo_close"].trigger()
    folder = library.order.make("Work")
    model = sidebar.model
    group = next(model.index(n) for n in range(model.rowCount()) if rows(run)[n].kind == "group")
    dragged = model.mimeData([group])
    model.dropMimeData(dragged, Qt.DropAction.MoveAction, -1, 0, model.row_of(folder.id))
    run.until(lambda: {library.chat(i).folder_id for i in ids} == {folder.id})
    model.fold(folder.id)
    assert words(run) == ["Folders", "Work", "Three seeds"]
    assert [row.depth for row in rows(run)] == [0, 0, 1]
    focus(run, 2)
    press(run, Qt.Key.Key_Delete)
    assert library.chats() == []
    run.window.toast.button.click()
    assert words(run) == ["Folders", "Work", "Three seeds"]
    sidebar.organizer.ungroup(ids)
    assert words(run) == ["Folders", "Work", *["Three seeds"] * 3]


def test_group_opens_side_by_side(start: Start):
    run = start()
    run.window.resize(1600, 800)
    panes = compared(run)
    ids = [pane.chat.id for pane in panes]
    for pane in panes:
        run.window.workspace.close_pane(pane)
    run.window.sidebar.open_together_requested.emit(ids)
    assert [pane.chat.id for pane in run.panes][-3:] == ids
    assert all(pane.isVisible() for pane in run.panes[-3:])

    # A chat can be renamed within its group, and is found by the question.
    first = run.panes[-3].chat
    sidebar = run.window.sidebar
    sidebar.rename(first.id)
    editor = sidebar.list.findChild(QLineEdit, "rename")
    assert editor.text() == "Seed 1"
    editor.setText("The good one")
    run.qtbot.keyClick(editor, Qt.Key.Key_Return)
    run.until(lambda: first.record.variant == "The good one")
    assert first.record.title == "say hello"
    sidebar.model.set_query("hello")
    run.until(lambda: not sidebar.model.is_searching)
    assert set(words(run)[1:]) == {f"say hello – {v}" for v in ("The good one", "Seed 2", "Seed 3")}


def test_last_chat_of_a_group_is_ordinary():
    chat = ChatRecord("a0", "Q", group_id="g", variant="Seed 1", created_at=2.0)
    other = replace(chat, id="b0", created_at=1.0)
    listed = entries([chat, other], [], set())
    (key,) = listed.groups
    assert listed.entries[1:] == [ListEntry("group", key)]
    assert listed.groups[key] == ["b0", "a0"]
    unfolded = entries([chat, other], [], {key}).entries
    assert unfolded[2:] == [ListEntry("chat", "b0", 1, key), ListEntry("chat", "a0", 1, key)]
    alone = entries([chat, replace(other, archived_at=1.0)], [], set())
    assert alone.entries[1:] == [ListEntry("chat", "a0"), ListEntry("archive", "archive")]
    assert chat.display_title == "Q – Seed 1"


def test_old_chats_are_grouped_by_month_or_year(monkeypatch):
    now = time.mktime((2026, 11, 25, 12, 0, 0, 0, 0, -1))
    monkeypatch.setattr("app.chats.chat_organizer.time.localtime", lambda: time.gmtime(now))
    headings = day_headings()

    def heading(*day: int) -> str:
        return day_heading(time.mktime((*day, 12, 0, 0, 0, 0, -1)), headings)

    assert heading(2026, 11, 25) == "Today"
    assert heading(2026, 11, 20) == "Previous 7 Days"
    assert heading(2026, 11, 2) == "Previous 30 Days"
    assert heading(2026, 10, 3) == "October"
    assert heading(2026, 1, 1) == "January"
    assert heading(2025, 12, 31) == "2025"
    assert heading(2019, 5, 5) == "2019"
    assert heading(1999, 5, 5) == "Earlier"

"""Named layouts."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QMenu

from app.chats.turn import Event
from app.ui.dialogs.name_dialogs import NameDialog
from app.ui.sidebar.chat_row import UNSEEN_ROLE
from app.ui.window.layouts import LAYOUT
from tests.app.conftest import Run, Start


def menu(run: Run):
    panes = next(m for m in run.window._menus if m.title() == "Window")
    found = next(a.menu() for a in panes.actions() if a.text() == "Layouts")
    assert isinstance(found, QMenu)
    found.aboutToShow.emit()
    return found


def texts(shown):
    return [action.text() for action in shown.actions() if not action.isSeparator()]


def choose(run: Run, *path):
    shown = menu(run)
    for text in path[:-1]:
        shown = next(a.menu() for a in shown.actions() if a.text() == text)
    next(a for a in shown.actions() if a.text() == path[-1]).trigger()


def dialog(run: Run):
    run.until(lambda: isinstance(QApplication.activeWindow(), NameDialog))
    return QApplication.activeWindow()


def answer(run: Run, name, *, times=1):
    asked = dialog(run)
    asked.field.selectAll()
    run.qtbot.keyClicks(asked.field, name)
    for _ in range(times):
        run.qtbot.keyClick(asked.field, Qt.Key.Key_Return)


def save(run: Run, name, *, times=1):
    choose(run, "Save Layout…")
    answer(run, name, times=times)


def said(run: Run, word, where=None):
    if where:
        run.window.commands[where].trigger()
    run.ready()
    pane = run.say(f"say {word}")
    run.answered(pane)
    return pane.chat.id


def ids(run: Run):
    return [pane.chat.id for pane in run.panes]


def places(run: Run):
    QApplication.processEvents()  # apply pending changes of panes
    return {
        p.chat.id: (
            p.mapTo(run.window, QPoint(0, 0)).x() // 8,
            p.mapTo(run.window, QPoint(0, 0)).y() // 8,
        )
        for p in run.panes
        if p.window() is run.window
    }


@pytest.fixture
def two(start: Start):
    run = start()
    run.window.resize(790, 700)
    chats = [said(run, "one"), said(run, "two", "split_right")]
    run.window.layouts.save("Pair")
    return run, chats


def test_empty_chats_stay_empty_after_restart(start: Start):
    run = start()
    run.window.commands["split_right"].trigger()
    stood = ids(run)
    save(run, "Blank")
    run.window.commands["close"].trigger()
    run.end()
    again = start()
    choose(again, "Blank")
    assert ids(again) == stood
    assert again.app.store.chats() == []
    for _ in stood:
        again.window.commands["close"].trigger()
    save_this = next(a for a in menu(again).actions() if a.text() == "Save Layout…")
    assert not save_this.isEnabled()  # nothing to save


def test_layout_is_saved_restored_and_undone(two):
    run, chats = two
    stood = places(run)
    third = said(run, "three", "split_down")
    run.window.commands["previous"].trigger()
    run.window.commands["close"].trigger()
    choose(run, "Pair")
    assert ids(run) == chats
    run.until(lambda: places(run) == stood)
    assert run.pane.chat.id == chats[1]
    assert run.pane.composer.field.hasFocus()
    assert run.window.sidebar.model.row_of(third).isValid()
    assert [run.answer(pane) for pane in run.panes] == ["one ", "two "]

    third = said(run, "three", "split_down")
    run.window.workspace.close_pane(run.window.workspace.pane(chats[0]))
    stood = places(run)
    assert sorted(stood) == sorted([chats[1], third])
    choose(run, "Pair")
    assert ids(run) == chats
    run.window.commands["undo_close"].trigger()
    run.until(lambda: places(run) == stood)
    assert run.pane.chat.id == third
    choose(run, "Pair")
    assert ids(run) == chats

    run.window.chats.new()
    run.window.activateWindow()  # no window manager activates it after the dialog
    run.until(run.window.isActiveWindow)
    run.qtbot.keyClick(
        run.window,
        Qt.Key.Key_L,
        Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
    )
    shown = run.window.layouts.menu
    run.until(shown.isVisible)
    assert shown.activeAction().text() == "Pair"
    run.qtbot.keyClick(shown, Qt.Key.Key_Return)
    assert ids(run) == chats


def test_layout_change_keeps_replies_running(two):
    run, chats = two
    run.window.chats.new()
    run.ready()
    pane = run.say("hold 3")
    run.until(lambda: run.answer(pane))
    choose(run, "Pair")
    assert ids(run) == chats
    assert pane.chat.reply.is_active
    run.engine.release()
    assert run.answered(pane) == "1 2 3 end"
    run.window.chats.open(pane.chat.id)
    assert run.pane is pane
    assert pane.window() is run.window


def test_layouts_survive_restart(two, start: Start):
    run, chats = two
    floating = said(run, "three", "split_down")
    run.window.commands["float"].trigger()
    save(run, "Three")
    stood = places(run)
    choose(run, "Pair")
    run.end()
    again = start()
    assert ids(again) == chats
    assert texts(menu(again))[:2] == ["Pair", "Three"]
    choose(again, "Three")
    assert sorted(ids(again)) == sorted([*chats, floating])
    assert [p.chat.id for p in again.panes if p.window() is not again.window] == [floating]
    again.until(lambda: places(again) == stood)
    assert [again.answer(pane) for pane in again.panes] == ["one ", "two ", "three "]
    choose(again, "Pair")
    assert all(pane.window() is again.window for pane in again.panes)


def test_layout_skips_deleted_chats(two):
    run, chats = two
    run.window.chats.delete(chats[0])
    choose(run, "Pair")
    assert ids(run) == [chats[1]]
    assert run.window.sidebar.model.row_of(chats[0]).isValid() is False

    third = said(run, "three", "new")
    run.window.chats.delete(chats[1])
    choose(run, "Pair")
    assert ids(run) == [third]


def test_layout_rename_and_delete_can_be_undone(two):
    run, chats = two
    choose(run, "Rename", "Pair…")
    assert dialog(run).field.text() == "Pair"
    answer(run, "A & B")
    assert texts(menu(run))[0] == "A && B"
    run.window.commands["undo_close"].trigger()
    assert texts(menu(run))[0] == "Pair"
    assert run.window.layouts.saved.names() == ["Pair"]
    choose(run, "Delete", "Pair")
    assert run.window.layouts.saved.names() == []
    assert ids(run) == chats
    run.window.commands["undo_close"].trigger()
    assert list(run.window.layouts.saved.get("Pair").chats) == chats


def test_used_layout_name_asks_and_can_be_undone(two):
    run, chats = two
    third = said(run, "three", "new")
    save(run, "Trio")
    choose(run, "Rename", "Trio…")
    answer(run, "Pair", times=2)
    assert run.window.layouts.saved.names() == ["Pair"]
    run.window.commands["undo_close"].trigger()
    assert run.window.layouts.saved.names() == ["Pair", "Trio"]
    assert list(run.window.layouts.saved.get("Pair").chats) == chats

    save(run, "  Pair ")
    asked = dialog(run)
    run.qtbot.keyClick(asked.field, Qt.Key.Key_Escape)
    assert list(run.window.layouts.saved.get("Pair").chats) == chats
    save(run, "Pair", times=2)
    assert set(run.window.layouts.saved.get("Pair").chats) == {*chats, third}
    run.qtbot.mouseClick(run.window.toast.button, Qt.MouseButton.LeftButton)
    assert list(run.window.layouts.saved.get("Pair").chats) == chats

    # a new layout under the old name stays
    run.window.layouts.saved.rename("Pair", "Couple")
    save(run, "Pair")
    run.window.commands["undo_close"].trigger()
    assert third in run.window.layouts.saved.get("Pair").chats


def test_unread_reply_stays_unread_after_restart(start: Start):
    run = start().ready()
    run.say("hold 2")
    open_one = run.pane.chat
    run.window.chats.new()
    run.say("hold 2")
    closed = run.pane.chat
    run.window.chats.new()
    run.window.workspace.close_pane(run.window.workspace.pane(closed.id))
    for chat in (open_one, closed):
        chat.turn.handle(Event.STOP)
    run.until(lambda: open_one.reply.is_unread and closed.reply.is_unread)
    unread = {open_one.id, closed.id}
    run.end()
    run = start()
    model, library = run.window.sidebar.model, run.app.library

    def shown() -> set[str]:
        return {i for i in unread if model.row_of(i).data(UNSEEN_ROLE)}

    assert library.unread == shown() == unread
    assert library.find(closed.id) is None
    assert not run.window.workspace.dock(open_one.id).icon().isNull()
    run.window.workspace.activate(run.window.workspace.pane(open_one.id))
    run.window.chats.open(closed.id)
    run.until(lambda: library.unread == shown() == set())


def test_window_size_is_saved_before_exit(run: Run):
    run.window._layout._soon.stop()

    def kept():
        return (run.app.store.layout(LAYOUT) or {}).get("geometry")

    run.window._layout.save()
    before, width = kept(), run.window.width()
    assert before
    run.window.resize(width - 40, run.window.height())
    run.until(lambda: kept() != before)


def test_sizes_and_positions_are_saved(run: Run):
    run.window.resize(1180, 780)
    run.window.chats.split("right")
    workspace, second = run.window.workspace, run.pane

    def is_saved() -> bool:
        saved = run.app.store.layout(LAYOUT) or {}
        return saved.get("docks") == workspace.arrangement().docks

    run.until(is_saved)
    area = workspace.dock(second.chat.id).dockAreaWidget()
    workspace.manager.setSplitterSizes(area, [400, 600])
    assert not is_saved()
    run.until(is_saved)
    run.window.commands["float"].trigger()
    run.until(is_saved)
    window = second.window()
    for change in (lambda: window.move(200, 150), lambda: window.resize(500, 520)):
        change()
        assert not is_saved()
        run.until(is_saved)
    run.window.move(30, 40)
    assert run.window._layout._soon.isActive()


def test_saving_while_maximized_does_not_repeat_itself(run: Run):
    run.window.resize(1180, 780)
    run.window.chats.split("right")
    run.window.workspace.maximize(run.pane)
    run.window.chats.new()
    timer = run.window._layout._soon
    run.until(lambda: not timer.isActive())
    run.window._layout.save()
    run.qtbot.wait(50)
    assert not timer.isActive()

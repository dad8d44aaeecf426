from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QToolButton
from pytestqt.qtbot import QtBot

from tests.app.conftest import Run, Start


def talk(run: Run, *texts):
    ids = []
    for text in texts:
        run.ready()
        run.ask(text)
        ids.append(run.pane.chat.id)
        run.window.chats.new()
    return ids


def titles(run: Run):
    model = run.window.sidebar.model
    return [model.index(n).data() for n in range(model.rowCount())]


def test_untitled_chat_is_named_by_draft(run: Run, qtbot: QtBot, tmp_path: Path):
    first = run.pane
    qtbot.keyClicks(first.composer.field, "Tides at noon")
    run.until(lambda: titles(run) == ["Today", "Tides at noon"])
    run.window.chats.new()
    run.ready()
    (tmp_path / "harbour.txt").write_text("open until nine")
    run.pane.chat.attacher.add([tmp_path / "harbour.txt"])
    run.until(lambda: titles(run) == ["Today", "harbour.txt", "Tides at noon"])
    assert run.window.workspace.dock(first.chat.id).windowTitle() == "Tides at noon"
    assert [chat.title for chat in run.app.library.chats()] == ["", ""], "it is no title"
    qtbot.keyClick(first.composer.field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(first.composer.field, Qt.Key.Key_Delete)
    run.until(lambda: titles(run) == ["Today", "harbour.txt", "New chat"])


def test_click_shows_or_opens_chat(start: Start, qtbot: QtBot):
    run = start()
    first, second = talk(run, "say one", "say two")
    assert titles(run) == ["Today", "say two", "say one"]
    view = run.window.sidebar.list
    place = view.visualRect(run.window.sidebar.model.row_of(first)).center()
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert run.pane.chat.id == first
    run.window.workspace.close_pane(run.window.workspace.pane(second))
    place = view.visualRect(run.window.sidebar.model.row_of(second)).center()
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert run.pane.chat.id == second


def test_search_finds_titles_and_replies(start: Start, qtbot: QtBot):
    run = start()
    _, other = talk(run, "say apples pears", "say plums")
    run.window.commands["search"].trigger()
    assert run.window.sidebar.search.hasFocus()
    qtbot.keyClicks(run.window.sidebar.search, "pears")
    run.until(lambda: "Results" in titles(run))
    assert titles(run) == ["Results", "say apples pears"]
    qtbot.keyClick(run.window.sidebar.search, Qt.Key.Key_Return)
    assert run.pane.chat.title == "say apples pears"
    run.window.commands["search"].trigger()
    qtbot.keyClicks(run.window.sidebar.search, "quinces")
    run.until(lambda: titles(run) == ["No results"])
    qtbot.keyClick(run.window.sidebar.search, Qt.Key.Key_Escape)
    run.until(lambda: "say plums" in titles(run))
    qtbot.keyClicks(run.window.sidebar.search, "pears")
    run.until(lambda: "Results" in titles(run))
    buttons = run.window.sidebar.search.findChildren(QToolButton)
    (clear,) = (b for b in buttons if b.defaultAction().objectName() == "_q_qlineeditclearaction")
    clear.click()
    run.until(lambda: "say plums" in titles(run))
    # Enter before the results arrive opens the first result, not the chat still listed.
    for keys in ([], [Qt.Key.Key_Down]):
        run.window.chats.open(other)
        run.window.commands["search"].trigger()
        qtbot.keyClick(run.window.sidebar.search, Qt.Key.Key_Escape)
        run.until(lambda: "Results" not in titles(run))
        qtbot.keyClicks(run.window.sidebar.search, "pears")
        for key in keys:
            qtbot.keyClick(run.window.sidebar.search, key)
        asked = run.window.sidebar.list if keys else run.window.sidebar.search
        qtbot.keyClick(asked, Qt.Key.Key_Return)
        run.until(lambda: run.pane.chat.title == "say apples pears")


def test_held_modifier_selects_no_second_row(start: Start, qtbot: QtBot):
    key = Qt.Key.Key_Control, Qt.KeyboardModifier.ControlModifier
    run = start()
    first, second = talk(run, "say one", "say two")
    view, model = run.window.sidebar.list, run.window.sidebar.model
    view.setFocus()
    view.setCurrentIndex(model.row_of(first))
    QTest.keyPress(run.window.windowHandle(), *key)
    view.setCurrentIndex(model.row_of(second))  # set by the window, not by the user
    QTest.keyRelease(run.window.windowHandle(), *key)
    qtbot.keyClick(view, Qt.Key.Key_Delete)
    assert not model.row_of(second).isValid()
    assert model.row_of(first).isValid()


def test_unchanged_title_editor_sets_no_title(run: Run, qtbot: QtBot):
    qtbot.keyClicks(run.pane.composer.field, "unsent")
    chat_id = run.pane.chat.id
    run.until(lambda: "unsent" in titles(run))
    run.window.sidebar.rename(chat_id)
    editor = run.window.sidebar.list.findChild(type(run.window.sidebar.search), "rename")
    assert editor.text() == "unsent"
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    run.until(lambda: run.window.sidebar.list.findChild(QLineEdit, "rename") is None)
    assert run.app.store.chat(chat_id).title == ""


def test_folder_menu_makes_and_moves_subfolders(run: Run):
    order, organizer = run.app.library.order, run.window.sidebar.organizer
    top = order.make("Trips")
    inner = order.make("Sea", parent_id=top.id)

    def menu(folder_id: str) -> dict[str, QAction]:
        return {a.text(): a for a in organizer.folder_menu(folder_id, lambda: None).actions()}

    assert "Move to Top Level" not in menu(top.id)
    assert "New Subfolder…" not in menu(inner.id)
    menu(inner.id)["Move to Top Level"].trigger()
    assert order.folder(inner.id).parent_id is None
    assert "New Subfolder…" in menu(inner.id)


def test_unfolded_folder_stays_unfolded_after_restart(start: Start):
    run = start().ready()
    folder = run.app.library.order.make("Trips")
    run.window.sidebar.model.fold(folder.id)
    run.end()
    model = start().ready().window.sidebar.model
    assert model.unfolded == {folder.id}
    model.fold(folder.id)
    assert not model.unfolded


def test_the_search_fields_button_narrows_a_search(start: Start, qtbot: QtBot):
    run = start()
    first, _ = talk(run, "say pears one", "say pears two")
    order = run.app.library.order
    order.move([first], order.make("My fruit").id)
    sidebar = run.window.sidebar
    menu = sidebar.filters.menu()
    assert [a.text() for a in menu.actions()][:2] == ["Folder", "Model"]
    menu.deleteLater()
    qtbot.keyClicks(sidebar.search, "pears")
    sidebar.filters.add("from:me")
    sidebar.filters.add('in:"Other"')
    sidebar.filters.add('in:"My fruit"')
    assert sidebar.search.text() == 'pears from:me in:"My fruit" '
    run.until(lambda: titles(run) == ["Results", "say pears one"])
    qtbot.keyClick(sidebar.search, Qt.Key.Key_Return)
    assert run.pane.chat.id == first

"""Accessible names of all controls and painted parts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLabel, QWidget

from app.ui.pane.options_popover import OptionsPopover
from app.ui.transcript.markdown_view import MarkdownView, stops_in
from app.ui.widgets.buttons import IconButton
from app.ui.window import notices
from tests.app.conftest import Run

Role = QAccessible.Role
CONTROLS = {
    *(Role.PushButton, Role.CheckBox, Role.RadioButton, Role.ButtonMenu, Role.ComboBox),
    *(Role.SpinBox, Role.Slider, Role.EditableText, Role.ProgressBar, Role.PageTab),
    *(Role.List, Role.Table, Role.Tree, Role.ListItem),
}
QTS_OWN = {"qt_spinbox_lineedit", "qt_tableview_cornerbutton"}
"""Parts of Qt's controls. They have the names of the controls and never get the focus."""


def face(widget: QObject) -> tuple[QAccessible.Role, str, str]:
    found = QAccessible.queryAccessibleInterface(widget)
    text = QAccessible.Text
    return found.role(), found.text(text.Name).strip(), found.text(text.Description).strip()


def wants_name(widget: QWidget) -> bool:
    if widget.objectName() in QTS_OWN or isinstance(widget.parent(), QComboBox):
        return False
    grandparent = widget.parent().parent() if widget.parent() is not None else None
    if isinstance(grandparent, QComboBox):  # list of a combo box, which has the same name
        return False
    if isinstance(widget, QLabel):
        return bool(widget.text())  # its text is its name
    if isinstance(widget, QAbstractButton) and not widget.isVisible() and not widget.text():
        return bool(widget.toolTip())  # named once it can be pressed
    painted = getattr(type(widget).paintEvent, "__module__", "").startswith("app.")
    takes_keys = widget.focusPolicy() != Qt.FocusPolicy.NoFocus
    return painted or takes_keys or face(widget)[0] in CONTROLS


def unnamed(window: QWidget) -> Iterator[str]:
    for widget in (window, *window.findChildren(QWidget)):
        if wants_name(widget) and not face(widget)[1]:
            above = widget.parentWidget()
            of = f" of {type(above).__name__}" if above is not None else ""
            yield f"{type(widget).__name__} {widget.objectName()!r}{of}"


def everything_named() -> int:
    windows = [w for w in QApplication.topLevelWidgets() if w.isVisible()]
    for window in windows:
        assert not list(unnamed(window)), type(window).__name__
    return len(windows)


def close_dialogs(run: Run) -> None:
    for window in QApplication.topLevelWidgets():
        if window.isVisible() and window is not run.window:
            window.close()


def test_all_controls_of_a_full_window_are_named(run: Run):
    everything_named()
    run.window.commands["score"].trigger()
    for words in ("say *hello* [you](https://a.example)", "think", "fail"):
        run.ask(words)
    run.window.commands["find"].trigger()
    run.window.chats.new()
    run.window.chats.split("right")
    run.say("hold 5")
    run.until(lambda: run.answer(run.pane))
    run.window.toast.show_text("Deleted", "Undo")
    everything_named()
    run.window.commands["palette"].trigger()
    everything_named()
    run.window.toggle_sidebar()
    for pane in run.panes:
        run.window.workspace.close_pane(pane)
    everything_named()


def test_statistics_versions_and_dialogs_have_names(run: Run):
    run.ask("say hello")
    row = run.pane.transcript.row(run.pane.chat.transcript.path[-1].id)
    assert row is not None
    assert "tok/s" in face(row)[2]
    assert face(run.pane.header)[1].startswith("Guide, Ready")
    assert face(run.pane)[:2] == (Role.Grouping, "say hello")
    tab = run.window.workspace.dock(run.pane.chat.id).tabWidget()
    assert face(tab)[:2] == (Role.PageTab, "say hello")
    dialogs = ("settings", "shortcuts", "about", "prompts", "compare", "models", "get_model")
    for name in (*dialogs, "export", "trash", "backups"):
        run.window.commands[name].trigger()
        assert everything_named() > 1, name
        close_dialogs(run)
    run.pane.header.options_button.click()
    run.until(lambda: run.window.findChild(OptionsPopover))
    assert everything_named() == 2
    close_dialogs(run)


def test_reply_is_announced_at_start_and_end(run: Run, monkeypatch: pytest.MonkeyPatch):
    said: list[str] = []
    monkeypatch.setattr(notices, "announce", lambda _widget, words: said.append(words))
    run.ask("count 40")
    numbers = " ".join(map(str, range(1, 41)))
    assert said == ["Guide: replying", f"Guide: done. {numbers}"]
    said.clear()
    first = run.pane
    run.window.chats.split("right")
    run.ask("fail")
    assert said[-1] == f"Guide: failed. {run.pane.chat.transcript.path[-1].error}"
    said.clear()
    first.chat.turn.send("say two")  # not focused, so its text is not read out
    run.answered(first)
    assert said == ["count 40: replying", "count 40: done"]


def test_links_and_code_are_reachable_by_key(run: Run):
    run.pane.composer.set_text("See [one **place**](https://a.example)\n\n```python\na = 1\n```")
    run.pane.composer.button.click()
    run.answered()
    run.window.commands["next_part"].trigger()
    row = run.pane.transcript.row(run.pane.chat.transcript.path[-1].id)
    view = row.findChild(MarkdownView)
    run.until(row.hasFocus)
    asked: list[str] = []
    view.anchorClicked.disconnect()  # it would open a dialog
    view.anchorClicked.connect(lambda address: asked.append(address.toString()))

    def press(key: Qt.Key) -> None:
        run.qtbot.keyClick(QApplication.focusWidget(), key)

    press(Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is view
    assert view.textCursor().selectedText() == "one place"
    press(Qt.Key.Key_Return)
    assert asked == ["https://a.example"]
    press(Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is view
    press(Qt.Key.Key_Return)
    assert QApplication.clipboard().text().strip() == "a = 1"
    press(Qt.Key.Key_Tab)
    assert isinstance(QApplication.focusWidget(), IconButton)
    assert not view.textCursor().hasSelection()
    press(Qt.Key.Key_Backtab)
    press(Qt.Key.Key_Backtab)
    assert view.textCursor().selectedText() == "one place"
    press(Qt.Key.Key_Backtab)
    assert row.hasFocus()
    link, code = (stop.words for stop in stops_in(view._markdown))
    assert ("one place" in link, "python" in code) == (True, True)

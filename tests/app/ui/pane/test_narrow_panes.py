"""Narrow panes."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QEnterEvent, QHelpEvent
from PySide6.QtWidgets import QApplication, QMenu

from app.ui.pane.header import PaneHeader, ReadLine
from app.ui.transcript.answer_row import AnswerRow
from app.ui.widgets.buttons import IconButton
from app.ui.widgets.widget_behavior import to_native_keys
from engine import PromptProgress
from tests.app.conftest import Run, Start


def point_at(button: IconButton) -> str:
    at, there = QPoint(4, 4), button.mapToGlobal(QPoint(4, 4))
    QApplication.sendEvent(button, QEnterEvent(at, at, there))
    QApplication.sendEvent(button, QHelpEvent(QEvent.Type.ToolTip, at, there))
    return button.toolTip()


def new_button(run: Run) -> IconButton:
    buttons = run.window.sidebar.findChildren(IconButton)
    return next(b for b in buttons if b.accessibleName() == "New Chat")


def open_menu() -> QMenu:
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


def named(run: Run) -> PaneHeader:
    run.ready()
    run.window.chats.use_model("/models/A-Model-With-A-Long-Name-8bit")
    run.ready()
    run.ask("say one")
    header = PaneHeader(run.pane.chat, run.pane)
    header.show()
    return header


def test_header_folds_buttons_before_model_name(start: Start):
    run = start()
    header = named(run)
    header.resize(700, header.height())
    assert not header.is_folded
    assert header.tools_button.isVisible()
    assert header.options_button.isVisible()
    header.resize(250, header.height())
    assert header.is_folded
    assert not header.tools_button.isVisible()
    assert not header.options_button.isVisible()

    # Folded buttons are in the menu and work by key.
    header.resize(270, header.height())
    assert header.last_button is header.more
    header.more.setFocus(Qt.FocusReason.TabFocusReason)
    run.qtbot.keyClick(header.more, Qt.Key.Key_Return)
    menu = open_menu()
    asked: list[bool] = []
    header.options_button.clicked.connect(lambda: asked.append(True))
    menu.actions()[-1].trigger()
    menu.close()
    assert asked == [True]
    for popup in QApplication.topLevelWidgets():
        if popup.objectName() == "popover":
            popup.close()


def test_narrow_pane_shows_prefill_in_reply(run: Run):
    run.say("hold 0")
    chat, pane = run.pane.chat, run.pane
    run.until(lambda: pane.transcript.row(chat.reply.message_id or "") is not None)
    row = pane.transcript.row(chat.reply.message_id or "")
    assert isinstance(row, AnswerRow)
    answer = chat._generator.answer
    for width, shown in ((380, True), (900, False)):
        pane.transcript.resize(width, 400)
        answer.read(PromptProgress("s", "r", 700, 1535, 0, 0))
        chat.phase_changed.emit()
        assert row.silence.isHidden() is not shown
        assert [button.isHidden() for button in row.silence.buttons] == [True, True]
    line = pane.findChild(ReadLine)
    assert not line.isHidden()
    pane.take_header()
    assert line.isHidden(), "the header shows the progress itself"
    # Waiting for other chats is shown too.
    pane.transcript.resize(380, 400)
    answer.read(PromptProgress("s", "r", 700, 1535, 0, 2))
    chat.phase_changed.emit()
    assert not row.silence.isHidden()
    assert line.width() == pane.width(), "not of the part of the tab in which the header is"
    run.engine.release()
    run.answered()
    assert line.isHidden()


def test_loaded_state_is_shown_in_narrow_pane(start: Start):
    run = start()
    header = named(run)
    run.engine.loading.clear()
    ref = "/models/Another-Model-With-A-Long-Name-8bit"
    run.pane.chat.model.set(ref)
    run.until(lambda: header.state == "Loading…")
    for width in (280, 370):
        header.resize(width, header.height())
        assert header.displayed_state == "Loading…"
        assert not header.cancel.isHidden()
        assert header.model_button.geometry().right() < header.cancel.x()
    run.until(lambda: ref in run.engine.progress)
    run.engine.progress[ref](0.42)
    run.until(lambda: header.state == "Loading 42%")
    written = []
    for width in range(400, 200, -4):
        header.resize(width, header.height())
        written.append(header.displayed_state)
    assert list(dict.fromkeys(written)) == ["Loading 42%", "Loading…", ""]
    run.engine.loading.set()
    run.ready()
    assert header.displayed_state == ""


def test_tooltips_show_custom_shortcuts(run: Run):
    button, keys = new_button(run), run.window.keys
    assert point_at(button) == f"New Chat  {to_native_keys('Ctrl+N')}"
    keys.assign("new", "Ctrl+Shift+Y")
    assert point_at(button) == f"New Chat  {to_native_keys('Ctrl+Shift+Y')}"
    keys.assign("new", "")
    assert point_at(button) == "New Chat"
    keys.reset("new")
    assert point_at(button) == f"New Chat  {to_native_keys('Ctrl+N')}"

    run.qtbot.keyClicks(run.pane.composer.field, "hello")
    assert run.pane.composer.button.toolTip().startswith("Send  Enter")
    run.app.settings.set(send_key="ctrl_enter")
    run.qtbot.keyClicks(run.pane.composer.field, "!")
    assert run.pane.composer.button.toolTip().startswith(f"Send  {to_native_keys('Ctrl+Enter')}")
    run.pane.composer.set_text("")

"""Reply formats in the chat's popover, with the real engine."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

from app.ui.pane.options_popover import OptionsPopover
from tests.app.conftest import Run


def open_panel(run: Run):
    run.qtbot.mouseClick(run.pane.header.options_button, Qt.MouseButton.LeftButton)
    panel = next(
        w for w in QApplication.topLevelWidgets() if isinstance(w, OptionsPopover) and w.isVisible()
    )
    run.until(lambda: panel.system.hasFocus())
    return panel


def choose(run: Run, panel, kind):
    box = panel.form.kind
    box.setFocus()
    run.qtbot.keyClick(box, Qt.Key.Key_Home)
    while box.currentData() != kind:
        before = box.currentIndex()
        run.qtbot.keyClick(box, Qt.Key.Key_Down)
        assert box.currentIndex() == before + 1


def close(run: Run, panel):
    panel.close()
    run.until(lambda: not isValid(panel) or not panel.isVisible())


def test_list_format_is_used_and_shown(run: Run):
    panel = open_panel(run)
    assert not panel.form.choices.isVisible()
    choose(run, panel, "choices")
    assert panel.form.wrong.isVisible()
    assert not panel.form.wrong.property("danger")  # nothing is written yet
    run.qtbot.keyClick(panel.form.kind, Qt.Key.Key_Tab)
    assert panel.form.choices.hasFocus()
    run.qtbot.keyClicks(panel.form.choices, "yes")
    run.qtbot.keyClick(panel.form.choices, Qt.Key.Key_Return)
    run.qtbot.keyClicks(panel.form.choices, "no")
    assert not panel.form.wrong.isVisible()
    close(run, panel)
    run.ask("say yes")
    assert run.engine.sent[-1].params.choices == ("yes", "no")
    assert run.pane.chat.transcript.last("assistant").stats["options"] == {
        "answer_as": "choices",
        "choices": ["yes", "no"],
    }
    panel = open_panel(run)
    assert panel.form.choices.toPlainText() == "yes\nno"
    close(run, panel)


def test_invalid_pattern_is_shown_kept_and_not_sent(run: Run):
    panel = open_panel(run)
    choose(run, panel, "pattern")
    field = panel.form.pattern
    field.setFocus()
    run.qtbot.keyClicks(field, "ab")
    assert panel.form.wrong.text() == ""
    run.qtbot.keyClicks(field, "(")
    assert panel.form.wrong.isVisible()
    assert panel.form.wrong.property("danger")
    why = panel.form.wrong.text()
    assert field.accessibleDescription() == why != ""
    close(run, panel)
    run.say("say one")
    run.until(lambda: not run.pane.chat.reply.is_active)
    assert run.engine.sent == []
    answer = run.pane.chat.transcript.last("assistant")
    assert answer.status == "error"
    assert why in answer.error
    panel = open_panel(run)
    assert panel.form.pattern.text() == "ab("
    assert panel.form.wrong.isVisible()
    panel.form.pattern.setFocus()
    run.qtbot.keyClick(panel.form.pattern, Qt.Key.Key_End)
    run.qtbot.keyClicks(panel.form.pattern, "c)")
    close(run, panel)
    run.pane.chat.regenerate()
    run.answered()
    assert run.engine.sent[-1].params.regex == "ab(c)"

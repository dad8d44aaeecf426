"""Header rows of panes, and the shade of inactive panes."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtWidgets import QApplication, QLabel

from app.settings.paths import GUIDE
from app.ui.pane.pane import ChatPane
from app.ui.style import tokens as t
from tests.app.conftest import Run

LEFT = Qt.MouseButton.LeftButton


def in_row(pane: ChatPane) -> bool:
    return pane.header.in_row and pane.header.isVisible()


def test_header_stays_when_tabs_are_added(run: Run) -> None:
    first = run.pane
    run.until(lambda: in_row(first))
    top = first.mapTo(run.window, QPoint(0, 0))
    assert top.y() - run.window.workspace.mapTo(run.window, QPoint(0, 0)).y() <= t.TAB + 1
    run.window.chats.new()
    second = run.pane
    run.until(lambda: in_row(second))
    assert second.mapTo(run.window, QPoint(0, 0)) == top
    assert not first.header.isVisible()
    run.window.workspace.activate(first)
    run.until(lambda: in_row(first) and not second.header.isVisible())
    run.window.commands["close"].trigger()
    run.until(lambda: in_row(second))
    run.window.commands["undo_close"].trigger()
    run.until(lambda: in_row(first) and not second.header.isVisible())
    run.window.workspace.float_pane(second)
    run.until(lambda: in_row(first))
    assert second.header.isVisible()
    run.window.workspace.float_pane(second)
    run.until(lambda: in_row(second))


def test_press_in_row_activates_its_pane(run: Run) -> None:
    run.window.resize(1200, 700)
    first = run.pane
    run.window.commands["split_right"].trigger()
    run.ready()
    assert run.pane is not first
    run.until(lambda: in_row(first))
    first.header.options_button.setFocus(Qt.FocusReason.TabFocusReason)
    assert run.pane is first
    run.window.workspace.activate(next(p for p in run.panes if p is not first))
    run.qtbot.mouseClick(first.header, LEFT, pos=QPoint(first.header.width() // 2, 10))
    assert run.pane is first
    assert first.composer.field.hasFocus()


def test_narrow_pane_header_has_its_own_row(run: Run) -> None:
    run.window.resize(1160, 700)
    first = run.pane
    for _ in range(2):
        run.window.commands["split_right"].trigger()
    for pane in run.panes:
        pane.chat.model.set("/models/A family of models 360M")
    name = first.header.model_button
    run.until(lambda: first.width() < t.NARROW and not in_row(first))
    run.until(lambda: name.width() >= name.sizeHint().width())
    first.chat.model.set(GUIDE)
    run.until(lambda: first.header.model_button.text() == "Guide")
    run.qtbot.wait(50)
    assert not any(in_row(pane) for pane in run.panes), "those beside it have two rows"
    run.window.resize(1900, 700)
    run.until(lambda: in_row(first))


def test_long_title_shrinks_for_status(run: Run) -> None:
    run.window.resize(1200, 700)
    first = run.say("hold 3")
    run.until(lambda: run.answer(first))
    first.chat.rename("a title of many words " * 3)
    run.window.commands["split_right"].trigger()
    run.until(lambda: in_row(first) and first.header.width() > 0)
    title = run.window.workspace.dock(first.chat.id).tabWidget().findChild(QLabel)
    run.until(lambda: first.header.displayed_state == "Writing")
    name = first.header.model_button
    assert name.width() >= name.sizeHint().width()
    replying = title.width()
    run.engine.release()
    run.answered(first)
    run.until(lambda: title.width() > replying)
    assert first.header.displayed_state == ""


class Layouts(QObject):
    number = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.number += event.type() == QEvent.Type.LayoutRequest
        return False


def test_idle_window_causes_no_layout(run: Run, qapp: QApplication) -> None:
    """Regression test: a row that requested a layout during layouts kept a core busy forever."""
    for more in (None, "tab", "right", "tab", "down"):
        if more == "tab":
            run.window.chats.new()
        elif more is not None:
            run.window.chats.split(more)
        layouts = Layouts()
        qapp.installEventFilter(layouts)
        for _ in range(50):  # events can be late on a busy machine, while a loop never ends
            layouts.number = 0
            run.qtbot.wait(30)
            if layouts.number <= 4:
                break
        qapp.removeEventFilter(layouts)
        assert layouts.number <= 4, f"after {more}"  # a loop would make dozens

"""Code blocks in replies."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.markdown import MarkdownDocument
from app.ui.style.theme import markdown_style
from app.ui.transcript.markdown_view import MarkdownView
from tests.app.conftest import Run

LONG = "total = " + " + ".join(f"value_{n}" for n in range(40))
ANSWER = f"Before\n\n```py\nshort = 1\n{LONG}\nlast = 3\n```\n\nBetween\n\n```\nfits\n```\n\nAfter"
CODE = f"short = 1\n{LONG}\nlast = 3\n"
WIDTH = 420


class Shown:
    def __init__(self, qtbot: QtBot, text: str) -> None:
        self.qtbot = qtbot
        self.markdown = MarkdownDocument(markdown_style())
        self.view = MarkdownView(self.markdown)
        qtbot.addWidget(self.view)
        self.view.height_changed.connect(self.fit)
        if text:
            self.markdown.append(text)
            self.markdown.settle()
        self.fit()
        with qtbot.waitExposed(self.view):
            self.view.show()

    def fit(self) -> None:
        self.view.resize(WIDTH, self.view.height_for(WIDTH))

    @property
    def code(self):
        return self.markdown.code_blocks()[0]

    def button(self, number: int, code: int = 0) -> QPoint:
        area = self.markdown.code_area(self.markdown.code_blocks()[code])
        return QPoint(round(area.right()) - 16 - 26 * number, round(area.top()) + 15)

    def move(self, at: QPoint, held=Qt.MouseButton.NoButton) -> None:
        """Move the pointer. `QTest.mouseMove` would move the real cursor and wait for events."""
        to, button = QPointF(at), Qt.MouseButton.NoButton
        where = self.view.viewport().mapToGlobal(to)
        kind = QEvent.Type.MouseMove
        moved = QMouseEvent(kind, to, where, button, held, Qt.KeyboardModifier.NoModifier)
        QApplication.sendEvent(self.view.viewport(), moved)

    def click(self, at: QPoint) -> None:
        self.move(at)
        self.qtbot.mouseClick(self.view.viewport(), Qt.MouseButton.LeftButton, pos=at)

    def lines(self) -> list[int]:
        block = self.markdown.document.findBlock(self.code.first_position)
        found = []
        while block.position() <= self.code.last_position:
            found.append(block.layout().lineCount())
            block = block.next()
        return found

    def spot(self, code: int = 0, line: int = 1, x: int = 60) -> QPoint:
        block = self.markdown.document.findBlock(self.markdown.code_blocks()[code].first_position)
        for _ in range(line):
            block = block.next()
        return QPoint(x, round(block.layout().position().y()) + 10)

    def wheel(self, at: QPoint, x: int, y: int = 0, modifiers=Qt.KeyboardModifier.NoModifier):
        turned = QWheelEvent(
            QPointF(at), self.view.viewport().mapToGlobal(QPointF(at)), QPoint(), QPoint(x, y),
            Qt.MouseButton.NoButton, modifiers, Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(self.view.viewport(), turned)
        return turned.isAccepted()


@pytest.fixture
def shown(qtbot: QtBot, look):
    return Shown(qtbot, ANSWER)


def test_code_button_toggles_wrapping(shown):
    assert shown.lines() == [1, 1, 1]
    height = shown.view.height()
    shown.click(shown.button(1))
    assert shown.code.wrapped
    assert shown.lines()[1] > 3
    assert (shown.lines()[0], shown.lines()[2]) == (1, 1)
    assert shown.view.height() > height
    shown.click(shown.button(1))
    assert not shown.code.wrapped
    assert shown.lines() == [1, 1, 1]
    assert shown.view.height() == height


@pytest.mark.parametrize("wrapped", [False, True])
def test_copied_code_ignores_wrapping(shown, wrapped):
    if wrapped:
        shown.click(shown.button(1))
    QGuiApplication.clipboard().setText("")
    with shown.qtbot.waitSignal(shown.view.code_copied):
        shown.click(shown.button(0))
    assert QGuiApplication.clipboard().text() == CODE
    shown.view.selectAll()
    shown.view.copy()
    assert CODE.rstrip("\n") in QGuiApplication.clipboard().text()


def test_code_stays_wrapped_while_reply_grows(qtbot: QtBot, look):
    shown = Shown(qtbot, f"Before\n\n```py\n{LONG}\n")
    shown.click(shown.button(1))
    for piece in (LONG[:50], LONG[50:], "\n", "x = 1\n", "```\n", "\nand **on**", "\n\n- a\n"):
        shown.markdown.append(piece)
        shown.markdown.settle()
        assert shown.code.wrapped
        assert shown.lines()[0] > 3
    shown.markdown.finish()
    shown.markdown.set_style(markdown_style(quiet=True))
    assert shown.lines()[0] > 3
    assert shown.lines()[1] > 3
    shown.markdown.set_text(ANSWER)
    assert shown.lines() == [1, 1, 1]


def test_wide_code_scrolls_by_wheel(shown):
    wide, code = shown.view._wide, shown.code
    assert not shown.wheel(shown.spot(), 0, -120), "up and down is the transcript's"
    assert not shown.wheel(shown.spot(code=1, line=0), -120), "it fits"
    assert wide.scroll_offset(code) == 0
    assert shown.wheel(shown.spot(), -120)
    assert 0 < wide.scroll_offset(code) < wide.overflow_width(code)
    assert shown.wheel(shown.spot(), 0, -120_000, Qt.KeyboardModifier.ShiftModifier)
    assert wide.scroll_offset(code) == wide.overflow_width(code)
    assert shown.wheel(shown.spot(), 120_000)
    assert wide.scroll_offset(code) == 0
    # The rest of the reply does not scroll with it.
    assert shown.view.horizontalScrollBar().maximum() == 0


def test_very_long_line_is_always_wrapped(qtbot: QtBot, look):
    shown = Shown(qtbot, "```\n" + "x" * 5_000 + "\n```\n")
    assert sum(shown.lines()) > 10
    assert shown.markdown.code_width(shown.code) == 0


def test_wrapping_is_restored_with_its_row(run: Run, qtbot: QtBot):
    run.pane.chat.turn.send(f"paste ```py\n{LONG}\n```\n")
    run.answered()
    answer = run.pane.chat.transcript.last("assistant").id
    view = run.pane.transcript
    run.until(lambda: view.row(answer) is not None)
    shown = view.row(answer)._view
    markdown = shown._markdown
    run.window.resize(700, 600)
    run.until(lambda: not view._layout_timer.isActive())
    area = markdown.code_area(markdown.code_blocks()[0])
    at = QPoint(round(area.right()) - 42, round(area.top()) + 15)
    qtbot.mouseClick(shown.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert markdown.wrapped_blocks
    run.pane.composer.field.setFocus()  # a focused row is never removed
    run.pane.chat.turn.send("paste " + "far away\n\n" * 200)
    run.answered()
    run.until(lambda: view.row(answer) is None)
    view.show_message(answer)
    assert view.row(answer)._view is not shown
    assert view.row(answer).wrapped_code

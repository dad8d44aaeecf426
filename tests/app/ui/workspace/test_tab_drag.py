from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QContextMenuEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QMessageBox, QWidget

from app.ui.pane.pane import ChatPane
from app.ui.workspace.tab_drag import DropTint
from tests.app.conftest import Run, Start

LEFT, NO = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton


def tab(run: Run, pane: ChatPane) -> QWidget:
    return run.window.workspace.dock(pane.chat.id).tabWidget()


def send(widget: QWidget, kind: QEvent.Type, at: QPoint) -> None:
    button = NO if kind == QEvent.Type.MouseMove else LEFT
    held = NO if kind == QEvent.Type.MouseButtonRelease else LEFT
    local, no = QPointF(widget.mapFromGlobal(at)), Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(widget, QMouseEvent(kind, local, QPointF(at), button, held, no))


def begin(run: Run, pane: ChatPane, over: QPoint) -> QWidget:
    dragged = tab(run, pane)
    start = dragged.mapToGlobal(dragged.rect().center())
    send(dragged, QEvent.Type.MouseButtonPress, start)
    for at in (start + QPoint(0, 30), over - QPoint(2, 0), over):
        send(dragged, QEvent.Type.MouseMove, at)
    return dragged


def point(pane: ChatPane, x: float, y: float) -> QPoint:
    return pane.mapToGlobal(QPoint(round(pane.width() * x), round(pane.height() * y)))


def tints(run: Run) -> list[QRect]:
    return [tint.geometry() for tint in run.window.findChildren(DropTint) if tint.isVisible()]


def two_columns(run: Run) -> tuple[ChatPane, ChatPane]:
    run.ready()
    run.window.move(0, 0)
    run.window.commands["split_right"].trigger()
    first, second = run.panes
    for pane in (first, second):
        pane.setMinimumSize(100, 100)  # the tests' screen is small
    run.window.resize(790, 780)
    run.window.sidebar.hide()
    run.window.rail.hide()
    run.steady(lambda: [(pane.mapToGlobal(QPoint()), pane.size()) for pane in (first, second)])
    return first, second


@pytest.mark.parametrize(
    ("x", "y", "part"),
    [
        (0.1, 0.5, (0, 0, 0.5, 1)),
        (0.5, 0.95, (0, 0.5, 1, 0.5)),
        (0.5, 0.5, (0, 0, 1, 1)),
    ],
)
def test_dragged_tab_drops_where_tinted(
    start: Start, x: float, y: float, part: tuple[float, float, float, float]
):
    run = start()
    first, second = two_columns(run)
    area = run.window.workspace.dock(second.chat.id).dockAreaWidget()
    corner, size = area.mapTo(run.window, QPoint(0, 0)), area.size()
    dragged = begin(run, first, point(second, x, y))
    (tint,) = tints(run)
    left, top, wide, high = part
    expected = (
        *(corner.x() + left * size.width(), corner.y() + top * size.height()),
        *(wide * size.width(), high * size.height()),
    )
    assert [abs(a - b) <= 2 for a, b in zip(tint.getRect(), expected, strict=True)] == [True] * 4
    send(dragged, QEvent.Type.MouseButtonRelease, point(second, x, y))
    assert tints(run) == []
    places = [run.window.workspace.dock(p.chat.id).dockAreaWidget() for p in (first, second)]
    assert (places[0] is places[1]) == (x == y)
    run.until(lambda: first.isVisible() and first.width() > 100)
    if x != y:
        at = [p.mapTo(run.window, QPoint(0, 0)) for p in (first, second)]
        assert (at[0].x() < at[1].x()) == (x < 0.5)
        assert (at[0].y() < at[1].y()) == (y < 0.5)
    assert run.pane is first


def test_drag_opens_no_window_over_panes(start: Start):
    run = start()
    first, second = two_columns(run)
    dragged = begin(run, first, point(first, 0.9, 0.5))
    assert tints(run) == []  # the dragged pane isn't a target
    send(dragged, QEvent.Type.MouseButtonRelease, point(first, 0.9, 0.5))
    assert run.panes == [first, second]
    before = {w for w in QApplication.topLevelWidgets() if w.isVisible()}
    dragged = begin(run, first, point(second, 0.9, 0.5))
    (label,) = {w for w in QApplication.topLevelWidgets() if w.isVisible()} - before
    assert label.objectName() == "drag-label"
    assert label.height() < 60
    assert not label.testAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
    run.qtbot.keyClick(dragged, Qt.Key.Key_Escape)
    assert tints(run) == []
    assert not label.isVisible()
    send(dragged, QEvent.Type.MouseButtonRelease, point(second, 0.9, 0.5))
    assert [first, second] == run.panes

    # A half that is too narrow becomes a tab.
    second.setMinimumWidth(second.width() - 100)
    begin(run, first, point(second, 0.9, 0.5))
    area = run.window.workspace.dock(second.chat.id).dockAreaWidget()
    assert tints(run)[0].size() == area.size()
    send(tab(run, first), QEvent.Type.MouseButtonRelease, point(second, 0.9, 0.5))


def test_menu_does_not_open_during_a_drag(start: Start):
    run = start()
    first, second = two_columns(run)
    over = point(second, 0.5, 0.5)
    dragged = begin(run, first, over)
    mouse = QContextMenuEvent.Reason.Mouse
    QApplication.sendEvent(dragged, QContextMenuEvent(mouse, QPoint(5, 5), over))
    assert QApplication.activePopupWidget() is None  # it would get the release
    send(dragged, QEvent.Type.MouseButtonRelease, over)
    assert tints(run) == []
    assert run.window.workspace.tabs_beside(first) == [second, first]


def test_dialog_ends_a_drag(start: Start):
    run = start()
    first, second = two_columns(run)
    dragged = begin(run, first, point(second, 0.9, 0.5))
    assert len(tints(run)) == 1
    box = QMessageBox(run.window)
    box.open()
    assert tints(run) == []
    assert QWidget.keyboardGrabber() is None
    box.close()
    send(dragged, QEvent.Type.MouseButtonRelease, point(second, 0.9, 0.5))
    assert run.panes == [first, second]


def test_closing_a_chat_ends_its_drag(start: Start):
    run = start()
    first, second = two_columns(run)
    over = point(second, 0.5, 0.5)
    dragged = tab(run, first)
    send(dragged, QEvent.Type.MouseButtonPress, dragged.mapToGlobal(dragged.rect().center()))
    run.window.workspace.close_pane(first)
    send(dragged, QEvent.Type.MouseMove, over)
    assert tints(run) == []
    send(dragged, QEvent.Type.MouseButtonRelease, over)
    assert run.panes == [second]
    assert second.isVisible()


def test_tab_dropped_outside_floats(run: Run):
    run.window.resize(500, 400)
    run.window.move(0, 0)
    run.window.chats.new()
    first, second = run.panes
    outside = QPoint(650, 700)
    dragged = begin(run, second, outside)
    assert tints(run) == []
    send(dragged, QEvent.Type.MouseButtonRelease, outside)
    run.until(lambda: second.window() is not run.window)
    window = second.window()
    assert window.screen().availableGeometry().contains(window.frameGeometry())
    run.window.commands["float"].trigger()
    assert second.window() is run.window
    assert run.window.workspace.tabs_beside(second) == [first, second]


def test_fast_drag_within_the_bar_moves_only_the_tab(run: Run):
    run.window.chats.new()
    first, second = run.panes
    dragged = tab(run, first)
    start, bar = dragged.mapToGlobal(dragged.rect().center()), dragged.parentWidget()
    far = bar.mapToGlobal(QPoint(bar.width() - 4, start.y())).x()
    send(dragged, QEvent.Type.MouseButtonPress, start)
    for x in (start.x() + 20, far):
        send(dragged, QEvent.Type.MouseMove, QPoint(x, start.y()))
        assert first.window() is run.window
    send(dragged, QEvent.Type.MouseButtonRelease, QPoint(far, start.y()))
    assert run.panes == [second, first]
    assert run.window.workspace.tabs_beside(first) == [second, first]


def test_shortcut_during_a_drag_within_the_bar_cancels_it(run: Run):
    run.window.chats.new()
    first, second = run.panes
    dragged, other = tab(run, first), tab(run, second)
    start = dragged.mapToGlobal(dragged.rect().center())
    far = other.mapToGlobal(other.rect().center())
    send(dragged, QEvent.Type.MouseButtonPress, start)
    send(dragged, QEvent.Type.MouseMove, start + QPoint(20, 0))
    send(dragged, QEvent.Type.MouseMove, far)
    run.window.workspace.activate(second)
    send(dragged, QEvent.Type.MouseButtonRelease, far)
    assert run.panes == [first, second]
    assert run.pane is second
    assert second.isVisible()
    assert not first.isVisible()
    run.until(lambda: dragged.x() < other.x())

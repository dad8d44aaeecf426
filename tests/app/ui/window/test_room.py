"""Space for panes: minimum sizes, and a sidebar that folds."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint
from PySide6.QtWidgets import QApplication

from app.ui.sidebar.sidebar import Sidebar
from app.ui.style.theme import theme
from app.ui.workspace.placement import columns_that_fit
from tests.app.conftest import Run, Start
from tests.app.ui.measuring import cut_off


def test_full_window_opens_chat_as_tab(start: Start) -> None:
    run = start().ready()
    run.window.resize(1000, 700)
    for _ in range(4):
        run.window.commands["split_right"].trigger()
    panes = run.window.workspace.panes()
    assert len(panes) == 5
    run.qtbot.wait(20)
    shown = [pane for pane in panes if pane.isVisible()]
    assert 1 < len(shown) < 5
    assert all(pane.width() >= pane.minimumWidth() for pane in shown)
    assert columns_that_fit(run.window.workspace, shown[0]) == 1
    assert "opened as a tab" in run.window.toast.text


def test_panes_are_evened_out(start: Start) -> None:
    run = start().ready()
    run.window.resize(1300, 700)
    run.window.commands["split_right"].trigger()
    for _ in range(4):
        run.window.commands["larger"].trigger()
    one, two = run.window.workspace.panes()
    assert abs(one.width() - two.width()) > 100
    run.window.commands["even_out"].trigger()
    assert abs(one.width() - two.width()) <= 2


def test_sidebar_hides_in_narrow_window(start: Start) -> None:
    run = start().ready()
    window = run.window
    window.resize(1100, 700)
    window.commands["split_right"].trigger()
    assert window.sidebar.isVisible()
    window.resize(700, 700)
    run.until(lambda: not window.sidebar.isVisible())
    assert window.rail.isVisible()
    assert all(p.width() >= p.minimumWidth() for p in window.workspace.panes())
    assert run.app.settings.sidebar  # only collapsed
    window.resize(1100, 700)
    run.until(window.sidebar.isVisible)
    window.resize(700, 700)
    run.until(lambda: not window.sidebar.isVisible())
    window.commands["sidebar"].trigger()  # a single press shows it, since it was only collapsed
    assert window.sidebar.isVisible()

    def in_sight() -> bool:
        right = window.workspace.mapTo(window, QPoint(window.workspace.width(), 0)).x()
        panes = [p for p in run.panes if p.isVisible()]
        ends = [p.mapTo(window, QPoint(p.width(), 0)).x() for p in panes]
        return right <= window.width() and all(end <= window.width() for end in ends)

    run.until(in_sight)
    assert columns(run) == 1
    window.commands["sidebar"].trigger()
    run.until(lambda: not window.sidebar.isVisible() and columns(run) == 2)
    window.resize(1200, 700)
    run.qtbot.wait(20)
    assert not window.sidebar.isVisible()  # the user has hidden it


def test_sidebar_that_covers_the_panes_closes_when_left(start: Start) -> None:
    run = start().ready()
    run.window.resize(640, 700)
    theme().set_zoom(150)
    run.until(lambda: not run.window.sidebar.isVisible())
    run.window.commands["sidebar"].trigger()
    run.qtbot.wait(50)
    assert run.window.sidebar.isVisible()
    run.pane.composer.field.setFocus()
    run.until(lambda: not run.window.sidebar.isVisible())
    run.until(lambda: cut_off(run.window) == [])


def test_stop_all_includes_chats_without_pane(start: Start) -> None:
    run = start().ready()
    stop = run.window.commands["stop_all"]
    stop.trigger()
    assert run.window.toast.text == "No model is replying"
    run.say("hold 2")
    hidden = run.pane.chat
    run.window.commands["split_right"].trigger()
    run.ready()
    run.say("hold 2")
    other = run.pane.chat
    pane = run.window.workspace.pane(hidden.id)
    assert pane is not None
    run.window.workspace.close_pane(pane)
    run.until(lambda: hidden.reply.is_active and other.reply.is_active)
    stop.trigger()
    run.until(lambda: not hidden.reply.is_active and not other.reply.is_active)
    assert run.window.toast.text == "2 replies stopped"


def test_columns_without_room_become_rows_and_come_back(start: Start) -> None:
    run = start().ready()
    window, panes = run.window, run.window.workspace.panes
    window.resize(1500, 760)
    for _ in range(3):
        window.commands["split_right"].trigger()
    before, active, focus = panes(), run.pane, run.pane.composer.field
    window.resize(700, 760)
    run.until(lambda: len({p.mapToGlobal(QPoint()).y() for p in panes()}) == 2)
    assert all(p.isVisible() and p.width() >= p.minimumWidth() for p in panes())
    assert run.pane is active
    assert focus.hasFocus()
    window.resize(700, 420)  # tabs if the window isn't high enough
    window.resize(560, 420)
    run.until(lambda: sum(p.isVisible() for p in panes()) == 1)
    window.resize(1500, 760)
    run.until(lambda: all(p.isVisible() for p in panes()))
    assert panes() == before
    assert len({p.mapToGlobal(QPoint()).y() for p in panes()}) == 1
    assert run.pane is active
    assert focus.hasFocus()


def test_wrapped_columns_are_restored_after_restart(start: Start) -> None:
    run = start().ready()
    run.window.resize(1500, 760)
    for _ in range(2):
        run.window.commands["split_right"].trigger()
    run.window.resize(700, 760)
    run.until(lambda: len({p.mapToGlobal(QPoint()).y() for p in run.panes}) == 2)
    run.end()
    run = start()
    run.until(lambda: len(run.panes) == 3)
    assert run.window.width() == 700
    run.window.resize(1500, 760)
    run.until(lambda: len({p.mapToGlobal(QPoint()).y() for p in run.panes}) == 1)


def test_rows_become_tabs_with_large_text(start: Start) -> None:
    run = start().ready()
    window = run.window
    window.resize(1300, 700)
    for _ in range(2):
        window.commands["split_right"].trigger()
    window.resize(640, 700)
    run.until(lambda: len({p.mapToGlobal(QPoint()).y() for p in run.panes}) == 2)

    def seen_whole() -> bool:
        shown = [pane for pane in run.panes if pane.isVisible()]
        low = [p for p in shown if p.mapTo(window, QPoint(0, p.height())).y() > window.height()]
        return not low and all(pane.height() >= pane.minimumHeight() for pane in shown)

    assert seen_whole()
    theme().set_zoom(125)
    run.until(lambda: len({p.mapToGlobal(QPoint()).x() for p in run.panes if p.isVisible()}) == 1)
    theme().set_zoom(150)
    run.until(lambda: run.pane.minimumHeight() > 300)
    run.until(seen_whole)


def columns(run: Run) -> int:
    return len({p.mapToGlobal(QPoint()).x() for p in run.panes if p.isVisible()})


def test_zooming_in_and_back_restores_panes_and_sidebar(start: Start) -> None:
    run = start().ready()
    window = run.window
    window.resize(1300, 800)
    for _ in range(2):
        window.commands["split_right"].trigger()
    run.until(lambda: columns(run) == 3)
    assert window.sidebar.isVisible()
    before = run.panes
    for _ in range(4):  # 110, 125, 150, 175
        window.commands["text_larger"].trigger()
        run.qtbot.wait(20)
    run.until(lambda: columns(run) < 3 and not window.sidebar.isVisible())
    for _ in range(4):
        window.commands["text_smaller"].trigger()
        run.qtbot.wait(20)
    run.until(lambda: columns(run) == 3)
    run.until(window.sidebar.isVisible)
    assert run.panes == before


def test_sidebar_opened_in_narrow_window_stays_open(start: Start) -> None:
    run = start().ready()
    run.window.resize(1300, 700)
    for _ in range(2):
        run.window.commands["split_right"].trigger()
    run.window.resize(1000, 700)
    run.until(lambda: not run.window.sidebar.isVisible())
    run.window.commands["sidebar"].trigger()
    run.until(lambda: columns(run) == 2)
    assert run.window.sidebar.isVisible()
    run.end()
    run = start()
    run.until(lambda: len(run.panes) == 3 and columns(run) == 2)
    run.qtbot.wait(20)
    assert run.window.sidebar.isVisible()
    assert not run.window.rail.isVisible()


class Shown(QObject):
    """Counts how often the sidebar is shown."""

    number = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, Sidebar):
            self.number += 1
        return False


def test_narrow_start_hides_sidebar(start: Start, qapp: QApplication) -> None:
    run = start().ready()
    run.window.resize(1100, 700)
    run.window.commands["split_right"].trigger()
    run.window.resize(700, 700)
    run.until(lambda: not run.window.sidebar.isVisible())
    run.end()
    shown = Shown()
    qapp.installEventFilter(shown)
    run = start()
    run.until(lambda: len(run.panes) == 2 and run.window.rail.isVisible())
    qapp.removeEventFilter(shown)
    assert shown.number == 0
    run.window.resize(1100, 700)
    run.until(run.window.sidebar.isVisible)


def test_panes_moved_meanwhile_stay(start: Start) -> None:
    run = start().ready()
    window = run.window
    window.resize(1500, 760)
    window.commands["split_right"].trigger()
    window.resize(560, 760)
    one, two = window.workspace.panes()
    run.until(lambda: one.width() == two.width() > 400)
    window.commands["close"].trigger()
    window.resize(1500, 760)
    run.qtbot.wait(20)
    assert window.workspace.panes() == [one]
    assert one.isVisible()


def test_panes_keep_widths_after_restart(
    start: Start,
) -> None:
    run = start()
    run.window.resize(1500, 800)
    for text in ("say one", "say two", "say three"):
        run.ask(text)
        if text != "say three":
            run.window.commands["split_right"].trigger()
    first, *others = run.panes
    run.window.workspace.close_pane(first)
    run.window.commands["even_out"].trigger()
    run.until(lambda: abs(others[0].width() - others[1].width()) <= 1)
    run.end()
    run = start()
    run.until(lambda: len(run.panes) == 2)
    left, right = run.panes
    run.until(lambda: abs(left.width() - right.width()) <= 2)

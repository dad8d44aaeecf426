"""Minimum sizes of panes, and a sidebar that folds."""

from __future__ import annotations

from PySide6.QtCore import QPoint

from app.ui.style.theme import theme
from tests.app.conftest import Run, Start
from tests.app.ui.measuring import cut_off


def test_sidebar_hides_in_narrow_window(run: Run) -> None:
    window = run.window
    window.resize(1100, 700)
    window.commands["split_right"].trigger()
    assert window.sidebar.isVisible()
    window.resize(700, 700)
    run.until(lambda: not window.sidebar.isVisible())
    assert window.rail.isVisible()
    assert all(p.width() >= p.minimumWidth() for p in window.workspace.panes())
    assert run.app.settings.sidebar  # unchanged, because the sidebar is only collapsed
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


def test_sidebar_that_covers_the_panes_closes_when_left(run: Run) -> None:
    run.window.resize(640, 700)
    theme().set_zoom(150)
    run.until(lambda: not run.window.sidebar.isVisible())
    run.window.commands["sidebar"].trigger()
    run.qtbot.wait(50)
    assert run.window.sidebar.isVisible()
    run.pane.composer.field.setFocus()
    run.until(lambda: not run.window.sidebar.isVisible())
    run.until(lambda: cut_off(run.window) == [])


def test_stop_all_includes_chats_without_pane(run: Run) -> None:
    stop = run.window.commands["stop_all"]
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


def test_columns_without_room_become_rows_and_come_back(run: Run) -> None:
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


def columns(run: Run) -> int:
    return len({p.mapToGlobal(QPoint()).x() for p in run.panes if p.isVisible()})


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

"""A pane in a window of its own, beside the main one."""

from __future__ import annotations

from tests.app.conftest import Start


def test_it_stays_when_the_main_window_is_activated(start: Start):
    run = start()
    run.ready()
    run.window.chats.new()
    pane = run.pane
    run.window.commands["float"].trigger()
    run.until(lambda: pane.window() is not run.window and pane.isVisible())
    parent = pane.window().parentWidget()  # a system keeps it above that one's window
    assert parent is not None
    assert parent.window() is run.window
    for _ in range(2):
        run.window.activateWindow()
        run.until(run.window.isActiveWindow)
        assert pane.isVisible()
        pane.window().activateWindow()
        run.until(pane.window().isActiveWindow)
        assert pane.isVisible()

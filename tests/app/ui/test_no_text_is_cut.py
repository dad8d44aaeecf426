"""Window contents at 640 pixels or more, in the longest language and mirrored."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from app.ui.style.theme import theme
from tests.app.conftest import Start
from tests.app.ui.measuring import cut_off_at_last, speaking, watching

WIDTHS = (640, 900, 1200)


@pytest.mark.turns(4)
@pytest.mark.parametrize(
    ("language", "zoom"), [("de", 100), ("de", 150), ("ar-xx", 150), ("ar-xx", 100)]
)
def test_no_text_and_no_button_of_the_panes_is_cut(language: str, zoom: int, start: Start) -> None:
    with speaking(language), watching():
        run = start()
        run.until(lambda: run.window.workspace.active)
        theme().set_zoom(zoom)

        def look(state: str) -> None:
            for width in WIDTHS:
                run.window.resize(width, 720)
                run.qtbot.wait(40)
                found = cut_off_at_last(run.window)
                assert found == [], (width, state, len(run.panes), "\n".join(found))
                shown = [pane for pane in run.panes if pane.isVisible()]
                assert all(pane.width() >= pane.minimumWidth() for pane in shown)
            run.window.resize(1400, 720)

        look("empty")
        for panes in (2, 3):
            run.window.commands["split_right"].trigger()
            assert len(run.panes) == panes
            look("empty")
        for pane in run.panes:
            run.ask("say one", pane)
        for panes in (3, 2, 1):
            run.until(lambda panes=panes: len(run.panes) == panes)
            look("answered")
            run.qtbot.keyClick(run.pane.composer.field, Qt.Key.Key_Up)
            assert run.pane.composer.editing
            look("edited")
            run.qtbot.keyClick(run.pane.composer.field, Qt.Key.Key_Escape)
            run.window.commands["close"].trigger()

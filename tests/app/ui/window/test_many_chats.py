"""Work of the window with many chats, measured in calls."""

from __future__ import annotations

import cProfile
import inspect
import pstats
from collections.abc import Callable
from typing import Any

import pytest

from app.settings.paths import Paths
from app.ui.sidebar.chat_list import ChatListModel
from app.ui.sidebar.chat_row import ChatDelegate
from app.ui.style.scroll_bars import FloatingBar
from app.ui.widgets.row_painter import RowPainter
from app.ui.workspace.tabs import StripButtons
from tests.app.conftest import Run, Start
from tests.bench.samples import write_crowd

CHATS = 600


def calls(act: Callable[[], object], *functions: Any) -> int:
    profile = cProfile.Profile()
    profile.runcall(act)
    codes = [inspect.unwrap(f).__code__ for f in functions]  # some are wrapped
    wanted = {(code.co_filename, code.co_firstlineno) for code in codes}
    stats: dict[tuple[str, int, str], tuple[int, ...]] = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    return sum(told[1] for (file, line, _), told in stats.items() if (file, line) in wanted)


@pytest.fixture
def run(start: Start, profile) -> Run:
    paths = Paths.for_profile(profile)
    paths.create()
    write_crowd(paths.chats, CHATS, 10)
    run = start().ready()
    model = run.window.sidebar.model
    for folder in run.app.library.order.folders():
        model.fold(folder.id, False)
    run.until(lambda: model.rowCount() > CHATS * 0.9)
    run.qtbot.wait(50)  # new rows are laid out a moment later
    return run


def test_animated_dot_causes_no_layout(run: Run):
    run.say("hold 5")
    run.until(lambda: run.answer(run.pane))
    sidebar = run.window.sidebar
    sidebar.list.scrollTo(sidebar.model.row_of(run.pane.chat.id))
    bars = sidebar.list.findChildren(FloatingBar)
    run.until(lambda: not any(bar.shown for bar in bars))  # a hiding bar repaints the rows

    def beats() -> None:
        for alpha in range(100, 200, 10):
            sidebar.set_dot_opacity(alpha)
            run.window.workspace.marks.set_dot_opacity(alpha)
            run.qtbot.wait(5)

    beats()  # finishes pending layouts
    assert calls(beats, ChatListModel.rowCount) < CHATS
    assert calls(beats, ChatDelegate.paint_state) >= 10
    # Only the dots are painted, once nothing else has to be.
    run.until(lambda: calls(beats, RowPainter.text, StripButtons.arrange) == 0)
    run.pane.composer.button.click()
    run.answered()

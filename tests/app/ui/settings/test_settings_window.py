from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import (
    QMenu,
)

from app.settings.settings import ROWS
from app.ui.settings.form_page import FormPage, SettingsPages
from app.ui.settings.settings_window import SettingsWindow
from app.ui.style.scroll_bars import FloatingBar
from tests.app.conftest import Run, Start

KEY = Qt.Key


@pytest.fixture
def run(run: Run) -> Iterator[Run]:
    yield run
    if (shown := run.window.settings_commands.shown) is not None:
        shown.close()


def opened(run: Run) -> SettingsWindow:
    run.window.commands["settings"].trigger()
    window = run.window.settings_commands.shown
    assert window is not None
    run.until(window.isVisible)
    return window


def shown(pages: SettingsPages) -> str:
    page = pages.stack.currentWidget().widget()
    assert isinstance(page, FormPage)
    return page.title


def test_settings_pages_are_created_on_demand_and_searched(run: Run) -> None:
    pages = opened(run).pages
    assert list(pages.pages) == ["General"]
    pages.show_page("Data")
    assert list(pages.pages) == ["General", "Data"]
    assert shown(pages) == "Data"
    area = pages.pages["Data"].area
    assert area.findChild(FloatingBar) is not None  # as in pages that exist from the start
    pages.search.setText("port")
    assert set(pages.pages) == {row.page for row in ROWS.values()}

    for typed, row in (
        ("dark", "Theme"),  # a choice
        ("Ctrl+Enter", "Send messages with"),
        ("Deutsch", "Language"),
        ("font size", "Message text size"),  # a synonym that other programs use
        ("system prompt", "Instructions"),
        ("restore", "Backups"),  # only on its button
    ):
        pages.search.setText(typed)
        assert row in [pages.hits.item(n).text() for n in range(pages.hits.count())], typed

    # Esc ends the search, then closes the window.
    assert not pages.list.isVisible()
    run.qtbot.keyClick(pages.search, KEY.Key_Escape)
    assert pages.list.isVisible()
    run.qtbot.keyClick(pages.search, KEY.Key_Escape)
    run.until(lambda: run.window.settings_commands.shown is None)


def test_row_is_found_by_its_text(run: Run) -> None:
    window = opened(run)
    pages = window.pages
    run.until(pages.search.hasFocus)
    run.qtbot.keyClicks(pages.search, "idle mod")
    assert pages.hits.item(0).text() == "Unload idle models after"
    assert (shown(pages), pages.search.hasFocus()) == ("Models", True)
    run.qtbot.keyClick(pages.search, KEY.Key_Return)
    assert window.pages.fields["unload_idle_min"].hasFocus()
    pages.search.setText("restart")  # only in the description
    found = [pages.hits.item(n).text() for n in range(pages.hits.count())]
    assert found == ["Memory limit", "Cached context of clients", "Cached context on disk"]
    run.qtbot.mouseClick(
        pages.hits.viewport(),
        Qt.MouseButton.LeftButton,
        pos=pages.hits.visualItemRect(pages.hits.item(2)).center(),
    )
    assert (shown(pages), pages.fields["cache_gb"].hasFocus()) == ("Data", True)
    pages.search.setText("nothing is called so")
    assert pages.nothing.isVisible()
    assert not pages.hits.isVisible()
    pages.search.clear()  # the previous page is shown again
    assert shown(pages) == "Data"


def test_page_and_size_are_found_again(run: Run, start: Start) -> None:
    window = opened(run)
    run.until(window.pages.search.hasFocus)
    run.qtbot.keyClick(window.pages.search, KEY.Key_Down)
    run.qtbot.keyClick(window.pages.search, KEY.Key_Down)
    assert shown(window.pages) == "Chats"
    window.resize(740, 560)
    window.move(40, 60)
    window.close()
    run.until(lambda: run.window.settings_commands.shown is None)
    again = opened(run)
    assert shown(again.pages) == "Chats"
    assert (again.width(), again.height(), again.pos()) == (740, 560, QPoint(40, 60))
    again.close()
    run.app.settings.set(places={"settings": [9000, 9000, 90_000, 300]})
    inside = opened(run)
    room = inside.screen().availableGeometry()
    assert inside.width() <= room.width()
    assert room.intersects(inside.geometry())


def test_settings_buttons_run_window_commands(run: Run) -> None:
    window = opened(run)
    asked = []
    window.command_requested.connect(asked.append)
    window.pages.show_row("General", "Keyboard shortcuts")
    focused = window.focusWidget()
    assert focused is not None
    run.qtbot.keyClick(focused, KEY.Key_Space)
    assert asked == ["shortcuts"]
    (table,) = [w for w in run.window.findChildren(type(window).__mro__[1]) if w is not window]
    assert table.isVisible()
    table.close()


def test_escape_discards_half_typed_fields(run: Run):
    for page, row, name in (
        ("Models", "Memory limit", "memory_gb"),
        ("Local API", "Model aliases", "serve_aliases"),
    ):
        window = opened(run)
        before = getattr(run.app.settings, name)
        window.pages.show_row(page, row)
        field = window.pages.fields[name]
        field.setFocus()
        field.selectAll()
        run.qtbot.keyClicks(field, "12")
        run.qtbot.keyClick(field, KEY.Key_Escape)
        run.until(lambda: run.window.settings_commands.shown is None)
        assert getattr(run.app.settings, name) == before


def test_fields_follow_changes_made_elsewhere(run: Run):
    window = opened(run)
    pages, settings = window.pages, run.app.settings
    pages.build_all()
    small = pages.list.iconSize().width(), pages.list.sizeHintForRow(0), pages.list.width()
    run.window.commands["text_larger"].trigger()
    assert window.pages.fields["zoom"].currentData() == settings.zoom == 110
    run.until(lambda: pages.list.width() > small[2])
    large = pages.list.iconSize().width(), pages.list.sizeHintForRow(0), pages.list.width()
    assert all(after > before for before, after in zip(small, large, strict=True))
    settings.set(appearance="dark", notify=False, serve_port=8081, model="/models/other")
    assert pages.fields["appearance"].buttons["dark"].isChecked()
    assert not pages.fields["notify"].isChecked()
    assert pages.fields["serve_port"].value() == 8081
    settings.set(same_model=False)
    assert window.model.currentData() == "/models/other"
    (menu,) = (m for m in run.window._menus[2].findChildren(QMenu) if m.title() == "Theme")
    menu.aboutToShow.emit()
    assert [each.text() for each in menu.actions() if each.isChecked()] == ["Dark"]

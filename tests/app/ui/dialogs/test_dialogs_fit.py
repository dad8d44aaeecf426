"""No dialog or popover cuts a text off: in every language, right to left, at two sizes of text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from app.settings.language import LANGUAGES
from app.settings.options import Settings
from app.system.updates import Release
from app.ui.dialogs.about import CrashDialog, LicencesWindow, UpdateDialog, WheelDialog
from app.ui.models.foot import ConvertDialog, DraftDialog
from app.ui.settings.other_programs import NewKey
from app.ui.settings.settings_window import SettingsWindow
from app.ui.style.theme import theme
from tests.app.conftest import Run, Start
from tests.app.ui.measuring import cut_off, settle, speaking

COMMANDS = (
    *("settings", "models", "get_model", "add_remote", "machines", "tool_servers", "tools"),
    *("compare", "prompts", "shortcuts", "about", "trash", "backups", "export", "import"),
    *("palette", "tags", "new_folder", "save_prompt"),
)


@pytest.fixture
def run(start: Start) -> Iterator[Run]:
    made = start()
    made.ready()
    made.say("say one")
    made.answered()
    made.app.settings.set(prompts={"Summary": "Sum up {{text}} in three sentences."})
    made.pane.composer.field.setPlainText("To be kept as a prompt")
    made.window.resize(1280, 800)
    yield made
    theme().set_zoom(100)


def shown() -> set[QWidget]:
    """What stands open of its own: windows, and cards over the main window."""
    cards = {"palette", "popover"}
    return {
        widget
        for top in QApplication.topLevelWidgets()
        for widget in (top, *(w for w in top.findChildren(QWidget) if w.objectName() in cards))
        if widget.isVisible() and not isinstance(widget, QMenu)
    }


def opens(run: Run) -> Iterator[tuple[str, Callable[[], object]]]:
    """What each of them is opened by."""
    window = run.window
    for name in COMMANDS:
        yield name, lambda name=name: window.commands.do(name)  # type: ignore[misc]
    yield "chat settings", run.pane.header.options_button.click
    report = run.app._paths.log / "crash.txt"
    report.write_text("Stretto\nSomething went wrong.\n", encoding="utf-8")
    wheel = Path("mlx_lm-0.33.1-py3-none-any.whl")
    release = Release("99.0", "https://example.org", "- Something new.")
    model = next(iter(run.app.models.installed.models.values()), None)
    dialogs: list[Callable[[], QWidget]] = [
        lambda: CrashDialog([report], window),
        lambda: LicencesWindow(window),
        lambda: WheelDialog(wheel, "0f" * 32, window),
        lambda: UpdateDialog(release, Settings(), window),
        lambda: DraftDialog("Oak-9B", "Oak-1B has drafted 2,000 tokens.", window),
        lambda: NewKey("Editor", "k" * 40, window),
    ]
    if model is not None:
        dialogs.append(lambda: ConvertDialog(model, window))
    for make in dialogs:
        yield "dialog", lambda make=make: make().show()  # type: ignore[misc]


def faults(run: Run) -> Iterator[str]:
    for name, act in opens(run):
        before = shown()
        act()
        settle(run.window)
        fresh = shown() - before
        assert fresh, name
        for widget in fresh:
            found = cut_off(widget)
            if found:
                run.qtbot.wait(200)  # some words come from a thread, and were just laid out
                found = cut_off(widget)
            yield from (f"{widget.objectName()}: {fault}" for fault in found)
            if isinstance(widget, SettingsWindow):
                for title in run.settings.pages.pages:
                    widget.pages.show_page(title)
                    yield from (f"settings, {title}: {fault}" for fault in cut_off(widget))
        for widget in fresh:
            widget.close()
        if (palette := run.window.palette_commands.palette) is not None:
            palette.close_palette()
        settle(run.window)


@pytest.mark.parametrize("zoom", [100, 150])
def test_nothing_is_cut_off_in_any_dialog(run: Run, zoom: int) -> None:
    theme().set_zoom(zoom)
    found = []
    for code in (*LANGUAGES, "ar-xx"):
        with speaking(code):
            found += [f"{code} {fault}" for fault in faults(run)]
    assert found == []

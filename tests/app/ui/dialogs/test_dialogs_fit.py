"""No dialog or popover clips a text in any language, right to left, or at either text size.

Each dialog uses another language, and the cases of the test together cover every combination.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from app.settings.language import LANGUAGES
from app.settings.settings import Settings
from app.system.updates import Release
from app.ui.dialogs.about import CrashDialog, LicencesWindow, UpdateDialog
from app.ui.models.library_foot import ConvertDialog, DraftDialog
from app.ui.settings.other_programs import NewKey
from app.ui.settings.settings_window import SettingsWindow
from app.ui.settings.tools_window import AddServerDialog
from app.ui.style.theme import theme
from tests.app.conftest import Run
from tests.app.ui.measuring import cut_off_at_last, settle, speaking

COMMANDS = (
    *("settings", "models", "get_model", "add_remote", "machines", "tool_servers", "tools"),
    *("compare", "prompts", "shortcuts", "about", "trash", "backups", "export", "import"),
    *("palette", "new_folder", "save_prompt"),
)
SPOKEN = (*LANGUAGES, "ar-xx")


@pytest.fixture
def run(run: Run) -> Iterator[Run]:
    run.ask("say one")
    run.app.settings.set(prompts={"Summary": "Sum up {{text}} in three sentences."})
    run.pane.composer.field.setPlainText("To be kept as a prompt")
    run.window.resize(1280, 800)
    yield run
    theme().set_zoom(100)


def shown() -> set[QWidget]:
    cards = {"palette", "popover"}
    return {
        widget
        for top in QApplication.topLevelWidgets()
        for widget in (top, *(w for w in top.findChildren(QWidget) if w.objectName() in cards))
        if widget.isVisible() and not isinstance(widget, QMenu)
    }


def opens(run: Run) -> Iterator[tuple[str, Callable[[], object]]]:
    window = run.window
    for name in COMMANDS:
        yield name, lambda name=name: window.commands.run_or_explain(name)  # type: ignore[misc]
    yield "chat settings", run.pane.header.options_button.click
    report = run.app.paths.log / "crash.txt"
    report.write_text("Stretto\nSomething went wrong.\n", encoding="utf-8")
    release = Release("99.0", "https://example.org", "- Something new.")
    model = next(iter(run.app.models.installed.models.values()), None)
    dialogs: list[Callable[[], QWidget]] = [
        lambda: CrashDialog(report, report.read_text("utf-8"), window),
        lambda: LicencesWindow(window),
        lambda: UpdateDialog(release, Settings(), window),
        lambda: DraftDialog("Oak-9B", "Oak-1B has drafted 2,000 tokens.", window),
        lambda: NewKey("Editor", "k" * 40, window),
        lambda: AddServerDialog(window),
    ]
    if model is not None:
        dialogs.append(lambda: ConvertDialog(model, window))
    for make in dialogs:
        yield "dialog", lambda make=make: make().show()  # type: ignore[misc]


def faults(run: Run, speech: Iterator[str]) -> Iterator[str]:
    for name, act in opens(run):
        with speaking(code := next(speech)):
            before = shown()
            act()
            settle(run.window)
            fresh = shown() - before
            assert fresh, name
            for widget in fresh:
                found = cut_off_at_last(widget)
                yield from (f"{code} {widget.objectName()}: {fault}" for fault in found)
                if isinstance(widget, SettingsWindow):
                    for title in run.settings.pages.pages:
                        widget.pages.show_page(title)
                        found = cut_off_at_last(widget)
                        yield from (f"{code} {title}: {fault}" for fault in found)
            for widget in fresh:
                widget.close()
            if (palette := run.window.palette_commands.palette) is not None:
                palette.close_palette()
            settle(run.window)


@pytest.mark.turns(len(SPOKEN))
@pytest.mark.parametrize("first", range(len(SPOKEN)))
def test_nothing_is_cut_off_in_any_dialog(run: Run, first: int) -> None:
    speech = itertools.islice(itertools.cycle(SPOKEN), first, None)
    found = []
    for zoom in (100, 150):
        theme().set_zoom(zoom)
        run.app.settings.set(places={})  # otherwise sheets keep the size for the previous text size
        found += [f"{zoom} % {fault}" for fault in faults(run, speech)]
    assert found == []

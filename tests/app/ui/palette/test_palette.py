"""The command palette."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from shiboken6 import isValid

from app.chats.actions import Action
from app.chats.turn import Event
from app.settings import language, translation
from app.settings.paths import GUIDE
from app.settings.settings import ROWS
from app.ui.palette.finder import EntryKind, Finder, PaletteEntry, PaletteQuery, fold_text
from app.ui.palette.palette import Palette, entry_state
from app.ui.window.commands import MENUS, REGISTRY
from tests.app.conftest import Run, Start

CTRL = Qt.KeyboardModifier.ControlModifier
KEY = Qt.Key


def palette_of(run: Run) -> Palette:
    palette = run.window.palette_commands.palette
    assert palette is not None
    return palette


def opened(run: Run, typed: str = "") -> Palette:
    run.qtbot.keyClick(QApplication.focusWidget(), KEY.Key_K, CTRL)
    palette = palette_of(run)
    run.until(palette.field.hasFocus)
    run.qtbot.keyClicks(palette.field, typed)
    return palette


def words(palette: Palette) -> list[str]:
    return [entry.text for entry in palette.finder.best_entries()]


GERMAN = {
    "Split Right": "Rechts teilen",
    "Window": "Fenster",
    "Interface zoom": "Zoom der Oberfläche",
}


@pytest.fixture
def german(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    made_up = {"made-up": lambda text, comment, n: GERMAN.get(text, "")}
    monkeypatch.setattr(translation, "TRANSLATIONS", made_up)
    monkeypatch.setenv(translation.ENVIRONMENT, "made-up")
    yield
    language.install(None)


def grades(typed: str, *texts: str) -> list[int | None]:
    wanted = PaletteQuery(typed)
    fits = [wanted.match(fold_text(text)) for text in texts]
    return [fit.grade if fit is not None else None for fit in fits]


def test_palette_ranks_starts_before_middles_before_letters():
    texts = "Split Right", "Bright idea", "Sidebar, right", "Spell it out", "Compare"
    assert grades("split", *texts) == [0, None, None, 4, None]
    assert grades("right", *texts) == [1, 2, 1, None, None]
    assert grades("ri sp", "Split Right") == [1]
    assert grades("sprt", "Split Right") == [4]


def test_palette_ignores_case_and_accents():
    assert grades("RESUME", "Résumé of the day") == [0]
    assert grades("mt", "my" + " long" * 40 + " text") == [None]
    assert grades("(x", "f(x)", "fx") == [1, None]


def test_palette_lists_submenus_after_main_menu_closed(run: Run):
    run.window.layouts.save("Morning")
    run.window.sidebar.menu_button.click()
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert len(menu.actions()) == len(MENUS)
    run.qtbot.keyClick(menu, KEY.Key_Escape)
    run.until(lambda: not isValid(menu))
    run.window.commands["palette"].trigger()
    palette = palette_of(run)
    for name in ("Theme: Dark", "Morning"):
        palette.field.setText(name)
        assert words(palette)[0] == name


def test_palette_lists_commands_with_keys_and_reasons(run: Run):
    palette = opened(run)
    palette.finder.SHOWN = 10_000
    palette.finder.start_search("")
    palette.finder.finish()
    by_key = {entry.key: entry for entry in palette.finder.best_entries()}
    for name, made in REGISTRY.items():
        if name == "palette":
            continue
        entry = by_key[f"command:{name}"]
        assert entry.why_not == run.window.commands.why_not(name)
        assert bool(entry.keys) == bool(made.keys)
    assert by_key["command:new"].keys in by_key["command:new"].accessible_text
    again = by_key["command:regenerate"]
    assert again.why_not in again.accessible_text

    palette.close_palette()

    # The same for every entry of every menu.
    run.window.layouts.save("Morning")
    palette = opened(run)
    palette.finder.SHOWN = 10_000
    palette.finder.start_search("")
    palette.finder.finish()
    there = {entry.text for entry in palette.finder.best_entries()}

    def walk(menu: QMenu) -> Iterator[str]:
        menu.aboutToShow.emit()
        for action in menu.actions():
            inner = action.menu()
            if isinstance(inner, QMenu):
                yield from walk(inner)
            elif not action.isSeparator():
                yield action.text().partition("\t")[0]  # keys are after the tab
        menu.aboutToHide.emit()

    listed = {words for menu in run.window._menus for words in walk(menu)}
    assert {"Morning", "Dark", "Add Remote Model…", "Paste"} <= listed
    there |= {text.removeprefix("Theme: ") for text in there}  # the setting's name is shown
    assert listed - there == {"Command Palette…"}


def test_palette_starts_with_recent_entries(start: Start):
    run = start().ready()
    palette = opened(run)
    assert not palette.recent.isVisible()
    full = palette.height()
    palette.close_palette()
    for typed in ("split down", "score"):
        run.qtbot.keyClick(opened(run, typed).field, KEY.Key_Return)
    palette = opened(run)
    assert words(palette)[:2] == ["Score", "Split Down"]
    assert (palette.recent.isVisible(), palette.rows.ends) == (True, 2)
    palette.field.setText("split")
    assert words(palette) == ["Split Down", "Split Right"]
    assert not palette.recent.isVisible()
    assert palette.height() < full / 2
    assert palette.list.geometry().bottom() < palette.height()
    palette.field.setText("nothing is called so")
    assert (palette.nothing.isVisible(), palette.rows.rowCount()) == (True, 1)
    palette.close_palette()
    run.end()
    run = start().ready()
    assert words(opened(run))[:2] == ["Score", "Split Down"]
    run.qtbot.keyClick(palette_of(run).field, KEY.Key_K, CTRL)
    assert run.window.palette_commands.palette is None


def test_palette_runs_command_and_restores_focus(run: Run):
    composer = run.pane.composer.field
    assert composer.hasFocus()
    palette = opened(run, "score")
    assert words(palette)[0] == "Score"
    run.qtbot.keyClick(palette.field, KEY.Key_Return)
    assert run.window.score.isVisible()
    assert composer.hasFocus()
    assert run.window.palette_commands.palette is None

    # Disabled entries show their reason, and the palette stays open.
    palette = opened(run, "regenerate")
    run.qtbot.keyClick(palette.field, KEY.Key_Return)
    assert run.window.toast.text == run.window.commands.why_not("regenerate") != ""
    assert palette.isVisible()
    run.qtbot.keyClick(palette.field, KEY.Key_Escape)
    assert run.pane.composer.field.hasFocus()

    # An entry can become enabled while the palette is open.
    palette = opened(run, "regenerate")
    run.pane.chat.turn.write("say one")
    run.pane.chat.turn.handle(Event.ENTER)
    run.until(lambda: not run.pane.chat.why_not(Action.REGENERATE))
    run.qtbot.keyClick(palette.field, KEY.Key_Return)
    assert run.pane.chat.reply.is_active
    run.answered()

    # It closes when it loses the focus, and says when nothing is found.
    palette = opened(run, "qqxz")
    run.until(palette.nothing.isVisible)
    assert palette.isVisible()
    run.pane.composer.field.setFocus()
    assert run.window.palette_commands.palette is None

    # Values of settings open their row.
    for typed, row in (("high", "Contrast"), ("dark", "Theme"), ("theme dark", "Theme: Dark")):
        palette = opened(run, typed)
        assert row in words(palette)
        palette.close_palette()


def test_palette_finds_the_guide(run: Run):
    """The help of the Guide stays in reach after another model was chosen."""
    run.pane.chat.model.set("/models/one")
    assert words(opened(run, "help"))[0] == "Ask the Guide"
    palette_of(run).close_palette()
    assert words(opened(run, "guide"))[:2] == ["Guide", "Ask the Guide"]  # model and command
    run.qtbot.keyClick(palette_of(run).field, KEY.Key_Down)
    run.qtbot.keyClick(palette_of(run).field, KEY.Key_Return)
    run.until(lambda: len(run.panes) == 2 and run.pane.chat.record.model == GUIDE)
    guide = run.pane
    run.window.commands["ask_guide"].trigger()  # an empty chat with the Guide is used again
    assert run.pane is guide
    assert len(run.panes) == 2


def test_chat_is_opened_here_or_with_ctrl_side_by_side(run: Run):
    run.ask("say one")
    first = run.pane.chat.id
    run.window.chats.new()
    run.ready()
    palette = opened(run, "say on")
    run.qtbot.keyClick(palette.field, KEY.Key_Return)
    assert run.pane.chat.id == first
    run.window.workspace.close_pane(run.pane)
    run.window.workspace.delete_closed(first)  # otherwise it would return to its place
    palette = opened(run, "say one")
    run.qtbot.keyClick(palette.field, KEY.Key_Return, CTRL)
    assert run.pane.chat.id == first
    assert sum(pane.isVisible() for pane in run.panes) == 2


def test_models_and_settings_are_found(run: Run):
    run.app.settings.set(models=("/models/one",))
    palette = opened(run, "one")
    run.qtbot.keyClick(palette.field, KEY.Key_Return)
    assert run.pane.chat.record.model == "/models/one"
    palette = opened(run, "cached context on disk")
    run.qtbot.keyClick(palette.field, KEY.Key_Return)
    settings = run.window.settings_commands.shown
    run.until(settings.pages.fields["cache_gb"].hasFocus)
    settings.close()

    # Arrow keys wrap around, and a click chooses.
    run.window.activateWindow()
    run.pane.focus_composer()
    run.until(run.pane.composer.field.hasFocus)
    before = len(run.panes)
    palette = opened(run, "see four replies")
    assert words(palette) == ["See Four Replies"]
    palette.close_palette()
    palette = opened(run, "split")
    first, second = words(palette)[:2]
    assert {first, second} == {"Split Right", "Split Down"}
    field, rows = palette.field, palette.list
    assert rows.currentIndex().data() == first
    run.qtbot.keyClick(field, KEY.Key_Down)
    assert rows.currentIndex().data() == second
    run.qtbot.keyClick(field, KEY.Key_Up)
    run.qtbot.keyClick(field, KEY.Key_Up)
    assert rows.currentIndex().row() == palette.rows.rowCount() - 1
    at = rows.visualRect(palette.rows.index(1)).center()
    run.qtbot.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(at))
    assert len(run.panes) == before + 1


def test_last_row_searches_messages(run: Run):
    palette = opened(run, "zebra crossing")
    run.until(lambda: palette.finder.is_complete)
    rows = palette.rows
    assert words(palette) == []
    assert "“zebra crossing”" in rows.data(rows.index(rows.rowCount() - 1))
    run.qtbot.keyClick(palette.field, KEY.Key_Return)
    assert run.window.sidebar.search.text() == "zebra crossing"
    assert run.app.settings.palette_recent == ()
    palette = opened(run, "split")
    rows = palette.rows
    found = [rows.data(rows.index(n)) for n in range(rows.rowCount())]
    assert (len(found), "“split”" in found[-1]) == (3, True)


def test_palette_finds_every_setting(run: Run):
    run.window.settings_commands.show_settings()
    settings = run.settings
    there = {title: set(page.rows) for title, page in settings.pages.pages.items()}
    missing = {row.label for row in ROWS.values() if row.label not in there[row.page]}
    assert missing <= {"Check for updates daily"}  # only where updates are built
    entries = run.window.palette_commands._entries([])
    listed = {entry.english for entry in entries if entry.kind is EntryKind.SETTING}
    assert not listed & missing
    for row in ROWS.values():
        assert settings.pages.show_row(row.page, row.label) == (row.label not in missing)
    # The focus is in the row that was found, even with several choices.
    for page, row in (("Appearance", "Contrast"), ("General", "Language")):
        settings.pages.show_row(page, row)
        assert settings.pages.pages[page].rows[row].isAncestorOf(settings.focusWidget())
    settings.close()


def test_menu_name_is_set_apart_from_the_command():
    entry = PaletteEntry(EntryKind.COMMAND, "", "Close Chat", print, beside="File")
    assert entry_state(entry).beside == "· File"
    entry = PaletteEntry(EntryKind.COMMAND, "", "Models…", print, beside="Models")
    assert entry_state(entry).beside == ""


class FocusLog(QObject):
    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusIn and isinstance(watched, QWidget):
            self.names.append(watched.accessibleName())
        return False


def test_setting_is_shown_without_a_caret_in_the_search(run: Run, qapp: QApplication):
    log = FocusLog()
    qapp.installEventFilter(log)
    palette = opened(run, "language")
    assert palette.finder.best_entries()[0].key == "setting:General/Language"
    run.qtbot.keyClick(palette.field, KEY.Key_Return)
    qapp.removeEventFilter(log)
    assert "Language" in log.names
    assert "Search settings" not in log.names
    run.settings.close()


@pytest.mark.usefixtures("german")
def test_palette_finds_translated_and_english_names(run: Run):
    palette = opened(run, "rechts")
    assert words(palette) == ["Rechts teilen"]
    assert palette.finder.best_entries()[0].beside == "Fenster"
    palette.close_palette()
    palette = opened(run, "split r")
    assert words(palette)[0] == "Rechts teilen"
    run.qtbot.keyClick(palette.field, KEY.Key_Return)
    assert len(run.panes) == 2
    palette = opened(run, "zoom der")
    assert words(palette)[0] == "Zoom der Oberfläche"
    palette.field.setText("interface zoom")
    assert words(palette)[0] == "Zoom der Oberfläche"


def test_palette_searches_10000_entries_in_slices(qtbot, look):
    made = []

    def entries():
        for n in range(10_000):
            yield PaletteEntry(
                EntryKind.CHAT, f"chat:{n}", f"Chat number {n}", lambda n=n: made.append(n)
            )

    finder = Finder(entries(), {})
    finder.TURN_S = 0.0  # one chunk per turn, however fast the machine is
    finder.start_search("9999")
    assert len(finder._entries) == finder.CHUNK
    assert finder.best_entries() == []
    finder.start_search("number 99")
    finder.finish()
    assert finder.is_complete
    assert finder.best_entries()[0].text == "Chat number 99"
    finder.end()
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(800, 600)
    window.show()
    palette = Palette(entries(), [], window, lambda typed: next(entries()))
    palette.finder.TURN_S = 0.0
    palette.field.setText("9999")
    palette.choose()  # Enter before the search has finished
    assert made == [9999]

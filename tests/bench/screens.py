"""Every screen of the program, in parts, for screenshots and measurements.

``python -m tests.bench.screenshots OUTDIR --screens --language de --look dark`` captures them,
and ``python -m tests.app.ui.measuring de`` reports clipped text. A fake engine keeps this fast.
Each part runs a separate program, which can use a different language.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from app.chats.panel import Member
from app.markdown.highlight import HighlightScheduler
from app.models.downloads import Download, DownloadState
from app.settings.paths import GUIDE, Paths
from app.settings.settings import Settings
from app.store import Message, Store, StoreError, new_id
from app.system.updates import Release
from app.ui.dialogs.about import CrashDialog, LicencesWindow, UpdateDialog
from app.ui.dialogs.store_dialogs import ask_about_store, ask_about_unsaved, say_already_running
from app.ui.settings.settings_window import SettingsWindow
from app.ui.style.theme import theme
from tests.bench import samples, stories
from tests.bench.drip import Drip, Piece
from tests.driving import Driver, program_in

LOOKS = {
    "light": ("light", "normal"),
    "dark": ("dark", "normal"),
    "high-contrast": ("light", "high"),
    "high-contrast-dark": ("dark", "high"),
}
"""Appearance and contrast by name."""

DIALOGS = ("settings", "models", "get_model", "compare", "prompts")
LISTS = (
    *("shortcuts", "about", "trash", "backups", "export", "import", "palette", "layouts"),
    *("move_chat", "new_folder", "save_prompt", "quick_ask"),
)
"""Commands that open a window or dialog."""

TALL = 1000
"""Height of the tools window at which all of it fits on one screenshot."""

_FIGURES = {
    "generated_tokens": 312,
    "tokens_per_s": 48.2,
    "ttft_s": 0.21,
    "reused_tokens": 4096,
    "reason": "length",
}


Look = Callable[[Driver, str, QWidget], None]
"""Callback that examines a screen or a part of it."""


class Screens:
    def __init__(
        self,
        driver: Driver,
        look: Look,
        paths: Paths,
        ids: Sequence[str],
        texts: list[Callable[[], Iterator[Piece]]],
    ) -> None:
        self.driver = driver
        self.paths = paths
        self.ids = ids
        self.texts = texts
        self._look = look

    def two_panes(self) -> None:
        for place, chat_id in zip(("tab", "right"), self.ids, strict=True):
            self.driver.window.chats.open(chat_id, place)

    def shoot(self, name: str, *widgets: QWidget) -> None:
        for number, widget in enumerate(widgets):
            self._look(self.driver, f"{name}-{number + 1}" if number else name, widget)

    def opened(self, name: str, opens: Callable[[], object]) -> None:
        before = set(_shown())
        done: list[bool] = []

        def look() -> None:
            fresh = [w for w in _shown() if w not in before]
            for widget in fresh:
                if isinstance(widget, SettingsWindow):
                    widget.pages.build_all()
                    for title in widget.pages.pages:
                        widget.pages.show_page(title)
                        self.shoot(f"settings-{title.lower().replace(' ', '-')}", widget)
                if name == "tool_servers":
                    widget.resize(widget.width(), TALL)
            self.shoot(name, *(fresh or [self.driver.window]))
            for widget in fresh:
                widget.close()
            done.append(True)

        QTimer.singleShot(250, look)
        opens()
        self.driver.until(lambda: bool(done), 60)
        self.driver.wait(0.05)


def _shown() -> list[QWidget]:
    kinds = (Qt.WindowType.ToolTip, Qt.WindowType.SplashScreen)
    return [
        w for w in QApplication.topLevelWidgets() if w.isVisible() and w.windowType() not in kinds
    ]


def color(widget: QWidget) -> None:
    """Highlight code now, because highlighting can be late on a busy machine."""
    for colors in widget.findChildren(HighlightScheduler):
        colors.settle()


def take(folder: Path, looks: Sequence[str], tail: str) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    taken: list[Path] = []

    def photograph(driver: Driver, name: str, widget: QWidget) -> None:
        for look in looks:
            appearance, contrast = LOOKS[look]
            theme().set_appearance(appearance)
            theme().set_contrast(contrast)
            driver.wait(0.15)
            color(widget)
            taken.append(folder / f"{name}-{tail}{look}.png")
            widget.grab().save(str(taken[-1]))

    for part in PARTS:
        show(part, photograph)
    return taken


def show(part: Part, look: Look, zoom: int = 100) -> None:
    with tempfile.TemporaryDirectory(prefix="stretto-") as profile:
        paths = Paths.for_profile(Path(profile))
        paths.create()
        ids = list(samples.write(paths.chats).values())
        _embellish(paths.chats, ids[1])
        samples.write_crowd(paths.chats, 40, 6)
        texts: list[Callable[[], Iterator[Piece]]] = [_slow]

        def text() -> Iterator[Piece]:
            return texts[0]()

        with program_in(paths, GUIDE, (1280, 800), lambda: Drip(text, 30)) as driver:
            theme().set_zoom(zoom)
            part(Screens(driver, look, paths, ids, texts))


def _slow() -> Iterator[Piece]:
    return (f"{word} " for word in samples.mixed(3000).split(" "))


def _embellish(chats: Path, chat_id: str) -> None:
    with Store.open(chats) as store:
        told = store.messages(chat_id)[-1]
        store.save_message(replace(told, stats=_FIGURES, reasoning="Let me think about queues."))
        asked = Message(new_id(), chat_id, told.id, "user", "And without a lock?")
        error = "The model found no memory for this answer."
        failed = Message(new_id(), chat_id, asked.id, "assistant", error=error, status="error")
        store.save_message(asked)
        store.save_message(failed, as_leaf=True)


def _window(screens: Screens) -> None:
    driver = screens.driver
    window = driver.window
    screens.shoot("first-start", window)
    screens.two_panes()
    screens.shoot("two-panes", window)
    window.broadcast.toggle()
    screens.shoot("broadcast", window)
    window.broadcast.toggle()
    window.commands["find"].trigger()
    driver.pane.composer.field.setPlainText("A message that is being written\nin two lines")
    screens.shoot("find-and-draft", window)
    window.commands["search"].trigger()
    window.sidebar.search.setText("queue")
    driver.wait(0.4)
    screens.shoot("search", window)
    window.sidebar.search.clear()
    window.toggle_score()
    for pane in window.workspace.panes():
        pane.composer.field.setPlainText("Go on")
        pane.composer.button.click()
    driver.wait(1.0)
    screens.shoot("answering-and-score", window)
    for pane in window.workspace.panes():
        pane.composer.button.click()
    window.toggle_score()
    pane = driver.pane
    pane.composer.set_text("Tell me a short story about a river.")
    # Wait for the end of the stopped reply.
    driver.until(lambda: not pane.chat.comparison.why_not_ask())
    pane.show_comparison(
        pane.chat.comparison.ask([Member(temperature=t, seed=4) for t in (0.0, 0.9)])
    )
    driver.wait(0.6)
    screens.shoot("comparison", window)
    pane.comparison.columns[0].keep.click()
    pane.composer.button.click()
    window.toggle_sidebar()
    window.resize(760, 620)
    driver.wait(0.2)
    screens.shoot("narrow", window)
    window.toggle_sidebar()
    window.resize(1280, 800)


def _files_and_remote(screens: Screens) -> None:
    driver, texts = screens.driver, screens.texts
    texts[0] = lambda: iter(["It stands ", "by the river."])
    stories.files(driver, screens.shoot, screens.paths)
    stories.remote(driver, screens.shoot)


def _tools(screens: Screens) -> None:
    stories.tools(screens.driver, screens.shoot, screens.paths, screens.texts)
    _open(screens, ("tool_servers", "tools"))


def _dialogs(screens: Screens) -> None:
    screens.two_panes()
    _open(screens, DIALOGS)


def _lists(screens: Screens) -> None:
    screens.two_panes()
    _open(screens, LISTS)


def _open(screens: Screens, names: Sequence[str]) -> None:
    for name in names:
        screens.opened(name, screens.driver.window.commands[name].trigger)


def _menus(screens: Screens) -> None:
    screens.two_panes()
    window = screens.driver.window
    header = screens.driver.pane.header
    screens.opened("chat-settings", header.options_button.click)
    screens.opened("model-menu", header.model_button.click)
    at = QPoint(300, 100)
    for number, menu in enumerate(window.findChildren(QMenu)):
        menu.aboutToShow.emit()
        if len(menu.actions()) > 1:
            screens.opened(f"menu-{number}", lambda menu=menu: menu.popup(at))  # type: ignore[misc]


def _others(screens: Screens) -> None:
    window, paths = screens.driver.window, screens.paths
    moving = Download("somebody/Second-3B-8bit", 1_310_000_000, 3_400_000_000)
    moving.state = DownloadState.RUNNING
    moving.samples.extend([(0.0, 1_204_000_000), (5.0, moving.done)])
    window.downloads.items.append(moving)
    screens.opened("download", window.downloads_in_window.show)
    window.downloads.items.remove(moving)
    report = paths.log / "crash.txt"
    report.write_text("Stretto 0.9.0\nSomething went wrong.\n", encoding="utf-8")
    for name, dialog in (
        ("crash", lambda: CrashDialog(report, report.read_text("utf-8"), window)),
        ("licences", lambda: LicencesWindow(window)),
        (
            "update",
            lambda: UpdateDialog(
                Release("99.0", "https://example.org", "- Something new."),
                Settings(),
                window,
            ),
        ),
    ):
        screens.opened(name, lambda made=dialog: made().show())  # type: ignore[misc]
    for code in ("corrupt", "readonly", "full"):
        error = StoreError(code, "What is wrong with the file of chats.", paths.chats)
        screens.opened(f"store-{code}", lambda error=error: ask_about_store(error))  # type: ignore[misc]
    screens.opened("unsaved", lambda: ask_about_unsaved(error))
    screens.opened("already-running", say_already_running)


Part = Callable[[Screens], None]

PARTS: tuple[Part, ...] = (_window, _files_and_remote, _tools, _dialogs, _lists, _menus, _others)
"""Parts that together show every screen."""

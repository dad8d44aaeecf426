"""Start-up and shutdown, in order. The only place that knows all the parts."""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication

from app import flows
from app.bridge import Bridge
from app.chats.library import ChatLibrary
from app.models.loading import ModelLoader
from app.models.models import Models
from app.program import removed
from app.program.collector import Collector
from app.program.opening import StoreOpening, not_restored, restored
from app.program.saved_table import export_table, forget_table
from app.serving import Serving
from app.settings import translation
from app.settings.language import tr
from app.settings.paths import APP_NAME, TABLES, Paths, short_path
from app.settings.settings import Settings
from app.spelling.speller import Speller
from app.store import Backup, Store, StoreError
from app.system import logs, updates
from app.system.crash import CrashReports
from app.system.single import SingleInstance
from app.system.updates import Updates
from app.ui.dialogs.dialogs import Recovery, ask_about_store, ask_about_unsaved, ask_for_folder
from app.ui.dialogs.recovery import ask_for_backup
from app.ui.style import motion, theme
from app.ui.style.icons import app_icon
from app.ui.window.context import WindowContext
from app.ui.window.main_window import MainWindow
from app.ui.window.unsaved import ErrorNotice, Unsaved
from app.ui.workspace.docks import configure_docking

if TYPE_CHECKING:
    from engine import Engine


def engine_options(paths: Paths, settings: Settings) -> dict[str, Any]:
    """The arguments of `engine.Engine`. STRETTO_NO_WAYS is for tests."""
    return {
        "memory_budget": int(settings.memory_gb * 1e9) or None,
        "cache_dir": paths.kv if settings.cache_gb else None,
        "cache_bytes": int(settings.cache_gb * 1e9),
        "ways_dir": None if os.environ.get("STRETTO_NO_WAYS") else paths.cache / "ways",
    }


log = logging.getLogger(__name__)


def make_engine(paths: Paths, settings: Settings) -> Engine:
    """The real engine. Its thread, not this one, imports mlx."""
    from engine import Engine

    return Engine(**engine_options(paths, settings))


def make_qt(arguments: list[str]) -> QApplication:
    """The QApplication with the program's name, icon and flags."""
    QApplication.setApplicationName(APP_NAME)
    QApplication.setApplicationDisplayName(APP_NAME)
    QApplication.setDesktopFileName("app.stretto.Stretto")
    configure_docking()
    qt = QApplication(arguments)
    qt.setWindowIcon(app_icon())
    # A pane in a window of its own may be closed last; only `Application` ends the program.
    qt.setQuitOnLastWindowClosed(False)
    return qt


class Application(QObject):
    """One run of the program over one profile.

    Start: settings, look, store, window on screen, and only then the engine. End, in ``shut_down``:
    replies cancelled, engine stopped and joined, its last words taken in, everything saved, store
    closed, window gone.
    """

    # Time for all parts together to end before what is left is cut short. The process ends
    # within 5 s, saving included.
    STOP_S = 3.5
    CHILDREN_STOP_S = 0.5  # at least: servers of tools and groups must not outlive the program
    RESTART_STOP_S = 20.0  # the next run loads its models when the memory of this one is free
    BACKGROUND_STOP_S = 2.0

    ended = Signal()  # all is taken down

    def __init__(
        self,
        qt: QApplication,
        paths: Paths,
        engine_factory: Callable[[Paths, Settings], Engine] = make_engine,
        ask: Callable[[StoreError], Recovery] = ask_about_store,
        ask_unsaved: Callable[[StoreError], Recovery] = ask_about_unsaved,
        ask_folder: Callable[[], Path | None] = ask_for_folder,
        ask_backup: Callable[[list[Backup]], Path | None] = ask_for_backup,
        before: Application | None = None,
    ) -> None:
        """``before`` is the run that ended to restore a backup: what came of it is said."""
        super().__init__()
        self._qt = qt
        self.paths = paths
        self._engine_factory = engine_factory
        self._ask_unsaved = ask_unsaved
        self._opening = StoreOpening(paths.chats, ask, ask_folder, ask_backup, lambda: self.down)
        if before is not None:
            self._opening.words = before._opening.words
        self._restoring: Path | None = None
        self.restarts = False  # whether the program is to start again
        self.engine: Engine | None = None
        self.down = False  # whether everything was taken down, or is being
        self._give_up = 0.0  # when the parts that have not ended are cut short
        self._switch_interval = sys.getswitchinterval()
        self._log_handler: logging.Handler | None = None
        self.already_runs = False
        self.single = SingleInstance(paths.data, self)
        self.collector = Collector(self, self._streams)
        self.bridge = Bridge(self)
        self.settings = Settings()
        self.store: Store | None = None
        self.crashes: CrashReports | None = None
        self.loader = ModelLoader(self.bridge, self)
        self.library: ChatLibrary | None = None
        self.models: Models | None = None
        self.window: MainWindow | None = None
        self.updates: Updates | None = None
        self.serving: Serving | None = None
        self.unsaved: Unsaved | None = None
        self.errors: ErrorNotice | None = None

    @property
    def elsewhere(self) -> Path | None:
        """The folder of another profile that the person chose, if the chats are to be there."""
        return self._opening.elsewhere

    def start(self) -> bool:
        """Bring the window up.

        False if the chats cannot be opened and the person gave up or chose another profile's
        folder (``elsewhere``), if another program has them open (``already_runs``), or if a
        signal told the program to end meanwhile (``down``).
        """
        try:
            self.paths.create()
        except OSError as error:
            log.warning("The profile's folders could not be made: %s", error)
        if not self.single.claim():
            self.already_runs = True
            return False
        self._log_handler = logs.start(self.paths.log)
        self.crashes = CrashReports(self.paths.log, self.paths.log / "stretto.log")
        crashed = bool(self.crashes.begin())
        logs.on_uncaught = self._on_uncaught
        self.settings = Settings.load(self.paths.settings)
        translation.install(self._qt, self.settings.language)
        self.updates = Updates(self.settings, updates.source(), self)
        look = self.settings
        theme.install(self._qt, look.appearance, look.text_px, look.zoom, look.contrast)
        motion.install(look.motion, self)
        self.store = self._opening.open()
        if self.store is None:
            logs.on_uncaught = None
            self.crashes.end()
            logs.stop(self._log_handler)
            self.single.release()
            return False
        self.library = ChatLibrary(self.store, self.bridge, self.loader, self, self._opening.chats)
        self.library.toolbox.host.open(self.paths.tools)
        self.library.keep_trash()
        self.loader.open(self.settings)
        self.models = Models(self.library, self.settings, self.paths, self)
        self.serving = Serving(self.settings, self.paths, self.loader, self)
        context = WindowContext(
            library=self.library,
            store=self.store,
            settings=self.settings,
            paths=self.paths,
            models=self.models,
            serving=self.serving,
            speller=Speller(self.settings.spelling, self.models),
            updates=self.updates,
        )
        self.window = MainWindow(context)
        self.window.closing.connect(self.shut_down)
        self.window.store_commands.restore_asked.connect(self.restart)
        self.window.settings_commands.restart_asked.connect(self.restart)
        self.updates.found.connect(self.window.show_update)
        self.updates.start()
        self.window.listen(self.single)
        self.unsaved = Unsaved(self.store, self.bridge, self.window)
        self.errors = ErrorNotice(self.crashes, self.bridge, self.window)
        self.window.show_restored()
        if self.down:
            return False
        table = self._export_table()
        notes = removed.mlx_lm_note(self.paths.data), table
        if words := " ".join(filter(None, (self._opening.words, self.settings.note, *notes))):
            self.window.toast.show_text(words, seconds=30)
        if table:
            forget_table(self.store, self.library)
        self.loader.changed.connect(self.collector.settle)
        # Eight streaming panes: the window waits for the GIL at most this long at a time. With
        # Python's 5 ms, the 99th percentile of event-loop stalls was 24-36 ms, with this 10-11.
        sys.setswitchinterval(0.001)
        self.collector.start()
        if crashed:
            QTimer.singleShot(0, self.errors, self.errors.offer_last)
        # After the first frame: nothing of the engine may delay the window.
        QTimer.singleShot(0, self, self._start_engine)
        return True

    def _export_table(self) -> str:
        """Export the comparison table of an earlier version; return what to tell the user."""
        folder = self.paths.data / TABLES
        try:
            if self.store is None or not export_table(self.store, folder):
                return ""
        except (OSError, StoreError, ValueError) as error:
            log.warning("comparison table not exported: %s", error)
            return ""
        return tr(
            "Stretto no longer has comparison tables. Yours is saved as CSV and JSON in {folder}.",
            folder=short_path(folder),
        )

    def _streams(self) -> bool:
        return self.library is not None and bool(self.library.running())

    @Slot()
    def _start_engine(self) -> None:
        if self.down:
            return
        try:
            self.engine = self._engine_factory(self.paths, self.settings)
        except Exception:
            log.exception("The engine did not start")
            raise
        self.loader.attach(self.engine)
        if self.serving is not None:
            self.serving.attach(self.engine)

    def _on_uncaught(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        """On any thread. Chats that cannot be read are no crash: the window says what to do."""
        if isinstance(error, StoreError) and self.unsaved is not None:
            self.unsaved.post(error)
        elif self.crashes is not None:
            report = self.crashes.report(kind, error, trace)
            if report is not None and self.errors is not None:
                self.errors.post(report)

    @Slot()
    @Slot(object)
    def restart(self, backup: Path | None = None) -> None:
        """End, put a backup (if any) in the place of the chats, and let `main` start anew."""
        self._restoring, self.restarts = backup, True
        self.shut_down()

    @Slot()
    def shut_down(self) -> None:
        """End in stages, each of which may rely on those before. May be called again, to no effect.

        Dialogs first, so that nobody answers any more; then sequences, the window's and the
        door's; then replies and the engine, whose last words are taken in; then all is saved and
        the store closed; the window's widgets go last.
        """
        if self.down:
            return
        self.down = True
        self._give_up = time.monotonic() + (self.RESTART_STOP_S if self.restarts else self.STOP_S)
        self._end_dialogs()
        self._end_sequences()
        self._end_engine()
        if self.already_runs:  # nothing here is this program's to save
            return
        self._save()
        self._take_down()
        self.ended.emit()

    def _end_dialogs(self) -> None:
        """Close what blocks the window; one that stays open all the same is not asked twice."""
        last = None
        while (dialog := QApplication.activeModalWidget()) is not None and dialog is not last:
            dialog.close()
            last = dialog

    def _end_sequences(self) -> None:
        if self.updates is not None:
            self.updates.stop()
        if self.window is not None:
            self.window.end()
        if self.serving is not None:
            self.serving.shut_down(self._left)
        flows.end(min(self.BACKGROUND_STOP_S, self._left))

    def _end_engine(self) -> None:
        if self.library is not None:
            self.library.cancel_for_close()
        if self.engine is not None:
            self.engine.stop(self._left)
        self.loader.detach(self._left_to_children)
        # The last text of the cancelled replies still waits at the bridge.
        self.bridge.drain()
        if self.library is not None:
            self.library.close(self._left_to_children)

    @property
    def _left(self) -> float:
        """Seconds until the parts that have not ended are cut short."""
        return max(0.0, self._give_up - time.monotonic())

    @property
    def _left_to_children(self) -> float:
        return max(self.CHILDREN_STOP_S, self._left)

    def _save(self) -> None:
        self.settings.save()  # again: the disk may have been full at the last change
        if self.store is not None:
            if self.unsaved is not None:
                self.unsaved.save_the_rest(self._ask_unsaved)
            try:
                self.store.close()
            except StoreError as error:
                log.error("Something could not be saved at the end: %s", error.code)
        if self._restoring is not None:
            try:
                self._opening.words = restored(self.paths.chats, self._restoring)
            except StoreError as error:
                self._opening.words = not_restored(error)

    def _take_down(self) -> None:
        if self.window is not None:
            self.window.close()
            self.window.deleteLater()
            self.window = None
        if self.models is not None:
            self.models.deleteLater()
        self.collector.stop()
        sys.setswitchinterval(self._switch_interval)
        logs.on_uncaught = None
        if self.crashes is not None:
            self.crashes.end()
        logs.stop(self._log_handler)
        self.single.release()

"""Startup and shutdown of the application."""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication

from app import flows
from app.bridge import Bridge
from app.chats.library import ChatLibrary
from app.models.loading import ModelLoader
from app.models.models import Models
from app.program.collector import Collector
from app.program.saved_table import export_table, forget_table
from app.program.store_opening import StoreOpening, not_restored_text, restore_backup
from app.serving import Serving
from app.settings import translation
from app.settings.language import tr
from app.settings.paths import APP_NAME, TABLES, Paths, short_path
from app.settings.settings import Settings
from app.spelling.speller import Speller
from app.store import Backup, Store, StoreError
from app.system import logs, updates
from app.system.crash import CrashReports
from app.system.single_instance import SingleInstance
from app.system.updates import Updates
from app.ui.dialogs.recovery import ask_for_backup
from app.ui.dialogs.store_dialogs import (
    Recovery,
    ask_about_store,
    ask_about_unsaved,
    ask_for_folder,
)
from app.ui.style import motion, theme
from app.ui.style.icons import app_icon
from app.ui.window.context import WindowContext
from app.ui.window.main_window import MainWindow
from app.ui.window.unsaved import ErrorNotice, SaveErrorNotice
from app.ui.workspace.docks import configure_docking

if TYPE_CHECKING:
    from engine import Engine


ENGINE_NICENESS = 10
"""Niceness of the engine, whose kernels would otherwise keep the window waiting for a core."""


log = logging.getLogger(__name__)


def make_engine(paths: Paths, settings: Settings) -> Engine:
    from engine import Engine

    return Engine(
        memory_budget=int(settings.memory_gb * 1e9) or None,
        cache_dir=paths.kv if settings.cache_gb else None,
        cache_bytes=int(settings.cache_gb * 1e9),
        # set by tests
        ways_dir=None if os.environ.get("STRETTO_NO_WAYS") else paths.cache / "ways",
        niceness=ENGINE_NICENESS,
    )


def make_qt(arguments: list[str]) -> QApplication:
    QApplication.setApplicationName(APP_NAME)
    QApplication.setApplicationDisplayName(APP_NAME)
    QApplication.setDesktopFileName("app.stretto.Stretto")
    configure_docking()
    qt = QApplication(arguments)
    qt.setWindowIcon(app_icon())
    # The last window to close could be a floating pane, so only `Application` may quit.
    qt.setQuitOnLastWindowClosed(False)
    return qt


class Application(QObject):
    """Application with a single profile.

    On startup, it loads settings, appearance and store, shows the window, and then creates the
    engine. ``shut_down`` cancels replies, stops the engine, handles its last events, saves
    everything, and closes the store and the window.
    """

    # Time limit for stopping all components. The process ends within 5 s, including saving.
    STOP_S = 3.5
    # Minimum for child processes, because tool and group servers must end with the app.
    CHILDREN_STOP_S = 0.5
    RESTART_STOP_S = 20.0  # enough time to free the memory, so that the next run can load models
    BACKGROUND_STOP_S = 2.0

    ended = Signal()  # all components have stopped

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
        """``before`` is the previous run, which ended to restore a backup."""
        super().__init__()
        self._qt = qt
        self.paths = paths
        self._engine_factory = engine_factory
        self._ask_unsaved = ask_unsaved
        self._opening = StoreOpening(paths.chats, ask, ask_folder, ask_backup, lambda: self.down)
        if before is not None:
            self._opening.words = before._opening.words
        self._restoring: Path | None = None
        self.restarts = False  # restart the app after shutdown
        self.engine: Engine | None = None
        self.down = False  # shutdown has started or finished
        self._give_up = 0.0  # time at which remaining work is interrupted
        self._switch_interval = sys.getswitchinterval()
        self._log_handler: logging.Handler | None = None
        self.already_runs = False
        self.single = SingleInstance(paths.data, self)
        self.collector = Collector(self, self._is_streaming)
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
        self.unsaved: SaveErrorNotice | None = None
        self.errors: ErrorNotice | None = None

    @property
    def chosen_profile(self) -> Path | None:
        return self._opening.elsewhere

    def start(self) -> bool:
        """Start the app and show the window. Return False if it has to quit instead.

        The user may give up or choose another profile because the chats can't be opened
        (``elsewhere``). Another instance may be running (``already_runs``), or a signal arrived
        (``down``).
        """
        try:
            self.paths.create()
        except OSError as error:
            log.warning("cannot create the profile's folders: %s", error)
        if not self.single.claim():
            self.already_runs = True
            return False
        self._log_handler = logs.start(self.paths.log)
        self.crashes = CrashReports(self.paths.log, self.paths.log / "stretto.log")
        crashed = bool(self.crashes.begin())
        logs.on_uncaught = self._on_uncaught
        self.settings = Settings.load(self.paths.settings)
        translation.install(self._qt, self.settings.language)
        self.updates = Updates(self.settings, updates.load_source(), self)
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
        self.library.start_sweeping()
        self.loader.open(self.settings)
        self.models = Models(self.library, self.settings, self.paths, self)
        self.serving = Serving(self.settings, self.paths, self.loader, self)
        self.models.downloads.download_finished.connect(self.serving.offer_installed)
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
        self.window.close_requested.connect(self.shut_down)
        self.window.store_commands.restore_requested.connect(self.restart)
        self.window.settings_commands.restart_requested.connect(self.restart)
        self.updates.found.connect(self.window.show_update)
        self.updates.start()
        self.window.listen_for_instances(self.single)
        self.unsaved = SaveErrorNotice(self.store, self.bridge, self.window)
        self.errors = ErrorNotice(self.crashes, self.bridge, self.window)
        self.window.show_restored()
        if self.down:
            return False
        table = self._export_table()
        if words := " ".join(filter(None, (self._opening.words, self.settings.note, table))):
            self.window.toast.show_text(words, seconds=30)
        if table:
            forget_table(self.store, self.library)
        self.loader.changed.connect(self.collector.settle)
        # Keep the window from waiting for the GIL. With eight streaming panes, the 99th percentile
        # of event-loop stalls was 24 to 36 ms with Python's default of 5 ms, and 10 to 11 ms with
        # this.
        sys.setswitchinterval(0.001)
        self.collector.start()
        if crashed:
            QTimer.singleShot(0, self.errors, self.errors.offer_last)
        # Wait for the first frame, so that the engine doesn't delay the window.
        QTimer.singleShot(0, self, self._start_engine)
        return True

    def _export_table(self) -> str:
        """Export the comparison table of an earlier version. Return a notice for the user."""
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

    def _is_streaming(self) -> bool:
        return self.library is not None and bool(self.library.replying_chats())

    @Slot()
    def _start_engine(self) -> None:
        if self.down:
            return
        try:
            self.engine = self._engine_factory(self.paths, self.settings)
        except Exception:
            log.exception("engine start failed")
            raise
        self.loader.attach(self.engine)
        if self.serving is not None:
            self.serving.attach(self.engine)

    def _on_uncaught(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        """Report an uncaught exception from any thread. Store errors are passed to the window."""
        if isinstance(error, StoreError) and self.unsaved is not None:
            self.unsaved.post(error)
        elif self.crashes is not None:
            report = self.crashes.report(kind, error, trace)
            if report is not None and self.errors is not None:
                self.errors.post(report)

    @Slot()
    @Slot(object)
    def restart(self, backup: Path | None = None) -> None:
        """Shut down, replace the chats with a backup (if any), and let `main` start again."""
        self._restoring, self.restarts = backup, True
        self.shut_down()

    @Slot()
    def shut_down(self) -> None:
        """Shut down in stages that each depend on the previous ones.

        First dialogs close, then UI coroutines and the local API stop, then replies and the engine,
        whose last events are still handled. Finally, everything is saved, the store is closed and
        the window deleted. A second call has no effect.
        """
        if self.down:
            return
        self.down = True
        self._give_up = time.monotonic() + (self.RESTART_STOP_S if self.restarts else self.STOP_S)
        self._end_dialogs()
        self._end_sequences()
        self._end_engine()
        if self.already_runs:  # this instance started nothing
            return
        self._save()
        self._take_down()
        self.ended.emit()

    def _end_dialogs(self) -> None:
        """Close modal dialogs. A dialog that refuses to close is only asked once."""
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
            self.serving.shut_down(self._seconds_left)
        flows.end(min(self.BACKGROUND_STOP_S, self._seconds_left))

    def _end_engine(self) -> None:
        if self.library is not None:
            self.library.cancel_for_close()
        if self.engine is not None:
            self.engine.stop(self._seconds_left)
        self.loader.detach(self._child_seconds_left)
        # The last text of canceled replies is still in the bridge.
        self.bridge.drain()
        if self.library is not None:
            self.library.close(self._child_seconds_left)

    @property
    def _seconds_left(self) -> float:
        return max(0.0, self._give_up - time.monotonic())

    @property
    def _child_seconds_left(self) -> float:
        return max(self.CHILDREN_STOP_S, self._seconds_left)

    def _save(self) -> None:
        self.settings.save()  # try again, in case the disk was full at the last change
        if self.store is not None:
            if self.unsaved is not None:
                self.unsaved.save_the_rest(self._ask_unsaved)
            try:
                self.store.close()
            except StoreError as error:
                log.error("not everything was saved at shutdown: %s", error.code)
        if self._restoring is not None:
            try:
                self._opening.words = restore_backup(self.paths.chats, self._restoring)
            except StoreError as error:
                self._opening.words = not_restored_text(error)

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

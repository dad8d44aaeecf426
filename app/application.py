"""Start-up and shutdown, in order. The only place that knows all the parts."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication

from app import logs, updates
from app.bridge import Bridge
from app.chats.library import ChatLibrary
from app.chats.model_choice import Shelf
from app.collector import Collector
from app.crash import CrashReports
from app.paths import APP_NAME, Paths
from app.settings import Settings
from app.single import SingleInstance
from app.store import Backup, Store, StoreError, backups_of
from app.ui.dialogs.backups import ask_for_backup
from app.ui.dialogs.dialogs import WayOn, ask_about_store, ask_about_unsaved, ask_for_folder
from app.ui.style import theme
from app.ui.style.icons import app_icon
from app.ui.window.docking import configure_docking
from app.ui.window.main_window import MainWindow
from app.ui.window.unsaved import Unsaved
from app.updates import Updates

if TYPE_CHECKING:
    from engine import Engine

log = logging.getLogger(__name__)


def make_engine(paths: Paths, settings: Settings) -> Engine:
    """The real engine. Its thread, not this one, imports mlx."""
    from engine import Engine

    return Engine(
        memory_budget=int(settings.memory_gb * 1e9) or None,
        cache_dir=paths.cache / "kv" if settings.cache_gb else None,
        cache_bytes=int(settings.cache_gb * 1e9),
    )


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

    Signals:
        ended(): all is taken down.
    """

    ENGINE_STOP_S = 20.0

    ended = Signal()

    def __init__(
        self,
        qt: QApplication,
        paths: Paths,
        engine_factory: Callable[[Paths, Settings], Engine] = make_engine,
        ask: Callable[[StoreError], WayOn] = ask_about_store,
        ask_unsaved: Callable[[StoreError], WayOn] = ask_about_unsaved,
        ask_folder: Callable[[], Path | None] = ask_for_folder,
        ask_backup: Callable[[list[Backup]], Path | None] = ask_for_backup,
        before: Application | None = None,
    ) -> None:
        """``before`` is the run that ended to restore a backup: what came of it is said."""
        super().__init__()
        self._qt = qt
        self._paths = paths
        self._engine_factory = engine_factory
        self._ask = ask
        self._ask_unsaved = ask_unsaved
        self._ask_folder = ask_folder
        self._ask_backup = ask_backup
        self._restoring: Path | None = None
        # What to say of the chats once the window is there.
        self._opened_otherwise: str = before._opened_otherwise if before is not None else ""
        self._engine: Engine | None = None
        self._down = False
        self._switch_interval = sys.getswitchinterval()
        self._log_handler: logging.Handler | None = None
        self.already_runs = False
        self.elsewhere: Path | None = None
        self.single = SingleInstance(paths.data, self)
        self.collector = Collector(self, self._streams)
        self.bridge = Bridge(self)
        self.settings = Settings()
        self.store: Store | None = None
        self.crashes: CrashReports | None = None
        self.shelf = Shelf(self.bridge, self)
        self.library: ChatLibrary | None = None
        self.window: MainWindow | None = None
        self.updates: Updates | None = None
        self.unsaved: Unsaved | None = None

    @property
    def engine(self) -> Engine | None:
        return self._engine

    @property
    def paths(self) -> Paths:
        return self._paths

    @property
    def down(self) -> bool:
        """Whether everything was taken down, or is being."""
        return self._down

    def start(self) -> bool:
        """Bring the window up.

        False if the chats cannot be opened and the person gave up or chose another profile's
        folder (``elsewhere``), if another program has them open (``already_runs``), or if a
        signal told the program to end meanwhile (``down``).
        """
        try:
            self._paths.create()
        except OSError as error:
            log.warning("The profile's folders could not be made: %s", error)
        if not self.single.claim():
            self.already_runs = True
            return False
        self._log_handler = logs.start(self._paths.log)
        self.crashes = CrashReports(self._paths.log, self._paths.log / "stretto.log")
        crashed = bool(self.crashes.begin())
        logs.on_uncaught = self._on_uncaught
        self.settings = Settings.load(self._paths.settings)
        self.updates = Updates(self.settings, updates.source(), self)
        theme.install(self._qt, self.settings.appearance, self.settings.text_px)
        self.store = self._open_store()
        if self.store is None:
            logs.on_uncaught = None
            self.crashes.end()
            logs.stop(self._log_handler)
            self.single.release()
            return False
        self.library = ChatLibrary(self.store, self.bridge, self.shelf, self)
        self.library.keep_trash()
        self.window = MainWindow(self.library, self.store, self.settings, self._paths)
        self.window.closing.connect(self.shut_down)
        self.window.settings_changed.connect(self._save_settings)
        self.window.restore_asked.connect(self.restore)
        self.window.updates = self.updates
        self.updates.found.connect(self.window.show_update)
        self.updates.start()
        self.single.called.connect(self.window.come_forward)
        self.unsaved = Unsaved(self.store, self.bridge, self.window)
        self.window.show_restored()
        if self._down:
            return False
        if self._opened_otherwise:
            self.window.toast.show_text(self._opened_otherwise, seconds=30)
        self.shelf.changed.connect(self.collector.settle)
        # Eight streaming panes: the window waits for the GIL at most this long at a time. With
        # Python's 5 ms, the 99th percentile of event-loop stalls was 24-36 ms, with this 10-11.
        sys.setswitchinterval(0.001)
        self.collector.start()
        if crashed:
            QTimer.singleShot(0, self, self._offer_report)
        # After the first frame: nothing of the engine may delay the window.
        QTimer.singleShot(0, self, self._start_engine)
        return True

    def _streams(self) -> bool:
        return self.library is not None and bool(self.library.running())

    @Slot()
    def _offer_report(self) -> None:
        """The last run crashed: show what is left of it, once."""
        reports = self.crashes.see() if self.crashes is not None else []
        if reports and self.window is not None:
            from app.ui.dialogs.crash_dialog import CrashDialog

            CrashDialog(reports, self.window).show()

    @Slot()
    def _start_engine(self) -> None:
        if self._down:
            return
        try:
            self._engine = self._engine_factory(self._paths, self.settings)
        except Exception:
            log.exception("The engine did not start")
            raise
        self.shelf.attach(self._engine)

    def _open_store(self) -> Store | None:
        """The store, after asking as often as it takes; None if the person gives up."""
        while True:
            problem: StoreError | None = None
            try:
                store = self._open_and_read()
            except StoreError as error:
                problem = error
            else:
                if store.journal_aside is not None:
                    self._opened_otherwise = (
                        "The last moments before the crash may be missing: the journal of your "
                        f"chats was damaged. It is kept as {store.journal_aside.name}."
                    )
                return store
            while problem is not None:
                log.warning("The chats were not opened: %s", problem.code)
                way = self._ask_interruptibly(problem)
                if way is WayOn.QUIT:
                    return None
                problem = self._take(way)
                if self.elsewhere is not None:
                    return None

    def _ask_interruptibly(self, problem: StoreError) -> WayOn:
        """Ask; the program may be told to end meanwhile, from a terminal or by the system."""
        listening = QTimer(interval=200)  # Python sees signals only when it runs
        listening.timeout.connect(lambda: None)
        listening.start()
        way = self._ask(problem)
        listening.stop()
        return WayOn.QUIT if self._down else way

    def _open_and_read(self) -> Store:
        """The store, once it has shown its list of chats: large files are not checked wholly."""
        store = Store.open(self._paths.chats)
        try:
            store.chats()
        except StoreError:
            store.close()
            raise
        return store

    def _on_uncaught(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        """On any thread. Chats that cannot be read are no crash: the window says what to do."""
        if isinstance(error, StoreError) and self.unsaved is not None:
            self.unsaved.post(error)
        elif self.crashes is not None:
            self.crashes.report(kind, error, trace)

    def _take(self, way: WayOn) -> StoreError | None:
        """Go a way on with chats that cannot be opened; returns what stood in the way."""
        file = self._paths.chats
        try:
            if way is WayOn.SET_ASIDE:
                aside = Store.set_aside(file)
                self._opened_otherwise = (
                    f"This is an empty start. Your earlier chats are kept as {aside.name}."
                )
            elif way is WayOn.ELSEWHERE:
                folder = self._ask_folder()
                if folder is not None:
                    Store.copy(file, Paths.in_profile(folder).chats)
                    self.elsewhere = folder
            elif way is WayOn.RESTORE:
                backup = self._ask_backup(backups_of(file))
                if backup is not None:
                    self._opened_otherwise = restored(file, backup)
            elif way is WayOn.SALVAGE:
                saved = Store.salvage(file)
                messages = _counted(saved.messages, "message")
                self._opened_otherwise = (
                    f"{messages} in {_counted(saved.chats, 'chat')} could be read and are here. "
                    f"The damaged file is kept as {saved.aside.name}."
                )
        except StoreError as error:
            return error
        return None

    @property
    def restarts(self) -> bool:
        """Whether the program is to start again, with a backup of the chats."""
        return self._restoring is not None

    @Slot(object)
    def restore(self, backup: Path) -> None:
        """End, put a backup in the place of the chats, and let `main` start anew."""
        self._restoring = backup
        self.shut_down()

    @Slot()
    def _save_settings(self) -> None:
        self.settings.save(self._paths.settings)

    @Slot()
    def shut_down(self) -> None:
        """End in order. May be called again, to no effect."""
        if self._down:
            return
        self._down = True
        if self.updates is not None:
            self.updates.stop()
        dialog = QApplication.activeModalWidget()
        if dialog is not None:
            dialog.close()
        if self.window is not None:
            self.window.end()
        if self.library is not None:
            self.library.cancel_for_close()
        if self._engine is not None:
            self._engine.stop(self.ENGINE_STOP_S)
        # The last text of the cancelled replies still waits at the bridge.
        self.bridge.drain()
        if self.library is not None:
            self.library.close()
        self.shelf.detach()
        if self.already_runs:  # nothing here is this program's to save
            return
        self.settings.save(self._paths.settings)
        if self.store is not None:
            if self.unsaved is not None:
                self.unsaved.save_the_rest(self._ask_unsaved)
            try:
                self.store.close()
            except StoreError as error:
                log.error("Something could not be saved at the end: %s", error.code)
        if self._restoring is not None:
            try:
                self._opened_otherwise = restored(self._paths.chats, self._restoring)
            except StoreError as error:
                self._opened_otherwise = f"The backup could not be restored. {error.message}"
        if self.window is not None:
            self.window.close()
            self.window.deleteLater()
            self.window = None
        self.collector.stop()
        sys.setswitchinterval(self._switch_interval)
        logs.on_uncaught = None
        if self.crashes is not None:
            self.crashes.end()
        logs.stop(self._log_handler)
        self.single.release()
        self.ended.emit()


def restored(file: Path, backup: Path) -> str:
    """Put a backup in the file's place; what to say of it. Raises StoreError."""
    aside = Store.restore(file, backup)
    kept = f" The chats of before are kept as {aside.name}." if aside is not None else ""
    return "These are the chats of the backup." + kept


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")

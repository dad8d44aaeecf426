"""The main window: what is on screen together, and which command does what."""

from __future__ import annotations

import sys
from collections.abc import Callable

from PySide6.QtCore import QByteArray, QEventLoop, QPoint, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QCloseEvent, QKeyEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QMainWindow, QMenu, QVBoxLayout, QWidget

from app.awake import Awake
from app.chats.library import ChatLibrary
from app.downloads import Downloads
from app.paths import Paths, model_fallback_name
from app.score.feed import ScoreFeed
from app.settings import Settings
from app.store import Store
from app.ui.composer.composer import ComposerText
from app.ui.dialogs import dialogs
from app.ui.dialogs.shortcuts_dialog import show_shortcuts
from app.ui.dialogs.update_dialog import UpdateDialog
from app.ui.models.downloads_in_window import Getting
from app.ui.models.model_list import put_back
from app.ui.pane.pane_menus import PaneMenus
from app.ui.score.score import ScoreView
from app.ui.settings.appearance import add_appearance
from app.ui.settings.settings_window import SettingsWindow
from app.ui.sidebar.rail import Rail
from app.ui.sidebar.sidebar import Sidebar
from app.ui.style.icons import app_icon
from app.ui.widgets.buttons import IconButton
from app.ui.widgets.pulse import Pulse
from app.ui.widgets.toast import Toast
from app.ui.window.actions import Commands
from app.ui.window.arrangement import Arrangement
from app.ui.window.attention import Attention
from app.ui.window.broadcast import Broadcast
from app.ui.window.chat_commands import ChatCommands
from app.ui.window.focus_regions import Parts
from app.ui.window.layouts import Layouts
from app.ui.window.pane_placement import grow_pane, move_pane
from app.ui.window.undo import Undos
from app.ui.window.workspace import Workspace
from app.updates import Release, Updates

LAYOUT = "main"


class MainWindow(QMainWindow):
    """Holds what is on screen together. The chats live on without it.

    Signals:
        closing(): the person closes the window; the program is to end.
        settings_changed(): something was chosen in the settings.
        restore_asked(path): the program is to go on with this backup of the chats.
    """

    closing = Signal()
    settings_changed = Signal()
    restore_asked = Signal(object)

    def __init__(
        self,
        library: ChatLibrary,
        store: Store,
        settings: Settings,
        paths: Paths | None = None,
    ) -> None:
        super().__init__()
        self._paths = paths
        self._settings_window: SettingsWindow | None = None
        self.updates: Updates | None = None
        ComposerText.sends_with_ctrl = settings.send_key == "ctrl_enter"
        self._library = library
        self._store = store
        self._settings = settings
        self._ended = False
        self._restored = False
        on_mac = sys.platform == "darwin"
        self.setWindowTitle("Stretto")
        self.setWindowIcon(app_icon())
        self.setMinimumSize(560, 400)
        self.resize(1180, 780)
        self.sidebar = Sidebar(library, self, menu=not on_mac)
        self.rail = Rail(self, menu=not on_mac)
        self.workspace = Workspace(self)
        self.score = ScoreView(ScoreFeed(library, library.bridge, self), self)
        self.toast = Toast(self)
        self._undos = Undos(self.toast)
        self.broadcast = Broadcast(self.workspace)
        self.chats = ChatCommands(library, self.workspace, settings, self.toast, self._undos, self)
        self.pane_menus = PaneMenus(
            library.shelf, self.workspace, settings, self.chats, self._undos, self
        )
        self.layouts = Layouts(
            store, library, self.workspace, settings, self.chats, self.toast, self._undos, self
        )
        self.downloads = Downloads(settings, self)
        self.getting = Getting(self.downloads, library.shelf, library.bridge, self)
        self._pulse = Pulse(library, self)
        self._attention = Attention(self, library)
        self._awake = Awake(library, self.downloads, self)
        self._parts = Parts(self.workspace, self.score, self.sidebar)
        self._place_parts()
        self.commands = Commands(self, self._slots())
        self._menus = self.commands.menus({"layouts": self.layouts.menu})
        self.commands["broadcast"].setCheckable(True)
        self.commands["score"].setCheckable(True)
        add_appearance(self._menus[2], settings)
        if on_mac:
            for menu in self._menus:
                self.menuBar().addMenu(menu)
        self._save_soon = QTimer(self, singleShot=True, interval=800)
        self._save_soon.timeout.connect(self.save_layout)
        self._connect()
        self._show_sidebar(settings.sidebar)

    def _place_parts(self) -> None:
        centre = QWidget(self)
        row = QHBoxLayout(centre)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        column = QVBoxLayout()
        column.setSpacing(0)
        column.addWidget(self.workspace, 1)
        column.addWidget(self.score)
        row.addWidget(self.sidebar)
        row.addWidget(self.rail)
        row.addLayout(column, 1)
        self.setCentralWidget(centre)

    def _slots(self) -> dict[str, Callable[[], None]]:
        """What each command of the menus does."""
        chats, workspace, with_pane = self.chats, self.workspace, self.chats.with_pane
        return {
            "new": chats.new,
            "open_model": chats.open_model_folder,
            "get_model": self.getting.show,
            "close": with_pane(workspace.close_pane),
            "undo_close": self._undos.undo,
            "quit": self.closing.emit,
            "copy_answer": with_pane(lambda pane: pane.copy_last()),
            "regenerate": with_pane(lambda pane: pane.controller.regenerate()),
            "same_again": with_pane(lambda pane: pane.same_again()),
            "edit_last": with_pane(lambda pane: pane.edit_last()),
            "earlier": with_pane(lambda pane: pane.controller.show_other_version(-1)),
            "later": with_pane(lambda pane: pane.controller.show_other_version(1)),
            "pause": with_pane(chats.pause),
            "score": self.toggle_score,
            "stop": with_pane(lambda pane: pane.controller.stop()),
            "rename": self.rename_chat,
            "delete": with_pane(lambda pane: chats.delete(pane.controller.id)),
            "find": with_pane(lambda pane: pane.find_bar.open_bar()),
            "search": self.search,
            "sidebar": self.toggle_sidebar,
            "split_right": lambda: chats.split("right"),
            "split_down": lambda: chats.split("down"),
            "float": with_pane(workspace.float_pane),
            "move_before": with_pane(lambda pane: move_pane(workspace, pane, -1)),
            "move_after": with_pane(lambda pane: move_pane(workspace, pane, 1)),
            "larger": with_pane(lambda pane: grow_pane(workspace, pane, 1)),
            "smaller": with_pane(lambda pane: grow_pane(workspace, pane, -1)),
            "next_part": lambda: self._parts.step(1),
            "part_before": lambda: self._parts.step(-1),
            "layouts": self.layouts.pop_up,
            "broadcast": self.broadcast.toggle,
            "broadcast_one": with_pane(self.broadcast.toggle_pane),
            "compare": chats.compare,
            "keep": with_pane(chats.comparisons.keep),
            "next": lambda: workspace.activate_next(1),
            "previous": lambda: workspace.activate_next(-1),
            "composer": with_pane(workspace.activate),
            "settings": self.show_settings,
            "trash": self.show_trash,
            "backups": self.show_backups,
            "full_screen": self.toggle_full_screen,
            "shortcuts": self.show_shortcuts,
            "about": self.show_about,
        }

    def _connect(self) -> None:
        sidebar, workspace, chats = self.sidebar, self.workspace, self.chats
        sidebar.opened.connect(chats.open_at)
        sidebar.opened_beside.connect(chats.open_beside)
        sidebar.deleted.connect(chats.delete)
        sidebar.new_asked.connect(chats.new)
        sidebar.trash_asked.connect(self.show_trash)
        sidebar.fold_asked.connect(self.toggle_sidebar)
        sidebar.menu_asked.connect(self._pop_menu)
        self.rail.new_asked.connect(chats.new)
        self.rail.unfold_asked.connect(self.toggle_sidebar)
        self.rail.menu_asked.connect(self._pop_menu)
        workspace.active_changed.connect(self._on_active)
        workspace.forgotten.connect(self._library.release)
        workspace.arranged.connect(self._save_soon.start)
        workspace.active_changed.connect(self._save_soon.start)
        self.score.chosen.connect(chats.open)
        self.score.closed.connect(self.toggle_score)
        self.score.pause_asked.connect(chats.pause_chat)
        self.pane_menus.get_asked.connect(self.getting.show)
        self.getting.opened.connect(chats.use_model)
        self.downloads.kept.connect(self.settings_changed)
        self.downloads.finished.connect(self._on_downloaded)
        self.broadcast.said.connect(self._on_notice)
        self.broadcast.changed.connect(self.commands["broadcast"].setChecked)
        self._library.activity.connect(workspace.marks.on_activity)
        self._library.listed.connect(self._on_active)
        self._pulse.beat.connect(workspace.marks.on_beat)
        self._pulse.beat.connect(sidebar.on_beat)

    # Beginning and end.

    def show_restored(self) -> None:
        """Come on screen with what was open at the last end, or one new chat at a first start."""
        layout = self._store.layout(LAYOUT) or {}
        geometry, arrangement = layout.get("geometry"), Arrangement.from_json(layout)
        if isinstance(geometry, str):
            self.restoreGeometry(QByteArray.fromBase64(geometry.encode()))
        if arrangement is None or arrangement.chats:
            self.workspace.expect_panes()
        # Before the panes: splitters share out the size they have at that moment, and building
        # panes takes a while, in which the window is there already.
        self.show()
        self.activateWindow()
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
        if self._ended:  # a signal told the program to end
            return
        if arrangement is None:
            self.chats.new()
        elif arrangement.chats:
            panes = [self._library.open(i, self._settings.model) for i in arrangement.chats]
            self.workspace.arrange(arrangement, panes)
        self._restored = True
        # Load what the open chats answer with, and nothing else.
        for pane in self.workspace.panes():
            pane.controller.load_model()
        self.getting.offer()

    @Slot()
    def save_layout(self) -> None:
        """Keep the arrangement and the window's place."""
        if self._restored and not self._ended:
            place = bytes(self.saveGeometry().toBase64().data()).decode()
            arrangement = self.workspace.arrangement().to_json()
            self._store.save_layout(LAYOUT, {**arrangement, "geometry": place})

    def end(self) -> None:
        """The program ends: keep the layout, leave the screen, answer nothing more."""
        self.save_layout()
        self._ended = True
        self._save_soon.stop()
        self.getting.end()
        self.workspace.end()
        self.workspace.manager.hideManagerAndFloatingWidgets()
        self.hide()

    @Slot()
    def come_forward(self) -> None:
        """Another start of the program was asked for: this one shows itself."""
        if self.isMinimized():
            self.showNormal()
        self.raise_()
        self.activateWindow()

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._ended:
            event.accept()
        else:
            event.ignore()  # the program takes the window down in its own order
            self.closing.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        alone = event.modifiers() == Qt.KeyboardModifier.NoModifier
        if event.key() == Qt.Key.Key_F10 and alone and self._menu_button().isVisible():
            self._menu_button().click()
        else:
            super().keyPressEvent(event)

    def _menu_button(self) -> IconButton:
        return (self.sidebar if self._settings.sidebar else self.rail).menu_button

    @Slot(QPoint)
    def _pop_menu(self, at: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for part in self._menus:
            menu.addMenu(part)
        menu.popup(at)

    # What is shown.

    @Slot()
    def toggle_sidebar(self) -> None:
        self._show_sidebar(not self._settings.sidebar)

    def _show_sidebar(self, shown: bool) -> None:
        self._settings.sidebar = shown
        self.sidebar.setVisible(shown)
        self.rail.setVisible(not shown)

    def search(self) -> None:
        self._show_sidebar(True)
        self.sidebar.focus_search()

    def rename_chat(self) -> None:
        active = self.workspace.active
        if active is not None and active.controller.stored:
            self._show_sidebar(True)
            self.sidebar.search.clear()
            self.sidebar.model.set_query("")
            self.sidebar.rename(active.controller.id)

    @Slot()
    def toggle_score(self) -> None:
        """Show or hide what the engine does."""
        self.score.setVisible(self.score.isHidden())
        self.commands["score"].setChecked(not self.score.isHidden())

    def toggle_full_screen(self) -> None:
        if self.isFullScreen():
            self.showNormal()
        else:
            self.showFullScreen()

    def show_settings(self) -> None:
        """Open the settings, or bring them forward."""
        if self._settings_window is None:
            window = SettingsWindow(
                self._settings, self._paths, self, shelf=self._library.shelf, updates=self.updates
            )
            window.changed.connect(self._on_settings)
            window.finished.connect(self._on_settings_gone)
            window.get_asked.connect(self.getting.show)
            self._settings_window = window
        self._settings_window.show()
        self._settings_window.raise_()
        self._settings_window.activateWindow()

    @Slot()
    def show_trash(self) -> None:
        """Open the deleted chats."""
        from app.ui.dialogs.trash import TrashDialog  # not needed at the start

        TrashDialog(self._library, self).show()

    def show_backups(self) -> None:
        """Ask which backup to go back to."""
        from app.ui.dialogs.backups import BackupsDialog

        dialog = BackupsDialog(self._store.backups(), self)
        dialog.taken.connect(self.restore_asked)
        dialog.open()

    @Slot(object)
    def show_update(self, release: Release) -> None:
        """Say that a newer version can be had."""
        UpdateDialog(release, self._settings, self).show()

    @Slot()
    def _on_settings(self) -> None:
        ComposerText.sends_with_ctrl = self._settings.send_key == "ctrl_enter"
        self._save_soon.start()
        self.settings_changed.emit()

    @Slot()
    def _on_downloaded(self) -> None:
        if self._settings_window is not None:
            self._settings_window.models.refresh()

    @Slot()
    def _on_settings_gone(self) -> None:
        window, self._settings_window = self._settings_window, None
        for at, ref in window.models.removed if window is not None else []:
            self._offer_model(at, ref)

    def _offer_model(self, at: int, ref: str) -> None:
        """What was removed in the settings can still be taken back when they are closed."""

        def restore() -> None:
            put_back(self._settings, at, ref)
            self._on_settings()

        self._undos.offer(f"{model_fallback_name(ref)} is no longer listed", restore)

    def show_shortcuts(self) -> None:
        show_shortcuts(self)

    def show_about(self) -> None:
        dialogs.show_about(self)

    @Slot(str)
    def _on_notice(self, text: str) -> None:
        self.toast.show_text(text, seconds=3.0)

    @Slot()
    def _on_active(self) -> None:
        active = self.workspace.active
        self.sidebar.set_current(active.controller.id if active is not None else "")
        self._attention.set_title(f"{active.controller.title} – Stretto" if active else "Stretto")

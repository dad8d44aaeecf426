"""The main window: sidebar, workspace, menus, and what each command does."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QByteArray, QPoint, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QCloseEvent, QKeyEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QMainWindow, QMenu, QVBoxLayout, QWidget

from app.awake import Awake
from app.chats.library import ChatLibrary
from app.chats.options import ChatOptions
from app.chats.shelf import LoadState
from app.chats.transcript import Removal
from app.paths import GUIDE, Paths
from app.score.feed import ScoreFeed
from app.settings import Settings
from app.store import Store
from app.ui import dialogs
from app.ui.actions import Commands
from app.ui.appearance import add_appearance
from app.ui.attention import Attention
from app.ui.broadcast import Broadcast
from app.ui.buttons import IconButton
from app.ui.compare import Comparisons
from app.ui.compare_dialog import CompareDialog
from app.ui.composer import ComposerText
from app.ui.icons import app_icon
from app.ui.model_menu import model_menu
from app.ui.options_popover import OptionsPopover
from app.ui.pane import ChatPane
from app.ui.presets import Presets
from app.ui.pulse import Pulse
from app.ui.score import ScoreView
from app.ui.settings_window import SettingsWindow
from app.ui.sidebar import Rail, Sidebar
from app.ui.toast import Toast
from app.ui.undo import Undo, Undos
from app.ui.update_dialog import UpdateDialog
from app.ui.workspace import Workspace
from app.updates import Release, Updates

LAYOUT = "main"


class MainWindow(QMainWindow):
    """Holds what is on screen together. The chats live on without it.

    Signals:
        closing(): the person closes the window; the program is to end.
        settings_changed(): something was chosen in the settings.
    """

    closing = Signal()
    settings_changed = Signal()

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
        self.presets = Presets(settings, self, self._on_preset_gone)
        self._library = library
        self._store = store
        self._settings = settings
        self._undos = Undos()
        self._ended = False
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
        self.broadcast = Broadcast(self.workspace)
        self.comparisons = Comparisons(library, self.workspace)
        self._pulse = Pulse(library, self)
        self._attention = Attention(self, library)
        self._awake = Awake(library, self)
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
        self.commands = Commands(self, self._slots())
        self._menus = self.commands.menus()
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

    def _slots(self) -> dict[str, Callable[[], None]]:
        return {
            "new": self.new_chat,
            "open_model": self.open_model_folder,
            "close": self.close_chat,
            "undo_close": self.undo_close,
            "quit": self.closing.emit,
            "copy_answer": self._with_pane(lambda pane: pane.copy_last()),
            "regenerate": self._with_pane(lambda pane: pane.controller.regenerate()),
            "same_again": self._with_pane(lambda pane: pane.same_again()),
            "edit_last": self._with_pane(lambda pane: pane.edit_last()),
            "earlier": self._with_pane(lambda pane: pane.controller.show_other_version(-1)),
            "later": self._with_pane(lambda pane: pane.controller.show_other_version(1)),
            "pause": self._with_pane(self.pause),
            "score": self.toggle_score,
            "stop": self._with_pane(lambda pane: pane.controller.stop()),
            "rename": self.rename_chat,
            "delete": self._with_pane(lambda pane: self.delete_chat(pane.controller.id)),
            "find": self._with_pane(lambda pane: pane.find_bar.open_bar()),
            "search": self.search,
            "sidebar": self.toggle_sidebar,
            "split_right": lambda: self.split("right"),
            "split_down": lambda: self.split("down"),
            "float": self._with_pane(self.workspace.float_pane),
            "broadcast": self.broadcast.toggle,
            "broadcast_one": self._with_pane(self.broadcast.toggle_pane),
            "compare": self.compare,
            "next": lambda: self.workspace.activate_next(1),
            "previous": lambda: self.workspace.activate_next(-1),
            "composer": self._with_pane(self.workspace.activate),
            "settings": self.show_settings,
            "full_screen": self.toggle_full_screen,
            "shortcuts": self.show_shortcuts,
            "about": self.show_about,
        }

    def _with_pane(self, act: Callable[[ChatPane], object]) -> Callable[[], None]:
        """A command on the active pane; without one it does nothing."""

        def run() -> None:
            if self.workspace.active is not None:
                act(self.workspace.active)

        return run

    def _connect(self) -> None:
        sidebar, workspace = self.sidebar, self.workspace
        sidebar.opened.connect(self._on_opened)
        sidebar.opened_beside.connect(self._on_opened_beside)
        sidebar.deleted.connect(self.delete_chat)
        sidebar.new_asked.connect(self.new_chat)
        sidebar.fold_asked.connect(self.toggle_sidebar)
        sidebar.menu_asked.connect(self._pop_menu)
        self.rail.new_asked.connect(self.new_chat)
        self.rail.unfold_asked.connect(self.toggle_sidebar)
        self.rail.menu_asked.connect(self._pop_menu)
        workspace.new_asked.connect(self.new_chat)
        workspace.split_asked.connect(self.split)
        workspace.pane_made.connect(self._on_pane_made)
        workspace.pane_closed.connect(self._on_pane_closed)
        workspace.active_changed.connect(self._on_active)
        workspace.forgotten.connect(self._library.release)
        workspace.arranged.connect(self._save_soon.start)
        self.score.chosen.connect(self.open_chat)
        self.score.closed.connect(self.toggle_score)
        self.score.pause_asked.connect(self._on_pause_asked)
        self.broadcast.said.connect(self._on_notice)
        self.broadcast.changed.connect(self.commands["broadcast"].setChecked)
        self.toast.acted.connect(self.undo_close)
        self._library.activity.connect(workspace.on_activity)
        self._library.listed.connect(self._on_active)
        self._library.shelf.changed.connect(self._on_model)
        self._pulse.beat.connect(workspace.on_beat)
        self._pulse.beat.connect(sidebar.on_beat)

    # Beginning and end.

    def show_restored(self) -> None:
        """Come on screen with what was open at the last end, or one new chat at a first start."""
        layout = self._store.layout(LAYOUT) or {}
        geometry, docks = layout.get("geometry"), layout.get("docks")
        if isinstance(geometry, str):
            self.restoreGeometry(QByteArray.fromBase64(geometry.encode()))
        # Before the panes: splitters share out the size they have at that moment.
        self.show()
        self.activateWindow()
        open_ids = [i for i in layout.get("open", []) if isinstance(i, str)]
        if isinstance(docks, str) and open_ids:
            panes = [self._library.open(i, self._settings.model) for i in open_ids]
            self.workspace.restore(docks, panes, layout.get("active"))
        elif "docks" not in layout:
            self.new_chat()
        self._want_models()

    def _want_models(self) -> None:
        """Load what the open chats answer with, and nothing else."""
        for pane in self.workspace.panes():
            pane.controller.load_model()

    @Slot()
    def save_layout(self) -> None:
        """Keep the arrangement and the window's place."""
        if not self._ended:
            place = bytes(self.saveGeometry().toBase64().data()).decode()
            self._store.save_layout(LAYOUT, {**self.workspace.state(), "geometry": place})

    def end(self) -> None:
        """The program ends: keep the layout, leave the screen, answer nothing more."""
        self.save_layout()
        self._ended = True
        self._save_soon.stop()
        self.workspace.end()
        self.workspace.manager.hideManagerAndFloatingWidgets()
        self.hide()

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._ended:
            event.accept()
        else:
            event.ignore()  # the program takes the window down in its own order
            self.closing.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_F10 and self._menu_button().isVisible():
            self._menu_button().click()
        else:
            super().keyPressEvent(event)

    def _menu_button(self) -> IconButton:
        return (self.sidebar if self._settings.sidebar else self.rail).menu_button

    # Commands.

    @Slot()
    def new_chat(self) -> None:
        """Open a new chat as a tab beside the active one."""
        self._open_new("tab")

    @Slot(str)
    def split(self, where: str) -> None:
        """Open a new chat at the right of the active one or below it."""
        self._open_new(where)

    def _open_new(self, where: str) -> ChatPane:
        active = self.workspace.active
        model = active.controller.chat.model if active is not None else self._settings.model
        controller = self._library.new(model, self._settings.new_chat, self._settings.system)
        pane = self.workspace.show_chat(controller, where)
        controller.load_model()
        return pane

    def open_chat(self, chat_id: str, where: str = "tab") -> None:
        """Show a saved chat, or bring it forward."""
        controller = self._library.open(chat_id, self._settings.model)
        if self.workspace.pane(chat_id) is None and self.workspace.dock(chat_id) is not None:
            # Closed a while ago and still kept: it goes back to its place.
            self._undos.drop(chat_id)
            self.workspace.reopen(chat_id)
        else:
            self.workspace.show_chat(controller, where)
        controller.load_model()

    def close_chat(self) -> None:
        if self.workspace.active is not None:
            self.workspace.close_pane(self.workspace.active)

    @Slot(str)
    def delete_chat(self, chat_id: str) -> None:
        """Delete a chat, at once and without asking, as it can be taken back."""
        pane = self.workspace.pane(chat_id)
        chat = self._library.chat(chat_id)
        if chat is None:
            return
        if pane is not None:
            self.workspace.close_pane(pane)
        if self._library.chat(chat_id) is None:
            return  # it was blank, and went as the pane closed
        self._undos.push(Undo(chat_id, deleted=True, was_open=pane is not None))
        self._library.delete(chat_id)
        self.toast.show_text("Chat deleted", "Undo", 10.0)

    @Slot()
    def undo_close(self) -> None:
        """Bring back what was closed or deleted last."""
        undo = self._undos.pop()
        if undo is None:
            return
        self.toast.hide()
        if undo.presets is not None:
            self.presets.restore(undo.presets)
            return
        if undo.removal is not None:
            self._restore_messages(undo, undo.removal)
            return
        if undo.deleted:
            self._library.restore(undo.chat_id)
        if undo.was_open and not self.workspace.reopen(undo.chat_id):
            self.open_chat(undo.chat_id)

    def _restore_messages(self, undo: Undo, removal: Removal) -> None:
        if self._library.chat(undo.chat_id) is None:
            return
        self.open_chat(undo.chat_id)
        pane = self.workspace.pane(undo.chat_id)
        if pane is not None and not pane.controller.restore_messages(removal):
            self._undos.push(undo)
            self.toast.show_text("The reply is still running. Stop it first, then undo.")

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

    @Slot()
    def toggle_score(self) -> None:
        """Show or hide what the engine does."""
        self.score.setVisible(self.score.isHidden())
        self.commands["score"].setChecked(not self.score.isHidden())

    def pause(self, pane: ChatPane) -> None:
        """Let the pane's reply stand still, or go on."""
        if not pane.controller.toggle_pause():
            self._on_said("Nothing to pause: no reply is running")

    @Slot(str)
    def _on_pause_asked(self, chat_id: str) -> None:
        controller = self._library.find(chat_id)
        if controller is not None:
            controller.toggle_pause()

    def rename_chat(self) -> None:
        active = self.workspace.active
        if active is not None and active.controller.stored:
            self._show_sidebar(True)
            self.sidebar.search.clear()
            self.sidebar.model.set_query("")
            self.sidebar.rename(active.controller.id)

    def open_model_folder(self) -> None:
        """Ask for a folder and answer with its model in the active chat."""
        folder = QFileDialog.getExistingDirectory(self, "Open Model Folder")
        if folder:
            self.use_model(str(Path(folder)))

    def use_model(self, ref: str) -> None:
        """Answer with this model in the active chat (a new one if that has begun or there is none).

        A chat that has answers of one model keeps it: the new model gets a pane of its own.
        """
        active = self.workspace.active
        if active is None or active.controller.transcript.leaf_id is not None:
            controller = self._library.new(ref)
            self.workspace.show_chat(controller, "tab")
        else:
            controller = active.controller
        controller.set_model(ref)

    def compare(self) -> None:
        """Ask what to compare, from what stands in the active composer."""
        active = self.workspace.active
        model = active.controller.chat.model if active is not None else self._settings.model
        shelf = self._library.shelf
        refs = dict.fromkeys([model, *(m.ref for m in shelf.known()), *self._settings.models])
        dialog = CompareDialog(
            [(ref, shelf.get(ref).name) for ref in refs],
            model,
            active.controller.options if active is not None else ChatOptions(),
            active.composer.text if active is not None else "",
            self,
        )
        system = active.controller.chat.system if active is not None else ""

        def begin() -> None:
            prompt = dialog.prompt.toPlainText().strip("\n")
            if active is not None and active.composer.text.strip("\n") == prompt:
                active.composer.set_text("")
            self.comparisons.begin(dialog.columns(), system, prompt)

        dialog.accepted.connect(begin)
        dialog.open()

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
            self._settings_window = window
        self._settings_window.show()
        self._settings_window.raise_()
        self._settings_window.activateWindow()

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
    def _on_settings_gone(self) -> None:
        self._settings_window = None

    def _on_preset_gone(self, words: str, before: dict[str, dict[str, object]]) -> None:
        self._undos.push(Undo(presets=before))
        self.toast.show_text(words, "Undo", 10.0)

    def show_shortcuts(self) -> None:
        dialogs.show_shortcuts(self)

    def show_about(self) -> None:
        dialogs.show_about(self)

    # What others tell.

    @Slot(str, str)
    def _on_opened(self, chat_id: str, message_id: str) -> None:
        self.open_chat(chat_id)
        pane = self.workspace.pane(chat_id)
        if message_id and pane is not None and message_id in pane.controller.transcript:
            pane.transcript.show_message(message_id)

    @Slot(str)
    def _on_opened_beside(self, chat_id: str) -> None:
        self.open_chat(chat_id, "right")

    @Slot(object)
    def _on_pane_made(self, pane: ChatPane) -> None:
        pane.models_asked.connect(self._on_models_asked)
        pane.options_asked.connect(self._on_options_asked)
        pane.open_model_asked.connect(self.open_model_folder)
        pane.said.connect(self._on_said)
        pane.branch_asked.connect(self._on_branch_asked)
        pane.deleted.connect(self._on_messages_deleted)

    @Slot(object, str)
    def _on_branch_asked(self, pane: ChatPane, message_id: str) -> None:
        self.workspace.activate(pane)
        made = self._library.branch(pane.controller, message_id)
        self.workspace.show_chat(made)
        made.load_model()

    @Slot(str, object)
    def _on_messages_deleted(self, chat_id: str, removal: Removal) -> None:
        self._undos.push(Undo(chat_id, removal=removal))
        several = len(removal.messages)
        words = "Message deleted" if several == 1 else f"{several} messages deleted"
        self.toast.show_text(words, "Undo", 10.0)

    @Slot(str)
    def _on_said(self, text: str) -> None:
        self.toast.show_text(text, seconds=1.6)

    @Slot(str)
    def _on_notice(self, text: str) -> None:
        self.toast.show_text(text, seconds=3.0)

    @Slot()
    def come_forward(self) -> None:
        """Another start of the program was asked for: this one shows itself."""
        if self.isMinimized():
            self.showNormal()
        self.raise_()
        self.activateWindow()

    @Slot(str)
    def _on_pane_closed(self, chat_id: str) -> None:
        controller = self._library.find(chat_id)
        blank = controller is not None and controller.stored and controller.blank
        if blank:
            # Typed into and emptied again: nothing that the list should keep.
            self._library.delete(chat_id)
        self._undos.push(Undo(chat_id, deleted=blank))
        self.toast.show_text("Chat closed", "Undo")

    @Slot()
    def _on_active(self) -> None:
        active = self.workspace.active
        self.sidebar.set_current(active.controller.id if active is not None else "")
        self._attention.set_title(f"{active.controller.title} – Stretto" if active else "Stretto")

    @Slot(str)
    def _on_model(self, ref: str) -> None:
        """A model folder that loaded is remembered for the list of models."""
        if ref != GUIDE and self._library.shelf.get(ref).state is LoadState.READY:
            self._settings.remember_model(ref)

    @Slot(object)
    def _on_models_asked(self, pane: ChatPane) -> None:
        menu = model_menu(
            self,
            self._library.shelf,
            self._settings.models,
            pane.controller.chat.model,
            chosen=pane.controller.set_model,
            open_folder=self.open_model_folder,
        )
        button = pane.header.model_button
        menu.popup(button.mapToGlobal(QPoint(0, button.height() + 4)))

    @Slot(object)
    def _on_options_asked(self, pane: ChatPane) -> None:
        button = pane.header.options_button
        corner = button.mapToGlobal(QPoint(button.width(), button.height() + 4))
        popover = OptionsPopover(pane.controller, self)
        popover.presets_asked.connect(self.presets.open)
        below = self.mapToGlobal(QPoint(0, self.height())).y() - corner.y()
        popover.open_at(corner, max(360, below - 16))

    @Slot(QPoint)
    def _pop_menu(self, at: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for part in self._menus:
            menu.addMenu(part)
        menu.popup(at)

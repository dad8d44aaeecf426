"""The main window, which creates all its parts and connects them."""

from __future__ import annotations

import sys
from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QCloseEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

from app.chats.title_generator import TitleGenerator
from app.score import ScoreFeed
from app.settings.language import mark, tr
from app.system.app_nap import NapPrevention
from app.system.single_instance import SingleInstance
from app.system.updates import Release
from app.ui.models.downloads_in_window import DownloadsInWindow
from app.ui.models.fit import FitFlow
from app.ui.score_view import ScoreView
from app.ui.settings.appearance_rows import add_appearance
from app.ui.sidebar.agent_list import AgentsController
from app.ui.sidebar.sidebar import Rail, Sidebar
from app.ui.style.theme import theme
from app.ui.widgets.buttons import IconButton
from app.ui.widgets.layout_helpers import make_column_layout, make_row_layout
from app.ui.widgets.menus import make_menu
from app.ui.widgets.toast import Toast
from app.ui.widgets.widget_behavior import register_roles
from app.ui.window.broadcast import Broadcast
from app.ui.window.chat_commands import ChatCommands
from app.ui.window.commands import TAB_MENU, Commands, CommandScope, command
from app.ui.window.compare_commands import CompareCommands
from app.ui.window.context import WindowContext, WindowController, WindowParts
from app.ui.window.exchange_commands import ExchangeCommands, StoreCommands
from app.ui.window.layouts import Layouts, WindowLayout
from app.ui.window.model_commands import ModelCommands
from app.ui.window.notices import DotAnimation, Notifications, ReplyAnnouncer, Tray, UnseenCounter
from app.ui.window.palette_commands import PaletteCommands, QuickAsk
from app.ui.window.pane_commands import PaneCommands
from app.ui.window.pane_menus import PaneMenus
from app.ui.window.prompt_commands import PromptCommands
from app.ui.window.reading_commands import ReadingCommands
from app.ui.window.settings_commands import (
    HelpCommands,
    SettingsCommands,
    SpellingCommands,
    TextSize,
)
from app.ui.window.shortcuts import Shortcuts
from app.ui.window.sidebar_commands import SidebarCommands
from app.ui.window.tool_commands import ToolCommands
from app.ui.window.undo import UndoStack
from app.ui.workspace.docks import move_onto_screen
from app.ui.workspace.placement import PaneWrapper, front_window
from app.ui.workspace.workspace import Workspace


class FocusRegions(WindowController):
    """Commands that move the focus between composer, conversation, score and sidebar."""

    def __init__(self, parts: WindowParts, score: ScoreView) -> None:
        super().__init__(parts)
        self._score = score

    @command("next_part", mark("Focus Next Section"), "F6")
    def next_region(self) -> None:
        self.step(1)

    @command("part_before", mark("Focus Previous Section"), "Shift+F6")
    def region_before(self) -> None:
        self.step(-1)

    def step(self, by: int) -> None:
        regions = self._regions()
        if regions:
            focused = QApplication.focusWidget()
            at = next(
                (n for n, (region, _) in enumerate(regions) if _contains_focus(region, focused)),
                0 if by > 0 else 1,
            )
            regions[(at + by) % len(regions)][1]()

    def _regions(self) -> list[tuple[QWidget, Callable[[], object]]]:
        regions: list[tuple[QWidget, Callable[[], object]]] = []
        pane = self._workspace.active
        if pane is not None:
            regions.append((pane.composer, lambda: self._workspace.activate(pane)))
            if pane.transcript.isVisible():
                regions.append((pane.transcript, pane.transcript.focus_last))
            elif pane.is_tree_shown:
                regions.append((pane.tree, pane.tree.setFocus))
        if self._score.rows() and self._score.isVisible():
            regions.append((self._score, self._score.focus_first_lane))
        if self._sidebar.isVisible():
            regions.append((self._sidebar, self._sidebar.focus_list))
        return regions


def _contains_focus(region: QWidget, widget: QWidget | None) -> bool:
    return region is widget or (widget is not None and region.isAncestorOf(widget))


class MainWindow(QMainWindow):
    """The main window. Chats don't depend on it and can run without."""

    SIZE = (1180, 780)

    close_requested = Signal()  # the user closed the window, which quits the app

    def __init__(self, context: WindowContext) -> None:
        super().__init__()
        library, store, settings = context.library, context.store, context.settings
        self._library = library
        self._settings = settings
        on_mac = sys.platform == "darwin"
        self.setWindowTitle("Stretto")
        self.setMinimumSize(560, 400)
        self._narrow = False
        self._frame_checked = False  # the frame size isn't known until the window becomes active
        # Wait an event loop iteration for the restored layout to settle.
        self._fit_timer = QTimer(self, singleShot=True, interval=0)
        self.resize(*self.SIZE)
        # Assign the final parent immediately, because Qt restyles a widget when it's reparented.
        center = QWidget(self)
        self.setCentralWidget(center)
        self.sidebar = Sidebar(library, center, menu=not on_mac)
        self.rail = Rail(center, menu=not on_mac)
        self.workspace = Workspace(context.settings, center)
        self._wrapping = PaneWrapper(self.workspace)
        self.score = ScoreView(ScoreFeed(library, context.serving.lanes, self), center)
        self.toast = Toast(
            self,
            where=lambda: front_window(self.workspace),
            over=lambda: pane.pages if (pane := self.workspace.active) else self.workspace,
        )
        self.workspace.active_changed.connect(self.toast.move_soon)
        self._undos = UndoStack(self.toast)
        own = (self.workspace, self.sidebar, self.toast, self._undos)
        parts = WindowParts(context, self, *own, lambda: self.commands)
        self.downloads = context.models.downloads
        self.downloads_in_window = DownloadsInWindow(self.downloads, library.loader, self)
        self.agents = AgentsController(
            context.serving, self.sidebar, self.score, library, store, self
        )
        self._dot_animation = DotAnimation(library, self)
        self._attention = UnseenCounter(parts)
        self._awake = NapPrevention(library, self.downloads, self)
        self.titling = TitleGenerator(library, lambda: settings.titles, self)
        self.notifications = Notifications(parts)
        self.announcer = ReplyAnnouncer(parts)
        self.tray = Tray(parts, self.show_or_raise)
        # Controllers that define commands. `findChildren` below finds those that aren't assigned.
        self.broadcast = Broadcast(parts)
        self.chats = ChatCommands(parts)
        self.store_commands = StoreCommands(parts)
        self.settings_commands = SettingsCommands(parts)
        fitting = FitFlow(library, context.models.installed, self)
        self.pane_menus = PaneMenus(parts, self.chats, fitting)
        self.layouts = Layouts(parts, self.chats)
        self._layout = WindowLayout(parts, self.chats, self._wrapping, lambda: self._narrow)
        self.models = ModelCommands(parts, self.chats, fitting, self.downloads_in_window)
        self.palette_commands = PaletteCommands(parts, self.chats, self.settings_commands)
        TextSize(parts)
        self.reading = ReadingCommands(parts)
        self.prompts = PromptCommands(parts, self.reading)
        self.spelling = SpellingCommands(parts)
        self.quick = QuickAsk(parts, self.chats)
        CompareCommands(parts, self.chats)
        ExchangeCommands(parts, self.chats)
        FocusRegions(parts, self.score)
        PaneCommands(parts, self.chats, self._dot_animation)
        SidebarCommands(parts, self.chats, self._show_sidebar)
        ToolCommands(parts, self.chats, self.pane_menus)
        self._place_regions(center)
        register_roles()
        self.keys = Shortcuts(settings, self)
        controllers = self.findChildren(WindowController)
        owners = (self, self._undos, HelpCommands(self.keys, self), *controllers)
        self.commands = Commands(
            self, owners, lambda: self.workspace.active, self.toast.show_text, self.keys.keys_of
        )
        self._menus = self.commands.menus({"layouts": self.layouts.menu})
        view = next(menu for menu in self._menus if menu.title() == tr("View"))
        add_appearance(view, settings)
        if on_mac:
            for menu in self._menus:
                self.menuBar().addMenu(menu)
        self._connect()
        self.tray.refresh()
        self._show_sidebar(settings.sidebar)

    def _place_regions(self, center: QWidget) -> None:
        column = make_column_layout((self.workspace, 1), self.score, spacing=0)
        self._columns = make_row_layout(self.sidebar, self.rail, (column, 1), of=center, spacing=0)
        self.sidebar.raise_()  # above the panes if there isn't room for both

    def _connect(self) -> None:
        sidebar, workspace, chats = self.sidebar, self.workspace, self.chats
        # Clicking these buttons affects panes in the main window, even if a floating window was
        # active.
        new = (sidebar.new.clicked, self.rail.new.clicked, self.score.chat_clicked)
        for opening in (sidebar.chat_opened, sidebar.chat_opened_beside, *new):
            opening.connect(lambda *_: workspace.activate_last())
        self.agents.conversation_saved.connect(chats.open)
        workspace.menu_requested.connect(
            lambda pane, at: self.commands.pop_up(TAB_MENU, pane.window(), at)
        )
        sidebar.chat_opened.connect(chats.open_at)
        sidebar.chat_opened_beside.connect(chats.open_beside)
        sidebar.chat_deleted.connect(chats.delete)
        sidebar.search_cleared.connect(chats.forget_found)
        sidebar.new.clicked.connect(chats.switch_to_new)
        sidebar.trash.clicked.connect(self.store_commands.show_trash)
        sidebar.fold.clicked.connect(self.toggle_sidebar)
        sidebar.menu_requested.connect(self._pop_menu)
        self.rail.new.clicked.connect(chats.switch_to_new)
        self.rail.unfold.clicked.connect(self.toggle_sidebar)
        self.rail.menu_requested.connect(self._pop_menu)
        workspace.active_changed.connect(self._on_active)
        workspace.layout_changed.connect(self._on_active)  # the active pane may change its window
        workspace.pane_discarded.connect(self._library.release)
        workspace.layout_changed.connect(self._fit_timer.start)
        self._fit_timer.timeout.connect(self._on_room)
        theme().changed.connect(self._fit_timer.start)
        self.score.chat_clicked.connect(chats.open)
        self.score.close_button.clicked.connect(self.toggle_score)
        self.score.pause_requested.connect(chats.pause_chat)
        self.downloads_in_window.chat_requested.connect(chats.use_model)
        self.notifications.chat_requested.connect(self._on_notification)
        self.keys.changed.connect(self.commands.refresh_keys)
        self.broadcast.changed.connect(self.commands["broadcast"].setChecked)
        self.broadcast.pin_changed.connect(self.commands["broadcast_keep"].setChecked)
        self._library.activity.connect(workspace.marks.show_dot)
        self._library.list_changed.connect(self._on_active)
        self._library.activity.connect(self._on_active)
        self._dot_animation.opacity_changed.connect(workspace.marks.set_dot_opacity)
        self._dot_animation.opacity_changed.connect(sidebar.set_dot_opacity)
        QApplication.instance().focusChanged.connect(self._on_focus)  # type: ignore[union-attr]

    def show_restored(self) -> None:
        self._narrow = self._layout.was_too_narrow
        if self._layout.is_sidebar_folded:
            self._fold_sidebar(True)  # otherwise, the sidebar would briefly cover the panes
        if self._layout.show_restored():
            self.downloads_in_window.offer_to_resume()

    def end(self) -> None:
        self._layout.end()
        self.downloads_in_window.end()
        self.workspace.end()
        self.workspace.manager.hideManagerAndFloatingWidgets()
        for window in QApplication.topLevelWidgets():  # stopping the engine may take a while
            window.hide()

    def listen_for_instances(self, single: SingleInstance) -> None:
        single.show_requested.connect(self.show_or_raise)
        single.quick_question_requested.connect(self.quick.ask)

    @Slot()
    def show_or_raise(self) -> None:
        if self.isMinimized():
            self.showNormal()
        self.raise_()
        self.activateWindow()

    @Slot(str)
    def _on_notification(self, chat_id: str) -> None:
        self.show_or_raise()
        self.chats.open(chat_id)

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._layout.ended:
            event.accept()
        else:
            self.close_requested.emit()  # the app then shuts down and closes the window
            # On quit or logout, Qt expects every window to accept the event.
            event.setAccepted(self._layout.ended)

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
        menu = make_menu(self)
        for part in self._menus:
            menu.addAction(part.menuAction())  # PySide deletes what addMenu adds with the menu
        menu.popup(at)

    @command("sidebar", mark("Sidebar"), "Ctrl+B")
    @Slot()
    def toggle_sidebar(self) -> None:
        self._show_sidebar(self.sidebar.isHidden())  # also shows a sidebar hidden for lack of space
        self._make_room()
        if self._sidebar_overlaps():
            self.sidebar.focus_list()

    def _show_sidebar(self, is_visible: bool) -> None:
        if is_visible != self._settings.sidebar:
            self._settings.set(sidebar=is_visible)
        self.sidebar.setVisible(is_visible)
        self.rail.setVisible(not is_visible)
        self._fit_timer.start()  # the width of the panes has changed
        self._layout.save_soon()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and not self._frame_checked:
            self._frame_checked = True
            move_onto_screen(self)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_timer.start()

    def _fold_sidebar(self, narrow: bool) -> None:
        self._narrow = narrow
        is_visible = self._settings.sidebar and not narrow
        self.sidebar.setVisible(is_visible)
        self.rail.setVisible(not is_visible)

    @Slot()
    def _make_room(self) -> None:
        """Hide the sidebar and then wrap columns if there isn't enough space, else undo this."""
        panes = bool(self.workspace.panes())
        if not panes and self.workspace.nothing.isHidden():
            return  # panes are about to be created
        # After zooming, the minimum sizes of panes may be outdated.
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        sidebar_width = max(self.sidebar.sizeHint().width(), self.sidebar.minimumWidth())
        narrow = panes and self.width() < sidebar_width + self._wrapping.width_needed
        if narrow != self._narrow:
            self._fold_sidebar(narrow)
        self._columns.activate()  # updates the width of the panes
        self._wrapping.wrap_to_fit()

    def _sidebar_overlaps(self) -> bool:
        """Return True if the sidebar was opened although it doesn't fit next to a single pane."""
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        return not self.sidebar.isHidden() and self._columns.minimumSize().width() > self.width()

    @Slot()
    def _on_room(self) -> None:
        """Fit sidebar and panes. A sidebar that covers panes is hidden when the focus leaves it."""
        self._make_room()
        focus = QApplication.focusWidget()
        in_use = focus is None or self.sidebar.isAncestorOf(focus) or focus.window() is not self
        if not in_use and self._sidebar_overlaps():
            self._fold_sidebar(True)

    @Slot()
    def _on_focus(self) -> None:
        if self._narrow and not self.sidebar.isHidden():
            self._fit_timer.start()

    @command("score", mark("Score"), "Ctrl+J", checkable=True)
    @Slot()
    def toggle_score(self) -> None:
        self.score.setVisible(self.score.isHidden())
        self.commands["score"].setChecked(not self.score.isHidden())

    @command("quit", mark("Quit"), "Ctrl+Q", where=CommandScope.ANYWHERE)
    def quit(self) -> None:
        self.close_requested.emit()

    @Slot(object)
    def show_update(self, release: Release) -> None:
        from app.ui.dialogs.about import UpdateDialog

        UpdateDialog(release, self._settings, self).show()

    @Slot()
    def _on_active(self) -> None:
        active = self.workspace.active
        self.sidebar.set_current(active.chat.id if active is not None else "")
        if active is None or active.window() is self:  # other windows have their own titles
            self._attention.set_title(f"{active.chat.title} — Stretto" if active else "Stretto")

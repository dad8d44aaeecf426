"""Tabs with title and state, and the buttons in each tab bar."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import PySide6QtAds as QtAds
from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QIcon, QKeySequence
from PySide6.QtWidgets import QAbstractButton, QLabel, QMenu, QWidget
from shiboken6 import isValid

from app.chats.chat import Chat
from app.settings.language import mark, tr
from app.ui.pane.header import PaneHeader
from app.ui.pane.pane import ChatPane
from app.ui.style import tokens as t
from app.ui.style.icons import badge_icon, dot_icon
from app.ui.style.theme import repolish, scaled, theme
from app.ui.widgets.buttons import IconButton
from app.ui.widgets.menus import add_action, make_menu, pop_below
from app.ui.widgets.widget_behavior import current_shortcut, escape_tooltip
from app.ui.workspace.docks import Docks, set_dock_icons


class TabMarks(QObject):
    def __init__(self, docks: Docks, parent: QObject) -> None:
        super().__init__(parent)
        self._docks = docks
        self._alpha = 255
        theme().changed.connect(self._on_theme)

    def follow(self, chat: Chat) -> None:
        # The chat outlives its pane, so it may already be connected.
        chat.chat_changed.connect(self._on_chat_changed, Qt.ConnectionType.UniqueConnection)
        self._show_title(chat.id)

    @Slot(str)
    def show_dot(self, chat_id: str) -> None:
        """Show a chat's state: a ring while replying, a dot if unread, or how many calls wait."""
        dock = self._docks.get(chat_id)
        if dock is None:
            return
        chat, accent = dock.pane.chat, theme().tokens.accent
        words = chat.title
        if waiting := chat.tools.waiting:
            words = tr("{title}, waits for your answer", title=chat.title)
            _show_icon(dock.widget, badge_icon(waiting, accent, theme().tokens.accent_text))
        elif chat.reply.is_active:
            words = tr("{title}, replying", title=chat.title)
            _show_icon(dock.widget, dot_icon(accent, self._alpha, ring=True))
        elif chat.reply.is_unread:
            words = tr("{title}, unread", title=chat.title)
            _show_icon(dock.widget, dot_icon(accent, 255))
        elif not dock.widget.icon().isNull():
            dock.widget.setIcon(QIcon())
        tab = dock.widget.tabWidget()
        if tab.accessibleName() != words:
            tab.setAccessibleName(words)

    def show_keys(self, active: ChatPane | None) -> None:
        """Shade all bars and tabs except those of the active pane, and hide their buttons."""
        area_here = self._docks.area(active)
        for dock in self._docks.all_docks():
            _set_style_property(dock.widget.tabWidget(), "keys", dock.pane is active)
            if (area := dock.widget.dockAreaWidget()) is not None:
                _set_style_property(area.titleBar(), "keys", area is area_here)
                area.titleBar().findChild(StripButtons).set_active(area is area_here)

    @Slot(int)
    def set_dot_opacity(self, alpha: int) -> None:
        self._alpha = alpha
        for dock in self._docks.all_docks():
            if dock.pane.chat.reply.is_active and not dock.closed:
                self.show_dot(dock.pane.chat.id)

    def _show_title(self, chat_id: str) -> None:
        dock = self._docks[chat_id]
        title = dock.pane.chat.title
        label = title.replace("&", "&&")
        if dock.widget.windowTitle() != label:
            dock.widget.setWindowTitle(label)
            # Qt doesn't notice if the elided text is the same as before.
            _title(dock.widget.tabWidget()).updateGeometry()
            if (area := dock.widget.dockAreaWidget()) is not None:
                area.titleBar().findChild(StripButtons).arrange_soon()
            dock.widget.setTabToolTip(escape_tooltip(title))
            dock.pane.setAccessibleName(title)
            for button in dock.widget.tabWidget().findChildren(QAbstractButton, "tabCloseButton"):
                button.setAccessibleName(tr("Close {title}", title=title))
        self.show_dot(chat_id)

    @Slot()
    def _on_chat_changed(self) -> None:
        chat = self.sender()
        if isinstance(chat, Chat) and self._docks.get(chat.id) is not None:
            self._show_title(chat.id)

    @Slot()
    def _on_theme(self) -> None:
        for dock in self._docks.all_docks():
            self.show_dot(dock.pane.chat.id)


def _show_icon(dock: QtAds.CDockWidget, icon: QIcon) -> None:
    """Set an icon in a fixed size, so that a pulsing icon doesn't cause layout passes."""
    dock.setIcon(icon)
    for label in dock.tabWidget().findChildren(QLabel):
        if not label.pixmap().isNull():
            label.setFixedSize(label.pixmap().deviceIndependentSize().toSize())


def _set_style_property(widget: QWidget, name: str, on: bool) -> None:
    if widget.property(name) is not on:
        widget.setProperty(name, on)
        repolish(widget)


class TitleBars(QObject):
    """Adds our buttons to the title bar of each new dock area."""

    # (pane, where): open a new chat as a "tab", to the "right" or "down"
    split_requested = Signal(object, str)
    pane_pressed = Signal(object)  # (pane)
    tab_switched = Signal()
    area_resized = Signal()
    restore_requested = Signal()

    def __init__(self, manager: QtAds.CDockManager, parent: QObject) -> None:
        super().__init__(parent)
        self._manager = manager
        self._maximized: StripButtons | None = None
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self.arrange)
        manager.dockAreaCreated.connect(self._on_area)
        theme().changed.connect(self._on_theme)
        self._on_theme()

    @Slot(object)
    def _on_area(self, area: QtAds.CDockAreaWidget) -> None:
        strip = StripButtons(
            *(area, lambda where: self._on_split_requested(area, where)),
            *(self._on_pressed, self.restore_requested.emit),
        )
        strip.area_resized.connect(self.area_resized)
        area.titleBar().tabBar().tabBarClicked.connect(
            lambda index: self._on_pressed(area.dockWidget(index))
        )
        area.currentChanged.connect(lambda index: self.tab_switched.emit())

    def show_maximized(self, area: QtAds.CDockAreaWidget | None) -> None:
        """Show the Restore button in the bar of the maximized area only."""
        if self._maximized is not None and isValid(self._maximized):
            self._maximized.restore.hide()
        self._maximized = area.titleBar().findChild(StripButtons) if area is not None else None
        if self._maximized is not None:
            self._maximized.restore.show()

    def _on_split_requested(self, area: QtAds.CDockAreaWidget, where: str) -> None:
        if (dock := area.currentDockWidget()) is not None:
            self.split_requested.emit(dock.widget(), where)

    def _on_pressed(self, dock: QtAds.CDockWidget | None) -> None:
        if dock is not None:
            self.pane_pressed.emit(dock.widget())

    @Slot()
    def _on_theme(self) -> None:
        set_dock_icons(self._manager)
        self._soon.start()  # tabs don't report their new size

    @Slot()
    def arrange(self) -> None:
        for strip in self._manager.findChildren(StripButtons):
            strip.arrange()


FOLDED = mark("More")


class StripButtons(QObject):
    """Contents of a title bar: tabs, the header of the current pane, and buttons that open chats.

    Buttons that don't fit are in a menu.
    """

    area_resized = Signal()

    CHOICES = (
        ("plus", mark("New Chat  Ctrl+N"), "tab"),
        ("columns", mark("Split Right  Ctrl+\\"), "right"),
        ("rows", mark("Split Down  Ctrl+Shift+\\"), "down"),
    )

    def __init__(
        self,
        area: QtAds.CDockAreaWidget,
        on_split: Callable[[str], None],  # gets "tab", "right" or "down"
        on_chosen: Callable[[QtAds.CDockWidget | None], None],
        restore: Callable[[], None],  # restores the layout after maximizing
    ) -> None:
        bar = area.titleBar()
        super().__init__(bar)
        self._area = area
        self._bar = bar
        self._on_split = on_split
        self._chosen = on_chosen
        self._scroll_timer = QTimer(self, singleShot=True, interval=0)
        self._scroll_timer.timeout.connect(self._show_current)
        self._fits_header = True
        self._arrange_timer = QTimer(self, singleShot=True, interval=0)
        self._arrange_timer.timeout.connect(self._rearrange)
        self.folded = False
        for child in bar.findChildren(QAbstractButton):
            child.setAccessibleName(child.toolTip())  # QtAds only sets the tooltip
        bar.layout().setContentsMargins(0, 0, 6, 0)
        self.buttons: list[IconButton] = []
        for name, tip, where in self.CHOICES:
            button = IconButton(name, tr(tip), bar)
            button.clicked.connect(lambda _=False, where=where: self._on_split(where))
            self.buttons.append(button)
        bar.insertWidget(bar.indexOf(bar.tabBar()) + 1, self.buttons[0])
        for button in self.buttons[1:]:
            bar.insertWidget(-1, button)
        self.more = IconButton("dots-three", tr(FOLDED), bar)
        self.more.hide()
        self.more.clicked.connect(self._on_more)
        bar.insertWidget(-1, self.more)
        self.restore = IconButton("arrows-in", tr("Restore Panes  Shift+Esc"), bar)
        self.restore.hide()
        self.restore.clicked.connect(restore)
        bar.insertWidget(-1, self.restore)
        self._active = True  # this area has the active pane
        bar.installEventFilter(self)
        area.installEventFilter(self)

    def set_active(self, active: bool) -> None:
        self._active = active
        self._reveal()

    def _reveal(self) -> None:
        is_revealed = self._active or self._area.underMouse()
        for button in (*self.buttons, self.more):
            button.set_revealed(is_revealed)
        for dock in self._area.dockWidgets():
            if isinstance(pane := dock.widget(), ChatPane):
                pane.header.set_revealed(is_revealed)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kinds = QEvent.Type
        if isinstance(watched, QtAds.CDockWidget):
            if event.type() == kinds.ParentChange:  # the pane's tab is hidden, or leaves this area
                watched.removeEventFilter(self)
                if isinstance(pane := watched.widget(), ChatPane):
                    pane.take_header()
        elif not self._is_alive:
            pass
        elif watched is self._area:
            if event.type() in {kinds.Enter, kinds.Leave}:
                self._reveal()
            elif event.type() == kinds.Resize:
                self.area_resized.emit()
        elif event.type() == kinds.MouseButtonPress:
            self._chosen(self._area.currentDockWidget())
        elif event.type() in {kinds.Resize, kinds.LayoutRequest, kinds.Show, kinds.Hide}:
            self.arrange()
        return False

    @property
    def _is_alive(self) -> bool:
        """Return False during destruction, when some events and timeouts still arrive."""
        return isValid(self._bar) and isValid(self._area)

    def arrange(self) -> None:
        if not self._is_alive:
            return
        if self._has_room != self._fits_header:
            # Wait, because Qt may be laying out this bar and still need these items.
            self.arrange_soon()
        header, bar = self._place_header(), self._bar
        docks = self._area.openedDockWidgets()
        lone = header is not None and len(docks) == 1
        for dock in self._area.dockWidgets():
            if isinstance(pane := dock.widget(), ChatPane):
                # QtAds reads this size when a pane is added, but not when the text size changes.
                min_size = pane.minimumSize()
                self._area.setMinimumSize(min_size.width(), min_size.height() + bar.height())
            _set_style_property(dock.tabWidget(), "row", lone)
        _set_style_property(bar, "row", lone)
        tabs = [(dock.tabWidget(), _title(dock.tabWidget())) for dock in docks]
        sides = [tab.minimumSizeHint().width() - _title_min_width(title) for tab, title in tabs]
        title_widths = [
            min(title.sizeHint().width(), tab.maximumWidth() - end)
            for (tab, title), end in zip(tabs, sides, strict=True)
        ]
        spacing = max(0, bar.layout().spacing())
        ends = 6 if self.restore.isHidden() else 6 + spacing + self.restore.width()
        buttons = sum(button.width() + spacing for button in self.buttons) + ends
        room = bar.width() - sum(sides)
        if header is None:
            folded = room < sum(title_widths) + buttons
            two = self.buttons[0].width() + self.more.width() + 2 * spacing + ends
            room -= two if folded else buttons
        else:
            # If space is scarce, shrink the titles first, then the buttons, then the model name.
            # The chat's state changes all the time, so only titles shrink to make room for it.
            short = sum(min(width, scaled(TITLE)) for width in title_widths)
            folded = room < short + header.preferred_width(folded=False) + buttons
            header.set_menu(self._fill if folded else None)
            # Tabs only scroll if they don't fit next to the shortest name.
            tabs_min = sum(min(width, scaled(LEAST_TITLE)) for width in title_widths)
            min_name_width = max(header.shortest_width(folded=folded), room - tabs_min - ends)
            room -= header.sizeHint().width() + (ends if folded else buttons)
            # One tab stays in view in any case.
            max_width = bar.width() - ends - max(sides, default=0) - scaled(LEAST_TITLE)
            name = min(header.preferred_width(folded=folded), min_name_width, max_width)
            header.setMinimumWidth(max(0, name))
        widest = max(scaled(TITLE) if lone else 0, _max_common_width(title_widths, room))
        for (_, title), width in zip(tabs, title_widths, strict=True):
            title.setMaximumWidth(widest)
            title.setMinimumWidth(max(1, min(width, widest, scaled(LEAST_TITLE))))
        self.folded = folded
        for button in self.buttons[1:]:
            button.setVisible(not folded)
        self.buttons[0].setVisible(header is None or not folded)
        self.more.setVisible(header is None and folded)
        self._scroll_timer.start()

    def _place_header(self) -> PaneHeader | None:
        """Move the current pane's header into the bar if it fits, or else back into the pane."""
        dock = self._area.currentDockWidget()
        # While a dock widget moves to another area, it is still the current one of this area.
        pane = dock.widget() if dock is not None and self._area.isAncestorOf(dock) else None
        if not isinstance(pane, ChatPane):
            return None
        # Small windows with just one chat have no tab bar.
        if not self._fits_header or self._bar.isHidden():
            pane.take_header()
            return None
        header = pane.header
        if header.parentWidget() is not self._bar:
            dock.installEventFilter(self)
            header.setParent(self._bar)
            self._bar.insertWidget(self._bar.indexOf(self.buttons[0]), header)
            self._bar.layout().setStretchFactor(header, 1)
            header.set_in_row(True)
            header.show()
        return header

    def arrange_soon(self) -> None:
        self._arrange_timer.start()

    @property
    def _has_room(self) -> bool:
        """Return True if tabs and header fit next to each other.

        Narrow panes use two rows because model names often only differ at the end. The limit is a
        fixed width, so that panes of equal width look the same.
        """
        return int(self._bar.width()) >= t.NARROW

    @Slot()
    def _rearrange(self) -> None:
        if self._is_alive:
            self._fits_header = self._has_room
            self.arrange()

    @Slot()
    def _show_current(self) -> None:
        """Scroll to the current tab after a resize. QtAds only does this when switching tabs."""
        if not self._is_alive:
            return
        tabs = self._bar.tabBar()
        if (current := tabs.currentTab()) is not None:
            tabs.ensureWidgetVisible(current, 0, 0)

    @Slot()
    def _on_more(self) -> None:
        menu = make_menu(self._bar)
        self._fill(menu, self.CHOICES[1:])
        pop_below(menu, self.more)

    def _fill(self, menu: QMenu, choices: Sequence[tuple[str, str, str]] = CHOICES) -> None:
        """Add actions that open chats, and actions that show tabs, which may be out of view."""
        for _, tip, choice in choices:
            act = partial(self._on_split, choice)
            action = add_action(menu, tr(tip).partition("  ")[0], act)
            keys = tip.partition("  ")[2]
            action.setShortcut(QKeySequence(current_shortcut(keys)))
            action.setShortcutVisibleInContextMenu(True)
            # Only displays the shortcut, which is handled by the command.
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        current, docks = self._area.currentDockWidget(), self._area.openedDockWidgets()
        if len(docks) > 1:
            menu.addSeparator()
            for dock in docks:
                act = partial(self._chosen, dock)
                title = dock.windowTitle().replace("&&", "&")
                add_action(menu, title, act, checked=dock is current)


TITLE, LEAST_TITLE = 90, 80
"""Minimum widths of a title in pixels at 100% zoom: before buttons fold, and before tabs scroll."""


def _max_common_width(widths: Sequence[int], room: int) -> int:
    """Return the largest width at which everything fits, so that the widest tabs shrink first."""
    for count, width in zip(range(len(widths), 0, -1), sorted(widths), strict=True):
        if width * count > room:
            return max(scaled(LEAST_TITLE), room // count)
        room -= width
    return WIDEST


def _title_min_width(title: QLabel) -> int:
    """Return the share of a tab's minimum width that's due to its title."""
    return title.minimumWidth() or title.minimumSizeHint().width()


def _title(tab: QtAds.CDockWidgetTab) -> QLabel:
    label = tab.findChild(QLabel, "dockWidgetTabLabel")
    assert isinstance(label, QLabel)
    return label


WIDEST = (1 << 24) - 1  # Qt's maximum width

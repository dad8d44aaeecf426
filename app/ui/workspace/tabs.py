"""Tabs showing title and state, and the buttons in each tab bar."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import PySide6QtAds as QtAds
from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QIcon, QKeySequence
from PySide6.QtWidgets import QAbstractButton, QBoxLayout, QLabel, QMenu, QSizePolicy, QWidget
from shiboken6 import isValid

from app.chats.chat import Chat
from app.settings.language import mark, tr
from app.ui.pane.pane import ChatPane
from app.ui.style import tokens as t
from app.ui.style.icons import badge_icon, dot_icon
from app.ui.style.theme import repolish, scaled, theme
from app.ui.widgets.buttons import IconButton
from app.ui.widgets.widget_behavior import current_shortcut, escape_tooltip
from app.ui.workspace.docks import Docks, set_dock_icons


class TabMarks(QObject):
    """Keeps titles and icons of all tabs up to date."""

    def __init__(self, docks: Docks, parent: QObject) -> None:
        super().__init__(parent)
        self._docks = docks
        self._alpha = 255
        theme().changed.connect(self._on_theme)

    def follow(self, chat: Chat) -> None:
        """Show a chat's title in its tab from now on."""
        chat.chat_changed.connect(self._on_chat_changed)
        self._show_title(chat.id)

    def unfollow(self, chat: Chat) -> None:
        chat.chat_changed.disconnect(self._on_chat_changed)

    @Slot(str)
    def show_dot(self, chat_id: str) -> None:
        """Show a pulsing ring while replying, a dot if unread, or the number of waiting calls."""
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
        """Shade all bars and tabs but those of the active pane, and hide their buttons."""
        area_here = self._docks.area(active)
        for dock in self._docks.all_docks():
            _set_style_property(dock.widget.tabWidget(), "keys", dock.pane is active)
            if (area := dock.widget.dockAreaWidget()) is not None:
                _set_style_property(area.titleBar(), "keys", area is area_here)
                area.titleBar().findChild(StripButtons).set_active(area is area_here)

    @Slot(int)
    def on_beat(self, alpha: int) -> None:
        self._alpha = alpha
        for dock in self._docks.all_docks():
            if dock.pane.chat.reply.is_active and not dock.closed:
                self.show_dot(dock.pane.chat.id)

    def _show_title(self, chat_id: str) -> None:
        dock = self._docks[chat_id]
        title = dock.pane.chat.title
        shown = title.replace("&", "&&")
        if dock.widget.windowTitle() != shown:
            dock.widget.setWindowTitle(shown)
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

    # (chat id, where): open a new chat here, as a "tab", to the "right" or "down".
    split_requested = Signal(str, str)
    tab_pressed = Signal(str)  # (chat id): a tab was pressed
    tab_switched = Signal()  # an area switched to another tab
    restore_requested = Signal()  # undo maximizing a pane

    def __init__(self, manager: QtAds.CDockManager, parent: QObject) -> None:
        super().__init__(parent)
        self._manager = manager
        self._maximised: StripButtons | None = None
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self.arrange)
        manager.dockAreaCreated.connect(self._on_area)
        theme().changed.connect(self._on_theme)
        self._on_theme()

    @Slot(object)
    def _on_area(self, area: QtAds.CDockAreaWidget) -> None:
        StripButtons(
            *(area, lambda where: self._on_split_requested(area, where)),
            *(self.tab_pressed.emit, self.restore_requested.emit),
        )
        area.titleBar().tabBar().tabBarClicked.connect(lambda index: self._on_tab(area, index))
        area.currentChanged.connect(lambda index: self.tab_switched.emit())

    def show_maximised(self, area: QtAds.CDockAreaWidget | None) -> None:
        """Only show the Restore button in the bar of the maximized area."""
        if self._maximised is not None and isValid(self._maximised):
            self._maximised.restore.hide()
        self._maximised = area.titleBar().findChild(StripButtons) if area is not None else None
        if self._maximised is not None:
            self._maximised.restore.show()

    def _on_split_requested(self, area: QtAds.CDockAreaWidget, where: str) -> None:
        current = area.currentDockWidget()
        self.split_requested.emit(current.objectName() if current is not None else "", where)

    def _on_tab(self, area: QtAds.CDockAreaWidget, index: int) -> None:
        dock = area.dockWidget(index)
        if dock is not None:
            self.tab_pressed.emit(dock.objectName())

    @Slot()
    def _on_theme(self) -> None:
        set_dock_icons(self._manager)
        self._soon.start()  # tabs don't report their new size

    @Slot()
    def arrange(self) -> None:
        for strip in self._manager.findChildren(StripButtons):
            strip.arrange()


FOLDED = mark("More")

_QUEUED_UNIQUE = Qt.ConnectionType(
    Qt.ConnectionType.QueuedConnection.value | Qt.ConnectionType.UniqueConnection.value
)
"""Queued, and only once."""


class StripButtons(QObject):
    """Manages a title bar: tabs, and buttons for opening chats.

    If there's just one chat, its tab takes up the whole bar and includes the pane's header. Buttons
    that don't fit are moved to a menu.
    """

    CHOICES = (
        ("plus", mark("New Chat  Ctrl+N"), "tab"),
        ("columns", mark("Split Right  Ctrl+\\"), "right"),
        ("rows", mark("Split Down  Ctrl+Shift+\\"), "down"),
    )

    def __init__(
        self,
        area: QtAds.CDockAreaWidget,
        on_split: Callable[[str], None],  # called with "tab", "right" or "down"
        chosen: Callable[[str], None],  # called with the id of the chat
        restore: Callable[[], None],  # restores the layout after maximizing
    ) -> None:
        bar = area.titleBar()
        super().__init__(bar)
        self._area = area
        self._bar = bar
        self._on_split = on_split
        self._chosen = chosen
        self._scroll_timer = QTimer(self, singleShot=True, interval=0)
        self._scroll_timer.timeout.connect(self._show_current)
        self._fits_header = True  # the header fits in the tab
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
        """Show the buttons of the active pane and of the pane under the mouse."""
        shown = self._active or self._area.underMouse()
        for button in (*self.buttons, self.more):
            button.set_revealed(shown)
        for dock in self._area.dockWidgets():
            if isinstance(pane := dock.widget(), ChatPane):
                pane.header.set_revealed(shown)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._area:
            if event.type() in {QEvent.Type.Enter, QEvent.Type.Leave} and self._is_alive:
                self._reveal()
            return False
        if event.type() == QEvent.Type.MouseMove:
            return True  # otherwise QtAds would drag all tabs together
        kinds = QEvent.Type
        if event.type() in {kinds.Resize, kinds.LayoutRequest, kinds.Show, kinds.Hide}:
            self.arrange()
        return super().eventFilter(watched, event)

    @property
    def _is_alive(self) -> bool:
        """False while being destroyed. Some events and timeouts only arrive then."""
        return isValid(self._bar) and isValid(self._area)

    def arrange(self) -> None:
        if not self._is_alive:
            return
        shown = self._area.openedDockWidgets()
        # Small windows with just one chat have no tab bar.
        alone = shown[0] if len(shown) == 1 and not self._bar.isHidden() else None
        if self._has_room != self._fits_header:
            # Wait, because Qt may be laying out this bar and still need these items.
            self.arrange_soon()
        if not self._fits_header:
            alone = None
        for dock in self._area.dockWidgets():
            pane = dock.widget()
            if isinstance(pane, ChatPane):
                # QtAds reads this size when a pane is added, but not when the text size changes.
                least = pane.minimumSize()
                self._area.setMinimumSize(least.width(), least.height() + self._bar.height())
                _place_header(dock, pane, in_row=dock is alone)
        pane = shown[0].widget() if len(shown) == 1 else None
        if isinstance(pane, ChatPane):
            pane.header.room_changed.connect(self._on_room, _QUEUED_UNIQUE)
        _set_style_property(self._bar, "row", alone is not None)
        # A single tab fills the bar.
        policy = QSizePolicy.Policy.Maximum if alone is None else QSizePolicy.Policy.Expanding
        self._bar.tabBar().setSizePolicy(policy, QSizePolicy.Policy.Preferred)
        row = self._bar.layout()
        assert isinstance(row, QBoxLayout)
        stretch, at = int(alone is not None), row.indexOf(self._bar.tabBar())
        if row.stretch(at) != stretch:  # this triggers a layout and calls us again
            row.setStretch(at, stretch)
        spacing = max(0, self._bar.layout().spacing())
        ends = 6 if self.restore.isHidden() else 6 + spacing + self.restore.width()
        buttons = sum(button.width() + spacing for button in self.buttons) + ends
        if alone is None or not isinstance(pane, ChatPane):
            titles = [_title(dock.tabWidget()) for dock in shown]
            tabs = [(dock.tabWidget(), title) for dock, title in zip(shown, titles, strict=True)]
            others = [
                tab.minimumSizeHint().width() - _title_min_width(title) for tab, title in tabs
            ]
            wanted = [
                min(title.sizeHint().width(), tab.maximumWidth() - end)
                for (tab, title), end in zip(tabs, others, strict=True)
            ]
            others_width = sum(others)
            folded = self._bar.width() < sum(wanted) + others_width + buttons
            two = self.buttons[0].width() + self.more.width() + 2 * spacing + ends
            widest = _max_common_width(
                wanted, self._bar.width() - others_width - (two if folded else buttons)
            )
            for title, width in zip(titles, wanted, strict=True):
                title.setMaximumWidth(widest)
                title.setMinimumWidth(max(1, min(width, widest, scaled(LEAST_TITLE))))
            self._fold_buttons(folded)
            self._scroll_timer.start()
            return
        tab, header = alone.tabWidget(), pane.header
        title = _title(tab)
        title.setMinimumWidth(0)
        others_width = tab.minimumSizeHint().width() - title.minimumSizeHint().width()
        others_width -= header.minimumSizeHint().width()
        # If space is scarce, shrink the title first, then the buttons, then the model name. The
        # chat's state changes all the time, so only the title shrinks to make room for the state.
        short = min(title.sizeHint().width(), scaled(TITLE))
        wanted = short + others_width + header.preferred_width(folded=False)
        folded = self._bar.width() < wanted + buttons
        header.set_menu(self._fill if folded else None)
        room = self._bar.width() - (ends if folded else buttons)
        title_room = room - others_width - header.preferred_width(folded=folded) - header.beside
        title.setMaximumWidth(max(scaled(TITLE), title_room))
        tab.setMinimumWidth(max(0, room))
        self._fold_buttons(folded, into_header=True)

    def arrange_soon(self) -> None:
        """Lay out the bar later, once the current event is handled."""
        self._arrange_timer.start()

    @property
    def _has_room(self) -> bool:
        """Check whether a single chat's title and header fit next to each other.

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
    def _on_room(self) -> None:
        self.arrange()

    @Slot()
    def _show_current(self) -> None:
        """Scroll to the current tab after a resize. QtAds only does this when switching tabs."""
        if not self._is_alive:
            return
        tabs = self._bar.tabBar()
        if (current := tabs.currentTab()) is not None:
            tabs.ensureWidgetVisible(current, 0, 0)

    def _fold_buttons(self, folded: bool, *, into_header: bool = False) -> None:
        """Collapse the split buttons into a menu, or all buttons if the header has the menu."""
        self.folded = folded
        for button in self.buttons[1:]:
            button.setVisible(not folded)
        self.buttons[0].setVisible(not (folded and into_header))
        self.more.setVisible(folded and not into_header)

    @Slot()
    def _on_more(self) -> None:
        """Show a menu for splitting and for choosing a tab, since tabs may be out of view."""
        menu = QMenu(self._bar)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._fill(menu, self.CHOICES[1:])
        menu.addSeparator()
        current = self._area.currentDockWidget()
        for dock in self._area.openedDockWidgets():
            action = menu.addAction(dock.windowTitle())
            action.setCheckable(True)
            action.setChecked(dock is current)
            action.triggered.connect(lambda _=False, dock=dock: self._chosen(dock.objectName()))
        menu.popup(self.more.mapToGlobal(QPoint(0, self.more.height() + 2)))

    def _fill(self, menu: QMenu, choices: Sequence[tuple[str, str, str]] = CHOICES) -> None:
        for _, tip, choice in choices:
            action = menu.addAction(tr(tip).partition("  ")[0])
            keys = tip.partition("  ")[2]
            action.setShortcut(QKeySequence(current_shortcut(keys)))
            action.setShortcutVisibleInContextMenu(True)
            # Only displays the shortcut, which is handled by the command.
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            action.triggered.connect(lambda _=False, choice=choice: self._on_split(choice))


TITLE, LEAST_TITLE = 90, 64
"""Minimum width of a title in pixels at 100% zoom: if it's alone, and in a full bar, which
scrolls."""


def _max_common_width(widths: Sequence[int], room: int) -> int:
    """Find the largest width at which everything fits, so that the widest tabs shrink first."""
    for count, width in zip(range(len(widths), 0, -1), sorted(widths), strict=True):
        if width * count > room:
            return max(scaled(LEAST_TITLE), room // count)
        room -= width
    return WIDEST


def _title_min_width(title: QLabel) -> int:
    """Get the share of a tab's minimum width that's due to its title."""
    return title.minimumWidth() or title.minimumSizeHint().width()


def _title(tab: QtAds.CDockWidgetTab) -> QLabel:
    label = tab.findChild(QLabel, "dockWidgetTabLabel")
    assert isinstance(label, QLabel)
    return label


def _place_header(dock: QtAds.CDockWidget, pane: ChatPane, *, in_row: bool) -> None:
    """Move a pane's header into its tab, or back above the conversation.

    Tab and pane belong to the same dock widget, so they always move together.
    """
    tab, header = dock.tabWidget(), pane.header
    if in_row == (header.parentWidget() is tab):
        return
    title, layout = _title(tab), tab.layout()
    assert isinstance(layout, QBoxLayout)
    header.set_in_row(in_row)
    if in_row:
        layout.addWidget(header, 1)
    else:
        pane.take_header()
        tab.setMinimumWidth(0)
        title.setMaximumWidth(WIDEST)
    header.show()  # a new header may not have been shown yet
    layout.setStretchFactor(title, 0 if in_row else 1)
    _set_style_property(tab, "row", in_row)


WIDEST = (1 << 24) - 1  # Qt's maximum width

"""Notices about replies: screen reader, tab titles, notifications and tray icon.

With reduced motion, pulsing dots become faint dots.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import Any, Protocol

from PySide6.QtCore import SLOT, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtDBus import QDBusConnection, QDBusMessage
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu, QSystemTrayIcon

from app.chats.chat import Chat
from app.chats.library import ChatLibrary
from app.settings.language import mark, tr
from app.store import Message
from app.store.index import displayed_text
from app.ui.style import motion
from app.ui.style.icons import app_icon
from app.ui.transcript import message_row
from app.ui.widgets.widget_behavior import announce
from app.ui.window.context import WindowController, WindowParts

LONGEST = 4_000
"""Maximum number of characters a screen reader reads out by itself."""


class _ReplyObserver(WindowController):
    """Base class of observers of all chats' replies."""

    def __init__(self, parts: WindowParts) -> None:
        super().__init__(parts)
        self._started_at: dict[str, float] = {}
        self._library.activity.connect(self._on_activity)

    @Slot(str)
    def _on_activity(self, chat_id: str) -> None:
        chat = self._library.find(chat_id)
        if chat is None or not chat.reply.is_active:
            if (begun := self._started_at.pop(chat_id, None)) is not None:
                self._on_ended(chat_id, chat, time.monotonic() - begun)
        elif chat_id not in self._started_at:
            self._started_at[chat_id] = time.monotonic()
            self._on_started(chat)

    def _on_started(self, chat: Chat) -> None:
        pass

    def _on_ended(self, chat_id: str, chat: Chat | None, seconds: float) -> None:
        raise NotImplementedError


class ReplyAnnouncer(_ReplyObserver):
    """Announcements for screen readers when replies start and finish.

    A reply in the focused chat is read out. For other chats, only the end of a reply is announced.
    """

    def _on_started(self, chat: Chat) -> None:
        self._announce(chat, answering=True)

    def _on_ended(self, chat_id: str, chat: Chat | None, seconds: float) -> None:
        if chat is not None:
            self._announce(chat, answering=False)

    def _announce(self, chat: Chat, *, answering: bool) -> None:
        last = chat.transcript.last("assistant")
        if last is None:
            return
        active = self._workspace.active
        front = active is not None and active.chat is chat
        author = message_row.author_of(chat.message_to_display(last.id)) if front else chat.title
        doing = tr("replying") if answering else message_row.state_text(last) or tr("done")
        words = f"{author}: {doing}"
        if front and not answering and (text := _message_text(chat.reply.message(last.id))):
            words += f". {text}"
        pane = self._workspace.pane(chat.id)
        announce(pane if pane is not None and pane.isVisible() else self._window, words)


def _message_text(message: Message) -> str:
    if message.status == "error":
        return message.error
    text = displayed_text(message.content[: 2 * LONGEST])
    if len(text) <= LONGEST and len(message.content) <= 2 * LONGEST:
        return text
    first = text[:LONGEST].rpartition(" ")[0]
    return f"{first}…"


class UnseenCounter(_ReplyObserver):
    """Counts chats with replies that finished while the user was in another app.

    The window title shows the number, and the icon in the taskbar or Dock flashes, bounces or gets
    a badge. Switching to our app resets the count.
    """

    def __init__(self, parts: WindowParts) -> None:
        super().__init__(parts)
        self._title = self._window.windowTitle()
        self._unseen: set[str] = set()
        QApplication.instance().applicationStateChanged.connect(self._on_state)  # type: ignore[union-attr]

    def set_title(self, title: str) -> None:
        self._title = title
        self._update_badge()

    def _on_ended(self, chat_id: str, chat: Chat | None, seconds: float) -> None:
        if QGuiApplication.applicationState() != Qt.ApplicationState.ApplicationActive:
            self._unseen.add(chat_id)
            QApplication.alert(self._window)
            self._update_badge()

    @Slot(Qt.ApplicationState)
    def _on_state(self, state: Qt.ApplicationState) -> None:
        if state == Qt.ApplicationState.ApplicationActive and self._unseen:
            self._unseen.clear()
            self._update_badge()

    def _update_badge(self) -> None:
        count = len(self._unseen)
        self._window.setWindowTitle(f"({count}) {self._title}" if count else self._title)
        application = QGuiApplication.instance()
        if isinstance(application, QGuiApplication):
            application.setBadgeNumber(count)


LONG_S = 15.0  # shorter replies cause no notification, because the user is probably still watching


class NotificationChannel(Protocol):
    """Shows system notifications, and emits ``notice_clicked`` when the user clicks one."""

    notice_clicked: Any

    def show(self, name: str, title: str, words: str) -> None: ...

    def withdraw(self, name: str) -> None: ...


class PortalChannel(QObject):
    """Notifications through the XDG desktop portal on Linux.

    Other D-Bus interfaces for notifications need unsigned integers, which PySide can't send.
    """

    PLACE = ("org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop")
    FACE = "org.freedesktop.portal.Notification"

    notice_clicked = Signal(str)  # (name)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        slot: Any = SLOT("on_action(QDBusMessage)")  # a str at runtime, but typed as bytes
        QDBusConnection.sessionBus().connect(*self.PLACE, self.FACE, "ActionInvoked", self, slot)

    def show(self, name: str, title: str, words: str) -> None:
        notification = {"title": title, "body": words, "default-action": "app.open"}
        self._call("AddNotification", [name, notification])

    def withdraw(self, name: str) -> None:
        self._call("RemoveNotification", [name])

    def _call(self, method: str, values: list[Any]) -> None:
        message = QDBusMessage.createMethodCall(*self.PLACE, self.FACE, method)
        message.setArguments(values)
        QDBusConnection.sessionBus().asyncCall(message)  # ignored if there's no portal

    @Slot(QDBusMessage)
    def on_action(self, message: QDBusMessage) -> None:
        self.notice_clicked.emit(str(next(iter(message.arguments()), "")))


class TrayChannel(QObject):
    """Notifications through a temporary tray icon, for macOS."""

    SHOWN_MS = 10_000

    notice_clicked = Signal(str)  # (name)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._icon = QSystemTrayIcon(app_icon(), self)
        self._name = ""
        self._icon.messageClicked.connect(lambda: self.notice_clicked.emit(self._name))
        self._soon = QTimer(self, singleShot=True, interval=self.SHOWN_MS)
        self._soon.timeout.connect(self._icon.hide)

    def show(self, name: str, title: str, words: str) -> None:
        self._name = name
        self._icon.show()
        self._icon.showMessage(title, words, app_icon())
        self._soon.start()

    def withdraw(self, name: str) -> None:
        if name == self._name:
            self._icon.hide()


def system_channel(parent: QObject) -> NotificationChannel | None:
    """Return this system's channel for notifications, or None."""
    linux = sys.platform.startswith("linux")
    if linux:
        # Without this check, Qt might start a bus.
        bus = os.environ.get("DBUS_SESSION_BUS_ADDRESS")
        return PortalChannel(parent) if bus else None
    return TrayChannel(parent) if QSystemTrayIcon.isSystemTrayAvailable() else None


class Notifications(_ReplyObserver):
    """Notification when a long reply finishes, if the settings enable it."""

    chat_requested = Signal(str)  # (chat ID)

    def __init__(self, parts: WindowParts) -> None:
        super().__init__(parts)
        self._on_display: set[str] = set()
        self._channel: NotificationChannel | None = None
        self._has_channel = False
        QApplication.instance().applicationStateChanged.connect(self._on_state)  # type: ignore[union-attr]

    def use(self, channel: NotificationChannel | None) -> None:
        self._channel, self._has_channel = channel, True
        if channel is not None:
            channel.notice_clicked.connect(self.chat_requested)

    def _on_ended(self, chat_id: str, chat: Chat | None, seconds: float) -> None:
        away = QGuiApplication.applicationState() != Qt.ApplicationState.ApplicationActive
        if chat is None or seconds < LONG_S or not away or not self._settings.notify:
            return
        if not self._has_channel:  # created lazily, because it may connect to D-Bus
            self.use(system_channel(self))
        if self._channel is not None:
            last = chat.transcript.last("assistant")
            failed = last is not None and last.status == "error"
            model = chat.message_to_display(last.id).model if last is not None else ""
            name = model or tr("The model")
            words = mark("{name} couldn’t reply.") if failed else mark("{name} has replied.")
            words = tr(words, name=name)
            self._channel.show(chat.id, chat.title, words)
            self._on_display.add(chat.id)

    @Slot(Qt.ApplicationState)
    def _on_state(self, state: Qt.ApplicationState) -> None:
        if state == Qt.ApplicationState.ApplicationActive and self._channel is not None:
            for chat_id in self._on_display:
                self._channel.withdraw(chat_id)
            self._on_display.clear()


NAMES = ("quick_ask", "new", "settings", "quit")
"""Commands in the tray menu, after "Show Stretto"."""


class Tray(WindowController):
    def __init__(
        self,
        parts: WindowParts,
        come_forward: Callable[[], object],
    ) -> None:
        super().__init__(parts)
        self._come_forward = come_forward
        self.icon: QSystemTrayIcon | None = None  # None if disabled
        self._menu: QMenu | None = None
        self._settings.announcer.changed.connect(self._on_changed)

    @Slot(str)
    def _on_changed(self, option: str) -> None:
        if option == "tray":
            self.refresh()

    @Slot()
    def refresh(self) -> None:
        is_enabled = self._settings.tray
        if is_enabled and self.icon is None:
            menu = self._menu = QMenu(self._window)
            menu.addAction(tr("Show Stretto"), self._come_forward)
            for name in NAMES:
                menu.addAction(self._commands()[name])
            self.icon = QSystemTrayIcon(app_icon(), self)
            self.icon.setToolTip("Stretto")
            self.icon.setContextMenu(menu)
            self.icon.activated.connect(self._on_activated)
            self.icon.show()
        elif not is_enabled and self.icon is not None and self._menu is not None:
            self.icon.hide()
            self.icon.deleteLater()
            self._menu.deleteLater()
            self.icon = self._menu = None

    @Slot(QSystemTrayIcon.ActivationReason)
    def _on_activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason == QSystemTrayIcon.ActivationReason.Trigger:
            self._come_forward()


class DotAnimation(QObject):
    """Timer for pulsing dots, which only runs while replies are being generated."""

    opacity_changed = Signal(int)  # (opacity of the dots, 0 to 255)
    STILL = 150
    STEPS = (255, 235, 200, 160, 120, 95, 95, 120, 160, 200, 235)

    def __init__(self, library: ChatLibrary, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._library = library
        self._step = 0
        self._timer = QTimer(self, interval=140)
        self._timer.timeout.connect(self._on_tick)
        library.activity.connect(self._on_activity)

    @property
    def alpha(self) -> int:
        return self.STILL if motion.is_reduced() else self.STEPS[self._step]

    @Slot(str)
    def _on_activity(self, chat_id: str) -> None:
        if not self._timer.isActive() and self._library.replying_chats():
            if not motion.is_reduced():
                self._timer.start()
            self.opacity_changed.emit(self.alpha)

    @Slot()
    def _on_tick(self) -> None:
        if motion.is_reduced() or not self._library.replying_chats():
            self._timer.stop()
        self._step = (self._step + 1) % len(self.STEPS)
        self.opacity_changed.emit(self.alpha)

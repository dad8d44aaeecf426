"""The system's own notifications: a long answer has ended while another program is in front."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import Any, Protocol

from PySide6.QtCore import SLOT, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtDBus import QDBusConnection, QDBusMessage
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QSystemTrayIcon

from app.chats.library import ChatLibrary
from app.language import tr
from app.settings import Settings
from app.ui.style.icons import app_icon

LONG_S = 15.0
"""Somebody who waits longer has turned to other things."""


class Channel(Protocol):
    """A way to the system's notifications. ``chosen`` is a signal with what was clicked."""

    chosen: Any

    def show(self, name: str, title: str, words: str) -> None: ...

    def withdraw(self, name: str) -> None: ...


class PortalChannel(QObject):
    """The desktop's portal (Linux).

    Its notifications need no unsigned numbers, which the binding cannot put into a message.

    Signals:
        chosen(name): the person clicked this one.
    """

    PLACE = ("org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop")
    FACE = "org.freedesktop.portal.Notification"

    chosen = Signal(str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        slot: Any = SLOT("on_action(QDBusMessage)")  # text, though the stubs say bytes
        QDBusConnection.sessionBus().connect(*self.PLACE, self.FACE, "ActionInvoked", self, slot)

    def show(self, name: str, title: str, words: str) -> None:
        notification = {"title": title, "body": words, "default-action": "app.open"}
        self._call("AddNotification", [name, notification])

    def withdraw(self, name: str) -> None:
        self._call("RemoveNotification", [name])

    def _call(self, method: str, values: list[Any]) -> None:
        message = QDBusMessage.createMethodCall(*self.PLACE, self.FACE, method)
        message.setArguments(values)
        QDBusConnection.sessionBus().asyncCall(message)  # a desktop without it says nothing

    @Slot(QDBusMessage)
    def on_action(self, message: QDBusMessage) -> None:
        """The portal's signal: name, action, parameters."""
        self.chosen.emit(str(next(iter(message.arguments()), "")))


class TrayChannel(QObject):
    """Qt's message of a tray icon, which is there only as long (macOS).

    Signals:
        chosen(name): the person clicked this one.
    """

    SHOWN_MS = 10_000

    chosen = Signal(str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._icon = QSystemTrayIcon(app_icon(), self)
        self._icon.messageClicked.connect(self._on_clicked)
        self._soon = QTimer(self, singleShot=True, interval=self.SHOWN_MS)
        self._soon.timeout.connect(self._icon.hide)
        self._name = ""

    def show(self, name: str, title: str, words: str) -> None:
        self._name = name
        self._icon.show()
        self._icon.showMessage(title, words, app_icon())
        self._soon.start()

    def withdraw(self, name: str) -> None:
        if name == self._name:
            self._icon.hide()

    @Slot()
    def _on_clicked(self) -> None:
        self.chosen.emit(self._name)


def system_channel(parent: QObject) -> Channel | None:
    """The way to this system's notifications; None where there is none."""
    linux = sys.platform.startswith("linux")
    if linux:
        # Without a bus Qt would start one.
        there = os.environ.get("DBUS_SESSION_BUS_ADDRESS")
        return PortalChannel(parent) if there else None
    return TrayChannel(parent) if QSystemTrayIcon.isSystemTrayAvailable() else None


class Notifications(QObject):
    """Tells of answers that took long, unless the settings say not to.

    Signals:
        opened(id): the person clicked the notification of this chat.
    """

    opened = Signal(str)

    def __init__(
        self,
        library: ChatLibrary,
        settings: Settings,
        parent: QObject,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(parent)
        self._library = library
        self._settings = settings
        self._clock = clock
        self._begun: dict[str, float] = {}
        self._told: set[str] = set()
        self._channel: Channel | None = None
        self._asked = False
        library.activity.connect(self._on_activity)
        QApplication.instance().applicationStateChanged.connect(self._on_state)  # type: ignore[union-attr]

    def use(self, channel: Channel | None) -> None:
        """Tell by this channel."""
        self._channel, self._asked = channel, True
        if channel is not None:
            channel.chosen.connect(self.opened)

    @Slot(str)
    def _on_activity(self, chat_id: str) -> None:
        chat = self._library.find(chat_id)
        if chat is not None and chat.answering:
            self._begun.setdefault(chat_id, self._clock())
            return
        begun = self._begun.pop(chat_id, None)
        away = QGuiApplication.applicationState() != Qt.ApplicationState.ApplicationActive
        if begun is None or chat is None or not away or not self._settings.notify:
            return
        if self._clock() - begun < LONG_S:
            return
        if not self._asked:  # not before it is needed: a bus is a connection of its own
            self.use(system_channel(self))
        if self._channel is not None:
            last = chat.transcript.last("assistant")
            failed = last is not None and last.status == "error"
            model = chat.alias or (last.model if last is not None else "")
            name = model or tr("The model")
            words = (
                tr("{name} could not answer.", name=name)
                if failed
                else tr("{name} has answered.", name=name)
            )
            self._channel.show(chat_id, chat.title, words)
            self._told.add(chat_id)

    @Slot(Qt.ApplicationState)
    def _on_state(self, state: Qt.ApplicationState) -> None:
        """The person is back and sees for themselves."""
        if state == Qt.ApplicationState.ApplicationActive and self._channel is not None:
            for chat_id in self._told:
                self._channel.withdraw(chat_id)
            self._told.clear()

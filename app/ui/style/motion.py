"""Whether things may move by themselves: what the system asks for, or the person."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable
from typing import Any

import shiboken6
from PySide6.QtCore import SLOT, QObject, Signal, Slot
from PySide6.QtDBus import QDBusConnection, QDBusMessage, QDBusPendingCallWatcher, QDBusVariant

log = logging.getLogger(__name__)

_PORTAL = ("org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop")
_INTERFACE = "org.freedesktop.portal.Settings"
_ASKED: dict[tuple[str, str], Callable[[object], bool]] = {
    ("org.freedesktop.appearance", "reduced-motion"): lambda value: value == 1,
    ("org.gnome.desktop.interface", "enable-animations"): lambda value: value is False,
}
"""What the desktop is asked, and which answer means less motion."""


class Motion(QObject):
    """Follows the desktop (through its portal on Linux), unless the person wants less anyway."""

    changed = Signal()  # `reduced` is another

    def __init__(self, wanted: str = "system", parent: QObject | None = None) -> None:
        """``wanted``: "system" or "less"."""
        super().__init__(parent)
        self._wanted = wanted
        self._system: dict[tuple[str, str], bool] = {}

    @property
    def reduced(self) -> bool:
        """Nothing is to move that only catches the eye."""
        return self._wanted == "less" or any(self._system.values())

    def want(self, wanted: str) -> None:
        """What the person wants: "system" or "less"."""
        before = self.reduced
        self._wanted = wanted
        self._tell(before)

    def take(self, space: str, key: str, value: object) -> None:
        """The desktop says how one of its settings stands."""
        means = _ASKED.get((space, key))
        if means is not None:
            before = self.reduced
            self._system[space, key] = means(_plain(value))
            self._tell(before)

    def follow_system(self) -> None:
        """Ask the desktop, without waiting, and hear of changes."""
        if sys.platform == "darwin":
            before = self.reduced
            self._system["macOS", ""] = _reduced_on_mac()
            self._tell(before)
        elif os.environ.get("DBUS_SESSION_BUS_ADDRESS"):  # without one Qt would start a bus
            self._follow_portal()

    def _tell(self, before: bool) -> None:
        if self.reduced != before:
            self.changed.emit()

    def _follow_portal(self) -> None:
        bus = QDBusConnection.sessionBus()
        for space, key in _ASKED:
            message = QDBusMessage.createMethodCall(*_PORTAL, _INTERFACE, "ReadOne")
            message.setArguments([space, key])
            watcher = QDBusPendingCallWatcher(bus.asyncCall(message), self)
            watcher.finished.connect(
                lambda done, space=space, key=key: self._on_read(space, key, done)
            )
        slot: Any = SLOT("on_setting(QDBusMessage)")  # text, though the stubs say bytes
        bus.connect(*_PORTAL, _INTERFACE, "SettingChanged", self, slot)

    @Slot(QDBusMessage)
    def on_setting(self, message: QDBusMessage) -> None:
        """The portal's signal: namespace, key, value."""
        space, key, value = (*message.arguments(), "", "", None)[:3]
        self.take(str(space), str(key), value)

    def _on_read(self, space: str, key: str, done: QDBusPendingCallWatcher) -> None:
        reply = done.reply()
        if reply.type() == QDBusMessage.MessageType.ReplyMessage and reply.arguments():
            self.take(space, key, reply.arguments()[0])
        done.deleteLater()


def _plain(value: object) -> object:
    while isinstance(value, QDBusVariant):
        value = value.variant()
    return value


def _reduced_on_mac() -> bool:
    try:
        import objc

        workspace = objc.lookUpClass("NSWorkspace").sharedWorkspace()
        return bool(workspace.accessibilityDisplayShouldReduceMotion())
    except Exception as error:
        log.info("macOS was not asked whether to reduce motion: %s", error)
        return False


_motion: Motion | None = None


def install(wanted: str, parent: QObject) -> Motion:
    """Make the one of this process, and follow the system."""
    global _motion
    _motion = Motion(wanted, parent)
    _motion.follow_system()
    return _motion


def reduced() -> bool:
    """Whether nothing is to move that only catches the eye."""
    return _motion is not None and shiboken6.isValid(_motion) and _motion.reduced


def want(wanted: str) -> None:
    """The person has chosen: "system" or "less"."""
    if _motion is not None and shiboken6.isValid(_motion):
        _motion.want(wanted)

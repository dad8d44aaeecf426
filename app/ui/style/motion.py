"""Reduced motion, as set in the system or in the app's settings."""

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
_DESKTOP_SETTINGS: dict[tuple[str, str], Callable[[object], bool]] = {
    ("org.freedesktop.appearance", "reduced-motion"): lambda value: value == 1,
    ("org.gnome.desktop.interface", "enable-animations"): lambda value: value is False,
}
"""Desktop settings, with a test of their value that is true if motion should be reduced."""


class Motion(QObject):
    """Reduced-motion state. Follows the desktop (on Linux through its portal) and the user's
    setting."""

    changed = Signal()  # `reduced` has changed

    def __init__(self, wanted: str = "system", parent: QObject | None = None) -> None:
        """Create the state. ``wanted`` is "system" or "less"."""
        super().__init__(parent)
        self._wanted = wanted
        self._system: dict[tuple[str, str], bool] = {}

    @property
    def reduced(self) -> bool:
        """Return True if decorative animations should be off."""
        return self._wanted == "less" or any(self._system.values())

    def want(self, wanted: str) -> None:
        """Apply the user's setting: "system" or "less"."""
        before = self.reduced
        self._wanted = wanted
        self._emit_if_changed(before)

    def take(self, space: str, key: str, value: object) -> None:
        """Record the value of a desktop setting."""
        means = _DESKTOP_SETTINGS.get((space, key))
        if means is not None:
            before = self.reduced
            self._system[space, key] = means(_plain(value))
            self._emit_if_changed(before)

    def follow_system(self) -> None:
        """Query the desktop without blocking, and subscribe to changes."""
        if sys.platform == "darwin":
            before = self.reduced
            self._system["macOS", ""] = _reduced_on_mac()
            self._emit_if_changed(before)
        elif os.environ.get("DBUS_SESSION_BUS_ADDRESS"):  # without one Qt would start a bus
            self._follow_portal()

    def _emit_if_changed(self, before: bool) -> None:
        if self.reduced != before:
            self.changed.emit()

    def _follow_portal(self) -> None:
        bus = QDBusConnection.sessionBus()
        for space, key in _DESKTOP_SETTINGS:
            message = QDBusMessage.createMethodCall(*_PORTAL, _INTERFACE, "ReadOne")
            message.setArguments([space, key])
            watcher = QDBusPendingCallWatcher(bus.asyncCall(message), self)
            watcher.finished.connect(
                lambda done, space=space, key=key: self._on_read(space, key, done)
            )
        slot: Any = SLOT("on_setting(QDBusMessage)")  # a str, although the stubs declare bytes
        bus.connect(*_PORTAL, _INTERFACE, "SettingChanged", self, slot)

    @Slot(QDBusMessage)
    def on_setting(self, message: QDBusMessage) -> None:
        """Handle the portal's signal (namespace, key, value)."""
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
    """Create this process's state, and follow the system."""
    global _motion
    _motion = Motion(wanted, parent)
    _motion.follow_system()
    return _motion


def reduced() -> bool:
    """Return True if decorative animations should be off."""
    return _motion is not None and shiboken6.isValid(_motion) and _motion.reduced


def want(wanted: str) -> None:
    """Apply the user's setting: "system" or "less"."""
    if _motion is not None and shiboken6.isValid(_motion):
        _motion.want(wanted)

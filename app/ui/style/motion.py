from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable
from typing import Any

import shiboken6
from PySide6.QtCore import SLOT, QObject, Slot
from PySide6.QtDBus import QDBusConnection, QDBusMessage, QDBusPendingCallWatcher, QDBusVariant

log = logging.getLogger(__name__)

_PORTAL = ("org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop")
_INTERFACE = "org.freedesktop.portal.Settings"
_DESKTOP_SETTINGS: dict[tuple[str, str], Callable[[object], bool]] = {
    ("org.freedesktop.appearance", "reduced-motion"): lambda value: value == 1,
    ("org.gnome.desktop.interface", "enable-animations"): lambda value: value is False,
}
"""Desktop settings, with functions that return True if a value means reduced motion."""


class Motion(QObject):
    """Reduced motion, from the app's setting and the desktop's (on Linux, from the XDG portal)."""

    def __init__(self, preference: str = "system", parent: QObject | None = None) -> None:
        """``preference`` is "system", "less", or "full"."""
        super().__init__(parent)
        self._setting = preference
        self._system: dict[tuple[str, str], bool] = {}

    @property
    def is_reduced(self) -> bool:
        by_system = self._setting == "system" and any(self._system.values())
        return self._setting == "less" or by_system

    def set_preference(self, preference: str) -> None:
        self._setting = preference

    def apply_setting(self, space: str, key: str, value: object) -> None:
        means = _DESKTOP_SETTINGS.get((space, key))
        if means is not None:
            self._system[space, key] = means(_unwrap_variant(value))

    def follow_system(self) -> None:
        """Read the desktop's settings without blocking. On Linux, also follow their changes."""
        if sys.platform == "darwin":
            self._system["macOS", ""] = _reduced_on_mac()
        elif os.environ.get("DBUS_SESSION_BUS_ADDRESS"):  # otherwise, Qt would start a bus
            self._follow_portal()

    def _follow_portal(self) -> None:
        bus = QDBusConnection.sessionBus()
        for space, key in _DESKTOP_SETTINGS:
            message = QDBusMessage.createMethodCall(*_PORTAL, _INTERFACE, "ReadOne")
            message.setArguments([space, key])
            watcher = QDBusPendingCallWatcher(bus.asyncCall(message), self)
            watcher.finished.connect(
                lambda call, space=space, key=key: self._on_read(space, key, call)
            )
        slot: Any = SLOT("on_setting(QDBusMessage)")  # a str at runtime, but typed as bytes
        bus.connect(*_PORTAL, _INTERFACE, "SettingChanged", self, slot)

    @Slot(QDBusMessage)
    def on_setting(self, message: QDBusMessage) -> None:
        space, key, value = (*message.arguments(), "", "", None)[:3]
        self.apply_setting(str(space), str(key), value)

    def _on_read(self, space: str, key: str, watcher: QDBusPendingCallWatcher) -> None:
        reply = watcher.reply()
        if reply.type() == QDBusMessage.MessageType.ReplyMessage and reply.arguments():
            self.apply_setting(space, key, reply.arguments()[0])
        watcher.deleteLater()


def _unwrap_variant(value: object) -> object:
    while isinstance(value, QDBusVariant):
        value = value.variant()
    return value


def _reduced_on_mac() -> bool:
    try:
        import objc

        workspace = objc.lookUpClass("NSWorkspace").sharedWorkspace()
        return bool(workspace.accessibilityDisplayShouldReduceMotion())
    except Exception as error:
        log.info("cannot read the macOS setting for reduced motion: %s", error)
        return False


_motion: Motion | None = None


def install(preference: str, parent: QObject) -> Motion:
    global _motion
    _motion = Motion(preference, parent)
    _motion.follow_system()
    return _motion


def is_reduced() -> bool:
    """Return True if decorative animations should be turned off."""
    return _motion is not None and shiboken6.isValid(_motion) and _motion.is_reduced


def set_preference(preference: str) -> None:
    if _motion is not None and shiboken6.isValid(_motion):
        _motion.set_preference(preference)

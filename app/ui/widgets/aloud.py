"""What a screen reader is told that Qt does not know: what painted widgets are, and news."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QAccessibleInterface,
)
from PySide6.QtWidgets import QAccessibleWidget, QWidget

_Role = QAccessible.Role

ROLES = {
    "ChatPane": _Role.Grouping,
    "TranscriptView": _Role.List,
    "MessageRow": _Role.ListItem,
    "LaneRow": _Role.ListItem,
    "GuestRow": _Role.ListItem,
    "PaneHeader": _Role.ToolBar,
    "ContextMeter": _Role.StaticText,
    "MemoryBar": _Role.StaticText,
    "GuestsHead": _Role.StaticText,
    "ErrorBlock": _Role.AlertMessage,
    "Notice": _Role.AlertMessage,
    "Toast": _Role.AlertMessage,
    "Card": _Role.Dialog,
    "ads::CDockWidgetTab": _Role.PageTab,
}
"""By class: to Qt they are plain widgets, which screen readers pass over without a word."""

_given: list[object] = []


def give_roles() -> None:
    """Have Qt tell these roles to whoever asks. Once in a process; further calls do nothing."""
    if not _given:
        _given.append(_interface)  # Qt calls it as long as the process lives
        QAccessible.installFactory(_interface)


def _interface(name: str, widget: QObject) -> QAccessibleInterface | None:
    """Qt asks for a widget's class, then for the classes that it is made of."""
    role = ROLES.get(name)
    if role is None or not isinstance(widget, QWidget):
        return None
    return QAccessibleWidget(widget, role)


def announce(widget: QWidget, words: str, *, urgent: bool = False) -> None:
    """Have words read aloud when what is being read has ended; ``urgent`` ones at once."""
    if not words or not QAccessible.isActive():
        return
    event = QAccessibleAnnouncementEvent(widget, words)
    politeness = QAccessible.AnnouncementPoliteness
    event.setPoliteness(politeness.Assertive if urgent else politeness.Polite)
    QAccessible.updateAccessibility(event)

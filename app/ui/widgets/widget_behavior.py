"""Platform conventions shared by all widgets: shortcuts, mouse wheel, accessibility, RTL.

For right-to-left languages Qt mirrors layouts and aligned text, but not widgets positioned by
coordinates. We position these as if left-to-right, then mirror them with the functions below.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from functools import cache

from PySide6.QtCore import QEvent, QObject, QRect, QRectF, Qt
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QAccessibleInterface,
    QKeyEvent,
    QKeySequence,
)
from PySide6.QtWidgets import (
    QAbstractSlider,
    QAbstractSpinBox,
    QAccessibleWidget,
    QComboBox,
    QScrollBar,
    QStyle,
    QWidget,
)

_key_maps: list[Callable[[str], str]] = []


def to_native_keys(keys: str) -> str:
    """Return a shortcut in native format, e.g. Cmd for Ctrl on a Mac, or "" if it isn't valid."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)


def set_shortcut_lookup(instead: Callable[[str], str]) -> None:
    _key_maps[:] = [instead]


def current_shortcut(keys: str) -> str:
    """Return the current shortcut of the command with default shortcut ``keys``, or "".

    Keys that don't belong to a command, e.g. Esc, are returned unchanged.
    """
    return _key_maps[0](keys) if _key_maps else keys


def insert_shortcut(tip: str) -> str:
    """Return a tooltip (text, two spaces, default shortcut) with the current shortcut."""
    words, _, keys = tip.partition("  ")
    keys_text = to_native_keys(current_shortcut(keys)) if keys else ""
    return f"{words}  {keys_text}" if keys_text else words


class WheelGuard(QObject):
    """Event filter that makes the mouse wheel scroll the page, unless the field has the focus."""

    def __init__(self, page: QWidget) -> None:
        """Install the filter on all current spin boxes, combo boxes and sliders in a page."""
        super().__init__(page)
        for field in page.findChildren(QWidget):
            if isinstance(field, QAbstractSpinBox | QComboBox | QAbstractSlider) and not isinstance(
                field, QScrollBar
            ):
                # With Qt's default policy, using the wheel would focus the field.
                field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
                field.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (
            event.type() == QEvent.Type.Wheel
            and isinstance(watched, QWidget)
            and not watched.hasFocus()
        ):
            event.ignore()  # Qt passes an ignored event to the parent, which scrolls
            return True
        return super().eventFilter(watched, event)


def escape_tooltip(text: str) -> str:
    """Escape a tooltip so that Qt doesn't interpret it as HTML."""
    return f"<qt>{html.escape(text)}</qt>" if "<" in text else text


_Role = QAccessible.Role

ROLES = {
    "ChatPane": _Role.Grouping,
    "TranscriptView": _Role.List,
    "MessageRow": _Role.ListItem,
    "LaneRow": _Role.ListItem,
    "AgentRow": _Role.ListItem,
    "AgentGroup": _Role.ListItem,
    "PaneHeader": _Role.ToolBar,
    "ContextMeter": _Role.StaticText,
    "MemoryBar": _Role.StaticText,
    "AgentsHeader": _Role.StaticText,
    "ErrorBlock": _Role.AlertMessage,
    "Notice": _Role.AlertMessage,
    "Toast": _Role.AlertMessage,
    "Card": _Role.Dialog,
    "ads::CDockWidgetTab": _Role.PageTab,
}
"""Accessible roles by class. Without a role, screen readers skip plain widgets."""


@cache
def register_roles() -> None:
    QAccessible.installFactory(_interface)


def _interface(name: str, widget: QObject) -> QAccessibleInterface | None:
    role = ROLES.get(name)
    if role is None or not isinstance(widget, QWidget):
        return None
    return QAccessibleWidget(widget, role)


def announce(widget: QWidget, words: str, *, urgent: bool = False) -> None:
    """Make a screen reader say something. If ``urgent``, it interrupts the current speech."""
    if not words or not QAccessible.isActive():
        return
    event = QAccessibleAnnouncementEvent(widget, words)
    politeness = QAccessible.AnnouncementPoliteness
    event.setPoliteness(politeness.Assertive if urgent else politeness.Polite)
    QAccessible.updateAccessibility(event)


def mirror_children(parent: QWidget, *children: QWidget, width: int | None = None) -> None:
    """In right-to-left layouts, mirror children that were positioned from the left.

    ``width`` is the new width of a parent that is about to be resized.
    """
    area = QRect(0, 0, parent.width() if width is None else width, parent.height())
    for child in children:
        child.move(QStyle.visualRect(parent.layoutDirection(), area, child.geometry()).topLeft())


def place_in_lines(
    parent: QWidget,
    children: Sequence[QWidget],
    y: int,
    width: int,
    gap: int,
    pad: int = 0,
    *,
    centered: bool = True,
) -> int:
    """Lay out children in rows. A child that doesn't fit starts a new row.

    Returns the bottom of the last row. ``pad`` is the left and right margin.
    """
    x, line = pad, 0
    for child in children:
        if x > pad and x + child.width() > width - pad:
            x, y, line = pad, y + line + gap, 0
        line = max(line, child.height())
        child.move(x, y + (line - child.height()) // 2 * centered)
        x += child.width() + gap
    mirror_children(parent, *children, width=width)
    return y + line


def mirror_area(parent: QWidget, area: QRectF, width: int | None = None) -> QRectF:
    """Mirror an area if the parent is right-to-left. Doing it twice gives the original area."""
    if not parent.isRightToLeft():
        return area
    total = parent.width() if width is None else width
    return QRectF(total - area.right(), area.top(), area.width(), area.height())


def caret_icon_name(name: str, *, rtl: bool) -> str:
    mirrored = {"caret-right": "caret-left", "caret-left": "caret-right"}
    return mirrored.get(name, name) if rtl else name


_COMMANDS = (
    Qt.KeyboardModifier.ControlModifier
    | Qt.KeyboardModifier.AltModifier
    | Qt.KeyboardModifier.MetaModifier
)


def is_part_visible(owner: QObject, part: str) -> bool:
    """Return True if a lazily created part (a `cached_property`) exists and is visible."""
    widget = vars(owner).get(part)
    return widget is not None and not widget.isHidden()


def show_if(owner: QObject, part: str, is_needed: bool) -> None:
    """Show or hide a lazily created part. A missing part isn't created just to hide it."""
    if is_needed or is_part_visible(owner, part):
        getattr(owner, part).setVisible(is_needed)


def is_typed_text(event: QKeyEvent) -> bool:
    """Return True for a printable character typed without Ctrl etc."""
    text = event.text()
    return bool(text.strip()) and text.isprintable() and not event.modifiers() & _COMMANDS

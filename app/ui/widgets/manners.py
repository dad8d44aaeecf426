"""Platform behavior for all widgets: shortcuts, mouse wheel, screen readers, text direction.

Qt mirrors layouts and aligned text for right-to-left languages. Widgets that are placed by pixel
coordinates are placed as for left-to-right, and then mirrored by the functions here.
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
    QPlainTextEdit,
    QScrollBar,
    QStyle,
    QTextEdit,
    QWidget,
)

_key_maps: list[Callable[[str], str]] = []


def native(keys: str) -> str:
    """Convert keys from Qt's portable spelling to this system's: Cmd for Ctrl on a Mac.

    The result is empty if ``keys`` is not a valid sequence.
    """
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)


def follow(instead: Callable[[str], str]) -> None:
    """Set the function that `in_force` uses to map a command's default keys to its current keys."""
    _key_maps[:] = [instead]


def in_force(keys: str) -> str:
    """Return the current keys for default keys, in portable spelling, or "" if there are none.

    Keys that belong to no command, such as Esc, are returned unchanged.
    """
    return _key_maps[0](keys) if _key_maps else keys


def with_keys(tip: str) -> str:
    """Return a tooltip with the current keys. ``tip``: a text, two spaces, and default keys."""
    words, _, keys = tip.partition("  ")
    shown = native(in_force(keys)) if keys else ""
    return f"{words}  {shown}" if shown else words


class WheelGuard(QObject):
    """Event filter that lets the wheel scroll the page unless the field below it has the focus."""

    def __init__(self, page: QWidget) -> None:
        """Install the filter on all number fields, lists and sliders that the page has now."""
        super().__init__(page)
        for field in page.findChildren(QWidget):
            if isinstance(field, QAbstractSpinBox | QComboBox | QAbstractSlider) and not isinstance(
                field, QScrollBar
            ):
                # By default, turning the wheel focuses the field.
                field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
                field.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (
            event.type() == QEvent.Type.Wheel
            and isinstance(watched, QWidget)
            and not watched.hasFocus()
        ):
            event.ignore()  # Qt passes an ignored event to the parent, so the page scrolls
            return True
        return super().eventFilter(watched, event)


def plain_tip(text: str) -> str:
    """Return a tooltip that shows ``text`` literally, not as HTML."""
    return f"<qt>{html.escape(text)}</qt>" if "<" in text else text


_Role = QAccessible.Role

ROLES = {
    "ChatPane": _Role.Grouping,
    "TranscriptView": _Role.List,
    "MessageRow": _Role.ListItem,
    "LaneRow": _Role.ListItem,
    "GuestRow": _Role.ListItem,
    "GuestGroup": _Role.ListItem,
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
"""Accessible roles by class name. Qt has none for plain widgets, so screen readers skip them."""


@cache
def give_roles() -> None:
    """Install the roles for the lifetime of the process."""
    QAccessible.installFactory(_interface)


def _interface(name: str, widget: QObject) -> QAccessibleInterface | None:
    """Return the interface of a widget. Qt calls this for its class and all base classes."""
    role = ROLES.get(name)
    if role is None or not isinstance(widget, QWidget):
        return None
    return QAccessibleWidget(widget, role)


def announce(widget: QWidget, words: str, *, urgent: bool = False) -> None:
    """Let a screen reader say words: after the current speech, or immediately if ``urgent``."""
    if not words or not QAccessible.isActive():
        return
    event = QAccessibleAnnouncementEvent(widget, words)
    politeness = QAccessible.AnnouncementPoliteness
    event.setPoliteness(politeness.Assertive if urgent else politeness.Polite)
    QAccessible.updateAccessibility(event)


def mirror(parent: QWidget, *children: QWidget, width: int | None = None) -> None:
    """Mirror children that were placed from the left, if the parent is right-to-left.

    Args:
        width: the parent's future width, if it is about to change.
    """
    whole = QRect(0, 0, parent.width() if width is None else width, parent.height())
    for child in children:
        child.move(QStyle.visualRect(parent.layoutDirection(), whole, child.geometry()).topLeft())


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
    """Place children side by side from ``y`` on, in as many lines as needed.

    Return the bottom of the last line. ``pad`` is the margin on both sides.
    """
    x, line = pad, 0
    for child in children:
        if x > pad and x + child.width() > width - pad:
            x, y, line = pad, y + line + gap, 0
        line = max(line, child.height())
        child.move(x, y + (line - child.height()) // 2 * centered)
        x += child.width() + gap
    mirror(parent, *children, width=width)
    return y + line


def mirrored(parent: QWidget, area: QRectF, width: int | None = None) -> QRectF:
    """Return an area mirrored as the parent's direction requires. Mirroring twice restores it."""
    if not parent.isRightToLeft():
        return area
    whole = parent.width() if width is None else width
    return QRectF(whole - area.right(), area.top(), area.width(), area.height())


def caret(name: str, *, rtl: bool) -> str:
    """Return the icon name of a caret in the reading direction."""
    other = {"caret-right": "caret-left", "caret-left": "caret-right"}
    return other.get(name, name) if rtl else name


def begin_at_edge(field: QTextEdit | QPlainTextEdit) -> None:
    """Start the caret of an empty field at the edge where the language starts.

    Qt aligns each paragraph by its own text, and an empty one from left to right. In a
    `QPlainTextEdit` that is right-to-left, all lines start at the right edge.
    """
    if not field.isRightToLeft():
        return
    document = field.document()

    def follow() -> None:
        right, each = Qt.LayoutDirection.RightToLeft, Qt.LayoutDirection.LayoutDirectionAuto
        option = document.defaultTextOption()
        wanted = right if document.isEmpty() else each
        if option.textDirection() != wanted:
            option.setTextDirection(wanted)
            if isinstance(field, QPlainTextEdit):  # its layout ignores the text direction
                option.setAlignment(Qt.AlignmentFlag.AlignRight)
            document.setDefaultTextOption(option)

    document.contentsChanged.connect(follow)
    follow()


_COMMANDS = (
    Qt.KeyboardModifier.ControlModifier
    | Qt.KeyboardModifier.AltModifier
    | Qt.KeyboardModifier.MetaModifier
)


def shows(owner: QWidget, part: str) -> bool:
    """Return True if a lazily created part (`cached_property`) exists and is visible."""
    made = vars(owner).get(part)
    return made is not None and not made.isHidden()


def show_if(owner: QWidget, part: str, needed: bool) -> None:
    """Show or hide a lazily created part. It is created only if needed."""
    if needed or shows(owner, part):
        getattr(owner, part).setVisible(needed)


def types_words(event: QKeyEvent) -> bool:
    """Return True if the key types a printable character without a command modifier."""
    text = event.text()
    return bool(text.strip()) and text.isprintable() and not event.modifiers() & _COMMANDS

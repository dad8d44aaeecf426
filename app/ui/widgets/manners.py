"""What a system expects of every widget: its keys, its wheel, its screen reader, its direction.

Layouts, and the alignment of painted text, are mirrored by Qt. Places that are counted from the
left in pixels are counted so in every language, and mirrored here at the end.
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

_instead: list[Callable[[str], str]] = []


def native(keys: str) -> str:
    """The keys, given in Qt's portable spelling, as this system writes them: Cmd for Ctrl on a Mac.

    Empty for what is no key.
    """
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)


def follow(instead: Callable[[str], str]) -> None:
    """From now on `in_force` asks this which keys a command has instead of its usual ones."""
    _instead[:] = [instead]


def in_force(keys: str) -> str:
    """The keys that now do what these usually do, in portable spelling; "" where none do.

    Keys that are no command's, such as Esc, stay as they are.
    """
    return _instead[0](keys) if _instead else keys


def with_keys(tip: str) -> str:
    """A tooltip: words, two blanks, usual keys. They become those in force, in native spelling."""
    words, _, keys = tip.partition("  ")
    shown = native(in_force(keys)) if keys else ""
    return f"{words}  {shown}" if shown else words


class WheelGuard(QObject):
    """Keeps the wheel from the fields of a page that have not the focus."""

    def __init__(self, page: QWidget) -> None:
        """Guard the numbers, lists and sliders that are on the page by now."""
        super().__init__(page)
        for field in page.findChildren(QWidget):
            if isinstance(field, QAbstractSpinBox | QComboBox | QAbstractSlider) and not isinstance(
                field, QScrollBar
            ):
                # By default the wheel itself gives them the focus.
                field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
                field.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (
            event.type() == QEvent.Type.Wheel
            and isinstance(watched, QWidget)
            and not watched.hasFocus()
        ):
            event.ignore()  # Qt hands what is ignored to the widget around it: the page scrolls
            return True
        return super().eventFilter(watched, event)


def plain_tip(text: str) -> str:
    """A tooltip that shows ``text`` as it is."""
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
"""By class: to Qt they are plain widgets, which screen readers pass over without a word."""


@cache
def give_roles() -> None:
    """Have Qt report these roles to assistive tools, as long as the process lives."""
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


def mirror(parent: QWidget, *children: QWidget, width: int | None = None) -> None:
    """Move children that were placed from the left to where they belong in the direction.

    Args:
        width: the parent's, if it is about to have another one.
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
    """Place children side by side, in as many lines from ``y`` on as the parent's width needs.

    Return the bottom of the last line. ``pad`` is left free at both sides.
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
    """The area where it belongs in the parent's direction; of that, the area again."""
    if not parent.isRightToLeft():
        return area
    whole = parent.width() if width is None else width
    return QRectF(whole - area.right(), area.top(), area.width(), area.height())


def caret(name: str, *, rtl: bool) -> str:
    """The name of the icon that points to where the text goes on, or back."""
    other = {"caret-right": "caret-left", "caret-left": "caret-right"}
    return other.get(name, name) if rtl else name


def begin_at_edge(field: QTextEdit | QPlainTextEdit) -> None:
    """Let the caret of the empty field stand where the words of its language begin.

    Each paragraph runs as its words do. One without words would run from left to right. Lines of
    a `QPlainTextEdit` all begin at that edge.
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
            if isinstance(field, QPlainTextEdit):  # its layout does not ask how words run
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
    """Whether a part that is made when it is first needed (`cached_property`) is there to see."""
    made = vars(owner).get(part)
    return made is not None and not made.isHidden()


def show_if(owner: QWidget, part: str, needed: bool) -> None:
    """Show such a part, or hide it where it was made; most owners never need it."""
    if needed or shows(owner, part):
        getattr(owner, part).setVisible(needed)


def types_words(event: QKeyEvent) -> bool:
    """Whether it writes something, and is no command."""
    text = event.text()
    return bool(text.strip()) and text.isprintable() and not event.modifiers() & _COMMANDS

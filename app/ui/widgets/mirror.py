"""What is placed or painted by hand, in a window that runs from right to left.

Layouts, and the alignment of painted text, are mirrored by Qt. Places that are counted from the
left in pixels are counted so in every language, and mirrored here at the end.
"""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget


def mirror(parent: QWidget, *children: QWidget, width: int | None = None) -> None:
    """Move children that were placed from the left to where they belong in the direction.

    Args:
        width: the parent's, if it is about to have another one.
    """
    if parent.isRightToLeft():
        whole = parent.width() if width is None else width
        for child in children:
            child.move(whole - child.x() - child.width(), child.y())


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

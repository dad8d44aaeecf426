"""The wheel scrolls the page that it is over, and changes only the field that has the focus."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QAbstractSlider, QAbstractSpinBox, QComboBox, QScrollBar, QWidget


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

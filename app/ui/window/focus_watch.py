"""Which pane has the keys, and where words go that are typed while nothing has them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QWidget

from app.ui.pane.pane import ChatPane

_COMMANDS = (
    Qt.KeyboardModifier.ControlModifier
    | Qt.KeyboardModifier.AltModifier
    | Qt.KeyboardModifier.MetaModifier
)


class FocusWatch(QObject):
    """Follows the focus from pane to pane.

    Signals:
        entered(pane): something in this pane has the focus now.
    """

    entered = Signal(object)

    def __init__(self, active: Callable[[], ChatPane | None], parent: QObject) -> None:
        super().__init__(parent)
        self._active = active
        QApplication.instance().focusChanged.connect(self._on_focus)  # type: ignore[union-attr]

    def end(self) -> None:
        """Follow no more."""
        QApplication.instance().focusChanged.disconnect(self._on_focus)  # type: ignore[union-attr]

    def take_typing(self, window: QWidget) -> None:
        """Words that nothing in the window takes go into the composer of the active pane."""
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # A window gets keys when nothing in it has the focus, or what has it did not take them.
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            pane, text = self._active(), event.text()
            if (
                pane is not None
                and text.strip()
                and text.isprintable()
                and not event.modifiers() & _COMMANDS
            ):
                pane.window().activateWindow()
                pane.focus_composer()
                pane.composer.field.insertPlainText(text)
                return True
        return super().eventFilter(watched, event)

    @Slot(QWidget, QWidget)
    def _on_focus(self, before: QWidget | None, now: QWidget | None) -> None:
        widget = now
        while widget is not None and not isinstance(widget, ChatPane):
            widget = widget.parentWidget()
        if isinstance(widget, ChatPane):
            self.entered.emit(widget)

"""What all dialogs have in common: a foot with one main button, a width, Ctrl+W."""

from __future__ import annotations

from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QWidget

from app.settings.language import tr
from app.ui.style.theme import scaled


def open_dialog(dialog: QDialog) -> None:
    """Open it over its window, so that Ctrl+W closes it as it closes any other."""
    QShortcut(QKeySequence("Ctrl+W"), dialog, dialog.reject)
    dialog.open()


def foot_row(
    dialog: QDialog, verb: str, *, careful: bool = False
) -> tuple[QHBoxLayout, QPushButton, QPushButton]:
    """The row, the button that rejects the dialog, and the one that says `verb`.

    Args:
        careful: Enter presses "Cancel", and not the other.
    """
    cancel, go = QPushButton(tr("Cancel"), dialog), QPushButton(verb, dialog)
    for button in (cancel, go):
        button.setAutoDefault(False)
    (cancel if careful else go).setDefault(True)
    cancel.clicked.connect(dialog.reject)
    row = QHBoxLayout()
    row.setSpacing(8)
    row.addStretch(1)
    row.addWidget(cancel)
    row.addWidget(go)
    return row, cancel, go


def keep_wide(dialog: QWidget, usual: int) -> None:
    """Fix the dialog's width: `usual` pixels at usual text, more where its words need it.

    To be called once all of it is laid out. Words of other languages are up to twice as long.
    """
    layout = dialog.layout()
    needed = layout.minimumSize().width() if layout is not None else 0
    dialog.setFixedWidth(max(scaled(usual), needed))


def keep_high(dialog: QWidget) -> None:
    """Make a dialog of fixed width as high as its words need, broken into lines.

    `QWidget.adjustSize` asks for the height at the width that the layout likes best, which is
    another one.
    """
    layout = dialog.layout()
    if layout is not None:
        width = dialog.maximumWidth()
        high = layout.totalHeightForWidth(width)
        dialog.resize(width, high if high > 0 else dialog.sizeHint().height())

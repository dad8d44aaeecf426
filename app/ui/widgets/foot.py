"""The foot of a dialog that asks one thing: "Cancel" and, at the right, the button that does it."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton

from app.language import tr


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

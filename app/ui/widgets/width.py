"""How wide a dialog is that cannot be made wider by hand."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.ui.style.theme import scaled


def keep_wide(dialog: QWidget, usual: int) -> None:
    """Fix the dialog's width: `usual` pixels at usual text, more where its words need it.

    To be called once all of it is laid out. Words of other languages are up to twice as long.
    """
    layout = dialog.layout()
    needed = layout.minimumSize().width() if layout is not None else 0
    dialog.setFixedWidth(max(scaled(usual), needed))

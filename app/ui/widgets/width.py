"""How wide a dialog is that cannot be made wider by hand, and how high."""

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

"""The settings of the look: appearance, contrast, sizes of text, motion."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QRadioButton, QSpinBox

from app.language import mark, tr
from app.settings import TEXT_PX, ZOOM, Settings
from app.ui.settings.appearance import CHOICES
from app.ui.settings.form_page import FormPage
from app.ui.settings.language_choice import LanguageChoice
from app.ui.style import motion
from app.ui.style.theme import theme

CONTRASTS = (
    ("system", mark("As the System")),
    ("normal", mark("Normal")),
    ("high", mark("High")),
)

Choice = Callable[[QFormLayout, str, tuple[tuple[str, str], ...], str], dict[str, QRadioButton]]


class Look:
    """The section at the top of the settings."""

    def __init__(
        self, page: FormPage, settings: Settings, choice: Choice, put: Callable[..., object]
    ) -> None:
        """``choice`` adds a row of which one holds; ``put`` changes options."""
        self._put = put
        form = page.section(mark("Look"))
        self.language = LanguageChoice(page, form, settings, put)
        self.appearance = choice(form, mark("Appearance"), CHOICES, "appearance")
        for value, button in self.appearance.items():
            button.toggled.connect(
                lambda on, value=value: theme().set_appearance(value) if on else None
            )
        self.contrast = choice(form, mark("Contrast"), CONTRASTS, "contrast")
        for value, button in self.contrast.items():
            button.toggled.connect(
                lambda on, value=value: theme().set_contrast(value) if on else None
            )
        self.zoom = QComboBox(page)
        self.zoom.setAccessibleName(tr("All text"))
        self.zoom.setToolTip(tr("Of the size that the system asks for"))
        for percent in ZOOM:
            self.zoom.addItem(tr("{percent} %", percent=percent), percent)
        self.zoom.setCurrentIndex(self.zoom.findData(settings.zoom))
        self.zoom.activated.connect(self._on_zoom)
        page.row(form, mark("All text"), self.zoom)
        self.text_px = QSpinBox(page)
        self.text_px.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)
        self.text_px.setToolTip(tr("The arrow keys make it larger and smaller"))
        self.text_px.setMinimumWidth(132)
        self.text_px.setRange(*TEXT_PX)
        self.text_px.setSuffix(tr(" px"))
        self.text_px.setValue(settings.text_px)
        self.text_px.setAccessibleName(tr("Text size"))
        self.text_px.valueChanged.connect(self._on_text_px)
        page.row(form, mark("Text size"), self.text_px)
        self.motion = QCheckBox(tr("Always less"), page)
        self.motion.setToolTip(tr("Otherwise as the system asks for"))
        self.motion.setChecked(settings.motion == "less")
        self.motion.toggled.connect(self._on_motion)
        page.row(form, mark("Motion"), self.motion)

    @Slot(int)
    def _on_zoom(self, index: int) -> None:
        percent = int(self.zoom.itemData(index))
        self._put(zoom=percent)
        theme().set_zoom(percent)

    @Slot(int)
    def _on_text_px(self, px: int) -> None:
        self._put(text_px=px)
        theme().set_body_px(px)

    @Slot(bool)
    def _on_motion(self, less: bool) -> None:
        wanted = "less" if less else "system"
        self._put(motion=wanted)
        motion.want(wanted)

"""Popover for a chat's options, and the menu of presets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace
from PySide6.QtCore import QObject, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QFontDatabase, QHideEvent, QIntValidator
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QWidget,
)

from app.chats.chat import Chat
from app.chats.options import CONTEXT, ChatOptions, add_min_p, find_format_error
from app.settings.language import mark, tr
from app.ui.pane import header
from app.ui.pane.sampling_form import LENGTH, MORE, TEMPERATURE, SamplingForm, add_row
from app.ui.style.theme import repolish, scaled
from app.ui.widgets.fields import make_combo_box, make_text_field
from app.ui.widgets.labels import make_link
from app.ui.widgets.layout_helpers import SPRING, make_column_layout, make_row_layout
from app.ui.widgets.sheet import Popover
from app.ui.widgets.widget_behavior import WheelGuard

_FORMAT_CHOICES = (
    (None, mark("Free text")),
    ("json", "JSON"),
    ("schema", mark("JSON schema")),
    ("choices", mark("List of choices")),
    ("pattern", mark("Pattern")),
)


class AnswerForm(QObject):
    """Rows for the reply format and its details.

    Each format has a field, so nothing is lost when the user switches back and forth.
    """

    resized = Signal()  # the popover has to resize because fields or errors appeared or disappeared

    def __init__(self, form: QFormLayout, parent: QWidget) -> None:
        super().__init__(parent)
        self.kind = _make_box(parent, tr("Reply format"), _FORMAT_CHOICES)
        self.kind.setToolTip(tr("Every reply has this format"))
        add_row(form, tr("Reply format"), self.kind, parent)
        hint = '{"type": "object", "properties": {…}}'
        self.schema = make_text_field(parent, tr("Schema"), hint=hint, height=116)
        hint = tr("One choice per line")
        self.choices = make_text_field(parent, tr("Choices"), hint=hint, height=84)
        self.choices.setToolTip(tr("One choice per line; \\n is a line break"))
        self.pattern = QLineEdit(parent)
        self.pattern.setPlaceholderText("[0-9]{4}-[0-9]{2}")
        self.pattern.setMinimumHeight(30)
        self.pattern.setAccessibleName(tr("Pattern"))
        self.pattern.setToolTip(tr("A regular expression that the whole reply matches"))
        fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()
        for field in (self.schema, self.pattern):
            field.setStyleSheet(f'font-family: "{fixed}"; font-size: 13px;')
        self._fields: dict[str | None, QWidget] = {
            "schema": self.schema,
            "choices": self.choices,
            "pattern": self.pattern,
        }
        self.wrong = QLabel(parent)
        self.wrong.setWordWrap(True)
        self._shape: tuple[str | None, str] = (None, "")
        self._below = QWidget(parent)
        self._column = make_column_layout(
            *self._fields.values(), self.wrong, of=self._below, margins=(0, 0, 0, 4), spacing=4
        )
        form.addRow(self._below)
        self.kind.currentIndexChanged.connect(self._check)
        self.schema.textChanged.connect(self._check)
        self.choices.textChanged.connect(self._check)
        self.pattern.textChanged.connect(self._check)
        self._check()

    def show_options(self, options: ChatOptions) -> None:
        """Show the format. The fields of other formats keep their text."""
        self.schema.setPlainText(options.schema)
        self.choices.setPlainText(join_lines(options.choices))
        self.pattern.setText(options.pattern)
        self.kind.setCurrentIndex([k for k, _ in _FORMAT_CHOICES].index(options.answer_as))

    def values(self) -> dict[str, Any]:
        return {
            "answer_as": self.kind.currentData(),
            "schema": self.schema.toPlainText(),
            "choices": split_lines(self.choices.toPlainText()),
            "pattern": self.pattern.text(),
        }

    @Slot()
    def _check(self) -> None:
        kind = self.kind.currentData()
        values = self.values()
        wrong = find_format_error(replace(ChatOptions(), **values))
        written = bool(values.get(kind))
        for name, field in self._fields.items():
            field.setVisible(name == kind)
            bad = bool(wrong) and name == kind and written
            field.setAccessibleDescription(wrong if name == kind else "")
            if field.property("wrong") != bad:
                field.setProperty("wrong", bad)
                repolish(field)
        shape = (kind, wrong)
        self.wrong.setText(wrong)
        self.wrong.setProperty("danger", written)
        self.wrong.setProperty("muted", not written)
        repolish(self.wrong)
        self.wrong.setVisible(bool(wrong))
        self._below.setVisible(kind in self._fields)
        if shape != self._shape:
            self._shape = shape
            self._column.activate()  # otherwise the popover would measure the old height
            self.resized.emit()


def join_lines(texts: Sequence[str]) -> str:
    r"""Join texts with newlines. Newlines within a text become ``\n``."""
    return "\n".join(text.replace("\n", "\\n") for text in texts)


def split_lines(lines: str) -> tuple[str, ...]:
    return tuple(line.replace("\\n", "\n") for line in lines.split("\n") if line)


_THINKING = ((None, mark("Model default")), (True, mark("Before replying")), (False, mark("Off")))
_BITS = ((None, mark("Model default")), (8, mark("8-bit")), (4, mark("4-bit")))


class OptionsPopover(Popover):
    """Popover for a chat's options. Closing it applies changes, and Escape discards them."""

    WIDTH = 380

    presets_requested = Signal(object)  # (popover): show the presets menu below its button

    def __init__(self, chat: Chat, parent: QWidget) -> None:
        super().__init__(parent)
        self._chat = chat
        page = QWidget(self)
        hint = tr("How the model should reply in this chat")
        self.system = make_text_field(page, tr("Instructions"), hint=hint, height=88)
        self.presets = make_link(page, tr("Presets"))
        self.presets.setToolTip(tr("Saved settings"))
        self.presets.clicked.connect(lambda: self.presets_requested.emit(self))
        self.seed = QLineEdit(page)
        self.seed.setPlaceholderText(tr("Random"))
        self.seed.setAccessibleName(tr("Seed"))
        self.seed.setValidator(QIntValidator(0, 2_147_483_647, self))
        self.same = make_link(page, tr("Reuse Last"))
        self.same.setToolTip(tr("Use the seed of the last reply"))
        self.same.clicked.connect(self._take_last_seed)
        self.random = make_link(page, tr("Random"))
        self.random.setToolTip(tr("New seed for each reply"))
        self.random.clicked.connect(self.seed.clear)
        self.seed.textChanged.connect(self._on_seed)
        self.thinking = _make_box(page, tr("Thinking"), _THINKING)
        self.reproducible = QCheckBox(tr("Reproducible (slower)"), page)
        self.slide = QCheckBox(tr("Leave out oldest messages when context is full"), page)
        hint = tr("One text per line")
        self.stop = make_text_field(page, tr("Stop sequences"), hint=hint, height=58)
        self.stop.setToolTip(
            tr("The reply stops at any of these texts. One per line, with \\n for a line break.")
        )
        self.bits = _make_box(page, tr("KV cache"), _BITS)
        self.context = QSpinBox(page)
        self.context.setAccessibleName(tr("Context"))
        self.context.setToolTip(tr("Token limit for this chat. Lower uses less memory."))
        self.context.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)
        self.context.setRange(CONTEXT[0] - 1, CONTEXT[1])
        self.context.setSpecialValueText(tr("Model default"))
        self.context.setGroupSeparatorShown(True)
        self.more = QPushButton(page)
        self.more.setObjectName("link")
        self.more.setCheckable(True)
        self.more.toggled.connect(self._show_more)
        form = _make_form()
        self._basic_form = SamplingForm(form, (TEMPERATURE, LENGTH), page)
        seeds = make_row_layout(self.seed, self.same, self.random, spacing=4)
        add_row(form, tr("Seed"), seeds, page)
        self._thinking_label = add_row(form, tr("Thinking"), self.thinking, page)
        self.form = AnswerForm(form, page)
        self.form.resized.connect(lambda: self._fit())  # noqa: PLW0108 - `_fit` overrides a slot
        self._more_rows = QWidget(page)
        rest = _make_form()
        rest.setContentsMargins(0, 0, 0, 0)
        self._more_rows.setLayout(rest)
        self._more_form = SamplingForm(rest, MORE, self._more_rows)
        add_row(rest, tr("Stop sequences"), self.stop, page)
        add_row(rest, tr("KV cache"), self.bits, page)
        add_row(rest, tr("Context"), self.context, page)
        head = make_row_layout(QLabel(tr("Instructions"), page), SPRING, self.presets, spacing=None)
        note = QLabel(header.unused_settings_note(chat) or tr("Applies to the next reply."), page)
        note.setWordWrap(True)
        note.setProperty("muted", True)
        more_item = (self.more, 0, Qt.AlignmentFlag.AlignLeft)
        parts = (
            head,
            self.system,
            form,
            self.reproducible,
            self.slide,
            more_item,
            self._more_rows,
            note,
        )
        make_column_layout(*parts, of=page, margins=(16, 12, 16, 14), spacing=10)
        self._area.setWidget(page)
        self._area.setAccessibleName(tr("Chat Settings"))
        self.show_values(chat.options, chat.record.system)
        WheelGuard(page)

    def show_values(self, options: ChatOptions, system: str) -> None:
        model = self._chat.model.status.model
        defaults = add_min_p(model.defaults if model is not None else {}, options)
        self._shown_options = options
        self.system.setPlainText(system)
        for form in (self._basic_form, self._more_form):
            form.show_options(options, defaults if self._chat.model.remote is None else None)
        self.seed.setText("" if options.seed is None else str(options.seed))
        self._on_seed()
        thinks = bool(model is not None and model.thinking)
        self.thinking.setVisible(thinks)
        self._thinking_label.setVisible(thinks)
        self.thinking.setCurrentIndex([t for t, _ in _THINKING].index(options.reasoning))
        self.reproducible.setChecked(options.reproducible)
        self.slide.setChecked(options.slide)
        self.form.show_options(options)
        self.stop.setPlainText(join_lines(options.stop))
        self.bits.setCurrentIndex([b for b, _ in _BITS].index(options.kv_bits))
        self.context.setValue(options.context or self.context.minimum())
        finer = any(value is not None for value in self._more_form.values().values())
        memory = options.kv_bits is not None or options.context is not None
        self.more.setChecked(finer or bool(options.stop) or memory)
        self._show_more(self.more.isChecked())

    def values(self) -> tuple[ChatOptions, str]:
        seed = self.seed.text().strip()
        options = replace(
            self._shown_options,
            **self._basic_form.values(),
            **self._more_form.values(),
            seed=int(seed) if seed.isdecimal() else None,
            **self.form.values(),
            stop=split_lines(self.stop.toPlainText()),
            reasoning=self.thinking.currentData(),
            reproducible=self.reproducible.isChecked(),
            slide=self.slide.isChecked(),
            kv_bits=self.bits.currentData(),
            context=self.context.value() if self.context.value() >= CONTEXT[0] else None,
        )
        return options, self.system.toPlainText().strip()

    def open_at(self, corner: QPoint, room: int = 640) -> None:
        super().open_at(corner, room)
        self.system.setFocus(Qt.FocusReason.PopupFocusReason)

    def hideEvent(self, event: QHideEvent) -> None:
        if not self.cancelled:
            self._apply()
        super().hideEvent(event)

    @Slot(bool)
    def _show_more(self, are_shown: bool) -> None:
        self.more.setText(tr("Fewer Settings") if are_shown else tr("More Settings"))
        self._more_rows.setVisible(are_shown)
        self._fit()

    def _fit(self) -> None:
        if (layout := self._page) is not None:
            layout.activate()
            # Translated labels can be longer, so the width isn't fixed.
            min_width, hint_width = layout.minimumSize().width(), layout.sizeHint().width()
            # QFormLayout's minimum size assumes minimal labels, but the layout then uses their size
            # hint.
            self.setFixedWidth(max(self.WIDTH, min(hint_width, min_width + scaled(40)) + 4))
        super()._fit()

    def _last_seed(self) -> int | None:
        last = self._chat.transcript.last("assistant")
        seed = last.stats.get("seed") if last is not None else None
        return seed if isinstance(seed, int) else None

    @Slot()
    def _take_last_seed(self) -> None:
        seed = self._last_seed()  # the current branch may have no seed
        self.seed.setText("" if seed is None else str(seed))

    @Slot()
    def _on_seed(self) -> None:
        fixed = bool(self.seed.text())
        self.random.setVisible(fixed)
        self.same.setVisible(not fixed and self._last_seed() is not None)

    def _apply(self) -> None:
        options, system = self.values()
        chat = self._chat
        if (options, system) != (chat.options, chat.record.system):
            chat.set_options(options, system)


def _make_box(parent: QWidget, name: str, choices: Iterable[tuple[object, str]]) -> QComboBox:
    return make_combo_box(parent, name, ((tr(words), value) for value, words in choices))


def _make_form() -> QFormLayout:
    form = QFormLayout()
    form.setHorizontalSpacing(12)
    form.setVerticalSpacing(8)
    form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
    return form


Preset = Mapping[str, object]  # value of `preset_of`, with ``params`` and ``system``


def preset_of(popover: OptionsPopover) -> Preset:
    options, system = popover.values()
    params = options.to_params()
    params.pop("seed", None)
    return {"params": params, "system": system}


def apply_preset(popover: OptionsPopover, preset: Preset) -> None:
    params, system = preset.get("params"), preset.get("system")
    options = ChatOptions.from_params(params if isinstance(params, dict) else {})
    popover.show_values(options, system if isinstance(system, str) else "")

"""Dialog for the members of a comparison."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from random import shuffle
from typing import Any

from msgspec.structs import replace
from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QGridLayout,
    QLabel,
    QLineEdit,
    QSpinBox,
    QWidget,
)

from app.chats.panel import (
    MOST,
    Member,
    default_members,
    members_by_model,
    members_by_seed,
    members_by_temperature,
    members_from_json,
)
from app.models.names import model_fallback_name
from app.settings.language import mark, tr
from app.settings.settings import Settings
from app.ui.dialogs.name_dialogs import NameDialog, clean_name
from app.ui.style import tokens as t
from app.ui.style.theme import scaled
from app.ui.widgets.buttons import IconButton
from app.ui.widgets.fields import make_combo_box
from app.ui.widgets.labels import make_label, make_link
from app.ui.widgets.layout_helpers import SPRING, make_row_layout
from app.ui.widgets.row_list import RowList
from app.ui.widgets.sheet import Sheet, retain_size_when_hidden
from app.ui.widgets.widget_behavior import WheelGuard

_CHAT_TEMPERATURE = -0.1  # value that represents the chat's own temperature


class MemberRow(QWidget):
    changed = Signal()

    def __init__(self, member: Member, models: Mapping[str, str], parent: QWidget) -> None:
        super().__init__(parent)
        self.name = QLineEdit(member.name, self)
        self.name.setPlaceholderText(tr("Name"))
        refs = {"": tr("This chat’s model"), **models}
        refs.setdefault(member.model, member.model)
        self.model = make_combo_box(self, "", ((n, ref) for ref, n in refs.items()), member.model)
        for index, ref in enumerate(refs):
            self.model.setItemData(index, ref, Qt.ItemDataRole.ToolTipRole)
        self.model.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.model.setMinimumContentsLength(10)
        self.temperature = QDoubleSpinBox(self)
        self.temperature.setRange(_CHAT_TEMPERATURE, 2.0)
        self.temperature.setSingleStep(0.1)
        self.temperature.setSpecialValueText(tr("As in chat", "a temperature"))
        self.temperature.setValue(
            _CHAT_TEMPERATURE if member.temperature is None else member.temperature
        )
        self.seed = QSpinBox(self)
        self.seed.setRange(-1, 2**31 - 1)
        self.seed.setSpecialValueText(tr("Random", "a seed"))
        self.seed.setValue(-1 if member.seed is None else member.seed)
        self.system = QLineEdit(member.system, self)
        self.system.setPlaceholderText(tr("Instructions for this member"))
        self.remove = IconButton("x", tr("Remove Member"), self, side=24)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 6)
        grid.setSpacing(6)
        fields = (self.name, self.model, self.temperature, self.seed, self.remove)
        names = (tr("Name"), tr("Model"), tr("Temperature"), tr("Seed"))
        self._labels = [make_label(self, name, px=t.SMALL_PX) for name in names]
        for column, label in enumerate(self._labels):
            grid.addWidget(label, 0, column)
        for column, field in enumerate(fields):
            grid.addWidget(field, 1, column)
        grid.addWidget(self.system, 2, 0, 1, 4)
        grid.setColumnStretch(0, 2)
        grid.setColumnStretch(1, 4)
        self.name.setMinimumWidth(scaled(120))
        for spun in (self.temperature, self.seed):
            spun.ensurePolished()
            words = spun.fontMetrics().horizontalAdvance(spun.specialValueText())
            spun.setFixedWidth(max(scaled(116), words + 44))  # 44 px for arrows and edges
        self.model.currentIndexChanged.connect(self.changed)

    def set_number(self, number: int) -> None:
        """Put the row's number, from 1, in the fields' accessible names. Only row 1 has labels."""
        for label in self._labels:
            label.setVisible(number == 1)
        for field, words in (
            (self.name, mark("Name of member {number}")),
            (self.model, mark("Model of member {number}")),
            (self.temperature, mark("Temperature of member {number}")),
            (self.seed, mark("Seed of member {number}")),
            (self.system, mark("Instructions of member {number}")),
            (self.remove, mark("Remove member {number}")),
        ):
            field.setAccessibleName(tr(words, number=number))
        self.temperature.setToolTip(tr("Temperature"))
        self.seed.setToolTip(tr("Seed"))

    @property
    def member(self) -> Member:
        warm = round(self.temperature.value(), 2)
        return Member(
            clean_name(self.name.text()),
            self.model.currentData() or "",
            self.system.text().strip(),
            None if warm < 0 else warm,
            None if self.seed.value() < 0 else self.seed.value(),
        )


def describe_kept_counts(counts: Mapping[str, Sequence[int]], names: Mapping[str, str]) -> str:
    """Return how often each model's reply was kept, best first, or "" without data."""
    ordered = sorted(counts.items(), key=lambda one: (-one[1][0] / max(1, one[1][1]), one[0]))
    parts = [
        tr(
            "{model} {kept} of {times}",
            model=names.get(ref) or model_fallback_name(ref),
            kept=times[0],
            times=times[1],
        )
        for ref, times in ordered
    ]
    return tr("Kept so far: {models}", models=", ".join(parts)) if parts else ""


class CompareDialog(Sheet):
    get_model_requested = Signal()

    def __init__(
        self, settings: Settings, models: Mapping[str, str], excerpt: str, parent: QWidget
    ) -> None:
        """``models`` are names by reference. ``excerpt`` is the start of the user's message."""
        super().__init__("compare", tr("Compare"), parent, spacing=10)
        self._settings = settings
        self._models = dict(models)
        self.saved = QComboBox(self)
        self.saved.setAccessibleName(tr("Comparison"))
        self.saved.setPlaceholderText(tr("New comparison"))
        self.save_as = self.button(tr("Save As…"), self._ask_name)
        self.rename = self.button(tr("Rename…"), partial(self._ask_name, renames=True))
        self.delete = self.button(tr("Delete"), self._delete)
        head = make_row_layout((self.saved, 1), self.save_as, self.rename, self.delete)
        self.kinds = {
            kind: self.button(tr(kind), partial(self._fill, make))
            for kind, make in (
                (mark("Models"), lambda: members_by_model(self._models)),
                (mark("Seeds"), lambda: members_by_seed(3)),
                (mark("Temperatures"), members_by_temperature),
            )
        }
        self.blind = QCheckBox(tr("Blind comparison"), self)
        self.blind.setToolTip(tr("Shuffles the replies and hides names until you keep one"))
        ways = make_row_layout(
            QLabel(tr("Compare by"), self), *self.kinds.values(), SPRING, self.blind
        )
        self.tally = self.make_label(describe_kept_counts(settings.kept, self._models))
        self.add = self.button(tr("Add Member"), lambda: self._add(Member(), focus=True))
        self._list = RowList(self.add, self)
        self._list.setMinimumHeight(scaled(250))  # three rows
        self._list.changed.connect(self._refresh)
        self.why = self.make_label()
        retain_size_when_hidden(self.why)
        self.get = make_link(self, tr("Get Model…"))
        self.get.clicked.connect(self._on_get)
        self.ok = self.button(tr("Compare"), self.accept)
        note = tr("The replies appear in this chat, and use its history and settings.")
        self.add_rows(
            self.make_label(tr("Message: {excerpt}", excerpt=excerpt) if excerpt else ""),
            self.make_label(note),
            head,
            ways,
            self._list,
            self.tally,
            make_row_layout(self.why, self.get, SPRING),
        )
        self.add_buttons(self.ok, self.add)
        self.resize(scaled(780), scaled(520))
        self._fill_names(settings.panel)
        self.show_members(members_of(settings))
        self.saved.activated.connect(self._on_saved)
        WheelGuard(self)
        self.ok.setFocus()

    def show_members(self, members: Sequence[Member]) -> None:
        self._list.clear()
        for member in members:
            self._add(member)

    def _fill(self, make: Callable[[], list[Member]]) -> None:
        self._select_name(None)
        self.show_members(make())

    def selected_members(self) -> list[Member]:
        return [row.member for row in self.members]

    def members_to_ask(self) -> list[Member]:
        """Return the members to ask. A blind comparison shuffles them and hides their names."""
        members = [
            replace(member, hidden=self.blind.isChecked()) for member in self.selected_members()
        ]
        if self.blind.isChecked():
            shuffle(members)
        return members

    @Slot()
    def _on_get(self) -> None:
        self.reject()
        self.get_model_requested.emit()

    def accept(self) -> None:
        members = [member.to_json() for member in self.selected_members()]
        name = self.saved.currentData() or ""
        is_saved = self._settings.panels.get(name) == members
        panels = {**self._settings.panels, "": members}
        self._settings.set(panels=panels, panel=name if is_saved else "")
        super().accept()

    @property
    def members(self) -> list[MemberRow]:
        return self._list.items

    def _add(self, member: Member, *, focus: bool = False) -> None:
        row = MemberRow(member, self._models, self)
        row.changed.connect(self._refresh)
        self._list.add_row(row, focus=focus)

    @Slot()
    def _refresh(self) -> None:
        count = len(self.members)
        reason = tr("Compare at least two members.") if count < 2 else ""
        self.why.setText(reason)
        self.get.setVisible(bool(reason) and len(self._models) < 2)
        self.tally.setVisible(
            bool(self.tally.text()) and len({m.model for m in self.selected_members()}) > 1
        )
        self.ok.setEnabled(not reason)
        self.ok.setToolTip(reason)
        self.save_as.setEnabled(not reason)
        self.save_as.setToolTip(reason)
        self.add.setEnabled(count < MOST)
        limit_text = tr("You can compare up to {most} members.", most=MOST)
        self.add.setToolTip("" if count < MOST else limit_text)

    def _fill_names(self, saved_name: str) -> None:
        self.saved.clear()
        has_last = "" in self._settings.panels
        self.saved.addItem(tr("Last comparison") if has_last else tr("Example: three roles"), "")
        for name in sorted(filter(None, self._settings.panels), key=str.casefold):
            self.saved.addItem(name, name)
        self._select_name(saved_name)

    def _select_name(self, name: str | None) -> None:
        """Select a saved comparison. None selects none, because the members are new."""
        self.saved.setCurrentIndex(-1 if name is None else max(0, self.saved.findData(name)))
        has_name = bool(self.saved.currentData())
        for button in (self.rename, self.delete):
            button.setEnabled(has_name)
            button.setToolTip("" if has_name else tr("Choose a saved comparison first."))

    @Slot(int)
    def _on_saved(self, _: int) -> None:
        name = self.saved.currentData()
        self._fill_names(name)
        self.show_members(members_from_json(self._settings.panels.get(name)) or default_members())

    def _ask_name(self, *, renames: bool = False) -> None:
        old = self.saved.currentData() or ""
        title, verb = (
            (tr("Rename Comparison"), tr("Rename"))
            if renames
            else (tr("Save Comparison"), tr("Save"))
        )
        names = [name for name in self._settings.panels if name and name != old]
        dialog = NameDialog(title, verb, names, self, old)
        dialog.name_confirmed.connect(partial(self._save_panel_as, old if renames else ""))
        dialog.open()

    def _save_panel_as(self, old: str, name: str) -> None:
        panels = dict(self._settings.panels)
        stored = (
            panels.pop(old) if old else [member.to_json() for member in self.selected_members()]
        )
        self._save_panels({**panels, name: stored}, name)

    def _delete(self) -> None:
        name = self.saved.currentData()
        self._save_panels(
            {n: stored for n, stored in self._settings.panels.items() if n != name}, ""
        )

    def _save_panels(self, panels: dict[str, list[dict[str, Any]]], name: str) -> None:
        self._settings.set(panels=panels, panel=name)
        self._fill_names(name)


def members_of(settings: Settings) -> list[Member]:
    return members_from_json(settings.panels.get(settings.panel)) or default_members()

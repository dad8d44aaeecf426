"""The program's settings: a window that may stay open; what is chosen holds at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
    QWidget,
)

from app import flows
from app.chats.library import ChatLibrary
from app.chats.options import ChatOptions
from app.models.names import model_fallback_name
from app.serving import Serving
from app.settings.language import mark, tr
from app.settings.options import Settings
from app.settings.paths import GUIDE, Paths
from app.spelling.speller import Speller
from app.system.newer_mlx_lm import NewerMlxLm
from app.system.updates import Release, Updates
from app.ui.dialogs.about import UpdateDialog
from app.ui.models.model_list import ModelList
from app.ui.pane.sampling_form import LENGTH, TEMPERATURE, SamplingForm
from app.ui.settings.advanced import Advanced
from app.ui.settings.form_page import LABELS, FormPage
from app.ui.settings.look import Look, SpellingChoice
from app.ui.settings.other_programs import OtherPrograms, Reach
from app.ui.settings.tools_window import add_folders
from app.ui.style.theme import scaled
from app.ui.widgets import asking
from app.ui.widgets.manners import WheelGuard, begin_at_edge
from app.ui.widgets.sheet import Sheet

_OPTIONS = {option.name for option in fields(ChatOptions)}


class SettingsWindow(Sheet):
    """Look, writing, new chats, models, memory, and where things lie.

    Signals:
        get_asked(): the person wants a model from the hub.
        restart_asked(): the program is to start again, in another language.
    """

    get_asked = Signal()
    restart_asked = Signal()

    def __init__(
        self,
        settings: Settings,
        paths: Paths | None,
        parent: QWidget,
        open_folder: Callable[[Path], object] | None = None,
        library: ChatLibrary | None = None,
        updates: Updates | None = None,
        serving: Serving | None = None,
        newer: NewerMlxLm | None = None,
        speller: Speller | None = None,
    ) -> None:
        super().__init__("settings", tr("Settings"), parent)
        self._settings = settings
        self._set = settings.set
        self._open_folder = open_folder or asking.show_folder
        self.page = self._page = FormPage(self)
        look = self.looks = Look(self._page, settings, self._choice, self._set)
        self.appearance, self.text_px, self.zoom = look.appearance, look.text_px, look.zoom
        self.contrast, self.motion = look.contrast, look.motion
        look.language.restart.clicked.connect(self.restart_asked)
        self._writing(speller)
        self.reach = Reach(self._page, settings, self._set)
        self._new_chats()
        self._models(library)
        self._memory()
        if serving is not None:
            self.programs = OtherPrograms(self._page, settings, serving, self._set)
        if updates is not None and updates.possible:
            self._updates(updates)
        if paths is not None:
            add_folders(self._page, paths, self._open_folder)
        if newer is not None:
            self.advanced = Advanced(self._page, newer)
        WheelGuard(self._page)
        self.rows.setContentsMargins(0, 0, 0, 0)
        self.put(self._page.in_scroll_area(self))
        room = self.page.minimumSizeHint().width() + scaled(20)  # by the language
        self.resize(min(max(scaled(560), room), scaled(900)), scaled(680))

    def _choice(
        self, form: QFormLayout, words: str, choices: tuple[tuple[str, str], ...], option: str
    ) -> dict[str, QRadioButton]:
        """A row of which one holds."""
        row = QHBoxLayout()
        row.setSpacing(18)
        row.setContentsMargins(0, 5, 0, 0)
        group = QButtonGroup(self)
        buttons: dict[str, QRadioButton] = {}
        for value, text in choices:
            button = buttons[value] = QRadioButton(tr(text), self._page)
            button.setChecked(getattr(self._settings, option) == value)
            button.toggled.connect(
                lambda on, value=value: self._set(**{option: value}) if on else None
            )
            group.addButton(button)
            row.addWidget(button)
        row.addStretch(1)
        self._page.row(form, words, row)
        return buttons

    def _writing(self, speller: Speller | None) -> None:
        form = self._page.section(mark("Writing"))
        keys = (("enter", mark("Enter")), ("ctrl_enter", mark("Ctrl+Enter")))
        self.send_key = self._choice(form, mark("Send with"), keys, "send_key")
        pasted = self._settings.long_paste
        self.long_paste = self._page.characters(tr("Attach pastes over"), tr("Never"), pasted)
        self.long_paste.valueChanged.connect(lambda value: self._set(long_paste=int(value)))
        self._page.row(form, mark("Attach pastes over"), self.long_paste)
        if speller is not None:
            self.spelling = SpellingChoice(self._page, form, self._settings, speller, self._set)
        self.notify = QCheckBox(tr("When a long answer ends and I am elsewhere"), self._page)
        self.notify.setChecked(self._settings.notify)
        self.notify.toggled.connect(lambda on: self._set(notify=on))
        self._page.row(form, mark("Notifications"), self.notify)
        self.titles = QCheckBox(tr("Written by the chat’s own model while it is idle"), self._page)
        self.titles.setToolTip(tr("Otherwise the first words of what was asked. Your own stay."))
        self.titles.setChecked(self._settings.titles)
        self.titles.toggled.connect(lambda on: self._set(titles=on))
        self._page.row(form, mark("Titles"), self.titles)

    def _new_chats(self) -> None:
        form = self._page.section(mark("New chats"))
        self.model = QComboBox(self._page)
        self.model.setAccessibleName(tr("Model"))
        self.model.setMinimumWidth(scaled(220))
        self._fill_model()
        self.model.activated.connect(lambda index: self._set(model=str(self.model.itemData(index))))
        other = QPushButton(tr("Choose…"), self._page)
        other.setAutoDefault(False)
        other.clicked.connect(self._choose_model)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.model)
        row.addWidget(other)
        self._page.row(form, mark("Model"), row)
        options = ChatOptions.from_params(self._settings.new_chat)
        self.sampling = SamplingForm(form, (TEMPERATURE, LENGTH), self._page, labels=LABELS)
        self.sampling.show_options(options, {})
        for box in self.sampling.boxes.values():
            box.valueChanged.connect(self._on_new_chat)
        self.slide = QCheckBox(tr("Forget the oldest turns when the context is full"), self._page)
        self.slide.setChecked(options.slide)
        self.slide.toggled.connect(self._on_new_chat)
        self._page.row(form, "", self.slide)
        self.system = QPlainTextEdit(self._settings.system, self._page)
        begin_at_edge(self.system)
        self.system.setObjectName("field")
        self.system.setAccessibleName(tr("Instructions"))
        self.system.setPlaceholderText(tr("How models should behave in new chats"))
        self.system.setTabChangesFocus(True)
        self.system.setFixedSize(scaled(320), scaled(76))
        self.system.textChanged.connect(lambda: self._set(system=self.system.toPlainText().strip()))
        self._page.row(form, mark("Instructions"), self.system)

    @Slot()
    def _fill_model(self) -> None:
        """What new chats may begin with: the Guide, what is chosen, and what is listed."""
        self.model.clear()
        for ref in dict.fromkeys([GUIDE, self._settings.model, *self._settings.models]):
            self.model.addItem(model_fallback_name(ref), ref)
            self.model.setItemData(self.model.count() - 1, ref, Qt.ItemDataRole.ToolTipRole)
        self.model.setCurrentIndex(self.model.findData(self._settings.model))

    def _models(self, library: ChatLibrary | None) -> None:
        self._page.section(mark("Models"))
        self.models = ModelList(self._settings, library, self._open_folder, self._page)
        self.models.changed.connect(self._fill_model)
        self.models.get_asked.connect(self.get_asked)
        self._page.add(self.models)

    def _memory(self) -> None:
        form = self._page.section(mark("Memory"))
        self.idle = self._page.minutes(
            tr("Unload models"), tr("Never"), self._settings.unload_idle_min
        )
        self.idle.valueChanged.connect(lambda value: self._set(unload_idle_min=value))
        self.memory = self._page.gigabytes(
            tr("Models and chats"), tr("As much as is sensible"), self._settings.memory_gb
        )
        self.memory.valueChanged.connect(lambda value: self._set(memory_gb=round(value, 1)))
        self._page.row(form, mark("Models and chats"), self.memory)
        self.cache = self._page.gigabytes(
            tr("KV caches on disk"), tr("Nothing"), self._settings.cache_gb
        )
        self.cache.valueChanged.connect(lambda value: self._set(cache_gb=round(value, 1)))
        self._page.row(form, mark("KV caches on disk"), self.cache)
        self._page.row(form, mark("Unload models after"), self.idle)
        self._page.note(
            tr(
                "Chats find what they have read again on disk. The two sizes hold from the next "
                "start on. Models unused for that long leave memory, and come back when a chat "
                "sends."
            )
        )

    def _updates(self, updates: Updates) -> None:
        form = self._page.section(mark("Updates"))
        self.look = QCheckBox(tr("Look once a day"), self._page)
        self.look.setChecked(self._settings.look_for_updates)
        self.look.toggled.connect(lambda on: self._set(look_for_updates=on))
        self._page.row(form, mark("New versions"), self.look)
        now = self.look_now = QPushButton(tr("Look Now"), self._page)
        now.setAutoDefault(False)
        self.looked = self._page.quiet("")
        self.looked.setWordWrap(True)
        now.clicked.connect(self._on_look_now)
        now.clicked.connect(updates.look)
        updates.looked.connect(self._on_looked)
        row = QHBoxLayout()
        row.setSpacing(10)
        row.addWidget(now)
        row.addWidget(self.looked, 1)
        self._page.row(form, "", row)
        self._page.note(
            tr(
                "Asks the makers' server for one small file and tells it nothing but that you "
                "asked. Nothing is downloaded or installed by itself."
            )
        )

    @Slot()
    def _on_look_now(self) -> None:
        self.look_now.setEnabled(False)
        self.look_now.setToolTip(tr("The makers’ server is being asked"))
        self.looked.setText(tr("Looking…"))

    @Slot(object, str)
    def _on_looked(self, release: Release | None, why: str) -> None:
        self.look_now.setEnabled(True)
        self.look_now.setToolTip("")
        if release is None:
            self.looked.setText(why)
        elif not release.is_newer:
            self.looked.setText(tr("You have the newest version."))
        else:
            self.looked.setText(tr("Stretto {version} is there.", version=release.version))
            if self.isVisible():
                UpdateDialog(release, self._settings, self).show()

    @Slot()
    def _on_new_chat(self) -> None:
        # What the window does not show (another version's options, say) stays as it is.
        known = ChatOptions.from_params(self._settings.new_chat)
        options = replace(known, **self.sampling.values(), slide=self.slide.isChecked())
        others = {k: v for k, v in self._settings.new_chat.items() if k not in _OPTIONS}
        self._set(new_chat=others | options.to_params())

    @Slot()
    def _choose_model(self) -> None:
        flows.start(self, self._ask_for_model())

    async def _ask_for_model(self) -> None:
        folder = await asking.folder(self, tr("Model for New Chats"))
        if folder is not None:
            self.take_model(str(folder))

    def take_model(self, ref: str) -> None:
        """Open new chats with this model."""
        if self.model.findData(ref) < 0:
            self.model.addItem(model_fallback_name(ref), ref)
        self.model.setCurrentIndex(self.model.findData(ref))
        self._set(model=ref)

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QAction, QStandardItemModel
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QFormLayout,
    QGridLayout,
    QMenu,
    QPushButton,
    QRadioButton,
    QSizePolicy,
    QStyledItemDelegate,
    QWidget,
)

from app import flows
from app.models.downloads import RECIPES, Recipe, why_not_convert
from app.models.drafts import Candidate, candidates, find_smaller_models
from app.models.engine_errors import NO_FOLDER, describe_problem
from app.models.installed import InstalledModels
from app.models.loading import LoadState, ModelStatus
from app.models.names import adapter_of
from app.models.removal import ModelRemover, RemovedModel
from app.settings.language import tr
from app.ui.models.models_table import describe_drafts
from app.ui.style.figures import bytes_line
from app.ui.widgets import standard_dialogs
from app.ui.widgets.buttons import IconButton
from app.ui.widgets.labels import make_button, make_label, make_link
from app.ui.widgets.layout_helpers import make_row_layout
from app.ui.widgets.menus import make_menu
from app.ui.widgets.sheet import Sheet
from engine import LOOKUP
from engine.hub.inventory import InstalledModel
from engine.hub.names import clean_name


class ConvertDialog(Sheet):
    WIDTH = 480

    recipe_chosen = Signal(object)

    def __init__(self, model: InstalledModel, parent: QWidget) -> None:
        super().__init__("convert-dialog", tr("Convert"), parent)
        title = self.make_heading(tr("Convert {name} to a smaller copy", name=model.name))
        size = bytes_line(model.facts.nbytes)
        words = self.make_label(
            tr("The original ({size}) stays. Converting takes a few minutes.", size=size)
        )
        self.choices: dict[str, QRadioButton] = {}
        self._recipes: dict[QRadioButton, Recipe] = {}
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(8)
        group = QButtonGroup(self)
        for row, recipe in enumerate(RECIPES):
            button = self.choices[recipe.name] = QRadioButton(tr(recipe.words), self)
            self._recipes[button] = recipe
            group.addButton(button)
            size = bytes_line(recipe.size(model))
            size_label = make_label(self, tr("about {size}", size=size), wrap=False)
            grid.addWidget(button, row, 0)
            grid.addWidget(size_label, row, 1, Qt.AlignmentFlag.AlignRight)
        grid.setColumnStretch(0, 1)
        self.choices[RECIPES[0].name].setChecked(True)
        self.ok = self.button(tr("Convert"), self._on_ok)
        self.ok.setObjectName("primary")
        self.add_rows(title, words, grid)
        self.add_buttons(self.ok)
        self.set_scaled_width(self.WIDTH)

    def _on_ok(self) -> None:
        recipe = next(r for button, r in self._recipes.items() if button.isChecked())
        self.accept()
        self.recipe_chosen.emit(recipe)


class DraftDialog(Sheet):
    """Dialog for a draft model. It says "Looking…" until `show_candidates` is called."""

    WIDTH = 480

    draft_chosen = Signal(str)  # (ref), or ("") for none

    def __init__(self, name: str, figures: str, parent: QWidget) -> None:
        """``figures`` describe the current draft model's acceptance, or are ""."""
        super().__init__("draft-dialog", tr("Draft Model"), parent)
        title = self.make_heading(tr("Draft model for {name}", name=name))
        words = self.make_label(
            tr(
                "A smaller model with the same tokenizer can speed up a chat that replies alone. "
                "Prompt lookup needs no model. It helps when the reply repeats text or code from "
                "the chat with changes. Replies stay the same."
            )
        )
        self.box = QComboBox(self)
        self.box.setAccessibleName(tr("Draft model"))
        self.box.setItemDelegate(QStyledItemDelegate(self.box))  # draws disabled items in gray
        self.box.addItem(tr("Looking…"), "")
        self.box.setEnabled(False)
        self.box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        form.setHorizontalSpacing(16)
        form.addRow(tr("Draft model"), self.box)
        self.note = self.make_label(figures)
        self.ok = self.button(tr("Save"), self._on_ok)
        self.ok.setObjectName("primary")
        self.ok.setEnabled(False)
        self.add_rows(title, words, form, self.note)
        self.add_buttons(self.ok)
        self.note.setVisible(bool(figures))
        self.set_scaled_width(self.WIDTH)

    def show_candidates(self, drafts: Sequence[Candidate], draft: str, draft_name: str) -> None:
        """Show the candidates. ``draft`` is the current draft model, "" for none."""
        self.box.clear()
        self.box.addItem(tr("None", "no draft model"), "")
        self.box.addItem(tr("Prompt lookup"), LOOKUP)
        if draft not in ("", LOOKUP) and all(candidate.model.ref != draft for candidate in drafts):
            self.box.addItem(draft_name, draft)
        for candidate in drafts:
            name = candidate.model.name
            words = tr("{name}, {size}", name=name, size=bytes_line(candidate.model.facts.nbytes))
            if not candidate.fits:
                words = tr("{name}: different tokenizer", name=name)
            self.box.addItem(words, candidate.model.ref)
            items = self.box.model()
            if not candidate.fits and isinstance(items, QStandardItemModel):
                items.item(self.box.count() - 1).setEnabled(False)
        self.box.setCurrentIndex(max(0, self.box.findData(draft)))
        if not draft and not any(candidate.fits for candidate in drafts):
            self.note.setText(tr("No smaller model on this computer has the same tokenizer."))
            self.note.setVisible(True)
        self.box.setEnabled(True)
        self.ok.setEnabled(True)
        self.box.setFocus(Qt.FocusReason.OtherFocusReason)
        self.fit_height()

    def _on_ok(self) -> None:
        ref = str(self.box.currentData())
        self.accept()
        self.draft_chosen.emit(ref)


class LibraryFoot(QWidget):
    """Bottom row with a message or question, the main button, and a menu for the selected model."""

    menu_requested = Signal(QPoint)  # (position on screen)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.asking = False
        self._count = ""
        self._undo: Callable[[], None] | None = None
        self.status_label = make_label(self)
        self.undo = make_link(self, tr("Undo"))
        self.undo.clicked.connect(self._on_undo)
        self.load, self.pin, self.reveal, self.trash = (QAction(self) for _ in range(4))
        self.convert, self.adapter, self.draft = (QAction(self) for _ in range(3))
        self.more = IconButton("dots-three", tr("More"), self)
        self.more.clicked.connect(self._on_more)
        self.open = make_button(self, tr("New Chat"))
        self.open.setObjectName("primary")
        self.keep = make_button(self, tr("Keep"))
        self.yes = make_button(self, tr("Move to Trash"))
        make_row_layout(
            (self.status_label, 1), self.undo, self.more, self.open, self.keep, self.yes, of=self
        )
        self.show_message("")

    def show_message(self, words: str, undo: Callable[[], None] | None = None) -> None:
        self.asking = False
        self._undo = undo
        self._words = words
        self._show_line()

    def count(self, words: str) -> None:
        self._count = words
        self._show_line()

    def ask(self, words: str) -> None:
        self.show_message(words)
        self.asking = True
        self._show_line()
        self.keep.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_line(self) -> None:
        self.status_label.setText(self._words or self._count)
        self.undo.setVisible(self._undo is not None)
        for button in (self.more, self.open):
            button.setVisible(not self.asking)
        for button in (self.keep, self.yes):
            button.setVisible(self.asking)

    @Slot()
    def _on_undo(self) -> None:
        undo = self._undo
        self.show_message("")
        if undo is not None:
            undo()

    def show_none(self) -> None:
        for button in (self.more, self.open):
            button.setEnabled(False)
            button.setToolTip(tr("Choose a model first"))

    def show_model(
        self,
        model: InstalledModel,
        status: ModelStatus,
        *,
        pinned: bool,
        why_not_unload: str,
        why_not_remove: str,
    ) -> None:
        self.more.setEnabled(True)
        self.more.setToolTip(tr("More"))
        self.more.setAccessibleName(tr("More for {name}", name=model.name))
        facts, loaded = model.facts, status.model is not None
        reason = why_not_unload if loaded else describe_problem(facts)
        words = tr("Unload") if loaded else tr("Load")
        if status.state is LoadState.LOADING:
            words, reason = tr("Cancel Loading"), ""
        self._show(self.load, words, reason, "")
        tip = tr("Keeps it at the top of the list, and in memory")
        self._show(self.pin, tr("Unpin") if pinned else tr("Pin"), "", "" if pinned else tip)
        tip = tr("Makes a smaller copy")
        self._show(self.convert, tr("Convert…"), why_not_convert(model), tip)
        self._show(self.reveal, tr("Show in Folder"), tr(NO_FOLDER) if facts.gone else "", "")
        reason = (
            tr("This model already has an adapter")
            if adapter_of(model.ref)
            else describe_problem(facts)
        )
        tip = tr("Lists the model a second time, with a LoRA or DoRA adapter")
        self._show(self.adapter, tr("Add Adapter…"), reason, tip)
        tip = tr("A small model that speeds up its replies")
        self._show(self.draft, tr("Draft Model…"), describe_problem(facts), tip)
        self._show(self.open, tr("New Chat"), describe_problem(facts), "")
        self.open.setAccessibleName(tr("New chat with {name}", name=model.name))
        if facts.gone:
            self._show(self.trash, tr("Remove from List"), "", "")
        else:
            self._show(self.trash, tr("Move to Trash"), why_not_remove, "")

    def menu(self) -> QMenu:
        menu = make_menu(self)
        new = menu.addAction(self.open.text(), self.open.click)
        new.setEnabled(self.open.isEnabled())
        new.setToolTip(self.open.toolTip())
        menu.addActions([self.load, self.pin])
        menu.addSeparator()
        menu.addActions([self.convert, self.adapter, self.draft])
        menu.addSeparator()
        menu.addActions([self.reveal, self.trash])
        return menu

    def _on_more(self) -> None:
        self.menu_requested.emit(self.more.mapToGlobal(self.more.rect().topLeft()))

    def _show(self, button: QPushButton | QAction, words: str, why_not: str, tip: str) -> None:
        button.setText(words)
        button.setEnabled(not why_not)
        button.setToolTip(why_not or tip)


class ModelAdder(QObject):
    def __init__(self, installed: InstalledModels, foot: LibraryFoot) -> None:
        super().__init__(foot)
        self._installed, self._foot = installed, foot

    @Slot()
    def choose_folder(self) -> None:
        flows.start(self, self._add_folder())

    def choose_adapter(self, model: InstalledModel | None) -> None:
        if model is not None:
            flows.start(self, self._add_adapter(model))

    async def _add_folder(self) -> None:
        folder = await standard_dialogs.ask_for_folder(self._foot.window(), tr("Add Model Folder"))
        if folder is not None:
            self._installed.add_folder(str(folder))

    async def _add_adapter(self, model: InstalledModel) -> None:
        title = tr("Add an Adapter to {name}", name=model.name)
        folder = await standard_dialogs.ask_for_folder(self._foot.window(), title)
        if folder is not None:
            reason = self._installed.add_adapter(model, folder.absolute())
            adapter = clean_name(folder.name)
            message = tr("Added as {name} + {adapter}.", name=model.name, adapter=adapter)
            self._foot.show_message(reason or message)


log = logging.getLogger(__name__)


class DraftModelChooser(QObject):
    def __init__(self, installed: InstalledModels, foot: LibraryFoot) -> None:
        super().__init__(foot)
        self._installed, self._foot = installed, foot
        self._draft_notice = ""
        installed.drafts.rejected.connect(self._on_refused)

    def choose(self, model: InstalledModel | None) -> None:
        if model is None:
            return
        figures = describe_drafts(self._installed.draft_figures(model))
        dialog = DraftDialog(model.name, figures, self._foot.window())
        dialog.draft_chosen.connect(lambda ref: self._choose(model, ref))
        draft = self._installed.drafts.get_ref(model.ref, str(model.folder))
        flows.start(dialog, self._show_dialog(dialog, model, draft))
        dialog.open()

    async def _show_dialog(self, dialog: DraftDialog, model: InstalledModel, draft: str) -> None:
        base, smaller_models = find_smaller_models(model, self._installed.models.values())
        try:
            drafts = await flows.run_in_thread(lambda stop: candidates(base, smaller_models, stop))
        except Exception:
            log.exception("cannot search for draft models for %s", model.name)
            drafts = []
        dialog.show_candidates(drafts, draft, self._installed.draft_name(draft))

    def _choose(self, model: InstalledModel, ref: str) -> None:
        before = self._installed.drafts.get_ref(model.ref, str(model.folder))
        self._installed.drafts.choose(ref, model.ref, str(model.folder))
        name, draft = model.name, self._installed.draft_name(ref)
        loaded = self._installed.status(model).model is not None
        if not ref and before == LOOKUP:
            words = tr("{name} no longer uses prompt lookup.", name=name)
        elif not ref:
            words = tr("{name} no longer uses a draft model.", name=name)
        elif ref == LOOKUP and loaded:
            words = tr("{name} uses prompt lookup.", name=name)
        elif ref == LOOKUP:
            words = tr("{name} uses prompt lookup once loaded.", name=name)
        elif loaded:
            words = tr("{name} uses {draft} as its draft model.", draft=draft, name=name)
        else:
            words = tr(
                "{name} uses {draft} as its draft model once loaded.", draft=draft, name=name
            )
        if ref and loaded:
            self._draft_notice = words
        self._foot.show_message(words)

    @Slot(str)
    def _on_refused(self, words: str) -> None:
        """Show why the draft model was rejected, if the message still says that it's used."""
        if self._draft_notice and self._foot.status_label.text() == self._draft_notice:
            self._foot.show_message(words)


class RemovalController(QObject):
    question_answered = Signal()  # the table gets the focus back

    def __init__(
        self, installed: InstalledModels, removal: ModelRemover, foot: LibraryFoot
    ) -> None:
        super().__init__(foot)
        self._installed, self._removal, self._foot = installed, removal, foot
        # model whose removal the user has to confirm
        self.pending_removal: InstalledModel | None = None
        self.removed: list[RemovedModel] = []  # models that can be restored, most recent last
        foot.yes.clicked.connect(self.remove)
        foot.keep.clicked.connect(self.cancel)
        removal.model_removed.connect(self._on_removed)
        removal.model_restored.connect(self._on_restored)
        removal.removal_failed.connect(foot.show_message)
        installed.changed.connect(self._on_changed)

    def begin(self, model: InstalledModel) -> None:
        """Remove a model, after confirmation if something depends on it."""
        if model.facts.gone:
            self.forget(model)
        elif reason := self._removal.why_not(model):
            self._foot.show_message(reason)
        else:
            self.pending_removal = model
            warning = self._removal.removal_warning(model)
            if warning:
                self._foot.ask(
                    tr("Move {name} to the Trash? {warning}", name=model.name, warning=warning)
                )
            else:
                self.remove()

    def forget(self, model: InstalledModel) -> None:
        """Remove all entries of a model's folder from the list. The files stay on disk."""
        if self._installed.listing_entries(model):
            restore = self._installed.remove_from_list(model)
            self._foot.show_message(
                tr("{name} removed from the list. Its files stay.", name=model.name), restore
            )

    @Slot()
    def remove(self) -> None:
        model, self.pending_removal = self.pending_removal, None
        if model is not None:
            reason = self._removal.remove(model)
            self._foot.show_message(reason or tr("Moving {name} to the Trash…", name=model.name))
            self.question_answered.emit()

    @Slot()
    def cancel(self) -> None:
        if self.pending_removal is not None:
            self.pending_removal = None
            self._foot.show_message("")
            self.question_answered.emit()

    @Slot()
    def _on_changed(self) -> None:
        if (
            self.pending_removal is not None
            and self.pending_removal.folder not in self._installed.models
        ):
            self.cancel()  # the model was removed elsewhere in the meantime

    @Slot(object)
    def _on_removed(self, removed: RemovedModel) -> None:
        if not removed.can_come_back:
            self._foot.show_message(removed.message)
            return
        self.removed.append(removed)

        def restore() -> None:
            self.removed.remove(removed)
            self._removal.restore(removed)

        self._foot.show_message(removed.message, restore)

    @Slot(str)
    def _on_restored(self, name: str) -> None:
        self._foot.show_message(tr("{name} restored", name=name))

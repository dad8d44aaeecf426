"""What can be done with an installed model: the foot of the Models window, and what it asks."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QFormLayout,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QRadioButton,
    QSizePolicy,
    QStyledItemDelegate,
    QVBoxLayout,
    QWidget,
)

from app import flows
from app.models.downloads import RECIPES, Recipe, why_not_convert
from app.models.drafts import Candidate, candidates, smaller
from app.models.installed import InstalledModels
from app.models.loading import LoadState, ModelStatus
from app.models.names import adapter_of
from app.models.removal import Removal, Removed
from app.settings.language import mark, tr
from app.ui.models.models_table import drafted
from app.ui.style.figures import bytes_line
from app.ui.widgets import asking
from app.ui.widgets.sheet import Sheet
from engine.hub.inventory import Installed
from engine.hub.names import clean_name


class ConvertDialog(Sheet):
    """Over the Models window.

    Signals:
        chosen(recipe): the person has chosen.
    """

    WIDTH = 480

    chosen = Signal(object)

    def __init__(self, model: Installed, parent: QWidget) -> None:
        super().__init__("convert-dialog", tr("Convert"), parent)
        title = self.headline(tr("Make a smaller copy of {name}", name=model.name))
        size = bytes_line(model.facts.nbytes)
        words = self.label(
            tr("It takes {size}, and stays as it is. The copy is made in minutes.", size=size)
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
            about = QLabel(tr("about {size}", size=bytes_line(recipe.size(model))), self)
            about.setProperty("muted", True)
            grid.addWidget(button, row, 0)
            grid.addWidget(about, row, 1, Qt.AlignmentFlag.AlignRight)
        grid.setColumnStretch(0, 1)
        self.choices[RECIPES[0].name].setChecked(True)
        self.go = self.button(tr("Convert"), self._on_go)
        self.go.setObjectName("primary")
        self.put(title, words, grid)
        self.put_foot(self.go)
        self.keep_wide(self.WIDTH)

    def _on_go(self) -> None:
        chosen = next(r for button, r in self._recipes.items() if button.isChecked())
        self.accept()
        self.chosen.emit(chosen)


class DraftDialog(Sheet):
    """Over the Models window. Until `offer` is called it says that it is looking.

    Signals:
        chosen(ref): the person has chosen; "" for none.
    """

    WIDTH = 480

    chosen = Signal(str)

    def __init__(self, name: str, figures: str, parent: QWidget) -> None:
        """`figures`: how the one that drafts now has done; "" where none does."""
        super().__init__("draft-dialog", tr("Draft model"), parent)
        title = self.headline(tr("Draft model of {name}", name=name))
        words = self.label(
            tr(
                "A smaller model with the same tokenizer drafts for a chat that runs alone, as "
                "long as that is faster. What the chat says stays the same."
            )
        )
        self.box = QComboBox(self)
        self.box.setAccessibleName(tr("Draft model"))
        self.box.setItemDelegate(QStyledItemDelegate(self.box))  # it greys what cannot be chosen
        self.box.addItem(tr("Looking…"), "")
        self.box.setEnabled(False)
        self.box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        form.setHorizontalSpacing(16)
        form.addRow(tr("Draft model"), self.box)
        self.note = self.label(figures)
        self.go = self.button(tr("Save"), self._on_go)
        self.go.setObjectName("primary")
        self.go.setEnabled(False)
        self.put(title, words, form, self.note)
        self.put_foot(self.go)
        self.note.setVisible(bool(figures))
        self.keep_wide(self.WIDTH)

    def offer(self, found: Sequence[Candidate], chosen: str, chosen_name: str) -> None:
        """Show what there is. `chosen`: the ref of the one that drafts now, "" for none."""
        self.box.clear()
        self.box.addItem(tr("None", "no draft model"), "")
        if chosen and all(one.model.ref != chosen for one in found):
            self.box.addItem(chosen_name, chosen)
        for one in found:
            name = one.model.name
            words = tr("{name}, {size}", name=name, size=bytes_line(one.model.facts.nbytes))
            if not one.fits:
                words = tr("{name}: its tokenizer differs", name=name)
            self.box.addItem(words, one.model.ref)
            items = self.box.model()
            if not one.fits and isinstance(items, QStandardItemModel):
                items.item(self.box.count() - 1).setEnabled(False)
        self.box.setCurrentIndex(max(0, self.box.findData(chosen)))
        if not chosen and not any(one.fits for one in found):
            self.note.setText(tr("No smaller model on this machine has its tokenizer."))
            self.note.setVisible(True)
        self.box.setEnabled(True)
        self.go.setEnabled(True)
        self.box.setFocus(Qt.FocusReason.OtherFocusReason)
        self.keep_high()

    def _on_go(self) -> None:
        chosen = str(self.box.currentData())
        self.accept()
        self.chosen.emit(chosen)


_GONE = mark("The folder is not there any more")


class LibraryFoot(QWidget):
    """Buttons for the chosen model; while it asks a question, the two answers instead.

    Signals:
        load_asked(), pin_asked(), convert_asked(), folder_asked(), removal_asked(),
            chat_asked(): of the chosen one.
        adapter_asked(): it is to be listed with an adapter, too.
        draft_asked(): another model is to draft for it.
        sure(): the person answers the question with yes.
        kept(): with no.

    Attributes:
        asking: whether there is a question.
    """

    adapter_asked = Signal()
    draft_asked = Signal()
    load_asked = Signal()
    pin_asked = Signal()
    convert_asked = Signal()
    folder_asked = Signal()
    removal_asked = Signal()
    chat_asked = Signal()
    sure = Signal()
    kept = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.asking = False
        self._count = ""
        self._undo: Callable[[], None] | None = None
        self.said = QLabel(self)
        self.said.setProperty("muted", True)
        self.said.setWordWrap(True)
        self.said.setTextFormat(Qt.TextFormat.PlainText)
        self.undo = self._push_button(tr("Undo"), self._on_undo)
        self.undo.setObjectName("link")
        self.load = self._push_button(tr("Load"), self.load_asked.emit)
        self.pin = self._push_button(tr("Pin"), self.pin_asked.emit)
        self.convert = self._push_button(tr("Convert…"), self.convert_asked.emit)
        self.reveal = self._push_button(tr("Show in Folder"), self.folder_asked.emit)
        self.adapter = self._push_button(tr("Add Adapter…"), self.adapter_asked.emit)
        self.draft = self._push_button(tr("Draft Model…"), self.draft_asked.emit)
        self.trash = self._push_button(tr("Move to Trash"), self.removal_asked.emit)
        self.open = self._push_button(tr("Open in a Chat"), self.chat_asked.emit)
        self.open.setObjectName("primary")
        self.keep = self._push_button(tr("Keep"), self.kept.emit)
        self.yes = self._push_button(tr("Move to Trash"), self.sure.emit)
        self.usual = (
            *(self.open, self.load, self.pin, self.convert, self.reveal, self.adapter),
            *(self.draft, self.trash),
        )
        note = QHBoxLayout()
        note.setSpacing(8)
        note.addWidget(self.said, 1)
        note.addWidget(self.undo)
        row = QHBoxLayout()
        row.setSpacing(8)
        for button in self.usual[1:-1]:
            row.addWidget(button)
        row.addStretch(1)
        row.addWidget(self.trash)
        for button in (self.open, self.keep, self.yes):
            note.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(12)
        layout.addLayout(note)
        layout.addLayout(row)
        self.say("")

    def _push_button(self, words: str, act: Callable[[], object]) -> QPushButton:
        button = QPushButton(words, self)
        button.setAutoDefault(False)
        button.clicked.connect(lambda _checked=False: act())
        return button

    # The line.

    def say(self, words: str, undo: Callable[[], None] | None = None) -> None:
        """A sentence, with what takes it back; "" says how many models there are."""
        self.asking = False
        self._undo = undo
        self._words = words
        self._show_line()

    def count(self, words: str) -> None:
        """What is said where there is nothing else to say."""
        self._count = words
        self._show_line()

    def ask(self, words: str) -> None:
        """Ask whether the model is to go all the same."""
        self.say(words)
        self.asking = True
        self._show_line()
        self.keep.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_line(self) -> None:
        self.said.setText(self._words or self._count)
        self.undo.setVisible(self._undo is not None)
        for button in self.usual:
            button.setVisible(not self.asking)
        for button in (self.keep, self.yes):
            button.setVisible(self.asking)

    def _on_undo(self) -> None:
        undo = self._undo
        self.say("")
        if undo is not None:
            undo()

    # The buttons.

    def show_none(self) -> None:
        """No model is chosen."""
        for button in self.usual:
            button.setEnabled(False)
            button.setToolTip(tr("Choose a model first"))

    def show_model(
        self,
        model: Installed,
        status: ModelStatus,
        *,
        pinned: bool,
        why_not_unload: str,
        why_not_remove: str,
    ) -> None:
        """Offer what can be done with this model; tooltips say why the rest cannot."""
        facts, loaded = model.facts, status.model is not None
        why = why_not_unload if loaded else facts.problem
        words, tip = tr("Load"), tr("Load it now")
        if loaded:
            words, tip = tr("Unload"), tr("Take it out of memory")
        if status.state is LoadState.LOADING:
            words, tip, why = tr("Cancel Loading"), tr("Do not load it after all"), ""
        self._show(self.load, words, why, tip, model.name)
        words, tip = tr("Pin"), tr("Keep it first in the list, and in memory while it rests")
        if pinned:
            words, tip = tr("Unpin"), tr("Treat it as the others")
        self._show(self.pin, words, "", tip, model.name)
        tip = tr("Make a smaller copy of it")
        self._show(self.convert, tr("Convert…"), why_not_convert(model), tip, model.name)
        gone = tr(_GONE) if facts.gone else ""
        self._show(self.reveal, tr("Show in Folder"), gone, tr("Show its files"), model.name)
        why = tr("It has one already") if adapter_of(model.ref) else facts.problem
        tip = tr("Choose a LoRA or DoRA adapter: the model is listed with it, too")
        self._show(self.adapter, tr("Add Adapter…"), why, tip, model.name)
        tip = tr("Choose a small model that drafts for it, so that it answers faster")
        self._show(self.draft, tr("Draft Model…"), facts.problem, tip, model.name)
        self._show(self.open, tr("Open in a Chat"), facts.problem, tr("Chat with it"), model.name)
        if facts.gone:
            tip = tr("List it no longer")
            self._show(self.trash, tr("Remove from List"), "", tip, model.name)
        else:
            tip = tr("Move its folder to the system's trash")
            self._show(self.trash, tr("Move to Trash"), why_not_remove, tip, model.name)

    def menu(self) -> QMenu:
        """The same as a menu."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        for button in self.usual:
            action = menu.addAction(button.text(), button.click)
            action.setEnabled(button.isEnabled())
            action.setToolTip(button.toolTip())
        return menu

    def _show(self, button: QPushButton, words: str, why_not: str, tip: str, name: str) -> None:
        button.setText(words)
        button.setEnabled(not why_not)
        button.setToolTip(why_not or tip)
        button.setAccessibleName(f"{words}: {name}")


class AddingTalk(QObject):
    """Asks by the system's dialog, and says in the window's foot what came of it."""

    def __init__(self, installed: InstalledModels, foot: LibraryFoot) -> None:
        super().__init__(foot)
        self._installed, self._foot = installed, foot

    @Slot()
    def choose_folder(self) -> None:
        """Ask for a folder in which models are looked for."""
        flows.start(self, self._add_folder())

    def choose_adapter(self, model: Installed | None) -> None:
        """Ask for an adapter's folder, and list the model with it."""
        if model is not None:
            flows.start(self, self._add_adapter(model))

    async def _add_folder(self) -> None:
        folder = await asking.folder(self._foot.window(), tr("Add Model Folder"))
        if folder is not None:
            self._installed.add_folder(str(folder))

    async def _add_adapter(self, model: Installed) -> None:
        title = tr("Add an Adapter to {name}", name=model.name)
        folder = await asking.folder(self._foot.window(), title)
        if folder is not None:
            why = self._installed.add_adapter(model, folder.absolute())
            adapter = clean_name(folder.name)
            done = tr("Listed as {name} + {adapter}.", name=model.name, adapter=adapter)
            self._foot.say(why or done)


log = logging.getLogger(__name__)


class DraftTalk(QObject):
    """Asks by a dialog, and says in the window's foot what came of it."""

    def __init__(self, installed: InstalledModels, foot: LibraryFoot) -> None:
        super().__init__(foot)
        self._installed, self._foot = installed, foot
        self._claimed = ""
        installed.drafts.refused.connect(self._on_refused)

    def choose(self, model: Installed | None) -> None:
        """Ask what is to draft for this model."""
        if model is None:
            return
        told = drafted(self._installed.draft_figures(model))
        dialog = DraftDialog(model.name, told, self._foot.window())
        dialog.chosen.connect(lambda ref: self._take(model, ref))
        chosen = self._installed.drafts.of(model.ref, str(model.folder))
        name = self._installed.draft_name(model)
        flows.start(dialog, self._offer(dialog, model, chosen, name))
        dialog.open()

    async def _offer(self, dialog: DraftDialog, model: Installed, chosen: str, name: str) -> None:
        base, others = smaller(model, self._installed.models.values())
        try:
            found = await flows.aside(lambda stop: candidates(base, others, stop))
        except Exception:
            log.exception("no draft models were found for %s", model.name)
            found = []
        dialog.offer(found, chosen, name)

    def _take(self, model: Installed, ref: str) -> None:
        self._installed.drafts.choose(ref, model.ref, str(model.folder))
        draft = self._installed.draft_name(model)
        if not ref:
            self._foot.say(tr("{name} has no draft model.", name=model.name))
        elif self._installed.status(model).model is not None:
            self._claimed = tr("{draft} drafts for {name}.", draft=draft, name=model.name)
            self._foot.say(self._claimed)
        else:
            words = tr(
                "{draft} drafts for {name} once that is loaded.", draft=draft, name=model.name
            )
            self._foot.say(words)

    @Slot(str)
    def _on_refused(self, words: str) -> None:
        """The foot says no longer that it drafts."""
        if self._claimed and self._foot.said.text() == self._claimed:
            self._foot.say(words)


class RemovalTalk(QObject):
    """Talks in the window's foot.

    Signals:
        answered(): a question was answered: the focus goes back to the table.

    Attributes:
        asked: the model of which it is asked whether it is to go.
        removed: what can be put back, the latest last.
    """

    answered = Signal()

    def __init__(self, installed: InstalledModels, removal: Removal, foot: LibraryFoot) -> None:
        super().__init__(foot)
        self._installed, self._removal, self._foot = installed, removal, foot
        self.asked: Installed | None = None
        self.removed: list[Removed] = []
        foot.sure.connect(self.remove)
        foot.kept.connect(self.keep)
        removal.removed.connect(self._on_removed)
        removal.restored.connect(self._on_restored)
        removal.failed.connect(foot.say)
        installed.changed.connect(self._on_changed)

    def begin(self, model: Installed) -> None:
        """Remove a model; ask first where somebody would miss it."""
        if model.facts.gone:
            self.forget(model)
        elif why := self._removal.why_not(model):
            self._foot.say(why)
        else:
            self.asked = model
            warning = self._removal.warning(model)
            if warning:
                self._foot.ask(
                    tr("Move {name} to the trash? {warning}", name=model.name, warning=warning)
                )
            else:
                self.remove()

    def forget(self, model: Installed) -> None:
        """List a model no longer, and what else is found by the same folder."""
        if self._installed.listed_by(model):
            restore = self._installed.forget(model)
            self._foot.say(
                tr("{name} is no longer listed. Its files stay.", name=model.name), restore
            )

    @Slot()
    def remove(self) -> None:
        """What was asked about goes."""
        asked, self.asked = self.asked, None
        if asked is not None:
            why = self._removal.remove(asked)
            self._foot.say(why or tr("{name} goes to the trash…", name=asked.name))
            self.answered.emit()

    @Slot()
    def keep(self) -> None:
        """What was asked about stays."""
        if self.asked is not None:
            self.asked = None
            self._foot.say("")
            self.answered.emit()

    @Slot()
    def _on_changed(self) -> None:
        if self.asked is not None and self.asked.folder not in self._installed.models:
            self.keep()  # another took it away

    @Slot(object)
    def _on_removed(self, removed: Removed) -> None:
        if not removed.can_come_back:
            self._foot.say(removed.words)
            return
        self.removed.append(removed)

        def restore() -> None:
            self.removed.remove(removed)
            self._removal.restore(removed)

        self._foot.say(removed.words, restore)

    @Slot(str)
    def _on_restored(self, name: str) -> None:
        self._foot.say(tr("{name} is back in its place.", name=name))

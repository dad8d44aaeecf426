"""The list of models that the pane's header opens."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import Qt
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from app.chats.model_choice import LoadState, ModelLoader, ModelStatus
from app.language import mark, tr
from app.paths import GUIDE
from app.remote.address import is_remote
from app.ui.style.figures import bytes_line

_STATES = {LoadState.LOADING: mark("loading…"), LoadState.FAILED: mark("not loaded")}


def model_menu(
    parent: QWidget,
    loader: ModelLoader,
    remembered: Iterable[str],
    current: str,
    *,
    chosen: Callable[[str], None],
    open_folder: Callable[[], None],
    open_file: Callable[[], None],
    get_model: Callable[[], None],
    add_remote: Callable[[], None],
    manage: Callable[[], None],
    unload: UnloadMenu,
) -> QMenu:
    """The Guide, what is loaded, what was opened before, and ways to open more and to unload."""
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.setToolTipsVisible(True)
    group = QActionGroup(menu)
    refs = dict.fromkeys([GUIDE, *(m.ref for m in loader.known()), *remembered, current])
    for ref in refs:
        if not ref:
            continue
        model_status = loader.get(ref)
        action = menu.addAction(_entry(model_status))
        action.setCheckable(True)
        action.setChecked(ref == current)
        action.setToolTip(ref)
        action.triggered.connect(lambda _checked=False, ref=ref: chosen(ref))
        group.addAction(action)
    menu.addSeparator()
    menu.addAction(tr("Get Model…"), get_model)
    menu.addAction(tr("Open Model Folder…"), open_folder)
    menu.addAction(tr("Open GGUF File…"), open_file)
    menu.addAction(tr("Add a Remote Model…"), add_remote)
    menu.addMenu(unload.fill(QMenu(tr("Unload"), menu)))
    menu.addAction(tr("Manage Models…"), manage)
    return menu


class UnloadMenu:
    """The models that are in memory, to be taken out of it.

    Attributes:
        why_not: says why one cannot be unloaded now, "" if it can.
        unload: does it.
    """

    def __init__(
        self, loader: ModelLoader, why_not: Callable[[str], str], unload: Callable[[str], object]
    ) -> None:
        self._loader = loader
        self.why_not = why_not
        self.unload = unload

    def fill(self, menu: QMenu) -> QMenu:
        """Put an entry for each into the menu; the tooltip says why one is disabled."""
        menu.setToolTipsVisible(True)
        for model_status in self._loader.loaded():
            ref, why = model_status.ref, self.why_not(model_status.ref)
            action = menu.addAction(_entry(model_status))
            action.triggered.connect(lambda _checked=False, ref=ref: self.unload(ref))
            action.setEnabled(not why)
            action.setToolTip(why or tr("Take it out of memory. Its chats load it when they send."))
        if menu.isEmpty():
            menu.setEnabled(False)
            menu.menuAction().setToolTip(tr("No model is in memory"))
        return menu


def _entry(model_status: ModelStatus) -> str:
    """The model's name and, at the right, the memory that it takes, or its state."""
    model, state = model_status.model, _STATES.get(model_status.state)
    right = tr(state) if state is not None else ""
    if model is not None and not is_remote(model_status.ref):
        right = bytes_line(model.nbytes)
    return "\t".join(filter(None, (model_status.name.replace("&", "&&"), right)))

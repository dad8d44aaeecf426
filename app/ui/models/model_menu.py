"""The list of models that the pane's header opens."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import Qt
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from app.chats.model_choice import LoadState, ModelLoader
from app.paths import GUIDE


def model_menu(
    parent: QWidget,
    loader: ModelLoader,
    remembered: Iterable[str],
    current: str,
    *,
    chosen: Callable[[str], None],
    open_folder: Callable[[], None],
    get_model: Callable[[], None],
) -> QMenu:
    """The Guide, what is loaded, what was opened before, and a way to open more."""
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    group = QActionGroup(menu)
    refs = dict.fromkeys([GUIDE, *(m.ref for m in loader.known()), *remembered, current])
    for ref in refs:
        if not ref:
            continue
        model_status = loader.get(ref)
        state = {LoadState.LOADING: "  (loading)", LoadState.FAILED: "  (not loaded)"}
        action = menu.addAction(
            model_status.name.replace("&", "&&") + state.get(model_status.state, "")
        )
        action.setCheckable(True)
        action.setChecked(ref == current)
        action.setToolTip(ref)
        action.triggered.connect(lambda _checked=False, ref=ref: chosen(ref))
        group.addAction(action)
    menu.addSeparator()
    menu.addAction("Get Model…", get_model)
    menu.addAction("Open Model Folder…", open_folder)
    return menu

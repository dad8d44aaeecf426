"""Qt Advanced Docking set up our way: its flags, a dock widget, the buttons of a title bar."""

from __future__ import annotations

from collections.abc import Callable

import PySide6QtAds as QtAds
from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QLabel, QWidget

from app.ui.buttons import IconButton
from app.ui.icons import icon
from app.ui.theme import theme


def configure_docking() -> None:
    """Set what holds for all dock managers. Must come before the first one is made."""
    flag = QtAds.CDockManager.eConfigFlag
    for name, on in {
        "OpaqueSplitterResize": True,
        "AlwaysShowTabs": True,
        "AllTabsHaveCloseButton": True,
        "DockAreaHasCloseButton": False,
        "DockAreaHasUndockButton": False,
        "DockAreaHasTabsMenuButton": False,
        "DockAreaHideDisabledButtons": True,
        "EqualSplitOnInsertion": True,
        "MiddleMouseButtonClosesTab": True,
        "FocusHighlighting": False,
        "DragPreviewIsDynamic": True,
        "DragPreviewShowsContentPixmap": True,
        "FloatingContainerHasWidgetTitle": True,
        "FloatingContainerHasWidgetIcon": False,
    }.items():
        QtAds.CDockManager.setConfigFlag(getattr(flag, name), on)


def dock_around(pane: QWidget, name: str, manager: QtAds.CDockManager) -> QtAds.CDockWidget:
    """A dock widget that holds a pane, asks before it closes, and is ``name`` in layouts."""
    dock = QtAds.CDockWidget(manager, "")
    dock.setObjectName(name)
    for label in dock.tabWidget().findChildren(QLabel):
        # Or a title with HTML in it would load pictures.
        label.setTextFormat(Qt.TextFormat.PlainText)
    feature = QtAds.CDockWidget.DockWidgetFeature
    dock.setFeature(feature.DockWidgetDeleteOnClose, False)
    dock.setFeature(feature.CustomCloseHandling, True)
    dock.setMinimumSizeHintMode(
        QtAds.CDockWidget.eMinimumSizeHintMode.MinimumSizeHintFromContentMinimumSize
    )
    dock.setWidget(pane, QtAds.CDockWidget.eInsertMode.ForceNoScrollArea)
    return dock


def furnish_title_bar(area: QtAds.CDockAreaWidget, asked: Callable[[str], None]) -> None:
    """Put the new-chat and split buttons into an area's title bar.

    ``asked`` gets "tab", "right" or "down".
    """
    bar = area.titleBar()
    bar.layout().setContentsMargins(0, 0, 6, 0)
    plus = IconButton("plus", "New chat  Ctrl+N", bar)
    plus.clicked.connect(lambda: asked("tab"))
    bar.insertWidget(bar.indexOf(bar.tabBar()) + 1, plus)
    for name, tip, where in (
        ("columns", "New chat at the right  Ctrl+\\", "right"),
        ("rows", "New chat below  Ctrl+Shift+\\", "down"),
    ):
        button = IconButton(name, tip, bar)
        button.clicked.connect(lambda _=False, where=where: asked(where))
        bar.insertWidget(-1, button)


def set_dock_icons(manager: QtAds.CDockManager) -> None:
    """Give the docking's own buttons icons of our set, in the theme's colour."""
    # A copy: the binding takes what it is given and destroys it with the provider.
    close = QIcon(icon("x", theme().tokens.muted))
    manager.iconProvider().registerCustomIcon(QtAds.TabCloseIcon, close)

"""Qt Advanced Docking set up our way: its flags, a dock widget, its icons."""

from __future__ import annotations

import binascii
import zlib

import PySide6QtAds as QtAds
from PySide6.QtCore import QByteArray, QCoreApplication, QEvent, Qt
from PySide6.QtGui import QGuiApplication, QIcon
from PySide6.QtWidgets import QLabel, QWidget

from app.ui.style.icons import theme_icon


def configure_docking() -> None:
    """Set what holds for all dock managers. Must come before the first one is made."""
    # Or a window that floats makes half of the main one's widgets native, each with a surface of
    # its own; one that then went to another window crashed the program at its end (offscreen).
    QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_DontCreateNativeWidgetSiblings)
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


def dock_manager(parent: QWidget) -> QtAds.CDockManager:
    """A manager whose look is the program's own."""
    manager = QtAds.CDockManager(parent)
    # Its own look gives way to the program's sheet, and may not come back with the palette.
    manager.setColorSchemeMode(QtAds.CDockManager.ColorSchemeMode.Light)
    manager.setStyleSheet("")
    _let_windows_be(manager)
    return manager


def _let_windows_be(manager: QtAds.CDockManager) -> None:
    """Leave it to the system that floating windows are above the main one, as it is their parent.

    On Linux QtAds sees to it itself whenever the main window is activated. By X11 it asks the
    window manager, but elsewhere (Wayland) it changes their flags, which hides them.
    """
    if QGuiApplication.platformName() != "xcb":
        manager.window().removeEventFilter(manager)


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


def set_dock_icons(manager: QtAds.CDockManager) -> None:
    """Give the docking's own buttons icons of our set, in the theme's colour."""
    # A copy: the binding takes what it is given and destroys it with the provider.
    close = QIcon(theme_icon("x", "muted"))
    manager.iconProvider().registerCustomIcon(QtAds.TabCloseIcon, close)


def save_state(manager: QtAds.CDockManager) -> str:
    """Splits, tabs, windows and sizes, as text."""
    return bytes(manager.saveState().toBase64().data()).decode()


def restore_state(manager: QtAds.CDockManager, state: str) -> bool:
    """Put the dock widgets where they stood; False, and nothing done, for a damaged state."""
    try:
        raw = binascii.a2b_base64(state)
        zlib.decompress(raw[4:])  # Qt's own check of it would warn, and its sum is not compared
    except (binascii.Error, ValueError, zlib.error):
        return False
    # A window that waits to be deleted would be counted, and another be deleted in its stead.
    for window in manager.floatingWidgets():
        QCoreApplication.sendPostedEvents(window, QEvent.Type.DeferredDelete)
    return bool(manager.restoreState(QByteArray(raw)))

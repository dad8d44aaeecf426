from __future__ import annotations

from collections.abc import Callable
from string import Template

from msgspec.structs import asdict
from PySide6.QtGui import QFont, QGuiApplication

from app.settings.paths import resources
from app.ui.style import tokens as t
from app.ui.style.tokens import ThemeTokens

_SHEET = Template(
    """
QToolTip {
    background: $raised; color: $text; border: 1px solid $divider; border-radius: 8px;
    padding: 4px 8px; font-size: ${small}px;
}
QMenuBar { background: $surface; color: $text; border-bottom: 1px solid $border; padding: 2px; }
QMenuBar::item { padding: 4px 10px; border-radius: 6px; background: transparent; }
QMenuBar::item:selected { background: $hover; }
QMenu {
    background: $raised; color: $text; border: 1px solid $divider; border-radius: 8px;
    padding: 4px;
}
QMenu::item { padding: 6px 28px 6px 12px; border-radius: 6px; }
QMenu::item:selected { background: $accent_quiet; }
QMenu::item:disabled { color: $muted; }
QMenu::separator { height: 1px; background: $border; margin: 4px 8px; }
QMenu::icon { padding-left: 8px; }

QScrollBar:vertical { background: transparent; width: 10px; margin: 0; border: none; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; border: none; }
QScrollBar::handle { background: $border_strong; border-radius: 3px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 32px; }
QScrollBar::handle:horizontal { min-width: 32px; }
QScrollBar::handle:hover { background: $muted; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; border: none; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QAbstractScrollArea::corner { background: transparent; border: none; }

QLineEdit, QSpinBox, QDoubleSpinBox, QPlainTextEdit#field {
    background: $raised; color: $text; border: 1px solid $outline; border-radius: 8px;
    padding: 5px 8px; selection-background-color: $selection; selection-color: $text;
    placeholder-text-color: $muted;
}
QLineEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus, QPlainTextEdit#field:focus {
    border: ${ring}px solid $accent; padding: 4px 7px;
}
QSpinBox, QDoubleSpinBox { min-height: ${line}px; max-height: ${line}px; }
QDoubleSpinBox[default="true"] { color: $muted; }
QAbstractSpinBox[buttonSymbols="UpDownArrows"] { padding-$end: 26px; }
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button {
    subcontrol-origin: border; background: transparent; border: none; width: 20px;
    margin: 3px 3px 0 3px; border-radius: 4px;
}
QAbstractSpinBox::down-button { margin: 0 3px 3px 3px; }
QAbstractSpinBox::up-button:hover, QAbstractSpinBox::down-button:hover { background: $hover; }
QAbstractSpinBox::up-arrow {
    image: url("$icons/caret-up-$look.svg"); width: 10px; height: 10px;
}
QAbstractSpinBox::down-arrow { image: url("$icons/caret-$look.svg"); width: 10px; height: 10px; }
QPushButton {
    background: $raised; color: $text; border: 1px solid $outline; border-radius: 8px;
    padding: 6px 14px; min-height: ${line}px;
}
QPushButton:flat {
    background: transparent; color: $muted; border: none; text-align: left; padding: 4px 18px;
}
QPushButton:hover { background: $hover; }
QPushButton:pressed { background: $pressed; }
QPushButton:focus { border: ${ring}px solid $accent; padding: 5px 13px; }
QPushButton#keep { border-radius: 6px; padding: 2px 10px; }
QPushButton#keep:focus { border: ${ring}px solid $accent; padding: 1px 9px; }
QPushButton:default, QPushButton#primary {
    background: $accent; color: $accent_text; border-color: $accent;
}
QPushButton:default:focus, QPushButton#primary:focus { border-color: $selection; }
QPushButton:disabled, QPushButton:default:disabled, QPushButton#primary:disabled {
    color: $muted; background: $hover; border-color: $border;
}
QComboBox {
    background: $raised; color: $text; border: 1px solid $outline; border-radius: 8px;
    padding: 5px 8px; min-height: ${line}px; combobox-popup: 0;
    selection-background-color: $selection;
}
QComboBox:focus, QComboBox:on { border: ${ring}px solid $accent; padding: 4px 7px; }
QComboBox::drop-down { border: none; width: 24px; }
QComboBox::down-arrow {
    image: url("$icons/caret-$look.svg"); width: ${arrow}px; height: ${arrow}px;
}
QComboBox QAbstractItemView {
    background: $raised; color: $text; border: 1px solid $divider; outline: none;
    selection-background-color: $accent_quiet; selection-color: $text; padding: 4px 2px;
}
QComboBox QAbstractItemView::item { min-height: 24px; padding: 0 3px; border-radius: 4px; }
QComboBox QAbstractItemView::item:selected { background: $accent_quiet; }
QComboBox QAbstractItemView::item:disabled { color: $muted; }
QCheckBox, QRadioButton { spacing: 8px; }
QCheckBox::indicator {
    width: ${box}px; height: ${box}px; border: 1px solid $border_strong; border-radius: 4px;
    background: $raised;
}
QCheckBox::indicator:checked {
    background: $accent; border-color: $accent; image: url("$icons/check-$look.svg");
}
QCheckBox::indicator:checked:disabled { background: $muted; border-color: $muted; }
QCheckBox::indicator:focus {
    width: ${box_in}px; height: ${box_in}px; border: ${ring}px solid $accent;
}
QCheckBox::indicator:checked:focus { border-color: $selection; }
QRadioButton::indicator {
    width: ${box}px; height: ${box}px; border: 1px solid $border_strong; border-radius: ${round}px;
    background: $raised;
}
QRadioButton::indicator:checked {
    width: ${dot}px; height: ${dot}px; border: 5px solid $accent;
}
QRadioButton::indicator:checked:disabled { border-color: $muted; }
QRadioButton::indicator:focus {
    width: ${box_in}px; height: ${box_in}px; border: ${ring}px solid $accent;
}
QRadioButton::indicator:checked:focus {
    width: ${dot}px; height: ${dot}px; border: 5px solid $accent; background: $selection;
}
QProgressBar {
    background: $pressed; border: none; border-radius: 2px; min-height: 4px; max-height: 4px;
}
QProgressBar::chunk { background: $accent; border-radius: 2px; }
QDialog, QMessageBox { background: $background; }
QDialogButtonBox { button-layout: 3; }
QMessageBox QLabel#qt_msgbox_label { font-size: ${body}px; font-weight: 600; }
QLabel { background: transparent; }
QLabel[muted="true"] { color: $muted; }
QLabel[danger="true"] { color: $danger; }
$labels
QLineEdit[wrong="true"], QPlainTextEdit#field[wrong="true"] { border-color: $danger; }

#sidebar { background: $surface; border: none; }
#sidebar QListView { background: transparent; border: none; outline: none; }
#sidebar QLineEdit#search { background: $background; }
#sidebar QLineEdit#search, #settings-side QLineEdit { padding: 5px 6px 5px 0; }
#sidebar QLineEdit#search:focus, #settings-side QLineEdit:focus {
    border: ${ring}px solid $accent; padding: 4px 5px 4px 0;
}
#score { background: $surface; border-top: 1px solid $border; }
#score QScrollArea, #score QScrollArea > QWidget > QWidget { background: transparent; }
#score QLabel { font-size: ${small}px; }
#rail { background: $surface; }

Toast { background: $tooltip; border-radius: 12px; }
Toast QLabel { color: $tooltip_text; }
Notice { background: $danger_wash; border-radius: 12px; }
FindBar { border-bottom: 1px solid $border; }
#toast-action {
    background: transparent; color: $tooltip_text; border: none; font-weight: 600;
    padding: 5px 10px; border-radius: 6px; text-decoration: underline;
}
#toast-action:hover { background: $tooltip_hover; }

#settings-side {
    background: $surface; border: none; border-right: 1px solid $border;
    min-width: ${settings_side}px; max-width: ${settings_side}px;
}
#settings-pages {
    background: transparent; border: none; outline: none;
    qproperty-iconSize: ${icon}px ${icon}px;
}
#settings-pages::item {
    padding: 6px 8px; border-radius: 6px; color: $text; min-height: ${line}px;
}
#settings-pages::item:hover { background: $hover; }
#settings-pages::item:selected { background: $accent_quiet; color: $text; }
#settings-pages::item:focus { border: ${ring}px solid $accent; padding: 2px 6px; }
#settings-row { border: none; border-top: 1px solid $border; }
#settings-row[first="true"] { border-top: none; }
#segments { background: $hover; border: 1px solid $border; border-radius: 8px; }
#segments QPushButton {
    background: transparent; border: 1px solid transparent; border-radius: 6px; padding: 3px 12px;
}
#segments QPushButton:hover { background: $pressed; }
#segments QPushButton:checked { background: $raised; border-color: $border_strong; }
#segments QPushButton:focus { border: ${ring}px solid $accent; padding: 2px 11px; }

#found { background: transparent; outline: none; }
#palette QLineEdit {
    border: none; background: transparent; font-size: ${body}px; padding: 5px 0 5px 8px;
}

#model-row { border: none; border-top: 1px solid $border; }
#model-row[first="true"] { border-top: none; }
#model-table { background: transparent; border: none; outline: none; }
#model-table { selection-background-color: transparent; }
#model-table QHeaderView { background: transparent; border: none; }
#model-table QHeaderView::section {
    background: transparent; color: $muted; border: none; border-bottom: 1px solid $border;
    padding: 0 12px; font-size: ${small}px;
}
#model-table QHeaderView::section:hover { color: $text; }
#model-table QHeaderView::up-arrow { image: none; }
#model-table QHeaderView::down-arrow { image: none; }
#bordered-list {
    background: $raised; border: 1px solid $border; border-radius: 8px; outline: none;
}
#bordered-list::item { padding: 6px 10px; }
#bordered-list::item:selected { background: $accent_quiet; color: $text; }
#machine-table { background: transparent; border: none; outline: none; }
#machine-table::item { padding: 6px 10px 6px 0; border-bottom: 1px solid $border; }
#machine-table::item:selected { background: $accent_quiet; color: $text; }
#machine-table QHeaderView { background: transparent; border: none; }
#machine-table QHeaderView::section {
    background: transparent; color: $muted; border: none; border-bottom: 1px solid $border;
    padding: 4px 10px 4px 0; font-size: ${small}px;
}
#machine-table::indicator {
    width: ${box}px; height: ${box}px; border: 1px solid $border_strong; border-radius: 4px;
    background: $raised;
}
#machine-table::indicator:checked {
    background: $accent; border-color: $accent; image: url("$icons/check-$look.svg");
}
#popover { background: $raised; border: 1px solid $divider; border-radius: 12px; }
#suggestion {
    background: transparent; color: $text; text-align: left; border: 1px solid $outline;
    border-radius: 10px; padding: 11px 14px; font-size: ${lead}px;
}
#suggestion:hover { background: $hover; }
#suggestion:focus { border: ${ring}px solid $accent; padding: 10px 13px; }
#key {
    background: transparent; color: $muted; border: 1px solid transparent; border-radius: 6px;
    padding: 2px 8px;
}
#key:hover { background: $hover; color: $text; }
#key:focus { border: ${ring}px solid $accent; padding: 1px 7px; color: $text; }
#link { background: transparent; color: $accent; border: none; padding: 2px; }
#link:hover { text-decoration: underline; }
#link:focus { border: ${ring}px solid $accent; border-radius: 6px; padding: 0; }

ads--CDockContainerWidget { background: $border; }
ads--CDockContainerWidget > QSplitter { padding: 0; }
ads--CDockSplitter::handle { background: $background; }
ads--CDockSplitter::handle:horizontal { border-right: 1px solid $border; }
ads--CDockSplitter::handle:vertical { border-bottom: 1px solid $border; }
ads--CDockSplitter::handle:hover { background: $accent_quiet; }
ads--CDockAreaWidget { background: $background; border: none; }
ads--CDockAreaTitleBar {
    background: $surface; border: none; border-bottom: 1px solid $border; padding: 0;
    min-height: ${tab}px; max-height: ${tab}px;
}
ads--CDockAreaTitleBar[row="true"] { background: $back; }
ads--CDockAreaTitleBar[row="true"][keys="true"] { background: $background; }
ads--CDockAreaTabBar, #tabsContainerWidget { background: transparent; border: none; }
ads--CDockWidgetTab {
    background: transparent; border: none; border-right: 1px solid $border;
    border-bottom: 2px solid transparent; padding: 0 4px 0 8px;
    min-height: ${tab_inside}px; max-width: ${tab_width}px; qproperty-iconSize: ${mark}px ${mark}px;
}
ads--CDockWidgetTab:hover { background: $hover; }
ads--CDockWidgetTab[activeTab="true"] { background: $back; border-bottom: 2px solid $divider; }
ads--CDockWidgetTab[activeTab="true"][keys="true"] { background: $background; }
ads--CDockWidgetTab[activeTab="true"][row="true"] {
    background: transparent; max-width: 9999px; min-height: 0; border: none;
}
ads--CDockWidgetTab QLabel { color: $muted; font-size: ${ui}px; }
ads--CDockWidgetTab[activeTab="true"] QLabel { color: $text; }
ads--CDockWidgetTab ads--CTitleBarButton, #tabCloseButton, QAbstractButton#tabCloseButton {
    background: transparent; border: none; border-radius: 4px; padding: 3px;
    margin: 0 2px 0 6px; qproperty-iconSize: ${arrow}px ${arrow}px;
}
#tabCloseButton:hover { background: $pressed; }
ads--CTitleBarButton { background: transparent; border: none; padding: 4px; border-radius: 4px; }
ads--CTitleBarButton::menu-indicator { image: none; width: 0; }
ads--CTitleBarButton:hover { background: $hover; }
ads--CDockAreaTitleBar > QToolButton { background: transparent; border: none; border-radius: 6px; }
ads--CDockWidget { background: $background; border: none; }
#drag-label {
    background: $raised; color: $text; border: 1px solid $divider; padding: 6px 10px;
}
ads--CFloatingDockContainer { background: $background; border: 1px solid $divider; }
ads--CFloatingWidgetTitleBar { background: $surface; color: $text; }
"""
)


def stylesheet(tokens: ThemeTokens, scaled: Callable[[float], int] = round) -> str:
    """Return the style sheet for a theme. ``scaled`` adjusts sizes to the text scale."""
    tab = max(t.TAB, round(t.TAB + 1.3 * (scaled(t.UI_PX) - t.UI_PX)))
    box = max(14, scaled(14))
    names = {k: v for k, v in asdict(tokens).items() if isinstance(v, str)}
    return _SHEET.substitute(
        names,
        small=scaled(t.SMALL_PX),
        body=scaled(t.BODY_PX),
        lead=scaled(t.LEAD_PX),
        ui=scaled(t.UI_PX),
        ring=t.RING,
        line=scaled(18),
        arrow=scaled(12),
        mark=scaled(10),
        icon=scaled(t.ICON),
        settings_side=scaled(200),
        box=box,
        box_in=box + 2 - 2 * t.RING,  # the overall size includes the border
        dot=box - 8,
        round=(box + 2) // 2,
        radius=t.RADIUS,
        tab=tab,
        tab_inside=tab - 2,
        tab_width=max(260, min(scaled(260), 420)),
        labels=_label_fonts(scaled),
        icons=(resources() / "icons").as_posix(),
        look="dark" if tokens.dark else "light",
        end="left" if QGuiApplication.isRightToLeft() else "right",
    )


def _label_fonts(scaled: Callable[[float], int]) -> str:
    sizes = {t.TITLE_PX, t.HEADING_PX, t.BODY_PX, t.LEAD_PX, t.UI_PX, t.SMALL_PX}
    weights = QFont.Weight.Medium, QFont.Weight.DemiBold
    return "\n".join(
        (
            *(f'QLabel[px="{px}"] {{ font-size: {scaled(px)}px; }}' for px in sorted(sizes)),
            *(f'QLabel[weight="{w.value}"] {{ font-weight: {w.value}; }}' for w in weights),
        )
    )

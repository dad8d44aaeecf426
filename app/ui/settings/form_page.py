"""Pages of the settings window: the list, the search, and rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from PySide6.QtCore import QPointF, QRectF, QSignalBlocker, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QBoxLayout,
    QButtonGroup,
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.settings.language import mark, tr
from app.settings.settings import OPTIONS, ROWS, Option, Settings
from app.ui.palette.finder import MatchQuality, PaletteQuery, fold_text
from app.ui.style import tokens as t
from app.ui.style.icons import theme_icon
from app.ui.style.scroll_bars import float_bars
from app.ui.style.theme import scale_height, scaled, theme
from app.ui.widgets.fields import make_search_field
from app.ui.widgets.labels import make_button, make_heading, make_label
from app.ui.widgets.layout_helpers import (
    SPRING,
    make_column_layout,
    make_row_layout,
    nest,
    scrolling,
)
from app.ui.widgets.sheet import apply_styles
from app.ui.widgets.two_lines import KEY, TwoLineList
from app.ui.widgets.widget_behavior import WheelGuard

_MAX_ROW_WIDTH = 620  # keeps labels and fields close together in a wide window


class Switch(QCheckBox):
    """Check box drawn as a toggle switch."""

    def __init__(self, on: bool, parent: QWidget) -> None:
        super().__init__(parent)
        self.setChecked(on)

    def sizeHint(self) -> QSize:
        return QSize(scale_height(38), scale_height(24))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def hitButton(self, _at: object) -> bool:
        return True

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme().tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not self.isEnabled():
            painter.setOpacity(0.4)
        on = self.isChecked()
        area = QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5)
        painter.setPen(QColor(tokens.accent if on else tokens.border_strong))
        painter.setBrush(QColor(tokens.accent if on else tokens.pressed))
        painter.drawRoundedRect(area, area.height() / 2, area.height() / 2)
        at_end = on != self.isRightToLeft()
        side = area.height() / 2
        center = QPointF(area.right() - side if at_end else area.left() + side, area.center().y())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.accent_text if on else tokens.muted))
        painter.drawEllipse(center, side - 4, side - 4)
        if self.hasFocus():
            painter.setPen(QColor(tokens.text if on else tokens.accent))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(area, area.height() / 2, area.height() / 2)


class Segments(QFrame):
    value_chosen = Signal(object)  # (value)

    def __init__(self, choices: Mapping[Any, str], value: object, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("segments")
        row = make_row_layout(of=self, margins=(2, 2, 2, 2), spacing=2)
        group = QButtonGroup(self)
        self.buttons: dict[Any, QPushButton] = {}
        for key, words in choices.items():
            button = self.buttons[key] = make_button(self, words)
            button.setCheckable(True)
            button.setChecked(key == value)
            button.toggled.connect(lambda on, key=key: self.value_chosen.emit(key) if on else None)
            group.addButton(button)
            row.addWidget(button)
        if value in self.buttons:
            self.setFocusProxy(self.buttons[value])

    def choose(self, value: object) -> None:
        if (button := self.buttons.get(value)) is not None:
            button.setChecked(True)


Special = Mapping[str, Callable[["FormPage"], object] | None]


class FormPage(QWidget):
    """Page of settings with the rows that `ROWS` lists for it, grouped into sections."""

    command_requested = Signal(str)  # (command)

    def __init__(self, parent: QWidget, title: str, settings: Settings) -> None:
        super().__init__(parent)
        self.title = title  # in English
        self.settings = settings
        self.rows: dict[str, QWidget] = {}  # by English label
        self.found_by: dict[str, str] = {}  # additional text to search, by English label
        self.fields: dict[str, Any] = {}  # by option
        # by option: field, and function that shows a value in it
        self._followers: dict[str, tuple[QWidget, Callable[[Any], object]]] = {}
        self.settings.announcer.changed.connect(self._on_option_changed)
        self._section = ""
        self._fields: dict[str, QWidget | QBoxLayout] = {}
        self._first = True
        self._column = make_column_layout(of=self, margins=(28, 20, 28, 24), spacing=0)
        # Create the scroll area first: on reparenting, Qt reapplies the style sheet to all
        # children.
        self.area = scrolling(self, parent)
        self.area.setAccessibleName(tr(title))
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # its fields take the focus
        self._column.addWidget(make_heading(self, tr(title), t.TITLE_PX))
        self._column.addSpacing(8)

    def show_row(self, words: str, *, focus: bool = True) -> bool:
        """Scroll to a row by its English label and focus its field."""
        row, field = self.rows.get(words), self._fields.get(words)
        if row is None or field is None:
            return False
        inside = [field] if isinstance(field, QWidget) else _widgets_in(field)
        keys = (w.focusProxy() or w for w in inside if not w.isHidden())
        takes = next((w for w in keys if w.focusPolicy() != Qt.FocusPolicy.NoFocus), None)
        self.area.ensureWidgetVisible(row, 0, 80)
        if takes is not None and focus:
            takes.setFocus(Qt.FocusReason.ShortcutFocusReason)
        return True

    def values(self, words: str) -> str:
        """Return the choices and button texts in a row's field, for the search."""
        texts: list[str] = []
        for widget in self.rows[words].findChildren(QWidget):
            if isinstance(widget, QComboBox):
                texts += [widget.itemText(n) for n in range(widget.count())]
            elif isinstance(widget, QAbstractButton) and not widget.isHidden():
                texts.append(widget.text())
        return " ".join(texts)

    def fill(self, special: Special) -> None:
        """Create all rows of the page.

        ``special`` maps an option to a function that adds its row, or to None to skip it. The
        function for "" adds content at the top.
        """
        if (first := special.get("")) is not None:
            first(self)
        for name, option in ROWS.items():
            if option.page != self.title or special.get(name, self) is None:
                continue
            if option.section:
                self.add_section(option.section)
            if (add := special.get(name)) is not None:
                add(self)
            elif option.command:
                request = partial(self.command_requested.emit, option.command)
                words = f"{tr(option.label)}: {tr(option.button)}"
                self.row(name, self.button(tr(option.button), request, words))
            else:
                self.row(name, self.field(name))

    def connect_option(self, name: str, field: QWidget, show: Callable[[Any], object]) -> None:
        """Call ``show`` when an option changes, e.g. by a command, to update its field."""
        self._followers[name] = field, show

    @Slot(str)
    def _on_option_changed(self, name: str) -> None:
        if name in self._followers:
            field, show = self._followers[name]
            with QSignalBlocker(field):
                show(getattr(self.settings, name))

    def field(self, name: str) -> Any:
        """Return a field that shows and changes an option.

        Raises TypeError if the option needs a function in ``special``, see `fill`.
        """
        option, value = OPTIONS[name], getattr(self.settings, name)
        widget: Any
        show: Callable[[Any], object]

        def change(new: Any) -> None:
            self.settings.set(**{name: type(value)(new)})

        if isinstance(option.choices, Mapping):
            choices = {value_shown: tr(words) for value_shown, words in option.choices.items()}
            widget = Segments(choices, value, self)
            widget.value_chosen.connect(change)
            show = widget.choose
        elif option.choices or not isinstance(value, bool | str | int | float):
            raise TypeError(f"{name} has no usual field, so its page needs a function that adds it")
        elif isinstance(value, bool):
            widget = Switch(value, self)
            widget.toggled.connect(change)
            show = widget.setChecked
        elif isinstance(value, str):
            widget = QLineEdit(value, self)
            widget.setMinimumWidth(scaled(240))
            widget.editingFinished.connect(lambda: change(widget.text().strip()))
            show = widget.setText
        else:
            widget = self.number(value, option)
            widget.valueChanged.connect(change)
            show = widget.setValue
        self.fields[name] = widget
        self.connect_option(name, widget, show)
        return widget

    def add_section(self, title: str) -> None:
        self._column.addSpacing(20)
        self._column.addWidget(make_heading(self, tr(title)))
        self._column.addSpacing(4)
        self._first, self._section = True, title

    def row(
        self, name: str, field: QWidget | QBoxLayout, about: str = "", *, below: bool = False
    ) -> QWidget:
        """Add a row with a label, and a field to the right or ``below``.

        ``name`` is an option or other name in `ROWS`, or "" for a row without label. ``about`` is a
        translated description, by default the option's.
        """
        option = ROWS[name] if name else Option()
        words, about = option.label, about or (tr(option.about) if option.about else "")
        row = QFrame(self)
        row.setObjectName("settings-row")
        row.setProperty("first", self._first or not words)
        self._first = False
        texts = make_column_layout(spacing=2)
        if words:
            label = make_label(row, tr(words), muted=False)
            if isinstance(field, QWidget):
                label.setBuddy(field)
                if not isinstance(field, QPushButton):
                    field.setAccessibleName(field.accessibleName() or tr(words))
            texts.addWidget(label)
            self.rows[words], self._fields[words] = row, field
            also = option.search
            search_texts = (tr(self._section), self._section, words, about)
            self.found_by[words] = " ".join((*search_texts, tr(also) if also else "", also))
        if about:
            texts.addWidget(make_label(self, about))
        line = QVBoxLayout(row) if below else QHBoxLayout(row)
        line.setContentsMargins(0, 8, 0, 8)
        line.setSpacing(8 if below else 24)
        nest(line, texts, 0 if below else 1)
        if isinstance(field, QComboBox):
            field.setMinimumWidth(scaled(160))
        if isinstance(field, QWidget):
            field.setParent(row)
            end = Qt.AlignmentFlag(0) if below else _END_ALIGNED
            line.addWidget(field, 0, end)
        else:
            nest(line, field)
        row.setMinimumHeight(scale_height(48))
        self._add_limited(row)
        return row

    def button(
        self, words: str, pressed: Callable[[], object], accessible_name: str = ""
    ) -> QPushButton:
        button = make_button(self, words, pressed)
        button.setAccessibleName(accessible_name)
        return button

    def _add_limited(self, widget: QWidget) -> None:
        """Add a widget with a maximum width.

        The widget gets its own layout because Qt would use the full width of the page for the
        height of wrapped text.
        """
        widget.setMaximumWidth(scaled(_MAX_ROW_WIDTH))
        nest(self._column, make_row_layout((widget, 1), (SPRING, 0), spacing=None))

    def note(self, words: str) -> None:
        self._column.addSpacing(4)
        self._add_limited(make_label(self, words))

    def make_muted_label(self, words: str) -> QLabel:
        return make_label(self, words, wrap=False)

    def add(self, widget: QWidget) -> None:
        self._column.addWidget(widget)

    def end(self) -> None:
        self._column.addStretch(1)

    def number(self, value: float, option: Option) -> QDoubleSpinBox:
        box = QDoubleSpinBox(self)
        box.setRange(*option.within)
        box.setDecimals(option.step < 1)
        box.setSingleStep(option.step)
        box.setSuffix(tr(option.unit) if option.unit else "")
        box.setSpecialValueText(tr(option.zero) if option.zero else "")
        box.setGroupSeparatorShown(not option.within[0] and option.within[1] > 4096)
        box.setKeyboardTracking(False)
        box.setValue(value)
        box.setMinimumWidth(scaled(120))
        return box


_END_ALIGNED = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


def _widgets_in(layout: QBoxLayout) -> list[QWidget]:
    row = layout.parentWidget()
    widgets = {layout.indexOf(w): w for w in row.findChildren(QWidget)} if row is not None else {}
    return [widgets[n] for n in sorted(widgets) if n >= 0]


_ICONS = {
    mark("General"): "sliders",
    mark("Appearance"): "circle-half",
    mark("Chats"): "chat-circle",
    mark("Models"): "cube",
    mark("Local API"): "plug",
    mark("Tools"): "wrench",
    mark("Data"): "hard-drive",
}


class SettingsPages(QWidget):
    page_opened = Signal(str)  # (English title)
    command_requested = Signal(str)  # (command)

    def __init__(self, settings: Settings, parent: QWidget) -> None:
        super().__init__(parent)
        self._settings = settings
        self.pages: dict[str, FormPage] = {}
        self._page_specials: dict[str, Special] = {}
        self.search = make_search_field(self, tr("Search settings"), tr("Search"))
        self.search.addAction(
            theme_icon("magnifying-glass", "muted"), QLineEdit.ActionPosition.LeadingPosition
        ).setText(tr("Search"))
        self.search.textChanged.connect(self._on_typed)
        self.search.returnPressed.connect(self._on_entered)
        self.list = QListWidget(self)
        self.list.setObjectName("settings-pages")
        self.list.setAccessibleName(tr("Pages"))
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.currentRowChanged.connect(self._on_page)
        self.hits = TwoLineList(tr("Found settings"), self)
        self.hits.itemClicked.connect(self._on_hit)
        self.hits.itemActivated.connect(self._on_hit)
        self.hits.itemSelectionChanged.connect(self._on_chosen)
        self.hits.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.nothing = make_label(self, tr("No settings found"), wrap=False)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        side = QWidget(self)
        side.setObjectName("settings-side")
        side.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        column = QVBoxLayout(side)
        column.setContentsMargins(12, 16, 12, 12)
        column.setSpacing(12)
        column.addWidget(self.search)
        column.addWidget(self.list, 1)
        column.addWidget(self.hits, 1)
        column.addStretch(0)  # without search results, keep the search field at the top
        self.hits.hide()
        self.stack = QStackedWidget(self)
        self.stack.addWidget(self.nothing)
        self.stack.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        make_row_layout(side, (self.stack, 1), of=self, spacing=0)

    def register_page(self, title: str, special: Special) -> None:
        """Register a page by its English title. ``special`` is described at `FormPage.fill`.

        Rows are created when the page is shown or a search needs them. Creating all pages takes
        twice as long as the rest of the window.
        """
        self._page_specials[title] = special
        QListWidgetItem(theme_icon(_ICONS[title], "muted"), tr(title), self.list)

    def _ensure_page(self, title: str) -> FormPage:
        if (page := self.pages.get(title)) is None:
            page = self.pages[title] = FormPage(self.stack, title, self._settings)
            self.stack.addWidget(page.area)
            page.command_requested.connect(self.command_requested)
            page.fill(self._page_specials[title])
            page.end()
            WheelGuard(page)
            if self.isVisible():
                apply_styles(page.area)
                float_bars(page.area)
            room = page.minimumSizeHint().width() + scaled(16)
            self.stack.setMinimumWidth(max(self.stack.minimumWidth(), room))
        return page

    @property
    def fields(self) -> dict[str, Any]:
        return {name: field for page in self.pages.values() for name, field in page.fields.items()}

    def build_all(self) -> None:
        for title in self._page_specials:
            self._ensure_page(title)

    def show_page(self, title: str) -> bool:
        if title not in self._page_specials:
            return False
        self.list.setCurrentRow(list(self._page_specials).index(title))
        return True

    def show_row(self, title: str, words: str, *, focus: bool = True) -> bool:
        return self.show_page(title) and self.pages[title].show_row(words, focus=focus)

    @Slot(int)
    def _on_page(self, row: int) -> None:
        self._show(row)
        self.page_opened.emit(list(self._page_specials)[row])

    def _show(self, row: int) -> None:
        self.stack.setCurrentWidget(self._ensure_page(list(self._page_specials)[row]).area)

    @Slot(str)
    def _on_typed(self, typed: str) -> None:
        rows = self._find_rows(typed) if typed.strip() else []
        self.list.setVisible(not typed.strip())
        self.hits.setVisible(bool(rows))
        nothing = bool(typed.strip()) and not rows
        if nothing:
            self.stack.setCurrentWidget(self.nothing)
        else:
            self._show(self.list.currentRow())
        with QSignalBlocker(self.hits):  # removing results temporarily changes the current result
            self.hits.fill([(f"{title}/{row}", tr(row), tr(title)) for title, row in rows])
            self.hits.setCurrentRow(0)
        self._on_chosen()

    def _find_rows(self, typed: str) -> list[tuple[str, str]]:
        query = PaletteQuery(typed)
        fits: list[tuple[MatchQuality, int, tuple[str, str]]] = []
        for title in self._page_specials:
            page = self._ensure_page(title)
            for words, search_text in page.found_by.items():
                context = fold_text(f"{search_text} {page.values(words)} {tr(title)} {title}")
                fit = query.match(fold_text(tr(words)), context)
                if fit is not None and not page.rows[words].isHidden():
                    fits.append((fit, len(fits), (title, words)))
        return [page_index for _, _, page_index in sorted(fits)]

    @Slot()
    def _on_entered(self) -> None:
        if (item := self.hits.currentItem()) is not None and not self.hits.isHidden():
            self._on_hit(item)

    @Slot(QListWidgetItem)
    def _on_hit(self, item: QListWidgetItem) -> None:
        self.show_row(*str(item.data(KEY)).split("/", 1))

    @Slot()
    def _on_chosen(self) -> None:
        if keys := self.hits.selected_keys():
            self.show_row(*keys[0].split("/", 1), focus=False)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move through the results with Up and Down. Escape first clears the search."""
        step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()), 0)
        if step and self.search.hasFocus():
            rows = self.list if self.hits.isHidden() else self.hits
            rows.setCurrentRow(min(max(rows.currentRow() + step, 0), rows.count() - 1))
        elif event.key() == Qt.Key.Key_Escape and self.search.text():
            self.search.clear()
            self.search.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            field = self.focusWidget()
            if event.key() == Qt.Key.Key_Escape:  # otherwise, it would close the window
                if isinstance(field, QDoubleSpinBox):
                    field.setValue(field.value())
                while isinstance(field, QLineEdit) and field.isUndoAvailable():
                    field.undo()
            super().keyPressEvent(event)

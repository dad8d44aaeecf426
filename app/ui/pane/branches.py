from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QModelIndex,
    QObject,
    QPoint,
    QPointF,
    QRect,
    Qt,
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtGui import (
    QColor,
    QFont,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPen,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLabel,
    QLineEdit,
    QMenu,
    QStyle,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from app.chats.actions import Action
from app.chats.chat import Chat
from app.chats.tool_call import result_of
from app.chats.tree import LONGEST_NAME, Run, branch_name, runs_of
from app.settings.language import counted, number, tr
from app.store.index import displayed_text
from app.ui.style import tokens as t
from app.ui.style.icons import draw_dot
from app.ui.style.scroll_bars import float_bars
from app.ui.style.theme import scale_height, scaled, theme
from app.ui.transcript.message_row import author_of, state_text
from app.ui.widgets.buttons import IconButton
from app.ui.widgets.layout_helpers import make_column_layout, make_row_layout
from app.ui.widgets.menus import add_action, make_menu
from app.ui.widgets.row_painter import Index, RowDelegate, RowPainter, RowState, prepare_row_view
from app.ui.widgets.widget_behavior import announce, escape_tooltip, insert_shortcut, is_typed_text

Role = Qt.ItemDataRole
_MAX_AUTO_EXPANDED = 300  # with more runs, the tree starts collapsed
_MAX_ROW_CHARACTERS = 300  # characters of a message in a row
_LEVEL_PX, _EDGE_PX = 20, 22  # indentation per branch level, and left margin, in pixels


class BranchModel(QAbstractItemModel):
    """Branches of a chat. An item is a run of messages without a fork."""

    def __init__(self, chat: Chat, parent: QObject) -> None:
        super().__init__(parent)
        self._chat = chat
        self._split_messages: set[str] = set()
        self._tops: list[Run] = []
        self._numbers: dict[str, int] = {}
        self._texts: dict[str, str] = {}
        self.runs: list[Run] = []  # indexes are used as internal IDs of a QModelIndex
        self.leaves = 0
        self.deepest = 0

    def refresh(self) -> None:
        self.beginResetModel()
        self._tops = runs_of(self._chat.transcript, self._split_messages)
        self.runs = [*self._tops]
        for run in self.runs:
            self.runs += run.below
        self._numbers = {run.id: n for n, run in enumerate(self.runs)}
        self._texts.clear()
        self.leaves = sum(not run.goes_on for run in self.runs)
        self.deepest = max((run.depth for run in self.runs), default=0)
        self.endResetModel()

    def part(self, run: Run) -> None:
        """Split a run into its messages, or join them again. Call `refresh` afterwards."""
        ids = {run.id}
        if run.id not in self._split_messages and len(run.ids) == 1:
            ids = {split for split in self._split_messages if run.id in self._split_from(split)}
        self._split_messages ^= ids

    def _split_from(self, first: str) -> Iterator[str]:
        yield first
        follow = self._chat.transcript.child_ids(first)
        while len(follow) == 1:
            yield follow[0]
            follow = self._chat.transcript.child_ids(follow[0])

    def run(self, index: Index) -> Run | None:
        return self.runs[index.internalId()] if index.isValid() else None

    def index_of(self, message_id: str) -> QModelIndex:
        n = self._numbers.get(message_id)
        return QModelIndex() if n is None else self.createIndex(self.runs[n].place, 0, n)

    def index_with(self, message_id: str | None) -> QModelIndex:
        transcript = self._chat.transcript
        while message_id is not None and message_id not in self._numbers:
            message = transcript.get(message_id)
            message_id = message.parent_id if message is not None else None
        return self.index_of(message_id or "")

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:  # noqa: B008
        above = self.run(parent)
        runs = self._tops if above is None else above.below
        if column or not 0 <= row < len(runs):
            return QModelIndex()
        return self.createIndex(row, 0, self._numbers[runs[row].id])

    def parent(self, index: Index) -> QModelIndex:  # type: ignore[override]
        run = self.run(index)
        return self.index_of(run.above.id) if run and run.above else QModelIndex()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        run = self.run(parent)
        return len(self._tops if run is None else run.below)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 1

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        run = self.run(index)
        return flags | Qt.ItemFlag.ItemIsEditable if run and run.ids else flags

    def data(self, index: Index, role: int = 0) -> Any:
        if (run := self.run(index)) is None:
            return None
        if role == Role.DisplayRole:
            return self.excerpt(run)
        if role == Role.EditRole:
            return self.name(run)
        if role == Role.AccessibleTextRole:
            return self._accessible_text(run)
        return escape_tooltip(self.excerpt(run)) if role == Role.ToolTipRole else None

    def setData(self, index: Index, value: object, role: int = 0) -> bool:
        run = self.run(index)
        if run is None or role != Role.EditRole:
            return False
        self._chat.name_branch(run.id, str(value))
        self.dataChanged.emit(index, index)
        return True

    def name(self, run: Run) -> str:
        message = self._chat.transcript.get(run.id)
        return branch_name(message.stats) if message is not None else ""

    def refresh_run(self, index: QModelIndex) -> None:
        if (run := self.run(index)) is not None:
            self._texts.pop(run.id, None)
            self.dataChanged.emit(index, index)

    def excerpt(self, run: Run) -> str:
        if run.id not in self._texts:
            self._texts[run.id] = self._first_text(run)
        return self._texts[run.id]

    def _first_text(self, run: Run) -> str:
        if self._chat.transcript.get(run.id) is None:
            return "" if run.ids else tr("Beginning of the chat")
        message = self._chat.message_to_display(run.id)
        if message.role == "tool":
            text = result_of(message)[:_MAX_ROW_CHARACTERS]
        else:
            text = (
                displayed_text(message.content[:_MAX_ROW_CHARACTERS], message.role) or message.error
            )
        text = " ".join(text.split()) or state_text(message)
        return text if message.role == "user" else f"{author_of(message)}: {text}"

    def is_generating(self, run: Run) -> bool:
        return bool(run.ids) and run.ids[-1] in self._chat.reply.message_ids

    def _accessible_text(self, run: Run) -> str:
        parts = [self.name(run), self.excerpt(run)]
        if len(run.ids) > 1:
            parts.append(messages(len(run.ids)))
        if run.branches:
            parts.append(branches(run.branches))
        if run.shown:
            parts.append(tr("shown", "of a branch"))
        if self.is_generating(run):
            parts.append(tr("replying"))
        return ", ".join(filter(None, parts))


def messages(n: int) -> str:
    return counted("%Ln message", "%Ln messages", n)


def branches(n: int) -> str:
    return counted("%Ln branch", "%Ln branches", n)


def end_text(run: Run, *, narrow: bool) -> str:
    parts = []
    if run.branches:
        parts.append("" if narrow else branches(run.branches))
    if len(run.ids) > 1:
        parts.append(number(len(run.ids)) if narrow else messages(len(run.ids)))
    return " · ".join(filter(None, parts))


class BranchDelegate(RowDelegate):
    def __init__(self, view: BranchView) -> None:
        super().__init__(view, self._state, inset=4)
        self._view = view

    def level(self) -> float:
        """Return the indentation per level in pixels, smaller in a deep tree and a narrow pane."""
        room = self._view.viewport().width() * 0.35
        return min(scaled(_LEVEL_PX), room / max(1, self._view.rows.deepest))

    def _state(self, index: Index) -> RowState | None:
        rows = self._view.rows
        if (run := rows.run(index)) is None:
            return None
        name, words = rows.name(run), rows.excerpt(run)
        indent = round(_EDGE_PX + run.depth * self.level())
        room = self._view.viewport().width() - indent - scaled(12) - 34
        return RowState(
            name or words,
            weight=QFont.Weight.DemiBold if name else QFont.Weight.Normal,
            color="text" if name or run.ids else "muted",
            indent=indent,
            end_unfolded=self._view.isExpanded(rows.index_of(run.id)) if run.below else None,
            end=end_text(run, narrow=room < scaled(260)),
            beside=words if name else "",
        )

    def paint_state(self, row: RowPainter, state: RowState, *, strong: bool) -> None:
        if state.end_unfolded is None:  # reserve space for an arrow, so that counts align
            row.line.setRight(row.line.right() - scaled(12) - 6)
        super().paint_state(row, state, strong=strong)

    def paint_ground(self, row: RowPainter, option: QStyleOptionViewItem, index: Index) -> bool:
        strong = super().paint_ground(row, option, index)
        if (run := self._view.rows.run(index)) is not None:
            self._paint_lines(row.painter, option, QRect(option.rect), run)
        return strong

    def _paint_lines(
        self, painter: QPainter, option: QStyleOptionViewItem, area: QRect, run: Run
    ) -> None:
        tokens, level = theme().tokens, self.level()
        rtl = option.direction == Qt.LayoutDirection.RightToLeft
        top, foot, middle = area.top(), area.bottom() + 1, area.center().y() + 0.5

        def x(depth: int) -> float:
            at = _EDGE_PX + depth * level
            return area.right() - at if rtl else area.left() + at

        def pen(is_on_path: bool) -> None:
            color = tokens.accent if is_on_path else tokens.border_strong
            painter.setPen(QPen(QColor(color), 2 if is_on_path else 1.5))

        painter.setBrush(Qt.BrushStyle.NoBrush)
        current, above = run, run.above
        while above is not None:  # walk up the parents, which are painted from right to left
            passes = above.goes_on or current.more
            end = foot if passes else middle - level / 2
            if passes or (current is run and run.begins):
                pen(above.shown and above.goes_on)
                painter.drawLine(QPointF(x(above.depth), top), QPointF(x(above.depth), end))
            if current is run and run.begins:
                pen(run.shown)
                curve = QPainterPath(QPointF(x(above.depth), middle - level / 2))
                corner = QPointF(x(above.depth), middle)
                curve.quadTo(corner, QPointF((x(above.depth) + x(run.depth)) / 2, middle))
                curve.lineTo(x(run.depth), middle)
                painter.drawPath(curve)
            current, above = above, above.above
        column_x = x(run.depth)
        pen(run.shown)
        if not run.begins:
            painter.drawLine(QPointF(column_x, top), QPointF(column_x, middle))
        unfolded = run.below and self._view.isExpanded(self._view.rows.index_of(run.id))
        if run.goes_on or unfolded:
            pen(run.shown and run.goes_on)
            painter.drawLine(QPointF(column_x, middle), QPointF(column_x, foot))
        center = QPointF(column_x, middle)
        painter.setPen(Qt.PenStyle.NoPen)
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.setBrush(QColor(tokens.accent_quiet if is_selected else tokens.background))
        painter.drawEllipse(center, 6.5, 6.5)
        running = self._view.rows.is_generating(run)
        if running:
            draw_dot(painter, center, tokens.accent, self.alpha, ring=True)
        elif run.shown:
            draw_dot(painter, center, tokens.accent, 255)
        else:
            draw_dot(painter, center, tokens.border_strong, 255, ring=True)

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = QLineEdit(parent)
        editor.setObjectName("rename")
        editor.setMaxLength(LONGEST_NAME)
        editor.setPlaceholderText(tr("Name of the branch"))
        editor.setAccessibleName(tr("Name of the branch"))
        return editor

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> None:
        area, run = QRect(option.rect), self._view.rows.run(index)
        x = round(_EDGE_PX + (run.depth if run else 0) * self.level() + 10)
        part = QRect(area.left() + x, area.top() + 1, area.width() - x - 8, area.height() - 2)
        editor.setGeometry(QStyle.visualRect(option.direction, area, part))


class BranchView(QTreeView):
    """Tree in which Up and Down select a run, Right expands, and Left collapses."""

    action_requested = Signal(str)  # (action of `BranchTree`)
    closed = Signal()

    def __init__(self, model: BranchModel, parent: QWidget) -> None:
        super().__init__(parent)
        self.rows = model
        self.delegate = BranchDelegate(self)
        self.setModel(model)
        self.setItemDelegate(self.delegate)
        prepare_row_view(self, tr("Branches"))
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setIndentation(0)
        self.setUniformRowHeights(True)
        self.setExpandsOnDoubleClick(False)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setAttribute(Qt.WidgetAttribute.WA_MacShowFocusRect, False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        float_bars(self)

    def event(self, event: QEvent) -> bool:
        # Some of these keys are also shortcuts of the window.
        override = event.type() == QEvent.Type.ShortcutOverride
        if override and isinstance(event, QKeyEvent) and _action_for_key(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # The editor ignored this key, so the list shouldn't handle it either.
        if self.state() == QAbstractItemView.State.EditingState:
            return
        if act := _action_for_key(event):
            self.action_requested.emit(act)
        elif event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        elif is_typed_text(event):
            event.ignore()  # let the composer handle the key
        else:
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        at = event.position().toPoint()
        run, index = self.rows.run(self.indexAt(at)), self.indexAt(at)
        edge = at.x() if self.isRightToLeft() else self.viewport().width() - at.x()
        if (
            event.button() == Qt.MouseButton.LeftButton
            and run
            and run.below
            and edge < scale_height(30)
        ):
            self.setExpanded(index, not self.isExpanded(index))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.action_requested.emit("go")

    def drawRow(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        self.itemDelegate().paint(painter, self._option(option, index), index)

    def _option(self, option: QStyleOptionViewItem, index: Index) -> QStyleOptionViewItem:
        option_used = QStyleOptionViewItem(option)
        option_used.rect = self.visualRect(index)
        option_used.state = QStyle.StateFlag.State_Enabled
        if self.selectionModel().isSelected(index):
            option_used.state |= QStyle.StateFlag.State_Selected
        over = self.viewport().mapFromGlobal(self.cursor().pos())
        if self.viewport().underMouse() and option_used.rect.contains(over):
            option_used.state |= QStyle.StateFlag.State_MouseOver
        return option_used


_KEYS = {
    (Qt.Key.Key_Return, False): "go",
    (Qt.Key.Key_Enter, False): "go",
    (Qt.Key.Key_Return, True): "compare",
    (Qt.Key.Key_Enter, True): "compare",
    (Qt.Key.Key_F2, False): "name",
    (Qt.Key.Key_Delete, False): "prune",
    (Qt.Key.Key_Backspace, False): "prune",
    (Qt.Key.Key_Right, True): "part",
}


def _action_for_key(event: QKeyEvent) -> str:
    key, modifiers = Qt.Key(event.key()), event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    shift = modifiers == Qt.KeyboardModifier.ShiftModifier
    plain = modifiers == Qt.KeyboardModifier.NoModifier
    return _KEYS.get((key, shift), "") if shift or plain else ""


class BranchTree(QWidget):
    """Branch tree with buttons, shown in place of the conversation."""

    branch_chosen = Signal(str)  # (message ID)
    comparison_requested = Signal(str, str)  # (message ID, other message ID)
    prune_requested = Signal(str)  # (message ID): delete it and all messages below
    notice_posted = Signal(str)  # (text)
    closed = Signal()

    def __init__(self, chat: Chat, parent: QWidget) -> None:
        super().__init__(parent)
        self._chat = chat
        self._folded: dict[str, bool] = {}  # by run ID, if the user folded or unfolded the run
        self.setAccessibleName(tr("Branches"))
        self.model = BranchModel(chat, self)
        self.view = BranchView(self.model, self)
        self.words = QLabel(self)
        self.words.setProperty("muted", True)
        self._actions: dict[str, tuple[str, Callable[[Run], object]]] = {
            "go": (
                tr("Show This Branch  Enter"),
                lambda run: self.branch_chosen.emit(run.id),
            ),
            "name": (
                tr("Name Branch  F2"),
                lambda _: self.view.edit(self.view.currentIndex()),
            ),
            "compare": (tr("Compare Branches  Shift+Enter"), self._compare),
            "part": (tr("Messages One by One  Shift+Right"), self._split_run),
            "prune": (
                tr("Delete Branch  Del"),
                lambda run: self.prune_requested.emit(run.id),
            ),
        }
        self.buttons = {
            act: IconButton(sign, self._actions[act][0], self)
            for act, sign in (("name", "pencil"), ("compare", "git-diff"), ("prune", "trash"))
        }
        for act, button in self.buttons.items():
            button.clicked.connect(partial(self.run_action, act))
        close = IconButton("x", tr("Close  Esc"), self)
        close.clicked.connect(self.closed)
        top = make_row_layout(
            (self.words, 1), *self.buttons.values(), close, margins=(16, 5, 8, 6), spacing=4
        )
        make_column_layout(top, (self.view, 1), of=self, spacing=0)
        self.setFocusProxy(self.view)
        self._refresh_timer = QTimer(self, singleShot=True, interval=0)
        self._refresh_timer.timeout.connect(self.refresh)
        self.view.action_requested.connect(self.run_action)
        self.view.closed.connect(self.closed)
        self.view.customContextMenuRequested.connect(self._pop_menu)
        self.view.expanded.connect(lambda index: self._on_folded(index, False))
        self.view.collapsed.connect(lambda index: self._on_folded(index, True))
        self.view.selectionModel().selectionChanged.connect(self._show_acts)
        for changed in (chat.path_changed, chat.message_added, chat.turn_changed):
            changed.connect(self._on_changed)
        chat.message_changed.connect(self._on_message)
        theme().changed.connect(self.view.scheduleDelayedItemsLayout)

    def open_tree(self) -> None:
        self.refresh()
        index = self.model.index_with(self._chat.transcript.leaf_id)
        self.view.setCurrentIndex(index)
        self.view.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtCenter)
        self.view.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh_timer.start()

    @Slot()
    def refresh(self) -> None:
        self._refresh_timer.stop()
        view, model = self.view, self.model
        if view.state() == QAbstractItemView.State.EditingState:
            return
        run = model.run(view.currentIndex())
        near: list[str] = []
        while run is not None:
            near.append(run.id)
            run = run.above
        scroll, model_was = view.verticalScrollBar().value(), len(model.runs)
        model.refresh()
        few = len(model.runs) <= _MAX_AUTO_EXPANDED
        view.blockSignals(True)
        for entry in model.runs:
            if entry.below and not self._folded.get(entry.id, not few):
                view.setExpanded(model.index_of(entry.id), True)
        view.blockSignals(False)
        message_id = next((i for entry in near if (i := model.index_of(entry)).isValid()), None)
        if message_id is not None:
            view.setCurrentIndex(message_id)
        if model_was:
            view.verticalScrollBar().setValue(scroll)
        self._show_words()
        self._show_acts()

    def _show_words(self) -> None:
        runs, words = self.model.runs, [branches(self.model.leaves)]
        if self.width() >= t.NARROW:
            words.append(messages(sum(len(run.ids) for run in runs)))
        self.words.setText(" · ".join(words))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_words()

    def set_dot_opacity(self, alpha: int) -> None:
        self.view.delegate.alpha = alpha
        for message_id in self._chat.reply.message_ids if self.isVisible() else ():
            self.model.refresh_run(self.model.index_with(message_id))

    def run_action(self, act: str) -> None:
        """Run an action on the current run, or tell the user why that isn't possible."""
        run = self.model.run(self.view.currentIndex())
        if run is None:
            return
        if reason := self._why_not(act, run):
            self.notice_posted.emit(reason)
            announce(self, reason)
        else:
            self._actions[act][1](run)

    def _why_not(self, act: str, run: Run) -> str:
        if not run.ids:
            return tr("Choose a branch below it.")
        if act == "go" and not run.shown:
            return self._chat.why_not(Action.GO_TO, run.id)
        if act == "prune":
            return self._chat.why_not(Action.DELETE, run.id)
        if act == "compare" and self._branches_to_compare(run) is None:
            return tr("This branch is shown already. Choose another, or two to compare.")
        return ""

    def _branches_to_compare(self, run: Run) -> tuple[str, str] | None:
        runs = [self.model.run(index) for index in self.view.selectedIndexes()]
        ids = [branch.id for branch in runs if branch is not None and branch.ids]
        if len(ids) == 2:
            return ids[0], ids[1]
        leaf = self._chat.transcript.leaf_id
        return None if run.shown or leaf is None else (leaf, run.id)

    def _compare(self, run: Run) -> None:
        if (pair := self._branches_to_compare(run)) is not None:
            self.comparison_requested.emit(*pair)

    def _split_run(self, run: Run) -> None:
        self.model.part(run)
        self.refresh()

    def menu(self) -> QMenu:
        menu, run = make_menu(self), self.model.run(self.view.currentIndex())
        for act, (words, _) in self._actions.items():
            reason = self._why_not(act, run) if run is not None else ""
            label = insert_shortcut(words).replace("  ", "\t")
            add_action(menu, label, partial(self.run_action, act), why_not=reason)
        return menu

    @Slot(QPoint)
    def _pop_menu(self, at: QPoint) -> None:
        self.menu().popup(self.view.viewport().mapToGlobal(at))

    @Slot()
    def _show_acts(self) -> None:
        run = self.model.run(self.view.currentIndex())
        for act, button in self.buttons.items():
            reason = self._why_not(act, run) if run is not None else ""
            button.setEnabled(run is not None and not reason)
            button.setToolTip(reason or button.tip)

    def _on_folded(self, index: QModelIndex, folded: bool) -> None:
        if (run := self.model.run(index)) is not None:
            self._folded[run.id] = folded

    @Slot()
    def _on_changed(self) -> None:
        if self.isVisible():
            self._refresh_timer.start()

    @Slot(str)
    def _on_message(self, message_id: str) -> None:
        index = self.model.index_of(message_id)
        if self.isVisible():
            self.model.refresh_run(index)

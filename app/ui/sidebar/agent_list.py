"""Agents of other apps that use the local API."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtCore import QEvent, QObject, QRect, Qt, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QEnterEvent,
    QFocusEvent,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPaintEvent,
    QTextCursor,
)
from PySide6.QtWidgets import QWidget

from app.chats.library import ChatLibrary
from app.serving import ServerState, Serving
from app.settings.language import counted, mark, number, percent, tr
from app.store import Store
from app.ui.score_view import ScoreView
from app.ui.sidebar.sidebar import Sidebar
from app.ui.style import tokens as t
from app.ui.style.figures import rate_line, seconds
from app.ui.style.scroll_bars import float_bars
from app.ui.style.theme import scale_height, theme, ui_font
from app.ui.widgets.buttons import IconButton
from app.ui.widgets.fields import make_text_field
from app.ui.widgets.labels import make_button
from app.ui.widgets.layout_helpers import SPRING, make_column_layout, make_row_layout, scrolling
from app.ui.widgets.row_painter import RowPainter
from app.ui.widgets.sheet import Sheet
from app.ui.widgets.widget_behavior import escape_tooltip

if TYPE_CHECKING:
    from engine.serve.agents import AgentSnapshot


_STATES = {
    "answering": mark("replying"),
    "paused": mark("paused"),
    "idle": mark("idle"),
    "ended": mark("finished"),
    "stopped": mark("stopped"),
}


def state_words(agent: AgentSnapshot) -> str:
    if agent.state == "tool":
        return tr("running a tool for {time}", time=seconds(agent.seconds))
    if agent.state == "waiting":
        return tr("waiting for the model") if agent.loads else tr("waiting for its turn")
    if agent.state != "reading":
        return tr(_STATES.get(agent.state, agent.state))
    figures = {"share": percent(agent.done / max(1, agent.total)), "total": number(agent.total)}
    if not agent.known:
        return tr("reading {share} of {total}", **figures)
    return tr("reading {share} of {total} ({known} cached)", **figures, known=number(agent.known))


def state_line(agent: AgentSnapshot) -> str:
    parts = [state_words(agent), rate_line(agent.rate) if agent.rate else ""]
    if agent.room and agent.context * 200 >= agent.room:
        parts.append(tr("{share} of context", share=percent(min(1, agent.context / agent.room))))
    return " · ".join(filter(None, [*parts, agent.model]))


class AgentDialog(Sheet):
    save_requested = Signal(int)  # (agent ID)

    def __init__(self, serving: Serving, number: int, parent: QWidget) -> None:
        super().__init__("agent", tr("Client"), parent, spacing=10)
        self._serving, self._number = serving, number
        self.head, self.state = self.make_heading(""), self.make_label()
        self.text = make_text_field(self, tr("Reply so far"))
        self.text.setReadOnly(True)
        self.keep = self.button(tr("Save as Chat"), lambda: self.save_requested.emit(number))
        self.pause = self.button(tr("Pause"), self._on_pause)
        self.stop = self.button(tr("Stop"), lambda: serving.stop(number))
        self.add_rows(self.head, self.state, self.text)
        self.add_buttons(None, self.pause, self.stop, self.keep)
        self.resize(560, 420)
        self._paused, self._text = False, ""
        serving.clients_changed.connect(self.refresh)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        agent = next((s for s in self._serving.clients.seen if s.id == self._number), None)
        buttons = (self.pause, self.stop, self.keep)
        if agent is None:
            self.state.setText(tr("This reply has ended."))
            for button in buttons:
                button.setEnabled(False)
                button.setToolTip(tr("This reply has ended."))
            return
        self._paused = agent.state == "paused"
        self.pause.setText(tr("Resume") if self._paused else tr("Pause"))
        self.stop.setEnabled(agent.state != "stopped")
        self.keep.setEnabled(agent.keeps)
        self.keep.setToolTip("" if agent.keeps else tr("Too long to be saved as a chat."))
        self.head.setText(agent.task or agent.program)
        self.state.setText(f"{agent.program} · {state_line(agent)}")
        text = self._serving.text(self._number)
        if text == self._text:
            return
        bar = self.text.verticalScrollBar()
        at_end = bar.value() == bar.maximum()
        if self._text and text.startswith(self._text):
            cursor = QTextCursor(self.text.document())
            cursor.movePosition(QTextCursor.MoveOperation.End)
            cursor.insertText(text[len(self._text) :])
        else:
            self.text.setPlainText(text)
        self._text = text
        if at_end:
            bar.setValue(bar.maximum())

    @Slot()
    def _on_pause(self) -> None:
        self._serving.pause(self._number, not self._paused)


MOST_ROWS = 7  # rows shown at first, enough for an agent with six helpers
MOST_HEIGHT = 324  # total height of the rows in pixels; scrolls beyond that


class AgentRowBase(QWidget):
    """Base class of rows with two buttons, which appear on hover and focus.

    Enter opens the row, Space pauses, Delete stops, and Up and Down move to another row.
    """

    HEIGHT = 42

    row_clicked = Signal(int)  # (agent ID)
    # (agent ID, on)
    pause_requested = Signal(int, bool)
    stop_requested = Signal(int)

    def __init__(self, number: int, stop: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.number = number
        self.paused = False
        self.setFixedHeight(scale_height(self.HEIGHT, 2 if self.HEIGHT > 30 else 1))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.pause = IconButton("pause", tr("Pause"), self, side=24)
        self.stop = IconButton("x", stop, self, side=24)
        for button in (self.pause, self.stop):
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.pause.clicked.connect(self._on_pause)
        self.stop.clicked.connect(lambda: self.stop_requested.emit(self.number))
        make_row_layout(SPRING, self.pause, self.stop, of=self, margins=(0, 0, 16, 0), spacing=2)
        self._reveal(False)
        theme().changed.connect(self.update)

    def show_paused(self, paused: bool) -> None:
        self.paused = paused
        self.pause.set_icon("play" if paused else "pause", tr("Resume") if paused else tr("Pause"))

    @Slot()
    def _on_pause(self) -> None:
        self.pause_requested.emit(self.number, not self.paused)

    def _reveal(self, on: bool) -> None:
        self.pause.setVisible(on)
        self.stop.setVisible(on)
        self.update()

    def enterEvent(self, event: QEnterEvent) -> None:
        self._reveal(True)

    def leaveEvent(self, event: QEvent) -> None:
        self._reveal(self.hasFocus())

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._reveal(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._reveal(self.underMouse())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.pos()):
            self.row_clicked.emit(self.number)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.row_clicked.emit(self.number)
        elif key == Qt.Key.Key_Space:
            self._on_pause()
        elif key in {Qt.Key.Key_Delete, Qt.Key.Key_Backspace}:
            self.stop_requested.emit(self.number)
        elif key in {Qt.Key.Key_Up, Qt.Key.Key_Down}:
            self.focusNextPrevChild(key == Qt.Key.Key_Down)
        else:
            super().keyPressEvent(event)

    def _row(self) -> RowPainter:
        row = RowPainter.for_widget(self, 18, 18 + (56 if self.pause.isVisible() else 0))
        lit = self.underMouse() or self.hasFocus()
        row.ground(
            row.inner(8), theme().tokens.hover if lit else "", ring=self.hasFocus(), radius=7
        )
        return row


class AgentRow(AgentRowBase):
    def __init__(self, agent: AgentSnapshot, parent: QWidget) -> None:
        super().__init__(agent.id, tr("Stop this agent"), parent)
        self.alone, self.level = True, 0
        self.show_seen(agent, alone=True, level=0)

    def show_seen(self, agent: AgentSnapshot, *, alone: bool, level: int) -> None:
        """Update the row.

        ``alone``: the row isn't below a group row, which would name the client. ``level``: depth of
        a sub-agent.
        """
        self.seen, self.alone, self.level = agent, alone, level
        self.show_paused(agent.state == "paused")
        parts = (
            agent.task,
            agent.program,
            tr("sub-agent") if agent.parent else "",
            state_line(agent),
        )
        words = ", ".join(filter(None, parts))
        if words != self.accessibleName():
            self.setAccessibleName(words)
            tip = filter(None, (agent.task, agent.program, state_line(agent)))
            self.setToolTip(escape_tooltip("\n".join(tip)))
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        row, tokens = self._row(), theme().tokens
        row.line.adjust(14 * self.level, 0, 0, 0)
        small, room, left_edge = ui_font(t.SMALL_PX), row.line.width(), row.line.left()
        parts = state_line(self.seen).split(" · ")
        before = [self.seen.program] if self.alone and self.seen.task else []
        width = QFontMetrics(small).horizontalAdvance
        while width(second := " · ".join([*before, *parts])) > room and (before or parts[1:]):
            if parts[1:]:
                parts.pop()  # drop whole stats instead of cutting them off
            else:
                before = []  # the state is more important than the text before it
        if width(second) > room:
            second = state_words(replace(self.seen, known=0))
        row.line = QRect(left_edge, 2, room, scale_height(18))
        row.text(self.seen.task or self.seen.program, tokens.text, font=ui_font(t.UI_PX))
        row.line = QRect(left_edge, 1 + scale_height(19), room, scale_height(18))
        row.text(second, tokens.muted, font=small)


class AgentGroup(AgentRowBase):
    HEIGHT = 28

    def __init__(self, number: int, parent: QWidget) -> None:
        super().__init__(number, tr("Stop all of them"), parent)
        self._words, self._folded = "", False

    def show_agents(self, agents: Sequence[AgentSnapshot], folded: bool) -> None:
        states = {agent.state for agent in agents} - {"stopped"}
        self.show_paused(states == {"paused"})
        busy = sum(agent.is_active for agent in agents)
        words = counted(
            "{program} · %n agent", "{program} · %n agents", len(agents), program=agents[0].program
        )
        if folded and busy:
            words += " · " + counted("%n busy", "%n busy", busy)
        if (words, folded) != (self._words, self._folded):
            self._words, self._folded = words, folded
            self.setAccessibleName(words)
            self.setAccessibleDescription(tr("collapsed") if folded else "")
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        row, color = self._row(), theme().tokens.muted
        row.line.adjust(-3, 0, 0, 0)
        row.caret(color, 5, unfolded=not self._folded)
        row.text(self._words, color, font=ui_font(t.SMALL_PX, ui_font().Weight.DemiBold))


def sort_as_tree(agents: Sequence[AgentSnapshot]) -> list[tuple[AgentSnapshot, int]]:
    """Return a session's agents depth-first, each with its depth."""
    ids = {agent.id for agent in agents}
    below: dict[int, list[AgentSnapshot]] = {}
    for agent in agents:
        below.setdefault(agent.parent if agent.parent in ids else 0, []).append(agent)
    rows: list[tuple[AgentSnapshot, int]] = []
    waiting = [(agent, 0) for agent in reversed(below.pop(0, []))]
    while waiting:
        agent, depth = waiting.pop()
        rows.append((agent, min(depth, 3)))
        waiting += [(child, depth + 1) for child in reversed(below.pop(agent.id, []))]
    return rows


class AgentsHeader(QWidget):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._words, self._is_connected = "", False
        self.setFixedHeight(scale_height(26))
        theme().changed.connect(self.update)

    def show_words(self, words: str, lit: bool) -> None:
        self._words, self._is_connected = words, lit
        self.setAccessibleName(tr("Clients, {words}", words=words))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        row, tokens = RowPainter.for_widget(self, 34, 16), theme().tokens
        row.painter.setPen(Qt.PenStyle.NoPen)
        row.painter.setBrush(QColor(tokens.accent if self._is_connected else tokens.border))
        row.painter.drawEllipse(row.to_visual(QRect(18, self.height() // 2 - 4, 8, 8)))
        row.text(self._words, tokens.muted, 8, font=ui_font(t.SMALL_PX), end=True)
        bold = ui_font(t.SMALL_PX, ui_font().Weight.DemiBold)
        row.text(tr("Clients"), tokens.muted, font=bold)


class AgentsSection(QWidget):
    agent_clicked = Signal(int)  # (agent ID)

    def __init__(self, serving: Serving, parent: QWidget) -> None:
        super().__init__(parent)
        self._serving = serving
        self._rows: dict[tuple[type[AgentRowBase], int], AgentRowBase] = {}
        self._folded: set[int] = set()
        self._shows_all = False
        self._head = AgentsHeader(self)
        self.more = make_button(self, pressed=self._on_more)
        self.more.setFlat(True)
        self._inner = QWidget(self)
        self._column = make_column_layout(of=self._inner, spacing=0)
        self._area = scrolling(self._inner, self)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        for ground in (self._area.viewport(), self._inner):
            ground.setAutoFillBackground(False)
        float_bars(self._area)
        make_column_layout(
            self._head, self._area, self.more, of=self, margins=(0, 2, 1, 2), spacing=0
        )
        serving.changed.connect(self.refresh)
        serving.clients_changed.connect(self.refresh)
        self.refresh()

    @property
    def rows(self) -> list[AgentRow]:
        return [row for row in self._rows.values() if isinstance(row, AgentRow)]

    @property
    def groups(self) -> list[AgentGroup]:
        return [row for row in self._rows.values() if isinstance(row, AgentGroup)]

    @Slot()
    def refresh(self) -> None:
        clients = self._serving.clients
        self.setVisible(self._serving.door is ServerState.OPEN)
        connections = clients.connections
        words = counted("%n connected", "%n connected", connections) if connections else tr("none")
        self._head.show_words(words, bool(connections))
        address = f"{self._serving.address}/v1"
        self._head.setToolTip(tr("Local API at {address}", address=address))
        groups: dict[int, list[AgentSnapshot]] = {}
        for agent in clients.seen:
            groups.setdefault(agent.group, []).append(agent)
        self._folded &= set(groups)
        listed = [s for s in clients.seen if s.group not in self._folded]
        # Move busy agents and their parents to the top, but otherwise keep the order stable.
        busy = {s.id for s in listed if s.is_active or s.state in ("tool", "paused")}
        busy |= {s.parent for s in listed if s.id in busy}
        visible_agents = sorted(listed, key=lambda s: s.id not in busy)
        shown_ids = {
            agent.id
            for agent in (visible_agents if self._shows_all else visible_agents[:MOST_ROWS])
        }
        hidden = len(listed) - len(shown_ids)
        self.more.setText(
            tr("Show fewer") if self._shows_all else counted("%n more", "%n more", hidden)
        )
        self.more.setVisible(hidden > 0 or (self._shows_all and len(listed) > MOST_ROWS))
        shown: list[AgentRowBase] = []
        for group, agents in groups.items():
            alone = len(agents) == 1
            rows = [(s, depth) for s, depth in sort_as_tree(agents) if s.id in shown_ids]
            if not alone and (rows or group in self._folded):
                shown.append(self._group(group, agents))
            shown += [self._row(s, alone, depth + (not alone)) for s, depth in rows]
        self._place_rows(shown)

    def _group(self, number: int, agents: Sequence[AgentSnapshot]) -> AgentGroup:
        group = self._rows.get((AgentGroup, number))
        if not isinstance(group, AgentGroup):
            group = AgentGroup(number, self._inner)
            group.row_clicked.connect(self._on_fold)
            group.pause_requested.connect(partial(self._serving.pause, group=True))
            group.stop_requested.connect(partial(self._serving.stop, group=True))
        group.show_agents(agents, number in self._folded)
        return group

    def _row(self, agent: AgentSnapshot, alone: bool, depth: int) -> AgentRow:
        row = self._rows.get((AgentRow, agent.id))
        if not isinstance(row, AgentRow):
            row = AgentRow(agent, self._inner)
            row.row_clicked.connect(self.agent_clicked)
            row.pause_requested.connect(self._serving.pause)
            row.stop_requested.connect(self._serving.stop)
        row.show_seen(agent, alone=alone, level=depth)
        return row

    def _place_rows(self, rows: list[AgentRowBase]) -> None:
        for index, row in enumerate(rows):
            if self._column.indexOf(row) != index:
                self._column.insertWidget(index, row)
            row.show()
        before, self._rows = self._rows, {(type(row), row.number): row for row in rows}
        for key in before.keys() - self._rows.keys():
            self._column.removeWidget(before[key])
            before[key].hide()
            before[key].deleteLater()
        height = sum(row.height() for row in rows)
        self._area.setVisible(bool(rows))
        self._area.setFixedHeight(min(height, scale_height(MOST_HEIGHT)))
        self._inner.setFixedHeight(height)

    @Slot(int)
    def _on_fold(self, number: int) -> None:
        self._folded ^= {number}
        self.refresh()

    @Slot()
    def _on_more(self) -> None:
        self._shows_all = not self._shows_all
        self.refresh()


class AgentsController(QObject):
    conversation_saved = Signal(str)  # (chat ID)

    def __init__(
        self,
        serving: Serving,
        sidebar: Sidebar,
        score: ScoreView,
        library: ChatLibrary,
        store: Store,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._serving, self._window = serving, window
        self._library, self._store = library, store
        self.part = AgentsSection(serving, sidebar)
        sidebar.add_part(self.part)
        self.part.agent_clicked.connect(self.open)
        score.agent_chosen.connect(self.open)
        score.agent_pause_requested.connect(serving.pause)

    @Slot(int)
    def open(self, number: int) -> None:
        dialog = AgentDialog(self._serving, number, self._window)
        dialog.save_requested.connect(self.save_as_chat)
        dialog.show()

    @Slot(int)
    def save_as_chat(self, number: int) -> None:
        from app.chats.importing.agent import read

        conversation = self._serving.conversation(number)
        if conversation is None:
            return
        agent = next((s for s in self._serving.clients.seen if s.id == number), None)
        title = (agent.task or agent.program) if agent is not None else ""
        folder = self._serving.model_of(conversation.model)
        imported_chat = read(
            conversation.messages, conversation.reply, title, folder, conversation.model
        )
        self._store.exchange.add_chats(
            [(imported_chat.chat, imported_chat.messages)], imported_chat.texts
        )
        self._library.add_imported([imported_chat.chat])
        self.conversation_saved.emit(imported_chat.chat.id)

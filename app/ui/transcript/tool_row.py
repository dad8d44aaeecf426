"""One call of a tool in the transcript: the question whether it may run, its result."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QRectF, Qt, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QTextDocument,
)
from PySide6.QtWidgets import QPlainTextEdit, QPushButton, QWidget

from app.chats.actions import Action
from app.chats.tool_call import Call, CallState
from app.settings.language import counted, mark, number, tr
from app.store import Message
from app.tools.consent import Decision, may_be_remembered
from app.tools.tool import BUILT_IN, readable, visible
from app.ui.style import tokens as t
from app.ui.style.figures import seconds
from app.ui.style.theme import code_font, theme, ui_font
from app.ui.transcript.answer_row import FoldButton
from app.ui.transcript.message_row import Can, MessageRow, beginning
from app.ui.transcript.question_form import QuestionForm
from app.ui.widgets.manners import mirror, mirrored
from app.ui.widgets.textview import TextView

KEYS = {
    Qt.Key.Key_Return: Decision.ONCE,
    Qt.Key.Key_Enter: Decision.ONCE,
    Qt.Key.Key_T: Decision.TOOL,
    Qt.Key.Key_S: Decision.SERVER,
    Qt.Key.Key_D: Decision.DENY,
}
CHOICES = (
    (Decision.ONCE, mark("Allow Once"), mark("Run it this one time  Enter")),
    (Decision.TOOL, mark("Always This Tool"), mark("Run it in this chat without asking again  T")),
    (
        Decision.SERVER,
        mark("Always This Server in This Chat"),
        mark("Run all of its tools without asking  S"),
    ),
    (Decision.DENY, mark("Deny"), mark("Do not run it; the model is told so  D")),
)

_SAID = {
    "accept": mark("The server asked: {question}\nYou answered it."),
    "decline": mark("The server asked: {question}\nYou declined."),
    "cancel": mark("The server asked: {question}\nYou left it unanswered."),
}


def tool_of(message: Message) -> str:
    """The tool's name and its server's: "search · web"."""
    stats = message.stats
    name = visible(str(stats.get("tool") or stats.get("name") or tr("tool")))[:80]
    server = visible(str(stats.get("server") or ""))[:60]
    return name if server in ("", BUILT_IN) else f"{name} · {server}"


def headline(message: Message, state: CallState) -> str:
    """What stands above a call that is not over: the question, or what goes on."""
    tool = tool_of(message)
    if state is CallState.RUNNING:
        return tr("Running {tool}…", tool=tool)
    if state is CallState.TOO_LONG:
        return tr("The result of {tool} is too long", tool=tool)
    return tr("Run {tool}?", tool=tool)


def size_words(characters: int) -> str:
    return counted("{count} character", "{count} characters", characters, count=number(characters))


def over_line(message: Message) -> str:
    """The one line that is left of a call which is over."""
    stats, tool = message.stats, tool_of(message)
    if stats.get("decision") == "deny":
        return tr("{tool} · Not allowed", tool=tool)
    if message.status == "cancelled":
        return tr("{tool} · Stopped", tool=tool)
    if message.status == "interrupted":
        return tr("{tool} · Interrupted when Stretto was closed", tool=tool)
    parts = [tool]
    if message.status == "error":
        parts.append(tr("Failed"))
    took = stats.get("seconds")
    if isinstance(took, int | float) and not isinstance(took, bool):
        short = tr("{number} ms", number=number(took * 1000))
        parts.append(short if took < 0.1 else seconds(float(took)))
    size = stats.get("size")
    if isinstance(size, int) and message.status != "error":
        parts.append(_kept_words(len(message.content), size))
    return " · ".join(parts)


def _kept_words(kept: int, size: int) -> str:
    """How long a result is, and how much of it the model gets where that is less."""
    if size <= kept:
        return size_words(size)
    return counted(
        "{kept} of {size} characters",
        "{kept} of {size} characters",
        size,
        kept=number(kept),
        size=number(size),
    )


def folded_text(message: Message, arguments: str) -> str:
    """What the line unfolds to: the arguments, what the server asked meanwhile, the result."""
    parts = [arguments] if arguments not in ("", "{}") else []
    asked = message.stats.get("asked")
    for pair in asked if isinstance(asked, list) else []:
        if isinstance(pair, list) and len(pair) == 2 and pair[1] in _SAID:
            parts.append(tr(_SAID[pair[1]], question=str(pair[0])))
    return "\n\n".join([*parts, beginning(message.content)])


def visible_lines(text: str) -> str:
    """The text with its lines, and with what cannot be seen in them as escapes."""
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return "\n".join(visible(line.replace("\t", "    ")) for line in text.split("\n"))


PAD, GAP, HEAD = 14, 8, 24


def paint_card(painter: QPainter, card: QRect, headline: str, waits: bool) -> None:
    """The frame with its first line; ``waits``: the person is to say something."""
    tokens = theme().tokens
    painter.setPen(QColor(tokens.accent if waits else tokens.border_strong))
    painter.setBrush(QColor(tokens.raised))
    edge = QRectF(card).adjusted(0.5, 0.5, -0.5, -0.5)
    painter.drawRoundedRect(edge, t.RADIUS_SMALL, t.RADIUS_SMALL)
    head = QRectF(PAD, PAD, card.width() - 2 * PAD, HEAD)
    font = ui_font(t.UI_PX, QFont.Weight.DemiBold)
    painter.setFont(font)
    painter.setPen(QColor(tokens.text))
    middle = Qt.TextElideMode.ElideMiddle
    words = QFontMetrics(font).elidedText(headline, middle, round(head.width()))
    painter.drawText(head, Qt.AlignmentFlag.AlignVCenter, words)


def paint_note(painter: QPainter, area: QRect, words: str, danger: bool) -> None:
    """A line or more below what the card holds."""
    painter.setFont(ui_font())
    painter.setPen(QColor(theme().tokens.danger if danger else theme().tokens.muted))
    painter.drawText(area, Qt.TextFlag.TextWordWrap, words)


def place_buttons(buttons: Sequence[QPushButton], y: int, width: int) -> int:
    """Put them in rows from ``y`` on; returns where they end."""
    x, height = PAD, 0
    for button in buttons:
        button.adjustSize()
        if x > PAD and x + button.width() > width - PAD:
            x, y = PAD, y + height + GAP
        button.move(x, y)
        x, height = x + button.width() + GAP, button.height()
        parent = button.parentWidget()
        if parent is not None:
            mirror(parent, button, width=width)
    return y + height


class ToolRow(MessageRow):
    """What is to run and with which arguments, what the person says to it, and what came of it.

    Signals:
        decided(id, decision, arguments): the person has answered; arguments as JSON text.
        kept(id, shorten): what becomes of a result that is too long.
        stopped(id): the running call is to end.
        answered(id, response): what the person says to a question of the tool's server.
    """

    decided = Signal(str, object, str)
    kept = Signal(str, bool)
    stopped = Signal(str)
    answered = Signal(str, object)

    MOST_LINES = 12

    def __init__(self, message: Message, can: Can, parent: QWidget, call: Call | None) -> None:
        super().__init__(message, can, parent)
        self._call = call
        self._card, self._last, self._note = QRect(), False, ""
        self._note_area = QRect()
        self._fold = FoldButton(self, "wrench")
        self._fold.clicked.connect(self.resized)
        self._arguments = QPlainTextEdit(self)
        self._arguments.setObjectName("field")
        self._arguments.setAccessibleName(tr("Arguments"))
        self._arguments.setTabChangesFocus(True)
        self._arguments.setPlainText(readable(self._told()))
        self._result = TextView(QTextDocument(), self)
        self._result.setAccessibleName(tr("Result"))
        self._choices = {
            decision: self._plain(tr(words), tr(tip)) for decision, words, tip in CHOICES
        }
        self._choices[Decision.ONCE].setObjectName("primary")
        for decision, button in self._choices.items():
            button.clicked.connect(lambda _=False, d=decision: self._decide(d))
        self._shorten = self._plain(tr("Shorten It"), tr("Keep its beginning and its end"))
        self._shorten.clicked.connect(lambda: self.kept.emit(self.message.id, True))
        self._leave = self._plain(tr("Leave It Out"), tr("Tell the model that it was too long"))
        self._leave.clicked.connect(lambda: self.kept.emit(self.message.id, False))
        self._stop = self._plain(tr("Stop"), tr("End this call; the model is told so"))
        self._stop.clicked.connect(lambda: self.stopped.emit(self.message.id))
        self._go_on = self._plain(tr("Go On"), tr("Let the model go on with the results"))
        self._go_on.clicked.connect(lambda: self._ask(Action.GO_ON, self.message.id))
        self._form: QuestionForm | None = None
        self._show()
        self._reveal()

    @property
    def state(self) -> CallState:
        return self._call.state if self._call is not None else CallState.OVER

    @property
    def buttons(self) -> list[QPushButton]:
        """What can be pressed now besides the fold."""
        more = self._shorten, self._leave, self._stop, self._go_on
        return [b for b in (*self._choices.values(), *more) if not b.isHidden()]

    @property
    def arguments(self) -> QPlainTextEdit:
        return self._arguments

    def set_call(self, call: Call | None) -> None:
        """Take the call as it is now; None when it is over."""
        self._call = call
        self._show()

    def set_message(self, message: Message) -> None:
        super().set_message(message)
        self._show()

    def show_fault(self, words: str) -> None:
        """Say why the arguments cannot be used as they are."""
        self._note = words
        self._arguments.setProperty("wrong", bool(words))
        self._arguments.style().unpolish(self._arguments)
        self._arguments.style().polish(self._arguments)
        self.resized.emit()

    def show_actions(self) -> None:
        super().show_actions()
        shown = self.state is CallState.OVER and self._can(Action.GO_ON, "") is None and self._last
        if shown == self._go_on.isHidden():
            self._go_on.setVisible(shown)
            self.resized.emit()

    def set_last(self, last: bool) -> None:
        """Whether it stands at the end of the chat."""
        self._last = last
        self.show_actions()

    def arrange(self, width: int) -> int:
        if self.state is CallState.OVER:
            return self._arrange_over(width)
        inner = width - 2 * PAD
        y = PAD + HEAD + GAP
        if not self._arguments.isHidden():
            font = QFontMetrics(self._arguments.font())
            lines = min(max(self._arguments.blockCount(), 1), self.MOST_LINES)
            height = lines * font.lineSpacing() + 38
            self._arguments.setGeometry(PAD, y, inner, height)
            y += height + GAP
        if self._form is not None:
            y += self._form.arrange(PAD, y, inner) + GAP
        y = self._arrange_preview(y, inner)
        self._note_area = QRect()
        if self._note:
            flags = Qt.TextFlag.TextWordWrap
            bound = QFontMetrics(ui_font()).boundingRect(0, 0, inner, 10_000, flags, self._note)
            self._note_area = QRect(PAD, y, inner, bound.height())
            y += bound.height() + GAP
        y = place_buttons(self.buttons, y, width)
        self._card = QRect(0, 0, width, y + PAD)
        return y + PAD + 4

    def _arrange_preview(self, y: int, inner: int) -> int:
        preview = self._call.preview if self._call is not None else None
        self._result.setVisible(preview is not None)
        if preview is None:
            return y
        height = self._result.height_for(inner)
        self._result.setGeometry(PAD, y, inner, height)
        return y + height + GAP

    def _arrange_over(self, width: int) -> int:
        self._fold.resize(min(self._fold.sizeHint().width(), width), self._fold.sizeHint().height())
        self._fold.move(0, 0)
        y = self._fold.height()
        open_ = self._fold.isChecked()
        self._arguments.setVisible(False)
        self._result.setVisible(open_)
        if open_:
            height = self._result.height_for(width - 18)
            self._result.setGeometry(18, y + 4, width - 18, height)
            y += height + 8
        self._card = QRect(8, self._fold.height() + 4, 2, y - self._fold.height() - 8)
        if not self._go_on.isHidden():
            self._go_on.adjustSize()
            self._go_on.move(0, y + 4)
            y += self._go_on.height() + 8
        mirror(self, self._fold, self._result, self._go_on, width=width)
        return y

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens, painter = theme().tokens, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.state is CallState.OVER:
            if self._fold.isChecked():
                painter.fillRect(mirrored(self, QRectF(self._card)), QColor(tokens.divider))
            return
        waits = self._call is not None and self._call.waits
        paint_card(painter, self._card, self.headline, waits)
        if self._note:
            paint_note(painter, self._note_area, self._note, self.state is CallState.ASKING)

    @property
    def headline(self) -> str:
        """The question, or what goes on."""
        if self._form is not None:
            return tr("{tool} asks you", tool=tool_of(self.message))
        return headline(self.message, self.state)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._form is not None and self._form.press(event, self.hasFocus()):
            return
        decision = KEYS.get(Qt.Key(event.key()))
        plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        focused = self.window().focusWidget()
        if isinstance(focused, QPushButton) and decision is Decision.ONCE:
            focused.click()  # Qt presses buttons with Space only, and this may be Deny
        elif self.state is CallState.ASKING and decision is not None and plain and focused is self:
            if not self._choices[decision].isHidden():
                self._decide(decision)
        elif self.state is CallState.OVER and event.key() == Qt.Key.Key_Space:
            self._fold.click()
        else:
            super().keyPressEvent(event)

    def _decide(self, decision: Decision) -> None:
        self.decided.emit(self.message.id, decision, self._arguments.toPlainText())

    def _told(self) -> str:
        if self._call is not None:
            return self._call.arguments
        return str(self.message.stats.get("arguments", ""))

    def _show(self) -> None:
        """Show what belongs to the state that the call is in."""
        state, call = self.state, self._call
        asking = state is CallState.ASKING and call is not None and call.tool is not None
        self._show_question()
        self._fold.setVisible(state is CallState.OVER)
        self._arguments.setVisible(asking or (state is CallState.RUNNING and not self._form))
        self._arguments.setReadOnly(not asking)
        self._arguments.setFont(code_font())
        for decision, button in self._choices.items():
            button.setVisible(asking and self._offers(decision))
        self._shorten.setVisible(state is CallState.TOO_LONG)
        self._leave.setVisible(state is CallState.TOO_LONG)
        self._stop.setVisible(state is CallState.RUNNING and self._form is None)
        self._note = ""
        preview = call.preview if call is not None else None
        if preview is not None:
            self._fill_view(preview.text)
        if state is CallState.TOO_LONG and call is not None and call.result is not None:
            size, room = size_words(call.result.size), size_words(call.room)
            self._note = tr("It has {size}; about {room} fit into this chat.", size=size, room=room)
        if state is CallState.OVER:
            self._fold.setText(over_line(self.message))
            self._fold.setAccessibleName(self._fold.text())
            self._fill_result()
        self.setAccessibleDescription(self.headline if state is not CallState.OVER else "")
        self.show_actions()
        self.resized.emit()
        self.update()

    def _show_question(self) -> None:
        """Have the form of what the call's server asks, if it asks."""
        questions = self._call.questions if self._call is not None else []
        asked = questions[0] if questions else None
        if self._form is not None and self._form.asked is not asked:
            if self._form.isAncestorOf(self.window().focusWidget() or self):
                self.setFocus()  # Qt would give the focus to whatever comes next
            self._form.hide()
            self._form.deleteLater()
            self._form = None
        if asked is not None and self._form is None:
            self._form = QuestionForm(asked, self)
            self._form.resized.connect(self.resized)
            self._form.answered.connect(lambda said: self.answered.emit(self.message.id, said))
            self._form.show()

    def fields(self) -> list[QWidget]:
        form = self._form.fields() if self._form is not None else []
        return [self._arguments, *form] if not self._arguments.isReadOnly() else form

    def _offers(self, decision: Decision) -> bool:
        tool = self._call.tool if self._call is not None else None
        if tool is None:
            return False
        if decision is Decision.SERVER:
            return tool.server != BUILT_IN
        return decision is not Decision.TOOL or may_be_remembered(tool)

    def _fill_result(self) -> None:
        self._fill_view(folded_text(self.message, readable(self._told())))

    def _fill_view(self, text: str) -> None:
        """As plain text: nothing in it is a link, a picture or a format."""
        document = self._result.document()
        document.setDefaultFont(code_font())
        document.setPlainText(visible_lines(text))

    def _plain(self, words: str, tip: str) -> QPushButton:
        button = QPushButton(words, self)
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.setToolTip(tip)
        button.hide()
        return button

    @Slot()
    def _on_theme(self) -> None:
        self._show()

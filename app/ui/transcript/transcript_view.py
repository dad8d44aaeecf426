"""The conversation of one pane: the messages of a chat's path, as they come and change."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.chats.chat import Chat
from app.chats.transcript import left_out
from app.language import tr
from app.store import Message, places_in
from app.tools.consent import Decision
from app.ui.style.theme import theme
from app.ui.transcript.answer_row import AnswerRow
from app.ui.transcript.message_row import MessageRow
from app.ui.transcript.tool_row import ToolRow
from app.ui.transcript.transcript_area import TranscriptArea
from app.ui.transcript.transcript_keys import TranscriptKeys
from app.ui.transcript.transcript_layout import Place, estimated_height
from app.ui.transcript.user_row import UserRow
from app.ui.widgets.textview import Words


class TranscriptView(TranscriptArea):
    """Shows a chat's path and follows its end while the reader is there.

    Signals:
        put_up(id): a message has come near enough to what is seen to have a row.
    """

    put_up = Signal(str)

    def __init__(self, chat: Chat, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chat = chat
        self._words: Words = ""
        self._found_in = ""  # the one message in which the words are marked; "" for all
        self._left_out: frozenset[str] = frozenset()
        self._keys = TranscriptKeys(self)
        self.setAccessibleName(tr("Conversation"))
        chat.path_changed.connect(self._rebuild)
        chat.turn_changed.connect(self._on_turn)
        chat.message_added.connect(self._on_added)
        chat.message_changed.connect(self._on_changed)
        chat.text_added.connect(self._on_text)
        theme().changed.connect(self._on_theme)
        self._rebuild()

    def show_message(self, message_id: str) -> None:
        """Bring a message into view (a search result)."""
        self.lay_out()
        place = next((p for p in self._places if p.message_id == message_id), None)
        if place is None:
            return
        self._follow = False
        within = 0
        # Twice: the first brings it near, which makes it and the heights around it known.
        for _ in range(2):
            self.verticalScrollBar().setValue(max(0, place.top + within - self.TOP))
            self.lay_out()
            top = self._highlight(place)
            within = max(0, (top or 0) - self.viewport().height() // 3)

    def show_found(self, message_id: str, words: str) -> None:
        """Bring the message that a search has found into view, with the words of the search marked.

        They stay so until the chat goes on, or the person does.
        """
        self._found_in = message_id
        self._mark_words(lambda text: places_in(text, words))
        self.show_message(message_id)

    def forget_found(self) -> bool:
        """Take the marks of a search away; whether there were any."""
        marked = bool(self._found_in)
        if marked:
            self.highlight("")
        return marked

    def highlight(self, words: str) -> None:
        """Mark these words wherever they stand; none when empty."""
        self._found_in = ""
        self._mark_words(words)

    def _mark_words(self, words: Words) -> None:
        self._words = words
        for place in self._places:
            self._highlight(place)

    def _highlight(self, place: Place) -> int | None:
        """Mark the words in a message, if they are to be; returns where the first stands."""
        if place.row is None:
            return None
        marked = not self._found_in or self._found_in == place.message_id
        return place.row.highlight(self._words if marked else "")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._keys.press(event):
            event.ignore()

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.enter()

    def enter(self) -> None:
        """Give the keys to the last message that is in view."""
        if not self._keys.enter():
            self.left.emit(True)

    def paintEvent(self, event: QPaintEvent) -> None:
        self._keys.paint_mark(self.viewport())

    # What the chat tells.

    @Slot()
    def _rebuild(self) -> None:
        """Show the path anew, keeping the widgets of messages that stay."""
        before = {place.message_id: place for place in self._places}
        path = self._chat.transcript.path
        self._places = [before.pop(m.id) if m.id in before else Place(m.id) for m in path]
        self._placed = 0
        for gone in before.values():
            self._take_down(gone)
        self._follow = True
        self._mark_rows()
        self._soon.start()

    @Slot(str)
    def _on_added(self, message_id: str) -> None:
        self.forget_found()
        self._places.append(Place(message_id))
        self._follow = True
        self._mark_rows()
        self._soon.start()

    @Slot(str)
    def _on_changed(self, message_id: str) -> None:
        row = self.row(message_id)
        if row is not None:
            if isinstance(row, ToolRow):
                row.set_call(self._chat.tools.calls.get(message_id))
            row.set_message(self._chat.shown(message_id))
        else:
            self._forget_height(message_id)

    @Slot()
    def _on_turn(self) -> None:
        """What may be done with a message may be something else now."""
        for place in self._places:
            if place.row is not None:
                place.row.show_actions()

    @Slot(str, str, str)
    def _on_text(self, message_id: str, text: str, kind: str) -> None:
        row = self.row(message_id)
        if row is not None and not self.isVisible():
            # A hidden tab renders nothing: its text is taken as a whole when it is shown.
            self._take_down(next(p for p in self._places if p.row is row))
        elif row is not None:
            row.append(text, kind)
            if isinstance(row, AnswerRow):
                row.set_thought(self._chat.thought_s)
        else:
            self._forget_height(message_id)

    def _forget_height(self, message_id: str) -> None:
        for place in self._places:
            if place.message_id == message_id:
                place.width = 0
                self._soon.start()

    def _estimate(self, place: Place, width: int) -> int:
        return estimated_height(self._chat.transcript[place.message_id], width)

    def _answering(self) -> bool:
        return self._chat.answering

    def _put_up(self, place: Place) -> MessageRow:
        message = self._chat.shown(place.message_id)
        row: MessageRow
        if message.role == "tool":
            row = self._tool_row(message)
        else:
            kind = UserRow if message.role == "user" else AnswerRow
            row = kind(message, self._chat.can, self.viewport())
        place.row = row
        self._number(place)
        if isinstance(row, AnswerRow):
            row.set_last(place is self._places[-1])
            row.set_thought(self._chat.thought_s)
            row.wrap_code(place.wrapped)
        elif isinstance(row, ToolRow):
            row.set_last(place is self._places[-1])
        elif isinstance(row, UserRow):
            row.set_left_out(place.message_id in self._left_out)
            if row.files is not None:
                row.files.set_texts(self._chat.attaching.text)
        if self._words:
            self._highlight(place)
        row.resized.connect(self._on_row_resized)
        row.asked.connect(self.asked)
        row.left.connect(self.left)
        row.reached.connect(self._on_reached)
        self.put_up.emit(message.id)
        return row

    def _tool_row(self, message: Message) -> ToolRow:
        tools = self._chat.tools
        row = ToolRow(message, self._chat.can, self.viewport(), tools.calls.get(message.id))
        row.decided.connect(self._on_decided)
        row.kept.connect(tools.keep)
        row.stopped.connect(tools.stop_call)
        row.answered.connect(tools.answer)
        return row

    @Slot(str, object, str)
    def _on_decided(self, message_id: str, decision: Decision, arguments: str) -> None:
        row = self.row(message_id)
        fault = self._chat.decide(message_id, decision, arguments)
        if fault and isinstance(row, ToolRow):
            row.show_fault(fault)

    def _take_down(self, place: Place) -> None:
        if place.row is not None:
            if isinstance(place.row, AnswerRow):
                place.wrapped = place.row.wrapped_code
            place.row.resized.disconnect(self._on_row_resized)
            if place.row.has_keys():
                self.left.emit(True)
            place.row.hide()
            place.row.deleteLater()
            place.row = None

    def _mark_rows(self) -> None:
        """Tell the messages what their place in the path makes of them."""
        self._left_out = left_out(self._chat.transcript.path)
        for place in self._places:
            if isinstance(place.row, AnswerRow | ToolRow):
                place.row.set_last(place is self._places[-1])
            elif isinstance(place.row, UserRow):
                place.row.set_left_out(place.message_id in self._left_out)
            self._number(place)
        self._on_turn()  # what is refused of a message may depend on its place

    def _number(self, place: Place) -> None:
        """Tell a message which of how many versions it is."""
        if place.row is not None:
            versions = self._chat.transcript.alternatives(place.message_id)
            place.row.set_alternative(versions.index(place.message_id) + 1, len(versions))

    @Slot()
    def _on_theme(self) -> None:
        self.viewport().update()

"""Several messages put to several models, seeds or temperatures: the answers make a table.

Each column is one chat, and each message a conversation of its own in it, beside the others (the
versions of its first message). So everything is saved as any chat is, can be opened and searched,
and no message has heard of another.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.chats.chat import Chat
from app.chats.library import ChatLibrary
from app.chats.options import ChatOptions
from app.chats.transcript import did_not_fit
from app.settings.language import mark, tr
from app.store import Attachments, Message

MESSAGE = mark("Message")


def as_csv(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """RFC 4180, with a byte order mark: Excel takes it for another encoding without.

    What a spreadsheet would reckon out (=, +, - and @ at the beginning) has an apostrophe before
    it, as OWASP advises ("CSV Injection"): a model's answer may be anything.
    """
    text = io.StringIO()
    writer = csv.writer(text)
    for row in ((tr(MESSAGE), *heads), *rows):
        writer.writerow([f"'{cell}" if cell[:1] in set("=+-@\t\r") else cell for cell in row])
    return "\ufeff" + text.getvalue()


def as_markdown(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table as GitHub's Markdown has them; lines of a cell are parted by <br>."""
    lines = [_line((tr(MESSAGE), *heads)), _line(["---"] * (len(heads) + 1))]
    return "\n".join([*lines, *map(_line, rows)]) + "\n"


def _line(cells: Sequence[str]) -> str:
    told = (
        cell.strip().replace("\\", "\\\\").replace("|", "\\|").replace("\r", "") for cell in cells
    )
    return "| " + " | ".join("<br>".join(cell.split("\n")) for cell in told) + " |"


MOST_MESSAGES = 100
"""Rows. More are a benchmark, and no reading for a person."""
DELETED = mark("This chat has been deleted")


@dataclass(frozen=True)
class Cell:
    """One answer.

    Attributes:
        text: what it says so far.
        note: in a few words why it is not complete; "" for an answer that is.
        message_id: where it stands in the column's chat; "" while it has not been asked for.
    """

    text: str = ""
    note: str = ""
    message_id: str = ""


class AnswerTable(QObject):
    """Asks the messages of each column one after another; the columns answer side by side.

    Signals:
        changed(): answers have begun or ended, or the whole has.

    Attributes:
        columns: by chat: what the column differs in, from left to right.
        messages: what is asked, from the top.
    """

    changed = Signal()

    def __init__(
        self,
        library: ChatLibrary,
        columns: dict[str, str],
        messages: Sequence[str],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.columns = columns
        self.messages = tuple(dict.fromkeys(m.strip("\n") for m in messages if m.strip()))
        self._library = library
        self._going: set[str] = set()  # chats of columns that have not come to their end
        self._asked: set[tuple[str, str]] = set()  # since the table was last begun
        self._followed: dict[str, Chat] = {}

    @classmethod
    def begin(
        cls,
        library: ChatLibrary,
        columns: Sequence[tuple[str, ChatOptions, str]],
        system: str,
        messages: Sequence[str],
        parent: QObject | None = None,
        files: Attachments = (),
    ) -> AnswerTable:
        """Make a chat for each column (model, settings, what it differs in), and ask.

        ``files`` go with each message: what is asked beside the first one has the first one's.
        """
        table = cls(library, {}, messages, parent)
        for model, options, words in columns:
            chat = library.new(model)
            chat.set_options(options, system)
            table.columns[chat.id] = words
            table._follow(chat)
        for chat_id in table.columns:
            chat = table._followed[chat_id]
            chat.load_model()
            table._asked.add((chat_id, table.messages[0]))
            table._going.add(chat_id)
            chat.send(table.messages[0], files, unseen=True)
        library.order.group(table.columns)
        table.changed.emit()
        return table

    @classmethod
    def from_json(
        cls, data: object, library: ChatLibrary, parent: QObject | None = None
    ) -> AnswerTable | None:
        """What `to_json` gave, in another run; None for what cannot have come from there.

        It is at rest: nothing is asked before `go_on`.
        """
        told = data if isinstance(data, dict) else {}
        columns, messages = told.get("columns"), told.get("messages")
        if not isinstance(columns, dict) or not isinstance(messages, list):
            return None
        texts = [*columns, *columns.values(), *messages]
        if not all(isinstance(text, str) for text in texts) or not columns or not messages:
            return None
        return cls(library, dict(columns), messages[:MOST_MESSAGES], parent)

    def to_json(self) -> dict[str, Any]:
        return {"columns": self.columns, "messages": list(self.messages)}

    # How far it is.

    @property
    def running(self) -> bool:
        """Whether answers are being written, or will be without more being done."""
        return bool(self._going)

    def cell(self, message: str, chat_id: str) -> Cell:
        """The answer of a column to a message."""
        chat = self._chat(chat_id)
        if chat is None:
            return Cell(note=tr(DELETED))
        question = self._question(chat, message)
        answer = self._answer(chat, question)
        if question is None or answer is None:
            return Cell(note=tr("Waiting") if chat_id in self._going else tr("Not started"))
        answer = chat.message(answer.id)
        note = {
            "complete": "",
            "error": answer.error,
            "streaming": tr("Replying"),
            "cancelled": tr("Stopped", "a reply"),
        }.get(answer.status, tr("Interrupted"))
        return Cell(answer.content, note, answer.id)

    def done(self) -> int:
        """How many answers are complete."""
        return sum(not self.cell(m, c).note for m in self.messages for c in self.columns)

    # What a person does.

    def stop(self) -> None:
        """Ask nothing more and end what is being answered; what was written stays."""
        going, self._going = self._going, set()
        for chat_id in going:
            chat = self._chat(chat_id)
            if chat is not None:
                chat.stop()
        self.changed.emit()

    def go_on(self) -> None:
        """Ask for each answer that is missing or was not completed."""
        self._asked.clear()
        self._going = {c for c in self.columns if self._library.chat(c) is not None}
        for chat_id in self.columns:
            self._advance(chat_id)
        self.changed.emit()

    def let_go(self) -> None:
        """Another table takes its place: follow its chats no more. They go on as they are."""
        self._going.clear()
        for chat in self._followed.values():
            chat.reply_ended.disconnect(self._on_reply_ended)
        self._followed.clear()

    # Inside.

    def _chat(self, chat_id: str) -> Chat | None:
        """The column's chat in use; None once it was deleted."""
        if self._library.chat(chat_id) is None:
            return None
        chat = self._library.open(chat_id, "")
        if self._followed.get(chat_id) is not chat:  # it had been let go of, as no pane showed it
            self._follow(chat)
        return chat

    def _follow(self, chat: Chat) -> None:
        self._followed[chat.id] = chat
        chat.reply_ended.connect(self._on_reply_ended)

    def _question(self, chat: Chat, message: str) -> Message | None:
        first = chat.transcript.children(None)
        return next((m for m in first if m.role == "user" and m.content == message), None)

    def _answer(self, chat: Chat, question: Message | None) -> Message | None:
        answers = chat.transcript.children(question.id) if question is not None else []
        return answers[-1] if answers else None

    @Slot(str)
    def _on_reply_ended(self, message_id: str) -> None:
        chat = self.sender()
        if not isinstance(chat, Chat):
            return
        message = chat.transcript.get(message_id)
        fits_not = message is not None and did_not_fit(message)
        if message is None or (message.status != "complete" and not fits_not):
            # It was stopped, or the model cannot answer: the next message would fare no better.
            self._going.discard(chat.id)
        elif chat.id in self._going:
            # Once the reply that has ended is told to everybody.
            QTimer.singleShot(0, self, lambda chat_id=chat.id: self._advance(chat_id))
        self.changed.emit()

    def _advance(self, chat_id: str) -> None:
        """Ask the column's next message."""
        chat = self._chat(chat_id)
        if chat_id not in self._going or (chat is not None and chat.answering):
            return
        if chat is None or not self._ask_next(chat):
            self._going.discard(chat_id)
        self.changed.emit()

    def _ask_next(self, chat: Chat) -> bool:
        """Whether there was something to ask, and it is being answered."""
        for message in self.messages:
            question = self._question(chat, message)
            answer = self._answer(chat, question)
            complete = answer is not None and answer.status == "complete"
            if complete or (chat.id, message) in self._asked:
                continue
            self._asked.add((chat.id, message))
            first = chat.transcript.children(None)
            if question is not None:
                return chat.show_branch_of(question.id) and chat.regenerate(question.id)
            return chat.edit(first[0].id, message) if first else chat.send(message)
        return False

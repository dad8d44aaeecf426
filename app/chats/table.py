"""Several messages put to several models, seeds or temperatures: the answers make a table.

Each column is one chat, and each message a conversation of its own in it, beside the others (the
versions of its first message). So everything is saved as any chat is, can be opened and searched,
and no message has heard of another. The replies come behind those of chats that a person waits for.

A check may say of each reply whether it passes, or a person does; the table is then a trial's
(`engine.trial`), which has its figures and exports.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app import flows
from app.chats.chat import Chat
from app.chats.library import ChatLibrary
from app.chats.options import ChatOptions
from app.chats.transcript import did_not_fit
from app.settings.language import mark, tr
from app.store import Attachments, Message
from engine.trial.checks import Checker, Verdict
from engine.trial.plan import Check, PlanError, Prompt, Trial, Variant, check_of
from engine.trial.report import Cell as Outcome
from engine.trial.report import Table

MESSAGE = mark("Message")


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
        failed: there will be no answer, for a reason that is the model's.
        verdict: what the check says, if there is one and it has come to it.
    """

    text: str = ""
    note: str = ""
    message_id: str = ""
    failed: bool = False
    verdict: Verdict | None = None


class AnswerTable(QObject):
    """Asks the messages of each column one after another; the columns answer side by side.

    Signals:
        changed(): answers have begun or ended, or the whole has.
        kept(): what a person said of it is to be kept: `to_json` is another.

    Attributes:
        columns: by chat: what the column differs in, from left to right.
        messages: what is asked, from the top.
        check: what each reply has to be, as a trial's file has it; empty for nothing.
        blind: what the columns differ in is hidden; they stand in no order.
    """

    changed = Signal()
    kept = Signal()

    def __init__(
        self,
        library: ChatLibrary,
        columns: dict[str, str],
        messages: Sequence[str],
        parent: QObject | None = None,
        check: dict[str, Any] | None = None,
        blind: bool = False,
    ) -> None:
        super().__init__(parent)
        self.columns = columns
        self.check = check or {}
        self.blind = blind
        self._said: dict[str, bool] = {}  # by a person, of the answers with these ids
        self._verdicts: dict[str, Verdict] = {}
        self._judging = flows.Latest(self)
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
        check: dict[str, Any] | None = None,
        blind: bool = False,
    ) -> AnswerTable:
        """Make a chat for each column (model, settings, what it differs in), and ask.

        ``files`` go with each message: what is asked beside the first one has the first one's.
        ``check`` and ``blind``: as the attributes.
        """
        table = cls(library, {}, messages, parent, check, blind)
        order = random.sample(columns, len(columns)) if blind else columns
        for model, options, words in order:
            chat = library.new(model)
            chat.set_options(options, system)
            table.columns[chat.id] = words
            table._follow(chat)
        for chat_id in table.columns:
            chat = table._followed[chat_id]
            chat.load_model()
            table._asked.add((chat_id, table.messages[0]))
            table._going.add(chat_id)
            chat.set_background(True)
            chat.send(table.messages[0], files, unseen=True)
        library.order.group(dict(zip(table.columns, table.heads, strict=True)))
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
        check, said = told.get("check"), told.get("said")
        table = cls(
            library,
            dict(columns),
            messages[:MOST_MESSAGES],
            parent,
            check if isinstance(check, dict) and _is_check(check) else None,
            told.get("blind") is True,
        )
        for message_id, passed in said.items() if isinstance(said, dict) else ():
            table._said[message_id] = passed is True
        return table

    def to_json(self) -> dict[str, Any]:
        told: dict[str, Any] = {"columns": self.columns, "messages": list(self.messages)}
        return {**told, "check": self.check, "blind": self.blind, "said": self._said}

    @property
    def heads(self) -> list[str]:
        """What the columns are called, from left to right."""
        if not self.blind:
            return list(self.columns.values())
        letters = ascii_uppercase[: len(self.columns)]
        return [tr("Reply {letter}", letter=letter) for letter in letters]

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
        failed = answer.status == "error"
        return Cell(answer.content, note, answer.id, failed, self._verdict(answer))

    def done(self) -> int:
        """How many answers are complete."""
        return sum(not self.cell(m, c).note for m in self.messages for c in self.columns)

    # What came of the check.

    def trial(self) -> Table:
        """The table as a trial of which some answers may not be there yet."""
        checks = (check_of(self.check, ()),) if self.check else ()
        prompts = tuple(Prompt(str(n), m) for n, m in enumerate(self.messages, 1))
        variants, outcomes = [], dict[tuple[str, str], Outcome]()
        for head, chat_id in zip(self.heads, self.columns, strict=True):
            record = self._library.chat(chat_id)
            shown = record is not None and not self.blind
            variants.append(Variant(head, record.model if shown and record else ""))
            for prompt in prompts:
                cell = self.cell(prompt.text, chat_id)
                content: dict[str, Any] = {} if cell.note else {"text": cell.text}
                if cell.failed:
                    content = {"error": {"code": "", "message": cell.note}}
                verdict = cell.verdict or Verdict(False if cell.failed else None)
                judged = {check.words: verdict for check in checks}
                outcomes[head, prompt.id] = Outcome(content, judged)
        return Table(Trial("", prompts, tuple(variants), checks), outcomes)

    def say(self, message_id: str, passed: bool) -> None:
        """What a person says of an answer."""
        self._said[message_id] = passed
        self.kept.emit()
        self.changed.emit()

    def reveal(self) -> None:
        """Show what the columns differ in, from now on."""
        self.blind = False
        for chat_id, words in self.columns.items():
            if (chat := self._chat(chat_id)) is not None:
                chat.set_alias("")
                self._library.change({chat_id: {"variant": words}})
        self.kept.emit()
        self.changed.emit()

    def _verdict(self, answer: Message) -> Verdict | None:
        if "eye" in self.check and answer.id in self._said:
            return Verdict(self._said[answer.id])
        return self._verdicts.get(answer.id)

    def judge(self) -> None:
        """Check what is not yet, if there is a check."""
        if self.check and "eye" not in self.check and not self._judging.running:
            self._judging.start(self._judge())

    async def _judge(self) -> None:
        check: Check = check_of(self.check, ())
        with Checker() as checker:
            while due := self._unjudged():  # others may have come meanwhile
                for message, cell in due:

                    def work(_: object, asked: str = message, text: str = cell.text) -> Verdict:
                        return checker.verdict(check, Prompt("", asked), text)

                    self._verdicts[cell.message_id] = await flows.aside(work)
                    self.changed.emit()

    def _unjudged(self) -> list[tuple[str, Cell]]:
        cells = ((m, self.cell(m, c)) for m in self.messages for c in self.columns)
        return [one for one in cells if not one[1].note and one[1].verdict is None]

    # What a person does.

    def stop(self) -> None:
        """Ask nothing more and end what is being answered; what was written stays."""
        going, self._going = self._going, set()
        for chat_id in going:
            chat = self._chat(chat_id)
            if chat is not None:
                chat.stop()
                chat.set_background(False)
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
        if self.blind:
            chat.set_alias(self.heads[list(self.columns).index(chat.id)])
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
            chat.set_background(False)
        elif chat.id in self._going:
            # Once the reply that has ended is told to everybody.
            QTimer.singleShot(0, self, lambda chat_id=chat.id: self._advance(chat_id))
        self.judge()
        self.changed.emit()

    def _advance(self, chat_id: str) -> None:
        """Ask the column's next message."""
        chat = self._chat(chat_id)
        if chat_id not in self._going or (chat is not None and chat.answering):
            return
        if chat is None or not self._ask_next(chat):
            self._going.discard(chat_id)
            if chat is not None:
                chat.set_background(False)
        self.changed.emit()

    def _ask_next(self, chat: Chat) -> bool:
        """Whether there was something to ask, and it is being answered."""
        chat.set_background(True)
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


def _is_check(told: dict[str, Any]) -> bool:
    try:
        check_of(told, ())
    except PlanError:
        return False
    return True

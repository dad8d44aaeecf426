"""A trial in the window: prompts put to several variants make a table, in which all is a chat.

Each column is one chat, and each prompt a conversation of its own in it, beside the others (the
versions of its first message). So everything is saved as any chat is, can be opened and searched,
and no prompt has heard of another. The replies come behind those of chats that a person waits for.

What is asked and what replies have to be is an `engine.trial` in its file's own words, which has
the checks, the figures and the exports.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import partial
from string import ascii_uppercase
from threading import Event
from time import monotonic
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace
from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app import flows
from app.chats import trials
from app.chats.chat import Chat
from app.chats.library import ChatLibrary
from app.chats.options import ChatOptions
from app.chats.session import BACKGROUND
from app.chats.transcript import did_not_fit
from app.models.loading import LoadState
from app.models.names import model_location
from app.remote.address import is_remote
from app.settings.language import mark, tr
from app.settings.paths import GUIDE
from app.store import Attachments, Message
from engine.batch.run import Runner
from engine.errors import EngineError
from engine.trial.checks import Checker, Verdict
from engine.trial.judging import Case, checked, eye_key, judge
from engine.trial.plan import Check, PlanError, Prompt, Trial, Variant, parsed
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


MOST_CELLS = 1_000
"""More are no reading for a person: `python -m engine trial` answers a hundred times as many."""
MOST_COLUMNS = len(ascii_uppercase)
DELETED = mark("This chat has been deleted")
_ROUND_S, _ASKED_AT_ONCE = 0.3, 8
"""How long checks go on without being told of, and how many questions a judge is asked so."""


def guide() -> str:
    """The model of trials that name none."""
    return model_location(GUIDE)


class Cell(Struct, frozen=True):
    """One answer."""

    text: str = ""  # what it says so far
    note: str = ""  # in a few words why it is not complete; "" for an answer that is
    message_id: str = ""  # where it stands in the column's chat; "" while it has not been asked for
    failed: bool = False  # there will be no answer, for a reason that is the model's
    # by the words of each check, of those that have come to something
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    checks: int = 0  # how many there are

    @property
    def verdict(self) -> Verdict | None:
        """What comes of all checks together; None where there is none, or not all are known."""
        found = self.verdicts.values()
        decides = [v for v in found if v.passed is False] or [v for v in found if not v.passed]
        if decides and (len(found) == self.checks or decides[0].passed is False):
            return decides[0]
        return Verdict(True) if found and len(found) == self.checks else None


class _Kept(dict[str, Any]):
    """Verdicts that a person or a judge took time for, by their keys: `engine.trial.judging`."""

    put = dict.__setitem__


class AnswerTable(QObject):
    """Asks the prompts of each column one after another; the columns answer side by side."""

    changed = Signal()  # answers have begun or ended, or the whole has
    kept = Signal()  # what was found out is to be kept: `to_json` is another

    def __init__(
        self,
        library: ChatLibrary,
        trial: Trial,
        columns: dict[str, str],
        parent: QObject | None = None,
        blind: bool = False,
    ) -> None:
        """Raises ValueError where a prompt cannot be asked in a chat."""
        super().__init__(parent)
        self.trial = trial  # what is asked, of whom, and what each reply has to be
        self.columns = columns  # by chat its variant's name, from left to right
        self.blind = blind  # what the columns differ in is hidden; they stand in no order
        self._turns = [trials.turns_of(prompt) for prompt in trial.prompts]
        self._prompts = {prompt.id: prompt for prompt in trial.prompts}
        self._variants = {variant.name: variant for variant in trial.variants}
        self._kept = _Kept()
        self._verdicts: dict[tuple[str, int], Verdict] = {}  # by the answer's id and the check
        self._judging = flows.Latest(self)
        self._library = library
        self._files: Attachments = ()
        self._going: set[str] = set()  # chats of columns that have not come to their end
        self._asked: set[tuple[str, str]] = set()  # since the table was last begun
        self._followed: dict[str, Chat] = {}
        library.loader.changed.connect(self._on_model)

    @classmethod
    def begin(
        cls,
        library: ChatLibrary,
        trial: Trial,
        parent: QObject | None = None,
        files: Attachments = (),
        blind: bool = False,
        known: Table | None = None,
    ) -> AnswerTable:
        """Make a chat for each variant, and ask.

        ``files`` go with each prompt: what is asked beside the first one has the first one's.
        ``blind``: as the attribute. ``known``: answers that need not be asked for where the
        same is asked.

        Raises:
            ValueError: a chat cannot be asked so; then there is none.
        """
        table = cls(library, trial, {}, parent, blind)
        table._files = files
        there = known.known(trial) if known is not None else {}
        columns = [
            (v, trials.options_of(v, reproducible=trial.reproducible)) for v in trial.variants
        ]
        for variant, options in random.sample(columns, len(columns)) if blind else columns:
            chat = library.new(trials.model_of(variant))
            chat.set_options(options, variant.system or "")
            table.columns[chat.id] = variant.name
            table._follow(chat)
            for prompt, (_, turns) in zip(trial.prompts, table._turns, strict=True):
                cell = there.get((variant.name, prompt.id))
                if cell is not None and (text := cell.text):
                    chat.note_down([*turns, ("assistant", text)])
        for chat in list(table._followed.values()):
            chat.load_model()
            if table._ask_next(chat):
                table._going.add(chat.id)
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
        columns, kept = told.get("columns"), told.get("kept")
        if not isinstance(columns, dict) or not columns:
            return None
        if not all(isinstance(text, str) for pair in columns.items() for text in pair):
            return None
        trial = told.get("trial", _before(told, columns, library))
        try:
            table = cls(library, parsed(trial, guide()), columns, parent, told.get("blind") is True)
        except (PlanError, ValueError, OSError, AttributeError, TypeError):
            return None
        if not set(columns.values()) <= table._variants.keys():
            return None
        for key, known in kept.items() if isinstance(kept, dict) else ():
            if isinstance(known, dict) and isinstance(known.get("passed"), bool | None):
                words = {name: str(known.get(name, "")) for name in ("why", "code")}
                table._kept.put(key, {"passed": known["passed"], **words})
        return table

    def to_json(self) -> dict[str, Any]:
        told = {"trial": self.trial.told(), "columns": self.columns}
        return {**told, "blind": self.blind, "kept": dict(self._kept)}

    @property
    def heads(self) -> list[str]:
        """What the columns are called, from left to right."""
        if not self.blind:
            return list(self.columns.values())
        letters = ascii_uppercase[: len(self.columns)]
        return [tr("Reply {letter}", letter=letter) for letter in letters]

    @property
    def by_eye(self) -> bool:
        """Whether a person judges."""
        return any(c.kind == "eye" for p in self.trial.prompts for c in self.trial.checks_of(p))

    # How far it is.

    @property
    def running(self) -> bool:
        """Whether answers are being written, or will be without more being done."""
        return bool(self._going)

    def cells(self) -> dict[tuple[str, str], Cell]:
        """The answers by prompt and chat."""
        found = dict[tuple[str, str], Cell]()
        for chat_id, name in self.columns.items():
            chat, variant = self._chat(chat_id), self._variants[name]
            if chat is None:
                gone = Cell(note=tr(DELETED))
                found |= {(prompt.id, chat_id): gone for prompt in self.trial.prompts}
                continue
            for prompt, question in zip(self.trial.prompts, self._questions(chat), strict=True):
                found[prompt.id, chat_id] = self._cell(chat, variant, prompt, question)
        return found

    def _cell(self, chat: Chat, variant: Variant, prompt: Prompt, asked: Message | None) -> Cell:
        answer = self._answer(chat, asked)
        if answer is None:
            return Cell(note=tr("Waiting") if chat.id in self._going else tr("Not started"))
        answer = chat.message(answer.id)
        note = {
            "complete": "",
            "error": answer.error,
            "streaming": tr("Replying"),
            "cancelled": tr("Stopped", "a reply"),
        }.get(answer.status, tr("Interrupted"))
        failed, verdicts, count = answer.status == "error", dict[str, Verdict](), 0
        for number, check in enumerate(self.trial.checks_of(prompt)):
            if check.against == variant.name:
                continue
            count += 1
            if failed:
                verdicts[check.words] = Verdict(False, note)
            elif note:
                continue
            elif check.kind == "eye":
                if said := self._kept.get(eye_key(prompt, answer.content)):
                    verdicts[check.words] = Verdict(said["passed"])
            elif (answer.id, number) in self._verdicts:
                verdicts[check.words] = self._verdicts[answer.id, number]
        return Cell(answer.content, note, answer.id, failed, verdicts, count)

    def done(self) -> int:
        """How many answers are complete."""
        return sum(not cell.note for cell in self.cells().values())

    # What came of the checks.

    def results(self) -> Table:
        """What there is by now, as `python -m engine trial` has it."""
        names = dict(zip(self.columns.values(), self.heads, strict=True))

        def known(checks: Sequence[Check]) -> tuple[Check, ...]:
            return tuple(replace(each, against=names.get(each.against, "")) for each in checks)

        variants = [replace(self._variants[name], name=head) for name, head in names.items()]
        if self.blind:
            variants = [Variant(variant.name, "") for variant in variants]
        outcomes = {}
        for (prompt_id, chat_id), cell in self.cells().items():
            content: dict[str, Any] = {} if cell.note else {"text": cell.text}
            if cell.failed:
                content = {"error": {"code": "", "message": cell.note}}
            outcomes[names[self.columns[chat_id]], prompt_id] = content, cell.verdicts
        table = {}
        for variant in variants:
            for prompt in self.trial.prompts:
                content, found = outcomes[variant.name, prompt.id]
                checks = self.trial.checks_of(prompt)
                judged = {
                    told.words: found.get(check.words, Verdict(None))
                    for check, told in zip(checks, known(checks), strict=True)
                    if not told.against or told.against != variant.name
                }
                table[variant.name, prompt.id] = Outcome(content, judged)
        prompts = tuple(replace(p, checks=known(p.checks)) for p in self.trial.prompts)
        checks, shown = known(self.trial.checks), tuple(variants)
        return Table(replace(self.trial, prompts=prompts, checks=checks, variants=shown), table)

    def say(self, prompt: Prompt, cell: Cell, passed: bool) -> None:
        """What a person says of an answer, and of all to this prompt that say the same."""
        self._kept.put(eye_key(prompt, cell.text), {"passed": passed, "why": ""})
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

    @property
    def judging(self) -> bool:
        """Whether replies are being checked now."""
        return self._judging.running

    def judge(self) -> None:
        """Check what is not yet, as far as that can be done now."""
        checked = any(map(self.trial.checks_of, self.trial.prompts))
        if checked and not self._judging.running:
            self._judging.start(self._judge())

    async def _judge(self) -> None:
        with Checker() as checker:
            while due := list(self._due(by_model=False)):  # others may have come meanwhile
                cases = [case for _, case in due]
                found = await flows.aside(partial(_check_some, checker, self._kept, cases))
                self._found(due, found)
        while due := [] if self.running else list(self._due(by_model=True)):
            ref, loader = self._judge_of(due[0][1]), self._library.loader
            due = [one for one in due if self._judge_of(one[1]) == ref]
            status, engine = loader.get(ref), loader.engine_for(ref)
            if is_remote(ref) or status.state is LoadState.FAILED:
                why = status.error or tr("Only a model of this computer can judge.")
                self._found(due, [Verdict(None, why)] * len(due))
            elif status.model is None or engine is None:
                loader.want(ref)
                return  # `_on_model` goes on
            else:
                due = due[:_ASKED_AT_ONCE]
                cases = [case for _, case in due]
                runner = Runner(engine, status.model, 2, self.trial.reproducible, BACKGROUND)
                try:
                    found = await flows.aside(partial(_judge_some, runner, self._kept, cases))
                except EngineError as error:
                    found = [Verdict(None, error.message, error.code)] * len(cases)
                self._found(due, found)
        self.changed.emit()

    def _judge_of(self, case: Case) -> str:
        return trials.ref_of(case.check.model or self.trial.judge)

    def _found(self, due: list[tuple[tuple[str, int], Case]], found: list[Verdict]) -> None:
        self._verdicts |= {place: verdict for (place, _), verdict in zip(due, found, strict=False)}
        if any(case.check.kind in ("python", "judge") for _, case in due):
            self.kept.emit()
        self.changed.emit()

    def _due(self, *, by_model: bool) -> Iterator[tuple[tuple[str, int], Case]]:
        """What is yet to be checked: by a model, or without one."""
        chats, cells = {name: chat for chat, name in self.columns.items()}, self.cells()
        for (prompt_id, chat_id), cell in cells.items():
            prompt = self._prompts[prompt_id]
            for number, check in enumerate(self.trial.checks_of(prompt)):
                place, other = (cell.message_id, number), None
                if cell.note or place in self._verdicts or check.kind == "eye":
                    continue
                if check.against:
                    beside = cells[prompt_id, chats[check.against]]
                    if beside.note or check.against == self.columns[chat_id]:
                        continue
                    other = beside.text
                if (check.kind == "judge") is by_model:
                    yield place, Case(check, prompt, cell.text, other)

    @Slot(str)
    def _on_model(self, ref: str) -> None:
        checks = {c for p in self.trial.prompts for c in self.trial.checks_of(p)}
        judges = {c.model or self.trial.judge for c in checks if c.kind == "judge"}
        status = self._library.loader.get(ref)
        if status.state is not LoadState.LOADING and ref in map(trials.ref_of, judges):
            self.judge()

    # What a person does.

    def stop(self) -> None:
        """Ask nothing more and end what is being answered; what was written stays."""
        going, self._going = self._going, set()
        self._judging.cancel()
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
        self.judge()
        self.changed.emit()

    def let_go(self) -> None:
        """Another table takes its place: follow its chats no more. They go on as they are."""
        self._going.clear()
        self._judging.cancel()
        self._library.loader.changed.disconnect(self._on_model)
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

    def _questions(self, chat: Chat) -> list[Message | None]:
        """Where each prompt stands in a column's chat; of equal ones the first stands first."""
        begun: dict[str, list[Message]] = {}
        for first in reversed(chat.transcript.children(None)):
            begun.setdefault(first.content, []).append(first)
        found = list[Message | None]()
        for _, turns in self._turns:
            there = begun.get(turns[0][1])
            message = there.pop() if there else None
            for _, text in turns[1:]:
                after = chat.transcript.children(message.id) if message is not None else ()
                message = next((m for m in after if m.content == text), None)
            found.append(message)
        return found

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
            self.judge()
        self.changed.emit()

    def _ask_next(self, chat: Chat) -> bool:
        """Whether there was something to ask, and it is being answered."""
        chat.set_background(True)
        variant = self._variants[self.columns[chat.id]]
        asked = zip(self.trial.prompts, self._turns, self._questions(chat), strict=True)
        for prompt, (own, turns), question in asked:
            answer = self._answer(chat, question)
            complete = answer is not None and answer.status == "complete"
            if complete or (chat.id, prompt.id) in self._asked:
                continue
            self._asked.add((chat.id, prompt.id))
            system = (variant.system or "") if own is None else own
            if chat.record.system != system:
                chat.set_options(chat.options, system)
            if question is not None:
                return chat.show_branch_of(question.id) and chat.regenerate(question.id)
            first = chat.transcript.children(None)
            return chat.ask_beside(turns, first[0].attachments if first else self._files)
        return False


def _check_some(checker: Checker, kept: _Kept, cases: list[Case], stop: Event) -> list[Verdict]:
    """What comes of the first of these, of at least one."""
    found, end = list[Verdict](), monotonic() + _ROUND_S
    for case in cases:
        found.append(checked(checker, kept, case))
        if monotonic() > end or stop.is_set():
            break
    return found


class _StoppedError(Exception):
    """Nobody waits for the judge any more."""


def _judge_some(runner: Runner, kept: _Kept, cases: list[Case], stop: Event) -> list[Verdict]:
    found: dict[int, Verdict] = {}

    def tick() -> None:
        if stop.is_set():
            raise _StoppedError

    judge(runner, kept, cases, found.__setitem__, tick)
    return [found[place] for place in range(len(cases))]


def _before(told: dict[str, Any], columns: dict[str, str], library: ChatLibrary) -> object:
    """The trial of a table that an earlier version has kept."""
    messages, check, variants = told.get("messages"), told.get("check"), []
    for chat_id, name in columns.items():
        record = library.chat(chat_id)
        options = ChatOptions.from_params(record.params if record is not None else {})
        ref, system = (record.model, record.system) if record is not None else (GUIDE, "")
        variants.append(trials.variant(name, ref, options, system).told())
    return {"prompts": messages, "variants": variants, "checks": [check] if check else []}

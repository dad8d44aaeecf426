"""One open chat, shown in a pane or not: its messages, its model, what a person does with it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace
from PySide6.QtCore import QObject, QTimer, Slot

from app.bridge import Bridge
from app.chats import panel
from app.chats.actions import BUSY, Action, Turn, refusal
from app.chats.answer import Answer, Phase
from app.chats.answering import Answering
from app.chats.attaching import Attaching
from app.chats.counting import ToCount, TokenCount
from app.chats.helping import Helping
from app.chats.options import ChatOptions, model_of_answer, of_answer
from app.chats.panel import Member
from app.chats.panelling import Panelling
from app.chats.queue import MessageQueue
from app.chats.reading import FOLLOWS, InUse, Others
from app.chats.saved_chat import SavedChat, saved_together
from app.chats.session import context_of
from app.chats.signals import ChatSignals
from app.chats.tool_work import ToolWork
from app.chats.transcript import Removal, Transcript, tokens_of_last_turn
from app.chats.tree import with_branch_name
from app.chats.turn import Calling, Compose, Editing, Paused, Reply, Waiting, Writing
from app.models.loading import LoadState, ModelLoader, ModelStatus
from app.remote.address import Remote, is_remote, named
from app.remote.remote_session import RemoteModel
from app.settings.language import tr
from app.store import (
    Attachments,
    ChatRecord,
    Message,
    Queued,
    Store,
    has_images,
    has_sounds,
    new_id,
    title_from,
)
from app.tools.consent import Decision
from app.tools.host import Toolbox
from engine import PromptProgress

_TELL_NO_MODEL = {"code", "reason", "thought_s"}


class Chat(ChatSignals):
    """The life of one chat while the program runs.

    It owns its turn: what is being composed (`compose`), what is being answered (`reply`), and
    what may be done (`can`). A method that may not be done now does nothing and returns False.
    Panes come and go; nothing here depends on one, so hiding, moving or closing a pane never
    stops its answer.
    """

    def __init__(
        self,
        record: ChatRecord,
        store: Store,
        bridge: Bridge,
        loader: ModelLoader,
        toolbox: Toolbox,
        *,
        stored: bool,
        in_use: Mapping[str, InUse] | None = None,
        parent: QObject | None = None,
        messages: Sequence[Message] | None = None,
    ) -> None:
        """``in_use``: the chats that are in use, by their ids; it changes.

        ``messages``: those of the store, if they have just been read.
        """
        super().__init__(parent)
        self._loader = loader
        self._saved = SavedChat(record, store, stored=stored, messages=messages)
        self._answering = Answering(self._saved, bridge, loader, self, toolbox)
        # the columns of a panel, while they are written
        self.panel = Panelling(self._saved, loader, self, self._answering)
        # what asks the helpers that the model calls for
        self.helping = Helping(self._saved, loader, self, self._answering)
        self.alias = ""  # what stands in the place of its model's name while that is hidden
        self.short = ""  # what it is called beside the others of its group, if not by its title
        self.unsent = ""  # why it was not sent, as a sentence, until something else is written
        # What is composed is submitted by itself once its files are read, or the reply has ended
        # that it steers.
        self.sends_later = False
        # It, or the first of the queue, is not to wait for the end of what the model says, nor for
        # what it says to the results of its tools.
        self.steers = False
        # what is said once the reply has ended
        self.queue = MessageQueue(self._saved, self._on_queue)
        others = Others(self._saved, store, {} if in_use is None else in_use)
        # the files that go with what is being composed
        self.attaching = Attaching(self._saved, loader, self, others)
        # how many tokens it would take with what is being composed
        self.count = TokenCount(loader, self._to_count, self)
        self._answering.called.connect(self._on_called)
        self.reply_ended.connect(self._on_reply_ended)
        self.attaching.refused.connect(self._on_refused)
        self.attaching.changed.connect(self._on_way_free)
        self.turn_changed.connect(self._on_way_free)
        loader.changed.connect(self._on_model_known)

    @property
    def id(self) -> str:
        return self._saved.record.id

    @property
    def record(self) -> ChatRecord:
        """What is stored of it, besides its messages."""
        return self._saved.record

    @property
    def stored(self) -> bool:
        """False for a new chat in which no key was pressed yet."""
        return self._saved.stored

    def take_fields(self, fields: Mapping[str, Any]) -> None:
        """These fields of the record have been stored with other values."""
        self._saved.change(**fields)
        self.chat_changed.emit()

    def set_alias(self, alias: str) -> None:
        """Hide the model's name and figures, which would tell it, or ("") show them again."""
        if alias != self.alias:
            self.alias = alias
            self.chat_changed.emit()
            for message in self.transcript.path:
                self.message_changed.emit(message.id)

    @property
    def blank(self) -> bool:
        """Whether nothing was said and nothing stands in the composer."""
        record = self.record
        written = record.draft or record.draft_attachments or record.queued
        return self.transcript.leaf_id is None and not written

    def set_short(self, short: str) -> None:
        """Be called this while the others of its group are beside it; "" for its title again."""
        if short != self.short:
            self.short = short
            self.chat_changed.emit()

    @property
    def title(self) -> str:
        return self.short or self.record.shown_title

    @property
    def options(self) -> ChatOptions:
        return self._answering.options

    @property
    def transcript(self) -> Transcript:
        return self._saved.transcript

    @property
    def model_status(self) -> ModelStatus:
        """This chat's model and how far it is."""
        return self._loader.get(self.record.model)

    async def small_model(self) -> str:
        """How chats name the model that comes with the set-up, "" where it is not here."""
        return await self._loader.look_for_small()

    @property
    def remote(self) -> Remote | None:
        """Where its model answers, if that is not in this program."""
        return named(self.record.model)

    @property
    def waits_for(self) -> frozenset[str]:
        """The references of the models for whose loading replies wait."""
        replies = (speaker.reply for speaker in self._speakers)
        return frozenset(reply.model for reply in replies if isinstance(reply, Waiting))

    @property
    def compose(self) -> Compose:
        """What is being composed."""
        return self._saved.compose

    @property
    def reply(self) -> Reply | None:
        """Where the reply is; None while there is none."""
        return self._answering.reply or self.panel.reply

    @property
    def _speaker(self) -> Answering:
        """What answers now, or did last; of a panel the first column that is not done."""
        if self._answering.reply is None and (running := self.panel.running):
            return running[0]
        return self._answering

    @property
    def _speakers(self) -> list[Answering]:
        """What answers now: the chat, or the columns of a panel."""
        return [self._answering, *self.panel.running]

    @property
    def phase(self) -> Phase:
        return self._speaker.phase

    @property
    def progress(self) -> PromptProgress | None:
        """How far the prompt is, while one is queued or read."""
        answer = self._speaker.answer
        return answer.progress if answer is not None else None

    @property
    def silent_s(self) -> float | None:
        """How long nothing has come of what was asked of another machine; None once something has.

        Nothing is known there of what is done, or whether anything is.
        """
        answer = self._answering.answer
        if answer is None or answer.asked_at is None or self._remote_now is None:
            return None
        silent = answer.phase is Phase.QUEUED and answer.progress is None
        return time.monotonic() - answer.asked_at if silent else None

    @property
    def answering(self) -> bool:
        """Whether a reply runs, stands still or waits for its model."""
        return self.reply is not None

    @property
    def at_work(self) -> bool:
        """Whether it answers, or goes on by itself with what waits."""
        return self.answering or self.sends_later or self._next is not None

    @property
    def paused(self) -> bool:
        """Whether the reply stands still."""
        reply = self.reply
        return isinstance(reply, Paused) or (isinstance(reply, Calling) and reply.paused)

    @property
    def tools(self) -> ToolWork:
        """The calls of tools that run or wait for the person."""
        return self._answering.tools

    @property
    def session_ids(self) -> list[str]:
        """The engine's names for the sessions of this chat and of its panel's columns."""
        lanes = self.panel.lanes.values()
        return [each.session.id for each in (self._answering, *lanes) if each.session.id]

    @property
    def answering_id(self) -> str | None:
        answer = self._speaker.answer
        return answer.message_id if answer is not None else None

    @property
    def answering_ids(self) -> list[str]:
        """The messages that are being written."""
        answers = (speaker.answer for speaker in self._speakers)
        return [answer.message_id for answer in answers if answer is not None]

    @property
    def answering_with(self) -> frozenset[str]:
        """The references of the models that replies are asked of."""
        answers = (speaker.answer for speaker in self._speakers)
        asked = {a.model or self.record.model for a in answers if a is not None}
        return self.helping.models.union(asked)

    @property
    def thought_s(self) -> float | None:
        answer = self._speaker.answer
        return answer.thought_s if answer is not None else None

    @property
    def unseen(self) -> bool:
        """Whether a reply has ended that nobody has looked at."""
        return self._answering.unseen

    def mark_unread(self) -> None:
        """A reply has ended before the program did, and nobody has looked at it since."""
        self._answering.unseen = True
        self.phase_changed.emit()

    @Slot()
    def mark_seen(self) -> None:
        """The person has looked at the reply."""
        if self._answering.unseen:
            self._answering.unseen = False
            self.phase_changed.emit()

    def set_front(self, front: bool) -> None:
        """Whether this is the chat that the person works in: its prompts are read first."""
        self._answering.session.set_front(front)
        self.panel.set_front(front)

    @property
    def context(self) -> tuple[int, int, int]:
        """Tokens of the last turn, how many of them were reused, and how many fit; 0 if unknown."""
        limit = context_of(self.record, self._loader)
        return *tokens_of_last_turn(self.transcript), limit

    def _to_count(self) -> ToCount:
        known = (self.record, self.options, self.transcript, self.compose, self.model_status)
        texts, images = self._saved.text, self._saved.image
        return ToCount(*known, files=self.attaching.ready, texts=texts, images=images)

    def message(self, message_id: str) -> Message:
        """A message with all of its text, also while it streams."""
        return self.panel.lanes.get(message_id, self._answering).message(message_id)

    def shown(self, message_id: str) -> Message:
        """The message as it is to be shown, without what is hidden now."""
        message = self.message(message_id)
        if not self.alias or message.role == "user":
            return message
        stats = {key: value for key, value in message.stats.items() if key in _TELL_NO_MODEL}
        return replace(message, model=self.alias, stats=stats)

    def can(self, action: Action, message_id: str = "") -> str | None:
        """Why an action cannot be done now, as a sentence; None when it can: see `refusal`."""
        return refusal(action, self._turn(), message_id)

    def _turn(self, compose: Compose | None = None) -> Turn:
        """``compose``: as if that were composed."""
        compose = compose or self.compose
        reading = self.attaching.reading
        known = (self.transcript, self.answering_id, self.stored, reading)
        asked, silent = self.tools.waiting > 0, self.silent_s is not None
        reply = self.reply
        if reply is None and self._next is not None:  # in a moment: nothing may come before it
            reply = Waiting(self.record.model)
        return Turn(
            compose,
            reply,
            *known,
            remote=self._remote_now,
            asked=asked,
            silent=silent,
            blind=self.cannot_see(compose.attachments),
            deaf=self._cannot_hear(compose.attachments),
            too_long=self.attaching.too_long(compose.attachments),
            rewords=self._is_queued(compose),
        )

    @property
    def rewords(self) -> bool:
        """Whether what is composed are other words for a message that is queued."""
        return self._is_queued(self.compose)

    def _is_queued(self, compose: Compose) -> bool:
        return isinstance(compose, Editing) and self.queue.get(compose.message) is not None

    @property
    def unseen_images(self) -> str:
        """As `cannot_see`, of the files that go with what is composed."""
        return self.cannot_see(self.compose.attachments)

    @property
    def seeing(self) -> ModelStatus | None:
        """As `ModelLoader.seeing`."""
        return self._loader.seeing()

    @property
    def _remote_now(self) -> Remote | None:
        """As `remote`, with what the server has said of itself."""
        model = self.model_status.model
        return model.remote if isinstance(model, RemoteModel) else self.remote

    # How an answer is opened.

    def _answer(self, *, branching: bool, like: Message | None = None) -> None:
        """Open an assistant message at the end of the path and have it filled.

        ``like``: with that answer's options and model instead of the chat's.
        """
        answer, told = Answer(new_id()), {}
        if like is not None:
            answer.like = like.id
            answer.options = of_answer(like.stats, self.options)
            answer.model = model_of_answer(like.stats)
            told = {k: v for k, v in panel.told(like).items() if k in {"system", "name"}}
        self.tools.new_turn()
        self._open(answer, branching=branching, told=told)

    def _open(
        self, answer: Answer, *, branching: bool, told: Mapping[str, Any] | None = None
    ) -> None:
        """``told``: as in `app.chats.panel`."""
        self.panel.let_go()
        name = self._loader.get(answer.model or self.record.model).name
        parent = self.transcript.leaf_id
        said = Message(answer.message_id, self.id, parent, "assistant", answer.content)
        stats: dict[str, Any] = {"panel": told} if told else {}
        if form := (answer.options or self.options).answer_as:
            stats["options"] = {"answer_as": form}
        self._saved.add(replace(said, status="streaming", model=name, stats=stats))
        self._answering.prepare(answer)
        if branching:
            self.path_changed.emit()
        else:
            self.message_added.emit(answer.message_id)
        self.chat_changed.emit()
        self._answering.begin()

    # Calls of tools.

    @Slot(object)
    def _on_called(self, before: Answer) -> None:
        """The results of an answer's calls are there: the same model goes on with them.

        Unless the person has said something else meanwhile.
        """
        if self.steers:
            self._answering.rest()
            return
        model = before.model
        if model is not None and is_remote(model) and model != self.record.model:
            model = None  # the person has left that server: results are not sent there
        answer = Answer(new_id(), model=model, options=before.options)
        with self._saved.together():
            self._open(answer, branching=False)

    @saved_together
    def go_on(self) -> bool:
        """Let the model go on after results that it has not answered yet."""
        if self.can(Action.GO_ON):
            return False
        self._answer(branching=False)
        return True

    def decide(self, message_id: str, decision: Decision, arguments: str | None = None) -> str:
        """What the person says to a call: see `ToolWork.decide`."""
        return self.tools.decide(message_id, decision, arguments)

    # What is composed.

    def write(self, text: str) -> None:
        """Keep what stands in the composer. The first key press is what stores a new chat."""
        compose = self.compose
        if text == compose.text:
            return
        self.keep_back()
        called = self.record.shown_title
        self._saved.change_compose(compose.written(text))
        if self.stored:
            self._saved.keep_compose()
            if called != self.record.shown_title:  # without a title it is called by its draft
                self.chat_changed.emit()
        elif text:
            self._keep()

    def start_edit(self, message_id: str = "") -> bool:
        """Take a message into the composer to ask it in other words; without an id, the last."""
        message = self._turn().subject(Action.EDIT, message_id)
        if self.can(Action.EDIT, message_id) or message is None:
            return False
        self._compose(Editing.of(message, self.compose))
        return True

    def cancel_edit(self) -> bool:
        """Leave the message as it was and bring the draft back."""
        compose = self.compose
        if self.can(Action.CANCEL_EDIT) or not isinstance(compose, Editing):
            return False
        self._compose(compose.before)
        return True

    def submit(self) -> bool:
        """Send what is being composed: a new message, or the other words for an old one."""
        compose = self.compose
        if isinstance(compose, Editing):
            return self.edit(compose.message, compose.text)
        return self.send(compose.draft, compose.attachments)

    def submit_later(self) -> bool:
        """Submit it once its files are read and no reply runs; False if more is in its way."""
        free = replace(self._turn(), reading=(), reply=None)
        if refusal(Action.SEND, free):
            return False
        if self.attaching.reading or isinstance(self.compose, Editing):
            self._wait(sends_later=True)
        else:
            self._enqueue()
        return True

    @saved_together
    def _enqueue(self, at: int | None = None) -> None:
        compose = self.compose
        self._compose(Writing())
        self.queue.add(compose.text, compose.attachments, at)

    def steer(self) -> bool:
        """Submit it now: the answer ends where its text is whole and stays, tools end first.

        The queue stays behind it; where nothing is composed it is the first of that. False, and it
        waits at most, where it cannot go on from what is said: a file is read, or the model is
        loaded.
        """
        composed = self.sends_later or self.compose != Writing()
        free = replace(self._turn(), reading=(), reply=None)
        if refusal(Action.SEND, free) if composed else not self.queue.messages:
            return False
        if composed and self.attaching.reading:
            self._wait(sends_later=True)
            return False
        if isinstance(self.reply, Waiting) or self.panel.running:
            if composed:
                self._enqueue(at=0)
            return False
        if not composed:
            self.queue.move()
        self._wait(sends_later=composed, steers=True)
        self._answering.steer()
        return True

    def send_later(self, text: str, files: Attachments = ()) -> bool:
        """Say something once the reply has ended; False where something else is being composed."""
        if self.compose != Writing() or not self.at_work or self.attaching.reading:
            return False
        self.queue.add(text, files)
        return True

    # What is queued.

    def send_queued(self) -> bool:
        """Let the queue go on, at once if nothing is being answered."""
        if self.rewords and not self.submit():
            return False
        if self.reply is None and self.queue.messages:
            self._send_queued(self.queue.messages[0])
        if self.reply is not None:
            self.queue.move()
        return self.queue.moves

    def edit_queued(self, message_id: str) -> bool:
        """Take one into the composer, where it keeps its place; it is not sent meanwhile."""
        if (queued := self.queue.get(message_id)) is None:
            return False
        said = Message(queued.id, self.id, content=queued.text, attachments=queued.attachments)
        self._compose(Editing.of(said, self.compose))
        return True

    @saved_together
    def remove_queued(self, message_id: str) -> None:
        """It is not said any more."""
        compose = self.compose
        if isinstance(compose, Editing) and compose.message == message_id:
            self._compose(compose.before)
        self.queue.take(message_id)

    @Slot()
    def _on_queue(self) -> None:
        self.chat_changed.emit()  # or the list of chats would keep a record without it
        self.turn_changed.emit()
        self.phase_changed.emit()

    @property
    def _next(self) -> Queued | None:
        """What of the queue goes as soon as all have heard of the end of the reply."""
        first = self.steers and self.sends_later
        return None if first or self.reply is not None else self.queue.next

    def _send_queued(self, queued: Queued) -> None:
        text, files = queued.text, queued.attachments
        turn = replace(self._turn(Writing(text, files)), reading=(), reply=None)
        if why := refusal(Action.SEND, turn):
            self.queue.move(False, refused=why)
        else:
            self._say(text, files, self._resolved(files, text), queued)
            self.steers = False

    @Slot()
    def _on_model_known(self) -> None:
        """Perhaps it sees what this chat's model does not."""
        if self.unseen_images:
            self.phase_changed.emit()

    def cannot_see(self, files: Attachments) -> str:
        """The name of its model where there are images among them and it is known to see none.

        Else "", as while its folder is being looked at.
        """
        if not has_images(files) or self._loader.sees(self.record.model) is not False:
            return ""
        return self.alias or self.model_status.name

    def _cannot_hear(self, files: Attachments) -> str:
        """The same of recordings, once the model is loaded."""
        model = self.model_status.model
        hears = model is None or model.hears
        return "" if hears or not has_sounds(files) else self.alias or self.model_status.name

    def hold(self, text: str, files: Attachments) -> None:
        """Have it in the composer, unless something else is being composed."""
        if self.compose == Writing():
            self._compose(Writing(text, files))

    def keep_back(self) -> None:
        """Let what waits to be sent stay in the composer."""
        if self.sends_later or self.unsent:
            self._wait(sends_later=False)

    def _wait(self, *, sends_later: bool, steers: bool = False, unsent: str = "") -> None:
        self.sends_later, self.steers, self.unsent = sends_later, steers, unsent
        self.turn_changed.emit()
        self.phase_changed.emit()  # the list of chats lets go of one that waits for nothing more

    @Slot(str)
    def _on_refused(self, why: str) -> None:
        """A file cannot be read: without it the message may mean nothing."""
        if self.sends_later:
            self._wait(sends_later=False, unsent=why)

    @Slot()
    def _on_way_free(self) -> None:
        queue = self.queue
        if self.reply is None:
            # What the reply was to end for may have been removed meanwhile.
            self.steers = self.steers and (self.sends_later or queue.next is not None)
            if not self.steers and not (queue.messages and queue.goes_on):
                queue.move(False, refused=queue.refused)
        if self._free or self._next is not None:
            # Once all that hear of the end have heard of it.
            QTimer.singleShot(0, self, self._submit_waiting)

    @property
    def _free(self) -> bool:
        """Whether what is composed, and to be submitted by itself, may be now."""
        if not self.sends_later or self.attaching.reading:
            return False
        queues = isinstance(self.compose, Writing) and not self.steers
        return queues or self.reply is None or self.rewords

    @Slot()
    def _submit_waiting(self) -> None:
        if not self._free:
            if (queued := self._next) is not None:
                self._send_queued(queued)
            return
        compose, said = self.compose, True
        why = refusal(Action.SEND, replace(self._turn(), reply=None)) or ""
        if why:
            said = False
        elif (self.answering or self._next is not None) and isinstance(compose, Writing):
            self._enqueue()
        else:
            said = self.submit()
        self._wait(sends_later=False, unsent=why)
        if said:
            self.sent_later.emit(compose)

    # What is said, and how it is answered.

    def send(self, text: str, files: Attachments = (), *, unseen: bool = False) -> bool:
        """Say something. False (and nothing done) for empty text or while a reply runs.

        With images for a model that sees none, too, unless ``unseen``: then its reply says so. Of
        recordings for one that hears none it always does.
        """
        turn = self._turn(Writing(text, files))
        turn = replace(turn, blind="" if unseen else turn.blind, deaf="")
        if refusal(Action.SEND, turn):
            return False
        # Before anything is held back for one transaction: passages may take a while to find.
        self._say(text, files, self._resolved(files, text))
        return True

    def _resolved(self, files: Attachments, text: str) -> Attachments:
        return self.attaching.resolved(files, text, self.transcript.path)

    @saved_together
    def _say(
        self,
        text: str,
        files: Attachments,
        resolved: Attachments,
        queued: Queued | None = None,
        members: Sequence[Member] = (),
    ) -> None:
        if not self.record.title:
            named = text if text.strip() or not files else files[0].name
            self._saved.change(title=title_from(named))
        if queued is not None:
            self.queue.take(queued.id)  # on the disk in the same moment
        elif self.compose == Writing(text, files):
            # What is sent no longer stands in the composer, on the disk too.
            self._compose(Writing())
        else:
            self._keep()
        question = Message(
            id=new_id(),
            chat_id=self.id,
            parent_id=self.transcript.leaf_id,
            content=text.strip("\n"),
            attachments=resolved,
        )
        self._saved.add(question)
        self.message_added.emit(question.id)
        if members:
            self.panel.begin(question, members, self.options)
        else:
            self._answer(branching=False)

    def edit(self, message_id: str, text: str) -> bool:
        """Ask a question in other words, beside the old one, and have it answered."""
        if (queued := self.queue.get(message_id)) is not None:
            return self._reword_queued(queued, text)
        if self.can(Action.EDIT, message_id):
            return False
        compose, files = self.compose, self.transcript[message_id].attachments
        if isinstance(compose, Editing) and compose.message == message_id:
            files = compose.attachments
        if refusal(Action.SEND, self._turn(Writing(text, files))):
            return False
        path = self.transcript.path_to(self.transcript[message_id].parent_id)
        self._reword(message_id, text, self.attaching.resolved(files, text, path))
        return True

    @saved_together
    def _reword_queued(self, queued: Queued, text: str) -> bool:
        compose = self.compose
        edited = isinstance(compose, Editing) and compose.message == queued.id
        if edited and self.can(Action.SEND):
            return False
        self.queue.change(queued.id, text, compose.attachments if edited else queued.attachments)
        if isinstance(compose, Editing) and edited:
            self._compose(compose.before)
        return True

    @saved_together
    def _reword(self, message_id: str, text: str, files: Attachments) -> None:
        compose, old = self.compose, self.transcript[message_id]
        if isinstance(compose, Editing) and compose.message == message_id:
            self._compose(compose.before)
        said = replace(old, id=new_id(), content=text.strip("\n"), attachments=files, stats={})
        self._saved.add(replace(said, created_at=time.time()))
        record = self.record
        if old.parent_id is None and record.titled_by != "person" and record.group_id is None:
            # A title that nobody gave follows what is asked now; a comparison keeps its name.
            self._saved.change(title=title_from(text), titled_by="")
            self._keep()
        self._answer(branching=True)

    @Slot()
    def stop(self) -> bool:
        """End the reply at its next token; what it wrote stays."""
        if self.can(Action.STOP):
            return False
        self.steers = self.steers and self.sends_later
        self.queue.move(False)
        self._answering.stop()
        self.panel.stop()
        return True

    @Slot()
    def retry(self) -> bool:
        """Ask another machine once more, which has said nothing yet."""
        if self.can(Action.RETRY):
            return False
        self._answering.retry()
        return True

    @Slot()
    def toggle_pause(self) -> bool:
        """Let the running reply stand still, or go on."""
        if self.can(Action.PAUSE):
            return False
        self._answering.toggle_pause()
        self.panel.toggle_pause()
        return True

    @saved_together
    def regenerate(self, message_id: str = "") -> bool:
        """Answer a question anew, beside the old answer; without an id, the last question."""
        message = self._turn().subject(Action.REGENERATE, message_id)
        if self.can(Action.REGENERATE, message_id) or message is None:
            return False
        if (kind := panel.kind_of(message)) and not self.why_not(kind, message.id):
            return bool(self.resolve(kind, message.id))
        self.transcript.leaf_id = message.id if message.role == "user" else message.parent_id
        if panel.letter_of(message):  # the same member, in the same column
            member = Member.from_json(panel.told(message))
            answer = Answer(new_id(), model=member.model or None)
            answer.options = member.options(self.options)
            self.tools.new_turn()
            self._open(answer, branching=True, told=panel.told(message))
        else:
            self._answer(branching=True)
        return True

    @saved_together
    def same_again(self, answer_id: str = "") -> bool:
        """Answer anew with an answer's own model, seed and options; without an id, the last one's.

        The chat's own model and options stay as they are.
        """
        answer = self._turn().subject(Action.SAME_AGAIN, answer_id)
        if self.can(Action.SAME_AGAIN, answer_id) or answer is None:
            return False
        self.transcript.leaf_id = answer.parent_id
        self._answer(branching=True, like=answer)
        return True

    # A panel.

    def ask_panel(self, members: Sequence[Member], message_id: str = "") -> str:
        """Have all of them answer at once, beside what is there; returns the first column's id.

        They are asked what is being composed; with an id, or where nothing is, the person's message
        at or before that one. "" (and nothing done) where that cannot be now.
        """
        compose = self.compose
        if not message_id and compose.text.strip() and isinstance(compose, Writing):
            if self.can(Action.SEND):
                return ""
            text, files = compose.draft, compose.attachments
            self._say(text, files, self._resolved(files, text), members=members)
        elif self.can(Action.PANEL, message_id):
            return ""
        else:
            message = self._turn().subject(Action.PANEL, message_id)
            asked = panel.question(self.transcript, message.id) if message is not None else None
            if asked is None:
                return ""
            self.panel.begin(asked, members, self.options)
        return next(iter(self.panel.lanes), "")

    def columns(self, message_id: str) -> list[Message]:
        """Those of the panel that a message belongs to, with all of their text."""
        return [self.message(m.id) for m in panel.columns(self.transcript, message_id)]

    def why_not(self, kind: str, message_id: str) -> str:
        """Why this cannot be made of a message's panel now, as a sentence; "" if it can."""
        why = panel.why_not(kind, self.columns(message_id))
        return why or self.can(Action.REGENERATE, message_id) or ""

    def why_not_keep(self) -> str:
        """Why no column can be kept now, as a sentence; "" if one can."""
        return tr(BUSY) if self._answering.reply is not None else ""

    @saved_together
    def resolve(self, kind: str, message_id: str) -> str:
        """Make an answer of a message's panel, beside its columns; returns its id.

        A judge reads the columns in both orders, one after the other.
        """
        if self.why_not(kind, message_id):
            return ""
        found, first = self.columns(message_id), self.transcript[message_id]
        told = {
            "id": panel.panel_of(first),
            "kind": kind,
            "of": panel.by_letter(panel.answers(found)),
        }
        self.transcript.leaf_id = first.parent_id
        answer = Answer(new_id())
        if kind == panel.VOTE:
            self.panel.let_go()
            said = Message(answer.message_id, self.id, first.parent_id, "assistant")
            self._saved.add(replace(said, content=panel.count(found), stats={"panel": told}))
            self.path_changed.emit()
            self.chat_changed.emit()
            return answer.message_id
        if kind == panel.JUDGE:
            order = panel.order(found, turned=False)
            answer = Answer.after(answer.message_id, order, self._judging)
        answer.options = self._judging
        self.tools.new_turn()
        self._open(answer, branching=True, told=told)
        return answer.message_id

    @property
    def _judging(self) -> ChatOptions:
        """What a panel is judged or merged with: nothing of it is left to chance."""
        return replace(self.options, temperature=0.0, answer_as=None, tools=())

    @Slot(str)
    def _on_reply_ended(self, message_id: str) -> None:
        """A judge has read the columns in one order: the other is next, and then what it shows."""
        message = self.transcript.get(message_id)
        if message is None or panel.kind_of(message) != panel.JUDGE or "best" in message.stats:
            return
        if message.status != "complete" or self.reply is not None:
            return
        told, found = dict(panel.told(message)), panel.columns(self.transcript, message_id)
        turned = panel.order(found, turned=True)
        best = panel.best(message.content.rpartition(turned)[2], found)
        if "first" not in told:
            told.update(first=best, turned=True)
            more, stats = f"\n\n{turned}", {**message.stats, "panel": told}
        else:
            more = f"\n\n{panel.verdict(str(told['first']), best)}"
            stats = {**message.stats, "best": [told["first"], best]}
        content = message.content + more
        changed = self.transcript.update(message_id, content=content, stats=stats)
        if "best" in stats:
            self._saved.save(changed)
            self.text_added.emit(message_id, more, "answer")
            self.message_changed.emit(message_id)
            return
        self._saved.save(self.transcript.update(message_id, status="streaming"))
        self._answering.prepare(Answer.after(message_id, content, self._judging))
        self.message_changed.emit(message_id)
        self.text_added.emit(message_id, more, "answer")
        self._answering.begin()

    def keep_column(self, message_id: str) -> bool:
        """Go on from this column, which is written to its end; the others stay as versions."""
        if not self.columns(message_id) or self.why_not_keep():
            return False
        self._saved.show(message_id)  # first: by its end the queue sees whether it goes on
        self.panel.keep(message_id)
        self.turn_changed.emit()
        self.phase_changed.emit()
        self.path_changed.emit()
        return True

    def continue_answer(self, answer_id: str) -> bool:
        """Go on with an answer that was cut off, in its own place."""
        if self.can(Action.CONTINUE, answer_id):
            return False
        self._answering.prepare_rest(self.transcript[answer_id])
        self.path_changed.emit()
        self.message_changed.emit(answer_id)  # it streams again, perhaps once a model is loaded
        self._answering.begin()
        return True

    def forget_oldest(self, answer_id: str) -> bool:
        """Leave the oldest turns out from now on, and answer anew what did not fit with them."""
        if self.can(Action.FORGET_OLDEST, answer_id):
            return False
        self.set_options(replace(self.options, slide=True), self.record.system)
        return self.regenerate(answer_id)

    # The history.

    def show_version(self, step: int, message_id: str = "") -> bool:
        """Show a message's next (+1) or previous (-1) version and what follows it.

        Without an id that of the last message that has several.
        """
        action = Action.LATER if step > 0 else Action.EARLIER
        message = self._turn().subject(action, message_id)
        if self.can(action, message_id) or message is None:
            return False
        versions = self.transcript.alternatives(message.id)
        self._saved.show(versions[versions.index(message.id) + step])
        self.path_changed.emit()
        return True

    def show_branch_of(self, message_id: str) -> bool:
        """Show the branch that holds this message; False while a reply runs, or without it."""
        if message_id in {message.id for message in self.transcript.path}:
            return True
        if message_id not in self.transcript or self.answering:
            return False
        self._saved.show(message_id)
        self.path_changed.emit()
        return True

    def name_branch(self, message_id: str, name: str) -> None:
        """Call the branch that begins with this message so; "" for nothing."""
        if message_id in self.transcript:
            stats = with_branch_name(self.transcript[message_id].stats, name)
            self.transcript.update(message_id, stats=stats)
            self._saved.save(self.message(message_id))
            self.message_changed.emit(message_id)

    @saved_together
    def delete_message(self, message_id: str) -> Removal | None:
        """Take a message and what follows it out of the chat; None if that cannot be done now.

        What comes back is what ``restore_messages`` needs.
        """
        if self.can(Action.DELETE, message_id):
            return None
        removal = self._saved.remove(message_id)
        self.path_changed.emit()
        if removal.editing is not None:
            self.compose_changed.emit()
        return removal

    @saved_together
    def restore_messages(self, removal: Removal) -> bool:
        """Put deleted messages back and show them."""
        if self.can(Action.RESTORE, removal.followed):
            return False
        self._saved.restore(removal)
        self.path_changed.emit()
        self.compose_changed.emit()
        return True

    # The chat itself.

    def begin_from(self, other: Chat) -> None:
        """Start with what the engine has read of another chat."""
        self._answering.session.twin_of(other._answering.session)

    def give_up(self) -> None:
        """It was deleted: nothing more is answered or read for it, and its cache goes."""
        self.keep_back()
        self.queue.move(False)
        self.attaching.cancel_reading()
        self.stop()
        self.panel.let_go()
        self._answering.session.forget()

    def load_model(self) -> None:
        """Have this chat's model loaded; again, if it failed. One that was unloaded waits."""
        if self.model_status.state is not LoadState.UNLOADED:
            self._want(self.record.model)

    def leave_model(self) -> None:
        """Nothing shows this chat: what it alone waits for is not loaded to its end."""
        if not self.at_work:
            self._loader.leave(self.record.model, self.id)

    def _want(self, ref: str) -> None:
        self._loader.want(ref, self.options.kv_bits, self.options.context, self.id)

    def start_model(self) -> None:
        """As `load_model`; one that is spread over machines is started only when asked for."""
        if not self._loader.spread.start(self.record.model):
            self.load_model()

    def rename(self, title: str) -> None:
        title = " ".join(title.split())
        if title and title != self.record.title:
            self._saved.change(title=title, titled_by="person")
            self._keep()

    def set_model(self, ref: str) -> None:
        """Answer with another model: the next reply, and one that still waits for its model."""
        before = self.record.model
        if ref != before:
            self._change(model=ref)
            if self.reply is None:
                self._answering.session.leave(ref)
        self._want(ref)
        self._answering.move_to(ref)
        if before not in {ref, *self.waits_for}:
            self._loader.leave(before, self.id)
        self.phase_changed.emit()

    def set_options(self, options: ChatOptions, system: str) -> None:
        """Take other settings from the next reply on."""
        params, follows = options.to_params(), self.attaching.others.follows
        self._change(params=params | ({FOLLOWS: follows} if follows else {}), system=system)

    def cancel_for_close(self) -> None:
        """First step of the program's end: stop the reply; it counts as interrupted."""
        self.sends_later = self.steers = self.queue.moves = False
        self._answering.cancel_for_close()
        self.panel.cancel_for_close()

    def close(self) -> None:
        """Last step: save what there is and let go of the session."""
        self.panel.let_go()
        self._answering.close()
        self.attaching.close()

    def _compose(self, compose: Compose) -> None:
        """Put something else into the composer."""
        if self.rewords:
            QTimer.singleShot(0, self, self._on_way_free)  # it may have been waited for
        self.sends_later = self.steers = False
        self.unsent = ""
        self._saved.change_compose(compose)
        self._keep()
        self.compose_changed.emit()

    def _keep(self) -> None:
        """Store the chat's record; from the first time on it is in the list of chats."""
        self._saved.keep()
        self.chat_changed.emit()

    def _change(self, **fields: Any) -> None:
        """Change the record; a new chat is not stored by it."""
        self._saved.change(**fields)
        if self.stored:
            self._saved.keep()
        self.chat_changed.emit()

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial

from msgspec.structs import replace
from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.chats.actions import BLIND, DEAF
from app.chats.chat_model import ChatModel
from app.chats.chat_part import ChatPart
from app.chats.chat_reply import ChatReply
from app.chats.file_attacher import FileAttacher
from app.chats.panel import Member
from app.chats.queue import MessageQueue
from app.chats.saved_chat import SavedChat, in_one_transaction
from app.chats.turn import (
    ComposerContent,
    Content,
    Draft,
    DraftState,
    Effect,
    Event,
    MessageEdit,
    QueueHead,
    QueueState,
    Refusal,
    Stage,
    Step,
    TurnState,
    step,
)
from app.settings.language import mark, tr
from app.store import Attachments, Message, Queued, new_id, title_from


class TurnController(ChatPart):
    """Sends composed and queued messages, driven by the table in `app.chats.turn`.

    An event is handled completely before CHANGED is handled for what its effects changed.
    """

    # (text, files), including messages that are queued or interrupt the reply
    text_sent = Signal(str, object)

    def __init__(
        self,
        saved: SavedChat,
        reply: ChatReply,
        model: ChatModel,
        queue: MessageQueue,
        attacher: FileAttacher,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._saved, self._reply, self._model = saved, reply, model
        self._queue, self._attacher = queue, attacher
        self.draft_state = DraftState.KEPT
        self.unsent = ""  # why the composer's message wasn't sent
        self.several = False  # the composer's message goes to several chats (set by the pane)
        self._depth = 0  # nesting depth of `handle`
        self._changed = False  # `handle` must process CHANGED before it returns
        attacher.file_rejected.connect(lambda reason: self.handle(Event.FILE_NOTICE, why=reason))
        attacher.changed.connect(self.on_changed)
        reply.generator.tools.calls_finished.connect(partial(self.handle, Event.RESULTS))

    @property
    def stage(self) -> Stage:
        """Return `TurnState.stage`, assuming that the model can accept the first queued message.

        Views call this often, and checking the message takes longer.
        """
        queue = self._queue
        head = QueueHead.READY if queue.next is not None else QueueHead.NONE
        return TurnState(self._reply.stage, queue=queue.state, head=head).stage

    @property
    def is_at_work(self) -> bool:
        """Return True if there is an active reply, or a message will be sent automatically."""
        return self.draft_state.is_waiting or self.stage is not Stage.IDLE

    def content(self, message: ComposerContent | None = None) -> Content:
        compose = message or self._saved.compose
        if isinstance(compose, MessageEdit):
            queued = self._queue.get(compose.message_id) is not None
            return Content.REWORDING if queued else Content.EDIT
        is_blank = not compose.text.strip() and not compose.attachments
        return Content.NOTHING if is_blank else Content.MESSAGE

    def state(self, message: Draft | None = None, *, ignore_images: bool = False) -> TurnState:
        """Return the current state.

        ``message`` is the event's message, which may have sounds that the model can't hear, or None
        for the composer's. ``reading`` and ``composing`` are always about the composer.
        ``ignore_images`` allows images that the chat's model can't see, because other models will
        get the message.
        """
        compose, queue = self._saved.compose, self._queue
        reason = self.why_not_send(
            message or compose, ignore_images=ignore_images, ignore_sounds=message is not None
        )
        return TurnState(
            self._reply.stage,
            self.draft_state,
            queue.state,
            self.content(message),
            sendable=not reason,
            reading=bool(self._attacher.reading),
            composing=compose != Draft(),
            head=self._queue_head,
            last_reply_complete=queue.is_last_reply_complete,
            panel=bool(self._reply.panel_runner.running),
            silent=self._reply.silent_s is not None,
            several=self.several,
            at_limit=self._reply.generator.tools.is_at_limit,
        )

    @property
    def _queue_head(self) -> QueueHead:
        if not (messages := self._queue.messages):
            return QueueHead.NONE
        if messages[0].id == self._saved.record.edited_id:
            return QueueHead.EDITED
        return QueueHead.BLOCKED if self.why_not_send(_to_writing(messages[0])) else QueueHead.READY

    def why_not_send(
        self, compose: ComposerContent, *, ignore_images: bool = False, ignore_sounds: bool = False
    ) -> str:
        files = compose.attachments
        if not ignore_images and (name := self._model.model_without_vision(files)):
            return tr(BLIND, model=name)
        if not ignore_sounds and (name := self._model.model_without_audio(files)):
            return tr(DEAF, model=name)
        if name := self._attacher.counter.largest_unfit_file(files):
            words = mark("“{file}” is too long for this model. Attach less of it, or remove it.")
            if compose == self._saved.compose:  # only the composer has the link
                words = mark(
                    "“{file}” is too long for this model. Press “{link}” or remove the file."
                )
            return tr(words, file=name, link=tr("Choose What to Send…"))
        has_content = compose.text.strip() or any(file.is_medium for file in files)
        return "" if has_content else tr("Write a message first.")

    def preview(self, event: Event, message: Draft | None = None) -> Step:
        """Return the step for an event without performing it. For the message, see `state`."""
        return step(self.state(message), event)

    def why_not(self, event: Event, *, ignore_images: bool = False) -> str:
        refusal = step(self.state(ignore_images=ignore_images), event).refusal
        return self.describe(refusal, ignore_images=ignore_images) if refusal is not None else ""

    def describe(self, refusal: Refusal, *, ignore_images: bool = False) -> str:
        if refusal is Refusal.UNSENDABLE:
            return self.why_not_send(self._saved.compose, ignore_images=ignore_images)
        return tr(refusal.value, file=next(iter(self._attacher.reading), ""))

    @property
    def hint(self) -> str:
        """Return why the composer's message wasn't sent or what it waits for, or ""."""
        if self.unsent:
            return tr("Not sent. {why}", why=self.unsent)
        waits = self.draft_state.is_waiting or self._reply.stage is Stage.ASKING
        return self.why_not(Event.ENTER) if waits else ""

    def handle(self, event: Event, message: Draft | None = None, *, why: str = "") -> Step:
        """Handle an event and return its step. For the message, see `state`.

        ``why`` is the reason to show if the message isn't sent.
        """
        subject = message or self._saved.compose
        self._depth += 1
        try:
            next_step = self.preview(event, message)
            self._make_step(event, next_step, subject, why)
        except BaseException:
            # Otherwise, the chat would stay busy without a reply.
            self._queue.state = QueueState.HELD
            self._queue.notify()
            raise
        finally:
            self._depth -= 1
            if self._changed and not self._depth:
                self.on_changed()
        return next_step

    def _make_step(
        self, event: Event, next_step: Step, subject: ComposerContent, reason: str
    ) -> None:
        """Change the state, perform the effects, and notify the views."""
        queue, state = self._queue, next_step.state
        before = self.draft_state, self.unsent
        queue_moves = queue.state is not state.queue
        if event is Event.WRITE or state.draft is not self.draft_state:
            self.unsent = ""
        self.draft_state, queue.state = state.draft, state.queue
        for effect in next_step.effects:
            self._perform(effect, subject, reason)
        if (self.draft_state, self.unsent) != before:
            self.turn_changed.emit()
        if queue_moves:
            queue.notify()

    def _perform(self, effect: Effect, subject: ComposerContent, reason: str) -> None:
        text, files, generator = subject.text, subject.attachments, self._reply.generator
        match effect:
            case Effect.SUBMIT:
                self._submit(subject)
            case Effect.SEND_NOW:
                self.add_message(text, files)
            case Effect.SEND_FIRST:
                first = self._queue.messages[0]
                self.add_message(first.text, first.attachments, first)
            case Effect.ENQUEUE:
                self._enqueue(text, files)
            case Effect.ENQUEUE_FIRST:
                self._enqueue(text, files, at=0)
            case Effect.EMIT_SENT:
                self.text_sent.emit(text, files)
            case Effect.HOLD:
                self.set_compose(Draft(text, files))
            case Effect.RESTORE_DRAFT:
                assert isinstance(subject, MessageEdit)
                self.set_compose(subject.draft)
            case Effect.STEER_REPLY:
                generator.interrupt()
            case Effect.STOP_REPLY:
                self._reply.stop()
            case Effect.TOGGLE_PAUSE:
                self._reply.toggle_pause()
            case Effect.RESEND_REQUEST:
                generator.retry()
            case Effect.CONTINUE:
                self._reply.continue_after_tools()
            case Effect.END_TURN:
                generator.end_turn()
            case Effect.REPORT:
                self.unsent = reason or self.why_not_send(subject)
            case Effect.REPORT_FIRST:
                first = self._queue.messages[0]
                self._queue.hold_with_reason(self.why_not_send(_to_writing(first)))
            case Effect.HANDLE_SEND_QUEUE:
                self.handle(Event.SEND_QUEUE)
            case Effect.SCHEDULE_SETTLE:
                QTimer.singleShot(0, self, lambda: self.handle(Event.SETTLE))

    @Slot()
    def on_changed(self) -> None:
        """Handle a change that may allow a message to be sent, after the current event."""
        self._changed = self._depth > 0
        if not self._changed:
            self.handle(Event.CHANGED)

    def write(self, text: str) -> None:
        """Change the composer's text. The first character typed stores a new chat."""
        compose, saved = self._saved.compose, self._saved
        if text == compose.text:
            return
        self.handle(Event.WRITE)
        called = saved.record.display_title
        saved.change_compose(compose.with_text(text))
        if saved.stored:
            saved.save_compose()
            if called != saved.record.display_title:  # untitled chats are listed under their draft
                self.chat_changed.emit()
        elif text:
            self._save_record()

    def set_compose(self, compose: ComposerContent) -> None:
        if self.content() is Content.REWORDING:
            QTimer.singleShot(0, self, self.on_changed)  # the queue may wait for this edit
        self.handle(Event.WRITE)
        self._saved.change_compose(compose)
        self._save_record()
        self.compose_changed.emit()

    def edit_queued(self, message_id: str) -> bool:
        """Edit a queued message in the composer. The message keeps its place in the queue.

        Returns False if the message isn't in the queue anymore.
        """
        if (queued := self._queue.get(message_id)) is None:
            return False
        chat_id = self._saved.record.id
        message = Message(queued.id, chat_id, content=queued.text, attachments=queued.attachments)
        self.set_compose(MessageEdit.start(message, self._saved.compose))
        return True

    @in_one_transaction
    def remove_queued(self, message_id: str) -> None:
        compose = self._saved.compose
        if isinstance(compose, MessageEdit) and compose.message_id == message_id:
            self.set_compose(compose.draft)
        self._queue.remove(message_id)

    def send(self, text: str, files: Attachments = ()) -> bool:
        """Send a message now. Return False if that isn't possible.

        If the model can't hear, recordings are sent anyway and the reply mentions them.
        """
        return bool(self.handle(Event.SEND_OR_REFUSE, Draft(text, files)))

    def add_message(
        self,
        text: str,
        files: Attachments,
        queued: Queued | None = None,
        members: Sequence[Member] = (),
    ) -> None:
        """Add a user message and generate the reply, or the replies of a panel of ``members``."""
        saved = self._saved
        # Before the transaction, because finding passages may be slow. They're already indexed.
        resolved = self._attacher.resolve(files, text, saved.transcript.path)
        with saved.transaction():
            if not saved.record.title:
                saved.change_record(title=_title_of(text, files))
            if queued is not None:
                self._queue.remove(queued.id)
            elif saved.compose == Draft(text, files):  # unlike a broadcast or suggested message
                self.set_compose(Draft())
            else:
                self._save_record()
            question = Message(
                id=new_id(),
                chat_id=saved.record.id,
                parent_id=saved.transcript.leaf_id,
                content=text.strip("\n"),
                attachments=resolved,
            )
            saved.add(question)
            self.message_added.emit(question.id)
            # The engine may get the request before the block's writes are queued.
            if members:
                self._reply.panel_runner.ask(question, members)
            else:
                self._reply.begin(branching=False)

    def _submit(self, compose: ComposerContent) -> None:
        saved = self._saved
        if not isinstance(compose, MessageEdit):
            self.add_message(compose.text, compose.attachments)
        elif self._queue.get(compose.message_id) is not None:
            with saved.transaction():
                self._queue.edit(compose.message_id, compose.text, compose.attachments)
                self.set_compose(compose.draft)
        else:
            old = saved.transcript[compose.message_id]
            path = saved.transcript.path_to(old.parent_id)
            files = self._attacher.resolve(compose.attachments, compose.text, path)
            with saved.transaction():
                self._send_edited(old, compose, files)

    def _send_edited(self, old: Message, compose: MessageEdit, files: Attachments) -> None:
        saved = self._saved
        self.set_compose(compose.draft)
        text = compose.text.strip("\n")
        values = {"content": text, "attachments": files, "stats": {}}
        saved.add(replace(old, id=new_id(), created_at=time.time(), **values))
        record = saved.record
        if old.parent_id is None and record.titled_by != "person" and record.group_id is None:
            # Automatic titles follow the question, but chats in a comparison keep their names.
            saved.change_record(title=_title_of(text, files), titled_by="")
            self._save_record()
        self._reply.begin(branching=True)

    @in_one_transaction
    def _enqueue(self, text: str, files: Attachments, at: int | None = None) -> None:
        if self._saved.compose == Draft(text, files):
            self.set_compose(Draft())
        self._queue.add(text, files, at)

    def _save_record(self) -> None:
        self._saved.save_record()
        self.chat_changed.emit()


def _title_of(text: str, files: Attachments) -> str:
    return title_from(text if text.strip() or not files else files[0].name)


def _to_writing(queued: Queued) -> Draft:
    return Draft(queued.text, queued.attachments)

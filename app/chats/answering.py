"""The running of a chat's replies: asked of the engine, written as they come, saved as they go."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.bridge import Bridge
from app.chats.model_choice import LoadState, Shelf
from app.chats.options import ChatOptions, going_on, of_answer, sampling
from app.chats.record import ChatRecord
from app.chats.reply import Phase, RunningReply
from app.chats.session import ChatSession
from app.chats.transcript import conversation
from app.store import Message
from engine import EngineError, Failed, Finished, FinishReason, PromptProgress, TextDelta

if TYPE_CHECKING:
    from engine import Model

# What a reply fails with when the engine's thread has broken down, or has lost the model.
_LOST = frozenset({"engine_stopped", "unknown_model"})


class Answering(QObject):
    """At most one reply at a time, from the question to the last state of its message.

    Signals: those of `ChatState` with the same names.

    Attributes:
        reply: the one that runs or waits for its model, None while there is none.
        unseen: whether a reply has ended that nobody has looked at.
    """

    CHECKPOINT_MS = 400  # the store writes within 250: 350 ms of a second are left to the machine

    message_changed = Signal(str)
    text_added = Signal(str, str, str)
    phase_changed = Signal()
    reply_ended = Signal(str)

    def __init__(self, record: ChatRecord, bridge: Bridge, shelf: Shelf, parent: QObject) -> None:
        super().__init__(parent)
        self._record = record
        self._bridge = bridge
        self._shelf = shelf
        self.session = ChatSession(shelf, record.chat.id)
        self.reply: RunningReply | None = None
        self.unseen = False
        self._closing = False
        self._saved_length = 0
        self._checkpoint = QTimer(self, interval=self.CHECKPOINT_MS)
        self._checkpoint.timeout.connect(self._save_progress)
        shelf.changed.connect(self._on_model_changed)

    @property
    def options(self) -> ChatOptions:
        return ChatOptions.from_params(self._record.chat.params)

    @property
    def phase(self) -> Phase:
        if self.reply is not None:
            return Phase.PAUSED if self.reply.paused else self.reply.phase
        loading = self._shelf.get(self._record.chat.model).state is LoadState.LOADING
        return Phase.LOADING if loading else Phase.IDLE

    def message(self, message_id: str) -> Message:
        """A message with all of its text, also while it streams."""
        message = self._record.transcript[message_id]
        if self.reply is not None and self.reply.message_id == message_id:
            return replace(message, content=self.reply.content, reasoning=self.reply.reasoning)
        return message

    # A reply's life.

    def prepare(
        self,
        message_id: str,
        options: ChatOptions | None = None,
        like: str | None = None,
        model: str | None = None,
    ) -> None:
        """A reply is to fill this message; ``begin`` asks for it.

        With other options than the chat's and of another model, where those of the answer ``like``
        are taken again.
        """
        self.reply = RunningReply(message_id, options=options, like=like, model=model)
        self._saved_length = 0
        self.unseen = False

    def prepare_going_on(self, message: Message) -> None:
        """A reply is to go on with this message, which was cut off."""
        self.reply = RunningReply.going_on(message.id, message.content, message.reasoning)
        if (own := of_answer(message.stats, self.options)) is not None:
            self.reply.options = going_on(own, self.options)
        self._saved_length = len(message.content) + len(message.reasoning)
        self.unseen = False
        self._record.save(self._record.transcript.update(message.id, status="streaming", error=""))

    def begin(self) -> None:
        """Hand the reply to the engine if the model is there; if not, ask for the model."""
        reply = self.reply
        if reply is None or reply.handle is not None:
            return
        shelved = self._shelf.want(reply.model or self._record.chat.model)
        if shelved.state is LoadState.FAILED:
            self._end("error", shelved.error)
        elif shelved.model is not None and self._shelf.engine is not None:
            self._ask(reply, shelved.model)
        self.phase_changed.emit()

    def stop(self) -> None:
        """End the reply at its next token; what it wrote stays."""
        if self.reply is None or self.reply.stopping:
            return
        self.reply.stopping = True
        if self.reply.handle is not None:
            self.reply.handle.cancel()
        else:
            self._end("cancelled")

    def toggle_pause(self) -> bool:
        """Let the reply stand still, or go on. False when there is none to do so."""
        reply = self.reply
        if reply is None or reply.handle is None or reply.stopping:
            return False
        reply.paused = not reply.paused
        if reply.paused:
            reply.handle.pause()
        else:
            reply.handle.resume()
        self.phase_changed.emit()
        return True

    # The program's end.

    def cancel_for_close(self) -> None:
        """First step: stop the reply; it counts as interrupted."""
        self._closing = True
        self.stop()

    def close(self) -> None:
        """Last step: save what there is and let go of the session."""
        self._closing = True
        if self.reply is not None:
            self._end("interrupted")
        self._checkpoint.stop()
        self.session.close()

    # Between the engine and the message.

    def _ask(self, reply: RunningReply, model: Model) -> None:
        chat = self._record.chat
        path = self._record.transcript.path
        if not reply.continues:
            path = path[:-1]
        turns = conversation(path, chat.system, continuing=reply.continues)
        options = reply.options = reply.options or self.options
        reply.model = reply.model or chat.model
        try:
            params = sampling(options, model.defaults)
            reply.seed = params.seed
            session = self.session.open(model, options)
            reply.channel, post = self._bridge.channel(self._on_event)
            reply.phase = Phase.QUEUED
            reply.handle = session.send(turns, params, on_event=post)
        except (EngineError, ValueError) as error:
            self._end("error", getattr(error, "message", str(error)))
            return
        self._record.transcript.update(reply.message_id, model=model.name)
        self._checkpoint.start()
        self.message_changed.emit(reply.message_id)

    def _on_event(self, event: Any) -> None:
        """One engine event, on the GUI thread."""
        reply = self.reply
        if reply is None:
            return
        if isinstance(event, TextDelta):
            before = reply.phase
            reply.write(event)
            self.text_added.emit(reply.message_id, event.text, event.kind)
            if reply.phase is not before:
                self.phase_changed.emit()
        elif isinstance(event, PromptProgress):
            reply.read(event)
            self.phase_changed.emit()
        elif isinstance(event, Finished):
            stopped = event.reason == FinishReason.CANCELLED
            stats = {**asdict(event.stats), "reason": event.reason.value}
            self._end("cancelled" if stopped else "complete", stats=stats)
        elif isinstance(event, Failed):
            self._end("error", event.message, stats={"code": event.code})
            if event.code in _LOST and not self._closing:
                # The next try loads the model into whatever engine there is then.
                self._shelf.lose()

    def _end(self, status: str, error: str = "", stats: dict[str, Any] | None = None) -> None:
        """The one way out of a reply: its message gets its last state, in memory and on disk."""
        reply, self.reply = self.reply, None
        if reply is None:
            return
        if reply.channel is not None:
            self._bridge.close(reply.channel)
        self._checkpoint.stop()
        reply.end_of_thought()
        stats = {**(stats or {}), **self._needed_to_repeat(reply)}
        if status == "complete" and reply.like is not None:
            other = self._record.transcript[reply.like]
            if other.status == "complete" and other.stats.get("reason") == stats.get("reason"):
                stats["same"] = (other.content, other.reasoning) == (reply.content, reply.reasoning)
        if reply.thought_s is not None:
            stats["thought_s"] = round(reply.thought_s, 2)
        if self._closing and status in {"cancelled", "error"}:
            status, error = "interrupted", ""
        message = self._record.transcript.update(
            reply.message_id,
            content=reply.content,
            reasoning=reply.reasoning,
            status=status,
            error=error,
            stats=stats,
        )
        self._record.save(message)
        self.unseen = True
        self.message_changed.emit(message.id)
        self.phase_changed.emit()
        self.reply_ended.emit(message.id)

    def _needed_to_repeat(self, reply: RunningReply) -> dict[str, Any]:
        """The seed, options and model that give the same answer again."""
        if reply.seed is None or reply.options is None:
            return {}
        options = reply.options.to_params()
        options.pop("seed", None)
        return {"seed": reply.seed, "options": options, "model": reply.model}

    @Slot()
    def _save_progress(self) -> None:
        """About once a second while a reply runs: what a crash may cost."""
        if self.reply is None:
            return
        message = self.message(self.reply.message_id)
        length = len(message.content) + len(message.reasoning)
        if length != self._saved_length:
            self._saved_length = length
            self._record.save(message)

    @Slot(str)
    def _on_model_changed(self, ref: str) -> None:
        asked = self.reply.model if self.reply is not None else None
        if ref not in {self._record.chat.model, asked}:
            return
        if (
            self.reply is not None
            and self.reply.handle is None
            and ref == (asked or self._record.chat.model)
        ):
            if self._shelf.get(ref).state is LoadState.FAILED:
                self._end("error", self._shelf.get(ref).error)
            else:
                self.begin()
        self.phase_changed.emit()

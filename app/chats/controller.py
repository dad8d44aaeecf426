"""One open chat: it asks the engine, keeps the transcript and saves, shown in a pane or not."""

from __future__ import annotations

import logging
import time
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.bridge import Bridge
from app.chats.options import ChatOptions, sampling
from app.chats.reply import Phase, RunningReply
from app.chats.session import ChatSession
from app.chats.shelf import LoadState, Shelf, Shelved
from app.chats.transcript import Removal, Transcript, conversation, title_from
from app.store import Chat, Message, Store, new_id
from engine import EngineError, Failed, Finished, FinishReason, PromptProgress, TextDelta

if TYPE_CHECKING:
    from engine import Model

log = logging.getLogger(__name__)

# What a reply fails with when the engine's thread has broken down, or has lost the model.
_LOST = frozenset({"engine_stopped", "unknown_model"})


class ChatController(QObject):
    """The life of one chat while the program runs.

    Panes come and go; nothing here depends on one, so hiding, moving or closing a pane never
    stops its answer.

    Signals:
        chat_changed(): title, model or options are others.
        path_changed(): another branch is shown, or the transcript was loaded.
        message_added(id), message_changed(id): one message of the shown path.
        text_added(id, text, kind): more text at the end of a streaming message.
        phase_changed(): what the chat is doing, or how far it is.
        reply_ended(id): a reply has ended, however it did.
    """

    CHECKPOINT_MS = 600  # and the store writes within 250 ms: a crash costs less than a second

    chat_changed = Signal()
    path_changed = Signal()
    message_added = Signal(str)
    message_changed = Signal(str)
    text_added = Signal(str, str, str)
    phase_changed = Signal()
    reply_ended = Signal(str)

    def __init__(
        self,
        chat: Chat,
        store: Store,
        bridge: Bridge,
        shelf: Shelf,
        *,
        stored: bool,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._chat = chat
        self._store = store
        self._bridge = bridge
        self._shelf = shelf
        self._stored = stored
        self._transcript = (
            Transcript(store.messages(chat.id), chat.leaf_id) if stored else Transcript()
        )
        self._reply: RunningReply | None = None
        self._session = ChatSession(shelf, chat.id)
        self._closing = False
        self._unseen = False
        self._saved_length = 0
        self._checkpoint = QTimer(self, interval=self.CHECKPOINT_MS)
        self._checkpoint.timeout.connect(self._save_progress)
        shelf.changed.connect(self._on_model_changed)

    # What there is to see.

    @property
    def id(self) -> str:
        return self._chat.id

    @property
    def chat(self) -> Chat:
        return self._chat

    @property
    def stored(self) -> bool:
        """False for a new chat in which no key was pressed yet."""
        return self._stored

    @property
    def blank(self) -> bool:
        """Whether nothing was said and nothing stands in the composer."""
        return self._transcript.leaf_id is None and not self._chat.draft

    @property
    def title(self) -> str:
        return self._chat.title or "New chat"

    @property
    def options(self) -> ChatOptions:
        return ChatOptions.from_params(self._chat.params)

    @property
    def transcript(self) -> Transcript:
        return self._transcript

    @property
    def shelved(self) -> Shelved:
        """This chat's model and how far it is."""
        return self._shelf.get(self._chat.model)

    @property
    def phase(self) -> Phase:
        if self._reply is not None:
            return Phase.PAUSED if self._reply.paused else self._reply.phase
        return Phase.LOADING if self.shelved.state is LoadState.LOADING else Phase.IDLE

    @property
    def progress(self) -> PromptProgress | None:
        """How far the prompt is, while one is queued or read."""
        return self._reply.progress if self._reply is not None else None

    @property
    def answering(self) -> bool:
        """Whether a reply runs or waits for its model."""
        return self._reply is not None

    @property
    def paused(self) -> bool:
        """Whether the running reply stands still."""
        return self._reply is not None and self._reply.paused

    @property
    def session_id(self) -> str | None:
        """The engine's name for this chat's session, None while there is none."""
        return self._session.id

    @property
    def answering_id(self) -> str | None:
        return self._reply.message_id if self._reply is not None else None

    @property
    def thought_s(self) -> float | None:
        return self._reply.thought_s if self._reply is not None else None

    @property
    def unseen(self) -> bool:
        """Whether a reply has ended that nobody has looked at."""
        return self._unseen

    def message(self, message_id: str) -> Message:
        """A message with all of its text, also while it streams."""
        message = self._transcript[message_id]
        if self._reply is not None and self._reply.message_id == message_id:
            return replace(message, content=self._reply.content, reasoning=self._reply.reasoning)
        return message

    # What a person does.

    def begin_from(self, other: ChatController) -> None:
        """Start with what the engine has read of another chat."""
        self._session.twin_of(other._session)

    def forget_session(self) -> None:
        """The chat was deleted: what the engine has read of it goes, also from the disk."""
        self._session.forget()

    def load_model(self) -> None:
        """Have this chat's model loaded; again, if it failed."""
        self._shelf.want(self._chat.model)

    def send(self, text: str) -> bool:
        """Say something. False (and nothing done) for empty text or while a reply runs."""
        if not text.strip() or self._reply is not None:
            return False
        if not self._chat.title:
            self._change(title=title_from(text))
        self._change(updated_at=time.time())
        self._keep()
        question = Message(
            id=new_id(),
            chat_id=self.id,
            parent_id=self._transcript.leaf_id,
            role="user",
            content=text.strip("\n"),
        )
        self._transcript.add(question)
        self._store.save_message(question, as_leaf=True)
        self.message_added.emit(question.id)
        self._answer(branching=False)
        return True

    @Slot()
    def stop(self) -> None:
        """End the running reply at its next token; what it wrote stays."""
        if self._reply is None or self._reply.stopping:
            return
        self._reply.stopping = True
        if self._reply.handle is not None:
            self._reply.handle.cancel()
        else:
            self._end("cancelled")

    @Slot()
    def toggle_pause(self) -> bool:
        """Let the running reply stand still, or go on. False when there is none to do so."""
        reply = self._reply
        if reply is None or reply.handle is None or reply.stopping:
            return False
        reply.paused = not reply.paused
        if reply.paused:
            reply.handle.pause()
        else:
            reply.handle.resume()
        self.phase_changed.emit()
        return True

    def regenerate(self, answer_id: str | None = None) -> bool:
        """Answer a question anew, beside the old answer; without an id, the last question."""
        if self._reply is not None:
            return False
        if answer_id is None:
            last = self._transcript.last("user")
            question = last.id if last is not None else None
        else:
            question = self._transcript[answer_id].parent_id
        if question is None:
            return False
        self._transcript.leaf_id = question
        self._answer(branching=True)
        return True

    def continue_answer(self, answer_id: str) -> bool:
        """Go on with an answer that was cut off, in its own place."""
        message = self._transcript[answer_id]
        if self._reply is not None or answer_id != self._transcript.leaf_id:
            return False
        self._reply = RunningReply.going_on(answer_id, message.content, message.reasoning)
        self._saved_length = len(message.content) + len(message.reasoning)
        self._unseen = False
        self._transcript.update(answer_id, status="streaming", error="")
        self._store.save_message(self._transcript[answer_id])
        self.path_changed.emit()
        self._begin()
        return True

    def edit(self, message_id: str, text: str) -> bool:
        """Ask a question in other words, beside the old one, and have it answered."""
        old = self._transcript[message_id]
        if not text.strip() or self._reply is not None or old.role != "user":
            return False
        question = replace(old, id=new_id(), content=text.strip("\n"), created_at=time.time())
        self._transcript.add(question)
        self._store.save_message(question, as_leaf=True)
        self._answer(branching=True)
        return True

    def show_alternative(self, message_id: str, step: int) -> None:
        """Show the message's next (+1) or previous (-1) alternative and what follows it."""
        siblings = self._transcript.alternatives(message_id)
        at = siblings.index(message_id) + step
        if self._reply is None and 0 <= at < len(siblings):
            self._transcript.show(siblings[at])
            self._store.set_leaf(self.id, self._transcript.leaf_id)
            self.path_changed.emit()

    def delete_message(self, message_id: str) -> Removal | None:
        """Take a message and what follows it out of the chat; None while a reply runs.

        What comes back is what ``restore_messages`` needs.
        """
        if self._reply is not None or message_id not in self._transcript:
            return None
        leaf = self._transcript.leaf_id
        removal = Removal(tuple(self._transcript.remove(message_id)), leaf)
        self._store.delete_messages(self.id, removal.ids, self._transcript.leaf_id)
        self._chat = replace(self._chat, leaf_id=self._transcript.leaf_id)
        self.path_changed.emit()
        return removal

    def restore_messages(self, removal: Removal) -> bool:
        """Put deleted messages back and show them; False while a reply runs."""
        if self._reply is not None:
            return False
        self._transcript.restore(removal.messages, removal.leaf_id)
        self._store.restore_messages(self.id, removal.ids, removal.leaf_id)
        self._chat = replace(self._chat, leaf_id=removal.leaf_id)
        self.path_changed.emit()
        return True

    def show_other_version(self, step: int) -> None:
        """Show the next (+1) or previous (-1) version of the last message that has several."""
        for message in reversed(self._transcript.path):
            if len(self._transcript.alternatives(message.id)) > 1:
                self.show_alternative(message.id, step)
                return

    def rename(self, title: str) -> None:
        title = " ".join(title.split())
        if title and title != self._chat.title:
            self._change(title=title)
            self._keep()

    def set_draft(self, text: str) -> None:
        """Keep what stands in the composer. The first key press is what stores a new chat."""
        if text == self._chat.draft:
            return
        self._chat = replace(self._chat, draft=text)
        if self._stored:
            self._store.set_draft(self.id, text)
        elif text:
            self._keep()

    def set_model(self, ref: str) -> None:
        """Answer with another model from the next reply on."""
        if ref != self._chat.model:
            self._change(model=ref)
            if self._stored:
                self._keep()
        self._shelf.want(ref)
        self.phase_changed.emit()

    def set_options(self, options: ChatOptions, system: str) -> None:
        """Take other settings from the next reply on."""
        self._change(params=options.to_params(), system=system)
        if self._stored:
            self._keep()

    def set_front(self, front: bool) -> None:
        """Whether this is the chat that the person works in: its prompts are read first."""
        self._session.set_front(front)

    @property
    def context(self) -> tuple[int, int, int]:
        """Tokens of the last turn, how many of them were reused, and how many fit; 0 if unknown."""
        model = self.shelved.model
        # An answer that is being written has no figures yet: those before it stay.
        told = (m.stats for m in self._transcript.backwards() if m.stats.get("prompt_tokens"))
        stats = next(told, {})
        used = int(stats.get("prompt_tokens", 0)) + int(stats.get("generated_tokens", 0))
        limit = model.context_length if model is not None else 0
        return used, int(stats.get("reused_tokens", 0)), limit

    @Slot()
    def mark_seen(self) -> None:
        if self._unseen:
            self._unseen = False
            self.phase_changed.emit()

    # Ending.

    def cancel_for_close(self) -> None:
        """First step of the program's end: stop the reply; it counts as interrupted."""
        self._closing = True
        self.stop()

    def close(self) -> None:
        """Last step: save what there is and let go of the session."""
        self._closing = True
        if self._reply is not None:
            self._end("interrupted")
        self._checkpoint.stop()
        self._session.close()

    # Replies.

    def _answer(self, *, branching: bool) -> None:
        """Open an assistant message at the end of the path and ask the engine to fill it."""
        message = Message(
            id=new_id(),
            chat_id=self.id,
            parent_id=self._transcript.leaf_id,
            role="assistant",
            status="streaming",
            model=self.shelved.name,
        )
        self._transcript.add(message)
        self._store.save_message(message, as_leaf=True)
        self._reply = RunningReply(message.id)
        self._saved_length = 0
        self._unseen = False
        if branching:
            self.path_changed.emit()
        else:
            self.message_added.emit(message.id)
        self.chat_changed.emit()
        self._begin()

    def _begin(self) -> None:
        """Hand the reply to the engine if the model is there; if not, ask for the model."""
        reply = self._reply
        if reply is None or reply.handle is not None:
            return
        shelved = self._shelf.want(self._chat.model)
        if shelved.state is LoadState.FAILED:
            self._end("error", shelved.error)
        elif shelved.model is not None and self._shelf.engine is not None:
            self._ask(reply, shelved.model)
        self.phase_changed.emit()

    def _ask(self, reply: RunningReply, model: Model) -> None:
        path = self._transcript.path
        if not reply.continues:
            path = path[:-1]
        turns = conversation(path, self._chat.system, continuing=reply.continues)
        try:
            params = sampling(self.options, model.defaults)
            reply.seed = params.seed
            session = self._session.open(model, self.options)
            reply.channel, post = self._bridge.channel(self._on_event)
            reply.phase = Phase.QUEUED
            reply.handle = session.send(turns, params, on_event=post)
        except (EngineError, ValueError) as error:
            self._end("error", getattr(error, "message", str(error)))
            return
        self._transcript.update(reply.message_id, model=model.name)
        self._checkpoint.start()
        self.message_changed.emit(reply.message_id)

    def _on_event(self, event: Any) -> None:
        """One engine event, on the GUI thread."""
        reply = self._reply
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
        reply, self._reply = self._reply, None
        if reply is None:
            return
        if reply.channel is not None:
            self._bridge.close(reply.channel)
        self._checkpoint.stop()
        reply.end_of_thought()
        stats = dict(stats or {})
        if reply.seed is not None:
            stats["seed"] = reply.seed
        if reply.thought_s is not None:
            stats["thought_s"] = round(reply.thought_s, 2)
        if self._closing and status in {"cancelled", "error"}:
            status, error = "interrupted", ""
        message = self._transcript.update(
            reply.message_id,
            content=reply.content,
            reasoning=reply.reasoning,
            status=status,
            error=error,
            stats=stats,
        )
        self._store.save_message(message)
        self._unseen = True
        self.message_changed.emit(message.id)
        self.phase_changed.emit()
        self.reply_ended.emit(message.id)

    # Saving.

    def _keep(self) -> None:
        """Store the chat's record; from the first time on it is in the list of chats."""
        self._stored = True
        self._chat = replace(self._chat, leaf_id=self._transcript.leaf_id)
        self._store.save_chat(self._chat)
        self.chat_changed.emit()

    def _change(self, **fields: Any) -> None:
        self._chat = replace(self._chat, **fields)
        self.chat_changed.emit()

    @Slot()
    def _save_progress(self) -> None:
        """About once a second while a reply runs: what a crash may cost."""
        if self._reply is None:
            return
        message = self.message(self._reply.message_id)
        length = len(message.content) + len(message.reasoning)
        if length != self._saved_length:
            self._saved_length = length
            self._store.save_message(message)

    @Slot(str)
    def _on_model_changed(self, ref: str) -> None:
        if ref != self._chat.model:
            return
        if self._reply is not None and self._reply.handle is None:
            if self._shelf.get(ref).state is LoadState.FAILED:
                self._end("error", self._shelf.get(ref).error)
            else:
                self._begin()
        self.phase_changed.emit()

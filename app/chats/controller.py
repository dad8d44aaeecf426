"""One open chat, shown in a pane or not: what a person does with it."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Slot

from app.chats.options import ChatOptions, model_of_answer, of_answer
from app.chats.saving import saved_together
from app.chats.state import ChatState
from app.chats.transcript import Removal, title_from
from app.store import Message, new_id


class ChatController(ChatState):
    """The life of one chat while the program runs.

    Panes come and go; nothing here depends on one, so hiding, moving or closing a pane never
    stops its answer.
    """

    # What a person says, and how it is answered.

    @saved_together
    def send(self, text: str) -> bool:
        """Say something. False (and nothing done) for empty text or while a reply runs."""
        if not text.strip() or self.answering:
            return False
        if not self.chat.title:
            self._change(title=title_from(text))
        # What is sent no longer stands in the composer, on the disk too.
        draft = "" if text == self.chat.draft else self.chat.draft
        self._change(updated_at=time.time(), draft=draft)
        self._keep()
        question = Message(
            id=new_id(),
            chat_id=self.id,
            parent_id=self.transcript.leaf_id,
            role="user",
            content=text.strip("\n"),
        )
        self._record.add(question)
        self.message_added.emit(question.id)
        self._answer(branching=False)
        return True

    @Slot()
    def stop(self) -> None:
        """End the running reply at its next token; what it wrote stays."""
        self._answering.stop()

    @Slot()
    def toggle_pause(self) -> bool:
        """Let the running reply stand still, or go on. False when there is none to do so."""
        return self._answering.toggle_pause()

    def regenerate(self, answer_id: str | None = None) -> bool:
        """Answer a question anew, beside the old answer; without an id, the last question."""
        if self.answering:
            return False
        if answer_id is None:
            last = self.transcript.last("user")
            question = last.id if last is not None else None
        else:
            question = self.transcript[answer_id].parent_id
        if question is None:
            return False
        self.transcript.leaf_id = question
        self._answer(branching=True)
        return True

    def same_again(self, answer_id: str | None = None) -> bool:
        """Answer anew with an answer's own model, seed and options; without an id, the last one's.

        The chat's own model and options stay as they are. False while a reply runs, or for an
        answer whose seed is unknown.
        """
        last = self.transcript.last("assistant")
        answer = self.transcript[answer_id] if answer_id is not None else last
        if self.answering or answer is None or answer.parent_id is None:
            return False
        options = of_answer(answer.stats, self.options)
        if options is None:
            return False
        self.transcript.leaf_id = answer.parent_id
        self._answer(branching=True, options=options, like=answer)
        return True

    def continue_answer(self, answer_id: str) -> bool:
        """Go on with an answer that was cut off, in its own place."""
        message = self.transcript[answer_id]
        if self.answering or answer_id != self.transcript.leaf_id:
            return False
        self._answering.prepare_going_on(message)
        self.path_changed.emit()
        self._answering.begin()
        return True

    @saved_together
    def edit(self, message_id: str, text: str) -> bool:
        """Ask a question in other words, beside the old one, and have it answered."""
        old = self.transcript[message_id]
        if not text.strip() or self.answering or old.role != "user":
            return False
        question = replace(old, id=new_id(), content=text.strip("\n"), created_at=time.time())
        self._record.add(question)
        self._answer(branching=True)
        return True

    def _answer(
        self, *, branching: bool, options: ChatOptions | None = None, like: Message | None = None
    ) -> None:
        """Open an assistant message at the end of the path and have it filled."""
        model = model_of_answer(like.stats) if like is not None else None
        message = Message(
            id=new_id(),
            chat_id=self.id,
            parent_id=self.transcript.leaf_id,
            role="assistant",
            status="streaming",
            model=self._shelf.get(model).name if model is not None else self.shelved.name,
        )
        self._record.add(message)
        self._answering.prepare(message.id, options, like.id if like is not None else None, model)
        if branching:
            self.path_changed.emit()
        else:
            self.message_added.emit(message.id)
        self.chat_changed.emit()
        self._answering.begin()

    # The history.

    def show_alternative(self, message_id: str, step: int) -> None:
        """Show the message's next (+1) or previous (-1) alternative and what follows it."""
        siblings = self.transcript.alternatives(message_id)
        at = siblings.index(message_id) + step
        if not self.answering and 0 <= at < len(siblings):
            self._record.show(siblings[at])
            self.path_changed.emit()

    def show_version(self, message_id: str) -> bool:
        """Show the branch that holds this message; False while a reply runs, or without it."""
        if message_id not in self.transcript:
            return False
        if message_id in {message.id for message in self.transcript.path}:
            return True
        if self.answering:
            return False
        self._record.show(message_id)
        self.path_changed.emit()
        return True

    def show_other_version(self, step: int) -> None:
        """Show the next (+1) or previous (-1) version of the last message that has several."""
        for message in reversed(self.transcript.path):
            if len(self.transcript.alternatives(message.id)) > 1:
                self.show_alternative(message.id, step)
                return

    def delete_message(self, message_id: str) -> Removal | None:
        """Take a message and what follows it out of the chat; None while a reply runs.

        What comes back is what ``restore_messages`` needs.
        """
        if self.answering or message_id not in self.transcript:
            return None
        removal = self._record.remove(message_id)
        self.path_changed.emit()
        return removal

    def restore_messages(self, removal: Removal) -> bool:
        """Put deleted messages back and show them; False while a reply runs."""
        if self.answering:
            return False
        self._record.restore(removal)
        self.path_changed.emit()
        return True

    # The chat itself.

    def begin_from(self, other: ChatController) -> None:
        """Start with what the engine has read of another chat."""
        self._answering.session.twin_of(other._answering.session)

    def forget_session(self) -> None:
        """The chat was deleted: what the engine has read of it goes, also from the disk."""
        self._answering.session.forget()

    def load_model(self) -> None:
        """Have this chat's model loaded; again, if it failed."""
        self._shelf.want(self.chat.model)

    def rename(self, title: str) -> None:
        title = " ".join(title.split())
        if title and title != self.chat.title:
            self._change(title=title)
            self._keep()

    def set_draft(self, text: str) -> None:
        """Keep what stands in the composer. The first key press is what stores a new chat."""
        if text == self.chat.draft:
            return
        self._record.change(draft=text)
        if self.stored:
            self._record.keep_draft()
        elif text:
            self._keep()

    def set_model(self, ref: str) -> None:
        """Answer with another model from the next reply on."""
        if ref != self.chat.model:
            self._change(model=ref)
            if self.stored:
                self._keep()
        self._shelf.want(ref)
        self.phase_changed.emit()

    def set_options(self, options: ChatOptions, system: str) -> None:
        """Take other settings from the next reply on."""
        self._change(params=options.to_params(), system=system)
        if self.stored:
            self._keep()

    def set_front(self, front: bool) -> None:
        """Whether this is the chat that the person works in: its prompts are read first."""
        self._answering.session.set_front(front)

    @Slot()
    def mark_seen(self) -> None:
        if self._answering.unseen:
            self._answering.unseen = False
            self.phase_changed.emit()

    def cancel_for_close(self) -> None:
        """First step of the program's end: stop the reply; it counts as interrupted."""
        self._answering.cancel_for_close()

    def close(self) -> None:
        """Last step: save what there is and let go of the session."""
        self._answering.close()

    def _keep(self) -> None:
        """Store the chat's record; from the first time on it is in the list of chats."""
        self._record.keep()
        self.chat_changed.emit()

    def _change(self, **fields: Any) -> None:
        self._record.change(**fields)
        self.chat_changed.emit()

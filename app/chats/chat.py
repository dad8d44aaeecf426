"""One open chat, shown in a pane or not: what a person does with it."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Slot

from app.chats.actions import Action, refusal
from app.chats.asking import AskingChat
from app.chats.model_choice import LoadState
from app.chats.options import ChatOptions
from app.chats.saved_chat import saved_together
from app.chats.transcript import Removal, title_from
from app.chats.turn import Compose, Editing, Writing
from app.store import Attachments, Message, new_id


class Chat(AskingChat):
    """The life of one chat while the program runs.

    It owns its turn: what is being composed (`compose`), what is being answered (`reply`), and
    what may be done (`can`). A method that may not be done now does nothing and returns False.
    Panes come and go; nothing here depends on one, so hiding, moving or closing a pane never
    stops its answer.
    """

    # What is composed.

    def write(self, text: str) -> None:
        """Keep what stands in the composer. The first key press is what stores a new chat."""
        compose = self.compose
        if text == compose.text:
            return
        self._saved.change_compose(compose.written(text))
        if self.stored:
            self._saved.keep_compose()
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

    # What is said, and how it is answered.

    def send(self, text: str, files: Attachments = ()) -> bool:
        """Say something. False (and nothing done) for empty text or while a reply runs."""
        if refusal(Action.SEND, replace(self._turn(), compose=Writing(text))):
            return False
        # Before anything is held back for one transaction: passages may take a while to find.
        self._say(text, files, self.attaching.resolved(files, text))
        return True

    @saved_together
    def _say(self, text: str, files: Attachments, resolved: Attachments) -> None:
        if not self.record.title:
            self._saved.change(title=title_from(text))
        if self.compose == Writing(text, files):
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
        self._answer(branching=False)

    def edit(self, message_id: str, text: str) -> bool:
        """Ask a question in other words, beside the old one, and have it answered."""
        asked = refusal(Action.SEND, replace(self._turn(), compose=Writing(text)))
        if asked or self.can(Action.EDIT, message_id):
            return False
        compose, files = self.compose, self.transcript[message_id].attachments
        if isinstance(compose, Editing) and compose.message == message_id:
            files = compose.attachments
        self._reword(message_id, text, self.attaching.resolved(files, text))
        return True

    @saved_together
    def _reword(self, message_id: str, text: str, files: Attachments) -> None:
        compose, old = self.compose, self.transcript[message_id]
        if isinstance(compose, Editing) and compose.message == message_id:
            self._compose(compose.before)
        said = replace(old, id=new_id(), content=text.strip("\n"), attachments=files)
        self._saved.add(replace(said, created_at=time.time()))
        self._answer(branching=True)

    @Slot()
    def stop(self) -> bool:
        """End the reply at its next token; what it wrote stays."""
        if self.can(Action.STOP):
            return False
        self._answering.stop()
        return True

    @Slot()
    def toggle_pause(self) -> bool:
        """Let the running reply stand still, or go on."""
        if self.can(Action.PAUSE):
            return False
        self._answering.toggle_pause()
        return True

    @saved_together
    def regenerate(self, message_id: str = "") -> bool:
        """Answer a question anew, beside the old answer; without an id, the last question."""
        message = self._turn().subject(Action.REGENERATE, message_id)
        if self.can(Action.REGENERATE, message_id) or message is None:
            return False
        self.transcript.leaf_id = message.id if message.role == "user" else message.parent_id
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

    def continue_answer(self, answer_id: str) -> bool:
        """Go on with an answer that was cut off, in its own place."""
        if self.can(Action.CONTINUE, answer_id):
            return False
        self._answering.prepare_rest(self.transcript[answer_id])
        self.path_changed.emit()
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

    def forget_session(self) -> None:
        """The chat was deleted: what the engine has read of it goes, also from the disk."""
        self._answering.session.forget()

    def load_model(self) -> None:
        """Have this chat's model loaded; again, if it failed. One that was unloaded waits."""
        if self.model_status.state is not LoadState.UNLOADED:
            self._loader.want(self.record.model, self.options.kv_bits, self.options.context)

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
        if ref != self.record.model:
            self._change(model=ref)
            if self.reply is None:
                self._answering.session.leave(ref)
        self._loader.want(ref, self.options.kv_bits, self.options.context)
        self._answering.move_to(ref)
        self.phase_changed.emit()

    def set_options(self, options: ChatOptions, system: str) -> None:
        """Take other settings from the next reply on."""
        self._change(params=options.to_params(), system=system)

    def cancel_for_close(self) -> None:
        """First step of the program's end: stop the reply; it counts as interrupted."""
        self._answering.cancel_for_close()

    def close(self) -> None:
        """Last step: save what there is and let go of the session."""
        self._answering.close()
        self.attaching.close()

    def _compose(self, compose: Compose) -> None:
        """Put something else into the composer."""
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

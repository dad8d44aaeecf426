"""How a chat has an answer written: the first one to a question, and those after calls of tools."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Slot

from app.chats.actions import Action
from app.chats.chat_view import ChatView
from app.chats.options import model_of_answer, of_answer
from app.chats.reply import Answer
from app.chats.saved_chat import saved_together
from app.remote.address import is_remote
from app.store import Message, new_id
from app.tools.consent import Decision


class AskingChat(ChatView):
    """The part of `Chat` that opens answers, and hears what a person says to calls of tools."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._answering.called.connect(self._on_called)

    def _answer(self, *, branching: bool, like: Message | None = None) -> None:
        """Open an assistant message at the end of the path and have it filled.

        ``like``: with that answer's options and model instead of the chat's.
        """
        answer = Answer(new_id())
        if like is not None:
            answer.like = like.id
            answer.options = of_answer(like.stats, self.options)
            answer.model = model_of_answer(like.stats)
        self.tools.new_turn()
        self._open(answer, branching=branching)

    def _open(self, answer: Answer, *, branching: bool) -> None:
        name = self._loader.get(answer.model or self.record.model).name
        parent = self.transcript.leaf_id
        self._saved.add(
            Message(answer.message_id, self.id, parent, "assistant", status="streaming", model=name)
        )
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
        """The results of an answer's calls are there: the same model goes on with them."""
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

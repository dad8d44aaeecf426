"""The reply of a chat, or the columns of its panel."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace
from PySide6.QtCore import QObject, Signal, Slot

from app.chats import panel
from app.chats.answer import Answer, Phase
from app.chats.answering import ReplyGenerator
from app.chats.helping import HelperRunner
from app.chats.options import model_of_answer, of_answer
from app.chats.panel import Member
from app.chats.panelling import PanelRunner
from app.chats.saved_chat import SavedChat
from app.chats.turn import Stage
from app.models.loading import ModelLoader
from app.remote.address import is_remote, named
from app.store import Message, new_id
from engine import PromptProgress


class ChatReply(QObject):
    """Status of a chat's replies, and the start of new ones."""

    # see `Chat`
    chat_changed = Signal()
    path_changed = Signal()
    message_added = Signal(str)
    phase_changed = Signal()

    def __init__(
        self,
        saved: SavedChat,
        loader: ModelLoader,
        answering: ReplyGenerator,
        panel: PanelRunner,
        helping: HelperRunner,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._saved, self._loader = saved, loader
        self._panel, self._helping = panel, helping
        self.answering = answering  # generates the chat's own replies

    @property
    def stage(self) -> Stage:
        """Return the progress of the reply, never NEXT."""
        own = self.answering.stage
        if own is Stage.CALLING and self.answering.tools.waiting:
            return Stage.ASKING
        return own if own is not Stage.IDLE else self._panel.stage

    @property
    def is_active(self) -> bool:
        """Return True while a reply runs, is paused, or waits for its model."""
        return self.stage is not Stage.IDLE

    @property
    def is_panel(self) -> bool:
        """Return True while columns of a panel are generated."""
        return bool(self._panel.running)

    @property
    def is_paused(self) -> bool:
        calls_wait = self.answering.stage is Stage.CALLING and self.answering.tools.paused
        return calls_wait or self.stage is Stage.PAUSED

    @property
    def _speaker(self) -> ReplyGenerator:
        """Return the generator of the current or last reply. For a panel, the first unfinished
        column."""
        if self.answering.stage is Stage.IDLE and (running := self._panel.running):
            return running[0]
        return self.answering

    @property
    def _answers(self) -> list[Answer]:
        """Return all answers that are being generated."""
        answers = (each.answer for each in (self.answering, *self._panel.running))
        return [answer for answer in answers if answer is not None]

    @property
    def phase(self) -> Phase:
        return self._speaker.phase

    @property
    def progress(self) -> PromptProgress | None:
        """Return the progress of the prompt while it is queued or read."""
        answer = self._speaker.answer
        return answer.progress if answer is not None else None

    @property
    def thought_s(self) -> float | None:
        answer = self._speaker.answer
        return answer.thought_s if answer is not None else None

    @property
    def silent_s(self) -> float | None:
        """Return the seconds since another machine was asked, or None if it has answered."""
        answer = self.answering.answer
        if answer is None or answer.asked_at is None or named(self._saved.record.model) is None:
            return None
        silent = answer.phase is Phase.QUEUED and answer.progress is None
        return time.monotonic() - answer.asked_at if silent else None

    @property
    def message_id(self) -> str | None:
        """Return the id of the message that is being generated. For a panel, the first unfinished
        one."""
        answer = self._speaker.answer
        return answer.message_id if answer is not None else None

    @property
    def message_ids(self) -> list[str]:
        """Return the ids of all messages that are being generated."""
        return [answer.message_id for answer in self._answers]

    @property
    def models(self) -> frozenset[str]:
        """Return the references of the models that generate."""
        asked = {answer.model or self._saved.record.model for answer in self._answers}
        return self._helping.models.union(asked)

    @property
    def waits_for(self) -> frozenset[str]:
        """Return the references of the models that replies wait for."""
        speakers = (self.answering, *self._panel.running)
        return frozenset(each.waits_for for each in speakers if each.stage is Stage.LOADING)

    @property
    def session_ids(self) -> list[str]:
        """Return the engine's ids for the sessions of the chat and of its panel's columns."""
        lanes = self._panel.lanes.values()
        return [each.session.id for each in (self.answering, *lanes) if each.session.id]

    def message(self, message_id: str) -> Message:
        """Return a message with all of its text, also while it streams."""
        return self._panel.lanes.get(message_id, self.answering).message(message_id)

    def mark_unread(self) -> None:
        """Mark a reply of an earlier run as not seen by the user."""
        self.answering.unseen = True
        self.phase_changed.emit()

    @Slot()
    def mark_seen(self) -> None:
        if self.answering.unseen:
            self.answering.unseen = False
            self.phase_changed.emit()

    def set_front(self, front: bool) -> None:
        """Give the prompts of the current chat priority, or end that."""
        self.answering.session.set_front(front)
        self._panel.set_front(front)

    # Control.

    def stop(self) -> None:
        """Stop the reply at the next token. Its text stays."""
        self.answering.stop()
        self._panel.stop()

    def toggle_pause(self) -> None:
        self.answering.toggle_pause()
        self._panel.toggle_pause()

    def cancel_for_close(self) -> None:
        """First step of shutting down: stop the reply and mark it interrupted."""
        self.answering.cancel_for_close()
        self._panel.cancel_for_close()

    # New replies.

    def begin(self, *, branching: bool, like: Message | None = None) -> None:
        """Add an assistant message at the end of the path and generate it.

        Args:
            like: an answer whose options and model are used instead of the chat's.
        """
        answer, data = Answer(new_id()), {}
        if like is not None:
            answer.like = like.id
            answer.options = of_answer(like.stats, self.answering.options)
            answer.model = model_of_answer(like.stats)
            data = {k: v for k, v in panel.data_of(like).items() if k in {"system", "name"}}
        self.answering.tools.new_turn()
        self.open(answer, branching=branching, panel_data=data)

    def begin_panel(self, question: Message, members: Sequence[Member]) -> None:
        """Have all members of a panel answer a question."""
        self._panel.begin(question, members, self.answering.options)

    def open(
        self, answer: Answer, *, branching: bool, panel_data: Mapping[str, Any] | None = None
    ) -> None:
        """Add an answer's message and generate it. ``panel_data``: see `panel.data_of`."""
        self._panel.let_go()
        saved = self._saved
        name = self._loader.get(answer.model or saved.record.model).name
        parent = saved.transcript.leaf_id
        message = Message(answer.message_id, saved.record.id, parent, "assistant", answer.content)
        stats: dict[str, Any] = {"panel": panel_data} if panel_data else {}
        if form := (answer.options or self.answering.options).answer_as:
            stats["options"] = {"answer_as": form}
        saved.add(replace(message, status="streaming", model=name, stats=stats))
        self.answering.prepare(answer)
        if branching:
            self.path_changed.emit()
        else:
            self.message_added.emit(answer.message_id)
        self.chat_changed.emit()
        self.answering.begin()

    def continue_after(self, before: Answer) -> None:
        """Have the same model continue with the results of an answer's tool calls."""
        model = before.model
        if model is not None and is_remote(model) and model != self._saved.record.model:
            model = None  # the user has left that server, so results are not sent there
        answer = Answer(new_id(), model=model, options=before.options)
        with self._saved.together():
            self.open(answer, branching=False)

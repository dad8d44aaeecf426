"""A chat's current reply, or its panel's columns."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace
from PySide6.QtCore import QObject, Slot

from app.chats import panel
from app.chats.answer import Answer, Phase
from app.chats.chat_part import ChatPart
from app.chats.helper_runner import HelperRunner
from app.chats.options import model_of_answer, options_of_answer
from app.chats.panel_runner import PanelRunner
from app.chats.reply_generator import ReplyGenerator
from app.chats.saved_chat import SavedChat
from app.chats.turn import Stage
from app.models.loading import ModelLoader
from app.remote.address import is_remote, parse_ref
from app.store import Message, new_id
from engine import PromptProgress


class ChatReply(ChatPart):
    """Status of a chat's replies. Also starts new replies."""

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
        self.panel, self._helping = panel, helping
        self.answering = answering  # generates the chat's own replies

    @property
    def stage(self) -> Stage:
        """Stage of the reply. Never NEXT."""
        reply_stage = self.answering.stage
        if reply_stage is Stage.CALLING and self.answering.tools.waiting:
            return Stage.ASKING
        return reply_stage if reply_stage is not Stage.IDLE else self.panel.stage

    @property
    def is_active(self) -> bool:
        return self.stage is not Stage.IDLE

    @property
    def is_panel(self) -> bool:
        return bool(self.panel.running)

    @property
    def _current_generator(self) -> ReplyGenerator:
        """Generator of the current or last reply, or of a panel's first unfinished column."""
        if self.answering.stage is Stage.IDLE and (running := self.panel.running):
            return running[0]
        return self.answering

    @property
    def _answers(self) -> list[Answer]:
        answers = (reply.answer for reply in (self.answering, *self.panel.running))
        return [answer for answer in answers if answer is not None]

    @property
    def phase(self) -> Phase:
        return self._current_generator.phase

    @property
    def progress(self) -> PromptProgress | None:
        """Prompt progress while the request is queued or in prefill."""
        answer = self._current_generator.answer
        return answer.progress if answer is not None else None

    @property
    def thought_s(self) -> float | None:
        answer = self._current_generator.answer
        return answer.thought_s if answer is not None else None

    @property
    def silent_s(self) -> float | None:
        """Seconds since we sent the request to a server that hasn't responded yet, or None."""
        answer = self.answering.answer
        if answer is None or answer.asked_at is None or parse_ref(self._saved.record.model) is None:
            return None
        silent = answer.phase is Phase.QUEUED and answer.progress is None
        return time.monotonic() - answer.asked_at if silent else None

    @property
    def message_id(self) -> str | None:
        """ID of the message being generated, for a panel that of the first unfinished column."""
        answer = self._current_generator.answer
        return answer.message_id if answer is not None else None

    @property
    def message_ids(self) -> list[str]:
        return [answer.message_id for answer in self._answers]

    @property
    def models(self) -> frozenset[str]:
        used = {answer.model or self._saved.record.model for answer in self._answers}
        return self._helping.models.union(used)

    @property
    def awaited_models(self) -> frozenset[str]:
        speakers = (self.answering, *self.panel.running)
        return frozenset(reply.waits_for for reply in speakers if reply.stage is Stage.LOADING)

    @property
    def session_ids(self) -> list[str]:
        """Engine session IDs of the chat and its panel columns."""
        columns = self.panel.generators.values()
        return [reply.session.id for reply in (self.answering, *columns) if reply.session.id]

    def message(self, message_id: str) -> Message:
        return self.panel.generators.get(message_id, self.answering).message(message_id)

    def mark_unread(self) -> None:
        """Mark a reply from an earlier run of the app as unread."""
        self.answering.unseen = True
        self.phase_changed.emit()

    @Slot()
    def mark_seen(self) -> None:
        if self.answering.unseen:
            self.answering.unseen = False
            self.phase_changed.emit()

    def set_front(self, front: bool) -> None:
        """Give the current chat's prompts priority, or stop doing so."""
        self.answering.session.set_front(front)
        self.panel.set_front(front)

    # Stop and resume.

    def stop(self) -> None:
        self.answering.stop()
        self.panel.stop()

    def toggle_pause(self) -> None:
        self.answering.toggle_pause()
        self.panel.toggle_pause()

    def cancel_for_close(self) -> None:
        self.answering.cancel_for_close()
        self.panel.cancel_for_close()

    # New replies.

    def begin(self, *, branching: bool, like: Message | None = None) -> None:
        """Add an assistant message at the end of the branch and generate it. ``like``: answer to
        repeat.
        """
        answer, data = Answer(new_id()), {}
        if like is not None:
            answer.like = like.id
            answer.options = options_of_answer(like.stats, self.answering.options)
            answer.model = model_of_answer(like.stats)
            data = {k: v for k, v in panel.data_of(like).items() if k in {"system", "name"}}
        self.answering.tools.new_turn()
        self.open(answer, branching=branching, panel_data=data)

    def open(
        self, answer: Answer, *, branching: bool, panel_data: Mapping[str, Any] | None = None
    ) -> None:
        """Add the message of an answer and generate it. ``panel_data``: see `panel.data_of`."""
        self.panel.release()
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
        """Send the results of an answer's tool calls back to the same model."""
        model = before.model
        if model is not None and is_remote(model) and model != self._saved.record.model:
            model = None  # never send the results to a server the user has switched away from
        answer = Answer(new_id(), model=model, options=before.options)
        with self._saved.transaction():
            self.open(answer, branching=False)

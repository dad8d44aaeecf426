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
from app.remote.address import Remote, is_remote, parse_ref
from app.store import Message, new_id
from engine import PromptProgress


class ChatReply(ChatPart):
    """Replies of a chat: their state, and how new ones start."""

    def __init__(
        self,
        saved: SavedChat,
        loader: ModelLoader,
        generator: ReplyGenerator,
        panel_runner: PanelRunner,
        helper_runner: HelperRunner,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._saved, self._loader = saved, loader
        self.panel_runner, self._helper_runner = panel_runner, helper_runner
        self.generator = generator
        self.is_unread = False  # True if a reply ended after the user last opened the chat
        generator.reply_ended.connect(self.mark_unread)
        panel_runner.reply_ended.connect(self.mark_unread)

    @property
    def stage(self) -> Stage:
        own_stage = self.generator.stage
        return own_stage if own_stage is not Stage.IDLE else self.panel_runner.stage

    @property
    def is_active(self) -> bool:
        return self.stage is not Stage.IDLE

    @property
    def _current_generator(self) -> ReplyGenerator:
        if self.generator.stage is Stage.IDLE and (running := self.panel_runner.running):
            return running[0]
        return self.generator

    @property
    def _answers(self) -> list[Answer]:
        answers = (each.answer for each in (self.generator, *self.panel_runner.running))
        return [answer for answer in answers if answer is not None]

    @property
    def phase(self) -> Phase:
        return self._current_generator.phase

    @property
    def progress(self) -> PromptProgress | None:
        answer = self._current_generator.answer
        return answer.progress if answer is not None else None

    def thought_s(self, message_id: str) -> float | None:
        answers = (each for each in self._answers if each.message_id == message_id)
        return next((answer.thought_s for answer in answers), None)

    @property
    def remote(self) -> Remote | None:
        """Return the remote model that was asked, which may not be the chat's model anymore."""
        answer = self.generator.answer
        return parse_ref(answer.model or "") if answer is not None else None

    @property
    def silent_s(self) -> float | None:
        """Return the time since the request was sent to a server that hasn't responded yet, or
        None.
        """
        answer = self.generator.answer
        if answer is None or answer.sent_at is None or self.remote is None:
            return None
        silent = answer.phase is Phase.QUEUED and answer.progress is None
        return time.monotonic() - answer.sent_at if silent else None

    @property
    def message_id(self) -> str | None:
        answer = self._current_generator.answer
        return answer.message_id if answer is not None else None

    @property
    def message_ids(self) -> list[str]:
        return [answer.message_id for answer in self._answers]

    @property
    def models(self) -> frozenset[str]:
        used = {answer.model or self._saved.record.model for answer in self._answers}
        return self._helper_runner.models.union(used)

    @property
    def awaited_models(self) -> frozenset[str]:
        generators = (self.generator, *self.panel_runner.running)
        return frozenset(each.model for each in generators if each.stage is Stage.LOADING)

    @property
    def session_ids(self) -> list[str]:
        columns = self.panel_runner.generators.values()
        return [each.session.id for each in (self.generator, *columns) if each.session.id]

    def message(self, message_id: str) -> Message:
        return self.panel_runner.generators.get(message_id, self.generator).message(message_id)

    @Slot()
    def mark_unread(self) -> None:
        self.is_unread = True
        self.phase_changed.emit()

    @Slot()
    def mark_read(self) -> None:
        if self.is_unread:
            self.is_unread = False
            self.phase_changed.emit()

    def set_front(self, front: bool) -> None:
        """Give prompts of this chat priority while it is the current chat."""
        self.generator.session.set_front(front)
        self.panel_runner.set_front(front)

    def stop(self) -> None:
        self.generator.stop()
        self.panel_runner.stop()

    def toggle_pause(self) -> None:
        self.generator.toggle_pause()
        self.panel_runner.toggle_pause()

    def cancel_for_close(self) -> None:
        self.generator.cancel_for_close()
        self.panel_runner.cancel_for_close()

    def begin(self, *, branching: bool, like: Message | None = None) -> None:
        """Add an assistant message at the end of the branch and generate it, or repeat ``like``."""
        answer, data = Answer(new_id()), {}
        if like is not None:
            answer.like = like.id
            answer.options = options_of_answer(like.stats, self.generator.options)
            answer.model = model_of_answer(like.stats)
            data = panel.data_without_panel(like)
        self.generator.tools.new_turn()
        self.generate(answer, branching=branching, panel_data=data)

    def generate(
        self, answer: Answer, *, branching: bool, panel_data: Mapping[str, Any] | None = None
    ) -> None:
        """Add the message of an answer and generate its text.

        ``panel_data`` is described at `panel.data_of`.
        """
        self.panel_runner.release()
        saved = self._saved
        name = self._loader.get(answer.model or saved.record.model).name
        parent = saved.transcript.leaf_id
        message = Message(answer.message_id, saved.record.id, parent, "assistant", answer.content)
        stats: dict[str, Any] = {"panel": panel_data} if panel_data else {}
        # The row needs the format while it streams. At the end, all options are stored.
        if form := (answer.options or self.generator.options).answer_as:
            stats["options"] = {"answer_as": form}
        saved.add(replace(message, status="streaming", model=name, stats=stats))
        if branching:
            self.path_changed.emit()
        else:
            self.message_added.emit(answer.message_id)
        self.chat_changed.emit()
        self.generator.generate(answer)

    def continue_after_tools(self) -> None:
        """Send the results of the last tool calls back to the model that made them."""
        calling = self.generator.end_calls()  # before the new message, which may not be storable
        model = calling.model
        if model is not None and is_remote(model) and model != self._saved.record.model:
            model = None  # never send the results to a server the user has switched away from
        answer = Answer(new_id(), model=model, options=calling.options)
        with self._saved.transaction():
            self.generate(answer, branching=False)

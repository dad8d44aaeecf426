from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from msgspec.structs import replace
from PySide6.QtCore import QObject, Slot

from app.chats import panel
from app.chats.actions import BUSY
from app.chats.answer import Answer
from app.chats.chat_part import ChatPart
from app.chats.panel import Member
from app.chats.reply_generator import ReplyGenerator
from app.chats.saved_chat import SavedChat
from app.chats.transcript import without_panel_marks
from app.chats.turn import Stage
from app.models.loading import ModelLoader
from app.settings.language import tr
from app.store import Message, new_id

# Most important first. A paused column can be resumed while others are loading.
_STAGES = (Stage.RUNNING, Stage.PAUSED, Stage.LOADING, Stage.CALLING, Stage.STOPPING)


class PanelRunner(ChatPart):
    """Runs the columns of a panel, until the chat's next reply starts.

    `ComparisonController` checks if a panel can be asked and calls `ask`.
    Their sessions are forks of the chat's session, so their common prefix is prefilled once. If the
    user keeps a column, its session becomes the chat's session.
    """

    def __init__(
        self, saved: SavedChat, loader: ModelLoader, generator: ReplyGenerator, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._saved, self._loader, self._chat_generator = saved, loader, generator
        self._front = False
        self._kept_id = ""  # column whose session the chat takes over when its reply ends
        self.generators: dict[str, ReplyGenerator] = {}  # by message ID

    @property
    def running(self) -> list[ReplyGenerator]:
        return [column for column in self.generators.values() if column.stage is not Stage.IDLE]

    @property
    def stage(self) -> Stage:
        stages = {column.stage for column in self.generators.values()}
        return next((stage for stage in _STAGES if stage in stages), Stage.IDLE)

    def ask(self, question: Message, members: Sequence[Member]) -> None:
        self.release()
        chat_model = self._saved.record.model
        refs = [member.model or chat_model for member in members]
        models = [self._loader.get(ref).name for ref in refs]
        loaded_models = [status.model for status in map(self._loader.get, refs)]
        defaults = [model.defaults if model is not None else {} for model in loaded_models]
        asked_with = panel.options_of_members(members, self._chat_generator.options, defaults)
        panel_id, answers = new_id(), []
        with self._saved.transaction():
            for letter, member, ref, model, own_options in zip(
                panel.letters(len(members)), members, refs, models, asked_with, strict=True
            ):
                answer = Answer(new_id(), model=ref, options=own_options)
                data = {"id": panel_id, "letter": letter, "open": True, **panel.column_data(member)}
                message = Message(answer.message_id, question.chat_id, question.id, "assistant")
                self._saved.add(
                    replace(message, status="streaming", model=model, stats={"panel": data})
                )
                answers.append(answer)
            self._saved.show(answers[0].message_id)
        for answer in answers:
            column = self._new_column(answer.message_id)
            column.session.set_front(self._front)
            column.prepare(answer)  # all columns must be active when the first one starts
            self.generators[answer.message_id] = column
        self.path_changed.emit()
        self.chat_changed.emit()
        for column in self.running:
            column.load_and_send()

    def _new_column(self, message_id: str) -> ReplyGenerator:
        """Create the generator of a column.

        Its `reply_ended` isn't forwarded, because the chat's reply ends with the last column.
        """
        column = self._chat_generator.make_second(self._saved, self, fork=True)
        column.text_added.connect(self.text_added)
        column.turn_changed.connect(self.turn_changed)
        for part in (column, column.tools):
            part.message_changed.connect(self.message_changed)
            part.phase_changed.connect(self.phase_changed)
        column.reply_ended.connect(self._on_ended)
        # Columns have no tools, but some servers call tools that weren't offered.
        column.tools.calls_finished.connect(partial(column.end_turn, message_id))
        return column

    def columns(self, message_id: str) -> list[Message]:
        """Return the columns of a message's panel, with text that is still streaming."""
        messages = panel.columns(self._saved.transcript, message_id)
        return [self.generators.get(m.id, self._chat_generator).message(m.id) for m in messages]

    def why_not_keep(self) -> str:
        return tr(BUSY) if self._chat_generator.stage is not Stage.IDLE else ""

    def keep_column(self, message_id: str) -> bool:
        """Continue the chat from this column and stop the others. Return False if that isn't
        possible.
        """
        if not self.columns(message_id) or self.why_not_keep():
            return False
        # Select the branch before the reply ends, because the queue then checks the end of the
        # branch.
        self._saved.show(message_id)
        was_running = bool(self.running)
        columns, self._kept_id = self.generators, message_id
        self.generators = {key: column for key, column in columns.items() if key == message_id}
        for key in columns.keys() - self.generators.keys():
            columns[key].reply_ended.disconnect(self._on_ended)  # report one end for all columns
            columns[key].discard()
        self.decide(message_id)
        if was_running and not self.running:
            self._on_ended(message_id)
        else:
            self._adopt()
        for changed in (self.turn_changed, self.phase_changed, self.path_changed):
            changed.emit()
        return True

    def decide(self, message_id: str) -> None:
        """Mark a message's panel as decided and show hidden names."""
        column = self._saved.transcript[message_id]
        for version in self._saved.transcript.children(column.parent_id):
            if panel.is_open(version) and panel.panel_of(version) == panel.panel_of(column):
                self._saved.save_message(version.id, stats=without_panel_marks(version).stats)
                self.message_changed.emit(version.id)

    def _adopt(self) -> None:
        if not self._kept_id or self.running:
            return
        column = self.generators.get(self._kept_id)
        message = self._saved.transcript.get(self._kept_id)
        if column and message and message.stats.get("model") == self._saved.record.model:
            self._chat_generator.session.fork_from(column.session)
        self.release()

    def release(self) -> None:
        self._kept_id = ""
        columns, self.generators = self.generators, {}
        for column in columns.values():
            column.discard()
        for column in self.findChildren(ReplyGenerator):
            column.deleteLater()

    def stop(self) -> None:
        for column in self.running:
            column.stop()

    def toggle_pause(self) -> None:
        paused = self.stage is Stage.PAUSED
        for column in self.running:
            if (column.stage is Stage.PAUSED) is paused:
                column.toggle_pause()

    def set_front(self, front: bool) -> None:
        self._front = front
        for column in self.generators.values():
            column.session.set_front(front)

    def cancel_for_close(self) -> None:
        for column in self.generators.values():
            column.cancel_for_close()

    @Slot(str)
    def _on_ended(self, message_id: str) -> None:
        if not self.running:
            self._adopt()
            self.phase_changed.emit()
            self.reply_ended.emit(message_id)

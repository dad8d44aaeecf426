"""Chat and its components."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace
from PySide6.QtCore import QObject, Slot

from app.bridge import Bridge
from app.chats import panel
from app.chats.actions import EVENTS, Action, ActionContext, why_not
from app.chats.answer import Answer
from app.chats.chat_model import ChatModel
from app.chats.chat_part import ChatPart
from app.chats.chat_reply import ChatReply
from app.chats.comparison import ComparisonController
from app.chats.file_attacher import FileAttacher
from app.chats.helper_runner import HelperRunner
from app.chats.options import ChatOptions
from app.chats.panel import Member
from app.chats.panel_runner import PanelRunner
from app.chats.queue import MessageQueue
from app.chats.referenced_chats import FOLLOWS, ChatInUse, ReferencedChats
from app.chats.reply_generator import ReplyGenerator
from app.chats.saved_chat import SavedChat, in_one_transaction
from app.chats.token_count import TokenCount
from app.chats.transcript import RemovedMessages
from app.chats.tree import set_branch_name
from app.chats.turn import ComposerContent, Event, MessageEdit
from app.chats.turn_controller import TurnController
from app.models.loading import ModelLoader
from app.store import ChatRecord, Message, Store, new_id
from app.tools.toolbox import Toolbox


class Chat(ChatPart):
    """Open chat, with or without a pane.

    Its components do the work: `turn` handles the user's requests, `reply` and `model` generate,
    and `attacher` and `queue` hold content for later messages. Methods with an `Action` do nothing
    and return False or None if it isn't possible; `why_not` returns the reason.
    """

    def __init__(
        self,
        record: ChatRecord,
        store: Store,
        bridge: Bridge,
        loader: ModelLoader,
        toolbox: Toolbox,
        *,
        stored: bool,
        in_use: Mapping[str, ChatInUse] | None = None,
        parent: QObject | None = None,
        messages: Sequence[Message] | None = None,
    ) -> None:
        """Create a chat from its record.

        Args:
            stored: False for a new chat.
            in_use: shared mapping of the chats in use by ID, updated in place.
            messages: stored messages, if they were just read.
        """
        super().__init__(parent)
        self.id = record.id
        self.short = ""  # short name within the chat's group, if it differs from the title
        self._saved = saved = SavedChat(
            record, store, stored=stored, messages=messages, on_rollback=self._on_rollback
        )
        self.transcript = saved.transcript
        self._generator = generator = ReplyGenerator(saved, bridge, loader, toolbox, self)
        self.tools = generator.tools  # tool calls that are running or waiting for the user
        self.panel_runner = PanelRunner(saved, loader, generator, self)
        self.helper_runner = HelperRunner(saved, loader, generator, self)
        self.reply = ChatReply(
            saved, loader, generator, self.panel_runner, self.helper_runner, self
        )
        self.model = ChatModel(saved, loader, self.reply, self)
        self.queue = MessageQueue(saved, self._on_queue)
        referenced_chats = ReferencedChats(saved, store, {} if in_use is None else in_use)
        self.attacher = FileAttacher(saved, loader, referenced_chats, self)
        self.count = TokenCount(saved, loader, self.attacher, self)
        self.turn = TurnController(saved, self.reply, self.model, self.queue, self.attacher, self)
        self.comparison = ComparisonController(
            saved, self.reply, self.turn, self._make_context, self
        )
        self.relay(
            generator, self.tools, self.panel_runner, self.helper_runner, self.reply, self.model
        )
        self.relay(self.attacher, self.turn, self.comparison)
        self.turn_changed.connect(self.turn.on_changed)
        self.reply_ended.connect(self.comparison.on_reply_ended)

    @property
    def record(self) -> ChatRecord:
        return self._saved.record

    @property
    def is_stored(self) -> bool:
        return self._saved.stored

    def apply_changes(self, fields: Mapping[str, Any]) -> None:
        """Update fields of the record that were changed elsewhere."""
        self._saved.change_record(**fields)
        self.chat_changed.emit()

    @property
    def is_blank(self) -> bool:
        record = self.record
        written = record.draft or record.draft_attachments or record.queued
        return self.transcript.leaf_id is None and not written

    def set_short(self, short: str) -> None:
        """Set the short name used within the chat's group ("" for the title)."""
        if short != self.short:
            self.short = short
            self.chat_changed.emit()

    @property
    def title(self) -> str:
        return self.short or self.record.display_title

    @property
    def is_at_work(self) -> bool:
        """Return True if closing the chat would lose a reply or a file."""
        return self.turn.is_at_work or bool(self.attacher.reading)

    @property
    def options(self) -> ChatOptions:
        return self._generator.options

    @property
    def compose(self) -> ComposerContent:
        return self._saved.compose

    def message_to_display(self, message_id: str) -> Message:
        return panel.hide_names(self.reply.message(message_id))

    def why_not(self, action: Action, message_id: str = "", *, at_rest: bool = False) -> str:
        if action in EVENTS:
            return self.turn.why_not(EVENTS[action])
        return why_not(action, self._make_context(), message_id, at_rest=at_rest)

    def _make_context(self) -> ActionContext:
        return ActionContext(
            self.compose,
            self.turn.stage,
            self.transcript,
            self.reply.message_id,
            self.is_stored,
            self.model.remote_with_details,
        )

    @in_one_transaction
    def continue_turn(self) -> bool:
        if self.why_not(Action.GO_ON):
            return False
        self.reply.begin(branching=False)
        return True

    def start_edit(self, message_id: str = "") -> bool:
        message = self._make_context().subject(Action.EDIT, message_id)
        if self.why_not(Action.EDIT, message_id) or message is None:
            return False
        self.turn.set_compose(MessageEdit.start(message, self.compose))
        return True

    def stop(self) -> bool:
        """Stop the reply at the next token, keep its text, and hold the queue."""
        return bool(self.turn.handle(Event.STOP))

    def _on_rollback(self) -> None:
        self.path_changed.emit()
        self.compose_changed.emit()
        self.chat_changed.emit()

    @Slot()
    def _on_queue(self) -> None:
        self.chat_changed.emit()  # the chat list needs the new record
        self.turn_changed.emit()
        self.phase_changed.emit()

    @in_one_transaction
    def regenerate(self, message_id: str = "") -> bool:
        message = self._make_context().subject(Action.REGENERATE, message_id)
        if self.why_not(Action.REGENERATE, message_id) or message is None:
            return False
        if kind := panel.kind_of(message):
            return bool(self.comparison.resolve(kind, message.id))
        self.transcript.leaf_id = message.id if message.role == "user" else message.parent_id
        if panel.letter_of(message):  # regenerate with the same member, in the same column
            member = Member.from_json(panel.data_of(message))
            answer = Answer(new_id(), model=member.model or None)
            answer.options = panel.options_of_column(message, self.options)
            self.tools.new_turn()
            self.reply.generate(answer, branching=True, panel_data=panel.data_of(message))
        else:
            self.reply.begin(branching=True)
        return True

    @in_one_transaction
    def repeat_answer(self, answer_id: str = "") -> bool:
        answer = self._make_context().subject(Action.SAME_AGAIN, answer_id)
        if self.why_not(Action.SAME_AGAIN, answer_id) or answer is None:
            return False
        self.transcript.leaf_id = answer.parent_id
        self.reply.begin(branching=True, like=answer)
        return True

    def continue_answer(self, answer_id: str) -> bool:
        if self.why_not(Action.CONTINUE, answer_id):
            return False
        self._generator.continue_reply(self.transcript[answer_id])
        return True

    def forget_oldest(self, answer_id: str) -> bool:
        """Turn on dropping the oldest turns, then retry the answer that didn't fit."""
        if self.why_not(Action.FORGET_OLDEST, answer_id):
            return False
        self.set_options(replace(self.options, slide=True), self.record.system)
        return self.regenerate(answer_id)

    # History.

    def show_version(self, step: int, message_id: str = "") -> bool:
        action = Action.LATER if step > 0 else Action.EARLIER
        message = self._make_context().subject(action, message_id)
        if self.why_not(action, message_id) or message is None:
            return False
        versions = self.transcript.alternatives(message.id)
        self._saved.show(versions[versions.index(message.id) + step])
        self.path_changed.emit()
        return True

    def show_branch_of(self, message_id: str) -> bool:
        if message_id in {message.id for message in self.transcript.path}:
            return True
        if self.why_not(Action.GO_TO, message_id):
            return False
        self._saved.show(message_id)
        self.path_changed.emit()
        return True

    def name_branch(self, message_id: str, name: str) -> None:
        if message_id in self.transcript:
            stats = set_branch_name(self.transcript[message_id].stats, name)
            self._saved.save_message(message_id, stats=stats)
            self.message_changed.emit(message_id)

    @in_one_transaction
    def delete_message(self, message_id: str) -> RemovedMessages | None:
        """Delete a message and all messages below it. Return what `restore_messages` needs."""
        if self.why_not(Action.DELETE, message_id):
            return None
        removal = self._saved.remove(message_id)
        self.path_changed.emit()
        if removal.editing is not None:
            self.compose_changed.emit()
        return removal

    @in_one_transaction
    def restore_messages(self, removal: RemovedMessages) -> bool:
        if self.why_not(Action.RESTORE, removal.parent_id):
            return False
        self._saved.restore(removal)
        self.path_changed.emit()
        self.compose_changed.emit()
        return True

    # The chat itself.

    def begin_from(self, source: Chat) -> None:
        self._generator.session.fork_from(source._generator.session)

    def rename(self, title: str) -> None:
        title = " ".join(title.split())
        if title and title != self.record.title:
            self._saved.change_record(title=title, titled_by="person")
            self._saved.save_record()
            self.chat_changed.emit()

    def set_options(self, options: ChatOptions, system: str) -> None:
        # Followed chats aren't options, but are stored with them.
        params, follows = options.to_params(), self.attacher.referenced_chats.followed_chats
        self._saved.save_fields(
            params=params | ({FOLLOWS: follows} if follows else {}), system=system
        )
        self.chat_changed.emit()

    def abandon(self) -> None:
        """Stop everything and free the cache, because the chat is being deleted."""
        self.turn.handle(Event.CLOSE)
        self.attacher.cancel_reading()
        self.turn.handle(Event.STOP)
        self.panel_runner.release()
        self._generator.session.forget()

    def cancel_for_close(self) -> None:
        """First step of shutdown: stop the reply and mark it as interrupted."""
        self.turn.handle(Event.CLOSE)
        self.reply.cancel_for_close()

    def close(self) -> None:
        """Save everything and close all sessions, when the chat is released or on shutdown."""
        self.panel_runner.release()
        self._generator.close()
        self.attacher.close()

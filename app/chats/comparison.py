from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace
from PySide6.QtCore import QObject, Slot

from app.chats import panel
from app.chats.actions import Action, ActionContext, why_not
from app.chats.answer import Answer
from app.chats.chat_part import ChatPart
from app.chats.chat_reply import ChatReply
from app.chats.options import ChatOptions
from app.chats.panel import Member
from app.chats.saved_chat import SavedChat, in_one_transaction
from app.chats.turn import Draft, Event
from app.chats.turn_controller import TurnController
from app.store import Message, new_id


class ComparisonController(ChatPart):
    """Starts comparisons and generates judgments, merged replies and votes from their columns."""

    def __init__(
        self,
        saved: SavedChat,
        reply: ChatReply,
        turn: TurnController,
        make_context: Callable[[], ActionContext],
        parent: QObject,
    ) -> None:
        """``make_context`` returns the state that `why_not` depends on."""
        super().__init__(parent)
        self._saved, self._reply, self._turn, self._make_context = saved, reply, turn, make_context
        self._panel_runner = reply.panel_runner

    def ask(self, members: Sequence[Member], message_id: str = "") -> str:
        """Ask a panel. Return the message ID of the first column, or "" if that isn't possible.

        The question is the composer's text. If the composer is empty or ``message_id`` is set, the
        question is the last user message, or the last one up to ``message_id``.
        """
        compose = self._saved.compose
        if self.why_not_ask(message_id):
            return ""
        if self._is_about_draft(message_id):
            self._turn.add_message(compose.text, compose.attachments, members=members)
        else:
            message = self._make_context().subject(Action.COMPARE, message_id)
            transcript = self._saved.transcript
            question = panel.question(transcript, message.id) if message is not None else None
            if question is None:
                return ""
            self._panel_runner.ask(question, members)
        return next(iter(self._panel_runner.generators), "")

    def _is_about_draft(self, message_id: str) -> bool:
        compose = self._saved.compose
        return not message_id and isinstance(compose, Draft) and compose != Draft()

    def why_not_ask(self, message_id: str = "") -> str:
        """Explain why a panel can't be asked now, or return "".

        A chat whose model can't see images may still ask a panel about images.
        """
        if self._is_about_draft(message_id):
            return self._turn.why_not(Event.SEND_OR_REFUSE, ignore_images=True)
        return why_not(Action.COMPARE, self._make_context(), message_id)

    def why_not(self, kind: str, message_id: str) -> str:
        reason = panel.why_not(kind, self._panel_runner.columns(message_id))
        return reason or why_not(Action.REGENERATE, self._make_context(), message_id)

    @in_one_transaction
    def resolve(self, kind: str, message_id: str) -> str:
        """Generate an answer from a panel's columns and return its message ID. Judges run twice."""
        if self.why_not(kind, message_id):
            return ""
        saved = self._saved
        columns, first = self._panel_runner.columns(message_id), saved.transcript[message_id]
        panel_data = {
            "id": panel.panel_of(first),
            "kind": kind,
            "of": panel.letters_to_text(panel.answers(columns)),
        }
        self._panel_runner.decide(message_id)
        saved.transcript.leaf_id = first.parent_id
        answer = Answer(new_id(), options=self._judge_options)
        if kind == panel.VOTE:
            self._panel_runner.release()
            said = Message(answer.message_id, first.chat_id, first.parent_id, "assistant")
            saved.add(replace(said, content=panel.count(columns), stats={"panel": panel_data}))
            self.path_changed.emit()
            self.chat_changed.emit()
            return answer.message_id
        if kind == panel.JUDGE:
            answer.start_with(panel.heading_of_reading(columns, turned=False))
        self._reply.generator.tools.new_turn()
        self._reply.generate(answer, branching=True, panel_data=panel_data)
        return answer.message_id

    @property
    def _judge_options(self) -> ChatOptions:
        return replace(self._reply.generator.options, temperature=0.0, answer_as=None, tools=())

    @Slot(str)
    def on_reply_ended(self, message_id: str) -> None:
        """Start the judge's second reading, or store the verdict after it."""
        message = self._saved.transcript.get(message_id)
        if message is None or panel.kind_of(message) != panel.JUDGE or "best" in message.stats:
            return
        if message.status != "complete" or self._reply.is_active:
            return
        columns = panel.columns(self._saved.transcript, message_id)
        best = panel.parse_best(panel.last_reading(message.content, columns), columns)
        data = panel.data_of(message)
        if "first" in data:
            self._store_verdict(message, str(data["first"]), best)
        else:
            self._read_again(message, columns, best)

    def _read_again(self, message: Message, columns: Sequence[Message], first: str) -> None:
        """Let the judge read the replies in reverse order. ``first`` is its choice so far."""
        heading = f"\n\n{panel.heading_of_reading(columns, turned=True)}"
        content = message.content + heading
        panel_data = {**panel.data_of(message), "first": first, "turned": True}
        stats = {**message.stats, "panel": panel_data}
        self._saved.save_message(message.id, content=content, stats=stats, status="streaming")
        self.message_changed.emit(message.id)
        self.text_added.emit(message.id, heading, "answer")
        again = Answer(message.id, options=self._judge_options)
        self._reply.generator.generate(again.start_with(content))

    def _store_verdict(self, message: Message, first: str, second: str) -> None:
        verdict = f"\n\n{panel.verdict(first, second)}"
        stats = {**message.stats, "best": [first, second]}
        self._saved.save_message(message.id, content=message.content + verdict, stats=stats)
        self.text_added.emit(message.id, verdict, "answer")
        self.message_changed.emit(message.id)

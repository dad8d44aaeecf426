"""Generation of one reply at a time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict, replace
from PySide6.QtCore import QObject, QTimer, Slot

from app.bridge import Bridge
from app.chats import panel
from app.chats.actions import BLIND, DEAF
from app.chats.answer import Answer, Phase, stats_to_store
from app.chats.chat_part import ChatPart
from app.chats.help_notes import entry_for, format_note
from app.chats.images import concatenate
from app.chats.options import ChatOptions, build_sampling, continuation_options, options_of_answer
from app.chats.panel import Member
from app.chats.saved_chat import SavedChat
from app.chats.session import ChatSession, context_of
from app.chats.tool_call import turn_with_calls
from app.chats.tool_call_runner import ToolCallRunner
from app.chats.transcript import conversation, tokens_of_last_turn
from app.chats.turn import Stage
from app.models.engine_errors import explain
from app.models.loading import LoadState, ModelLoader, ModelStatus
from app.models.names import adapter_of
from app.settings.language import mark, tr
from app.settings.paths import GUIDE
from app.store import Message, has_images, has_sounds, new_id
from app.tools.tool import as_function
from app.tools.toolbox import Toolbox
from engine import (
    EngineError,
    Failed,
    Finished,
    FinishReason,
    PromptProgress,
    TextDelta,
    ToolCallFailed,
    ToolCallFinished,
)
from engine.errors import CANNOT_HEAR, CANNOT_SEE, INVALID_REQUEST

if TYPE_CHECKING:
    from app.remote.remote_session import RemoteReply
    from engine import Model
    from engine import Reply as EngineReply


# Error codes that mean the engine thread or the model is gone.
_LOST = frozenset({"engine_stopped", "unknown_model"})
_SENT = frozenset({Stage.RUNNING, Stage.STOPPING})
_ONLY_A_TOOL = mark("The model called a tool instead of replying, but this chat has no tools.")
_NO_CALL = mark("The model’s tool call couldn’t be read.")


class ReplyGenerator(ChatPart):
    """Sends requests to the engine and saves the text of the reply as it arrives.

    A chat has one generator for its own replies. Each column of a comparison and each helper has
    its own.

    `stop` ends a reply for the user, `interrupt` for the next message, and `discard` together with
    its session. On shutdown, `cancel_for_close` is followed by `close`.

    Attributes:
        stage: never NEXT.
        answer: reply being generated, None while IDLE, CALLING or ASKING.
        calling: answer whose tool calls are running, only while CALLING or ASKING.
    """

    # The store commits within 250 ms, so a crash loses less than a second of text.
    CHECKPOINT_MS = 400

    def __init__(
        self,
        saved: SavedChat,
        bridge: Bridge,
        loader: ModelLoader,
        toolbox: Toolbox,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        # runs the tool calls of the last answer
        self.tools = ToolCallRunner(saved, bridge, toolbox, self._free_tokens, self)
        self._saved = saved
        self._bridge = bridge
        self._loader = loader
        self.session = ChatSession(loader, saved.record.id)
        self._stage = Stage.IDLE  # never ASKING, see `stage`
        self.answer: Answer | None = None
        self.calling: Answer | None = None
        # request of the answer, only while RUNNING, STOPPING or PAUSED
        self._handle: EngineReply | RemoteReply | None = None
        self._closing = False
        self._saved_length = 0
        self._checkpoint = QTimer(self, interval=self.CHECKPOINT_MS)
        self._checkpoint.timeout.connect(self._save_progress)
        loader.changed.connect(self._on_model_changed)
        loader.load_progressed.connect(self._on_model_read)

    def make_second(self, saved: SavedChat, parent: QObject, *, fork: bool) -> ReplyGenerator:
        """Create a second generator for this chat, with a temporary session.

        With ``fork``, the session starts as a copy of this generator's.
        """
        second = ReplyGenerator(saved, self._bridge, self._loader, self.tools.toolbox, parent)
        second.session = ChatSession(self._loader, new_id())
        if fork:
            second.session.fork_from(self.session)
        return second

    @property
    def options(self) -> ChatOptions:
        return ChatOptions.from_params(self._saved.record.params)

    @property
    def stage(self) -> Stage:
        asks = self._stage is Stage.CALLING and self.tools.waiting
        return Stage.ASKING if asks else self._stage

    @property
    def model(self) -> str:
        """Return the reference of the answer's model, or else of the chat's."""
        answer = self.answer or self.calling
        return (answer.model if answer is not None else None) or self._saved.record.model

    @property
    def phase(self) -> Phase:
        if self.stage is Stage.ASKING:
            return Phase.ASKING
        if self.stage is Stage.CALLING:
            rests = self.tools.paused and not self.tools.running
            return Phase.PAUSED if rests else Phase.CALLING
        if self.stage is Stage.PAUSED:
            return Phase.PAUSED
        if self.answer is not None:
            return self.answer.phase
        loading = self._loader.get(self._saved.record.model).state is LoadState.LOADING
        return Phase.LOADING if loading else Phase.IDLE

    def message(self, message_id: str) -> Message:
        message, answer = self._saved.transcript[message_id], self.answer
        if answer is not None and answer.message_id == message_id:
            return replace(message, content=answer.content, reasoning=answer.reasoning)
        return message

    def _offered_tools(self, options: ChatOptions, model: Model) -> list[dict[str, Any]]:
        if not model.tool_format or options.answer_as is not None:
            return []
        tools = self.tools.toolbox.enabled_tools(options.tools)
        return [as_function(name, tool) for name, tool in tools.items()]

    def _free_tokens(self) -> int:
        limit = context_of(self._saved.record, self._loader, self.model)
        return max(1, limit - tokens_of_last_turn(self._saved.transcript)[0]) if limit else 0

    def generate(self, answer: Answer) -> None:
        self.prepare(answer)
        self.load_and_send()

    def prepare(self, answer: Answer) -> None:
        """Become active. `load_and_send` then sends the request."""
        self.answer, self.calling, self._handle = answer, None, None
        self._stage = Stage.LOADING
        self._saved_length = len(answer.content) + len(answer.reasoning)

    def continue_reply(self, message: Message) -> None:
        member = Member.from_json(panel.data_of(message))
        answer = Answer(message.id, model=member.model or None, continues=True)
        answer.start_with(message.content, message.reasoning)
        if (own := options_of_answer(message.stats, self.options)) is not None:
            answer.options = continuation_options(own, self.options)
        elif panel.letter_of(message):  # the app quit before the stats were stored
            answer.options = member.options(self.options)
        self._saved.save_message(message.id, status="streaming", error="")
        self.path_changed.emit()
        self.message_changed.emit(message.id)
        self.generate(answer)

    def load_and_send(self) -> None:
        """Send the request, or load its model first and call this again."""
        if self._stage is not Stage.LOADING or self.answer is None:
            return
        model_status = self._loader.request(
            self.model, self.options.kv_bits, self.options.context, self._saved.record.id
        )
        if model_status.state is LoadState.FAILED:
            self._fail_to_load(model_status)
        elif model_status.model is not None and self._loader.answers(model_status):
            self._send(self.answer, self.model, model_status.model)
        self._notify_phase_changed()

    def on_chat_model_changed(self) -> None:
        """Continue to wait for the chat's new model, unless the reply has a model of its own."""
        if self._stage is Stage.LOADING and self.answer and self.answer.model is None:
            name = self._loader.get(self.model).name
            self._saved.save_message(self.answer.message_id, model=name)
            self.message_changed.emit(self.answer.message_id)
            self.load_and_send()

    def interrupt(self) -> None:
        """Stop the reply, but not in the middle of a character or tool call. Its tool calls run."""
        if self._stage is Stage.PAUSED:
            self.stop()  # a paused reply never reaches the end of a tool call
        elif self._stage is Stage.CALLING and self.tools.paused:
            self.tools.toggle_pause()  # the turn ends after its calls
        elif self._stage in _SENT and self._handle and self.answer and not self.answer.tool:
            self._handle.cancel(whole=True)

    def stop(self) -> None:
        if self._stage is Stage.CALLING:
            self.tools.stop("interrupted" if self._closing else "cancelled")
            self.end_turn()
        elif self._stage is Stage.LOADING:
            self._end("cancelled")
        elif self._stage in {Stage.RUNNING, Stage.PAUSED} and self._handle is not None:
            self._stage = Stage.STOPPING
            self._handle.cancel()
            self._notify_phase_changed()

    def retry(self) -> None:
        answer = self.answer
        if answer is None or self._handle is None or self._stage not in _SENT:
            return
        self._handle.cancel()
        if answer.channel is not None:
            self._bridge.close(answer.channel)
        self.session.close()
        self.generate(answer)

    def toggle_pause(self) -> None:
        if self._stage is Stage.CALLING:
            self.tools.toggle_pause()
        elif self._stage is Stage.PAUSED and self._handle is not None:
            self._stage = Stage.RUNNING
            self._handle.resume()
        elif self._stage is Stage.RUNNING and self._handle is not None:
            self._stage = Stage.PAUSED
            self._handle.pause()
        self._notify_phase_changed()

    def cancel_for_close(self) -> None:
        """First step of shutdown: stop the reply and mark it as interrupted."""
        self._closing = True
        self.stop()

    def discard(self) -> None:
        """End the reply immediately and discard its session, but keep the text."""
        if self._handle is not None:
            self._handle.cancel()
        self.tools.stop()
        self._end("cancelled")
        self.session.forget()

    def close(self) -> None:
        """Save the reply and close the session, when the chat is released or on shutdown."""
        self._closing = True
        if self._stage is Stage.CALLING:
            self.tools.stop("interrupted")
        self._end("interrupted")
        self._checkpoint.stop()
        self.session.close()

    def _send(self, answer: Answer, ref: str, model: Model) -> None:
        path = self._saved.transcript.path_to(answer.message_id)
        if not answer.continues:
            path = path[:-1]
        question = next((m for m in reversed(path) if m.role == "user"), None)
        files = question.attachments if question is not None else ()
        if not model.sees and has_images(files):
            self._refuse(CANNOT_SEE, tr(BLIND, model=model.name))
            return
        if not model.hears and has_sounds(files):
            self._refuse(CANNOT_HEAR, tr(DEAF, model=model.name))
            return
        if question is not None and self._answer_from_help(answer, ref, question):
            return
        turns = self._turns(answer, path, model)
        answer.options = answer.options or self.options
        answer.model = ref
        try:
            params = build_sampling(
                answer.options, model.defaults, self._offered_tools(answer.options, model)
            )
            answer.seed = params.seed
            session = self.session.open(model, answer.options)
            answer.channel, post = self._bridge.channel(self._on_event)
            answer.phase, answer.sent_at = Phase.QUEUED, time.monotonic()
            self._handle = session.send(turns, params, on_event=post)
            self._stage = Stage.RUNNING
        except EngineError as error:
            self._end("error", explain(error.code, error.message))
            return
        except ValueError as error:
            self._end("error", str(error))
            return
        # In memory only, because the first text is stored soon.
        self._saved.transcript.update(answer.message_id, model=model.name)
        self._checkpoint.start()
        self.message_changed.emit(answer.message_id)

    def _refuse(self, reason: str, words: str) -> None:
        self._end("error", words, stats={"code": INVALID_REQUEST, "reason": reason})

    def _turns(self, answer: Answer, path: list[Message], model: Model) -> list[dict[str, Any]]:
        """Return the conversation to send, with the instructions of a comparison's member."""
        saved = self._saved
        turns = conversation(
            path,
            saved.record.system,
            continuing=answer.continues,
            texts=saved.text,
            images=saved.image if model.sees else None,
            hears=model.hears,
        )
        message = saved.transcript[answer.message_id]
        if instructions := panel.instructions_of(saved.transcript, message):
            # Imported chats may have an answer without a question, hence the loop.
            for user_turn in [turn for turn in turns if turn["role"] == "user"][-1:]:
                user_turn["content"] = concatenate(user_turn["content"], instructions)
        return turns

    def _answer_from_help(self, answer: Answer, ref: str, question: Message) -> bool:
        of_panel = panel.letter_of(self._saved.transcript[answer.message_id])
        if ref != GUIDE or answer.continues or of_panel or question.attachments:
            return False
        entry = entry_for(question.content)
        if entry is None:
            return False
        delta = TextDelta("", "", format_note(entry), "answer")
        answer.write(delta)
        self.text_added.emit(answer.message_id, delta.text, delta.kind)
        self._end("complete", stats={"help": entry.id})
        return True

    def _on_event(self, event: Any) -> None:
        answer = self.answer
        if answer is None:
            return
        if isinstance(event, TextDelta):
            before = answer.phase
            if answer.write(event):
                self.text_added.emit(answer.message_id, event.text, event.kind)
            if answer.phase is not before:
                self.phase_changed.emit()
        elif isinstance(event, PromptProgress):
            answer.read(event)
            self.phase_changed.emit()
        elif isinstance(event, ToolCallFinished | ToolCallFailed):
            answer.add_call(event)
        elif isinstance(event, Finished):
            stopped = event.reason == FinishReason.CANCELLED
            stats = {**asdict(event.stats), "reason": event.reason.value}
            if answer.calls and event.message is not None and not stopped:
                stats["turn"] = event.message
            self._end("cancelled" if stopped else "complete", stats=stats)
        elif isinstance(event, Failed):
            stats = {"code": event.code, **({"reason": event.reason} if event.reason else {})}
            words = explain(event.reason or event.code, event.message)
            self._end("error", words, stats=stats)
            if event.code in _LOST and not self._closing:
                # the next attempt reloads the model, in a new engine if necessary
                self._loader.mark_all_unloaded()

    def _fail_to_load(self, model_status: ModelStatus) -> None:
        stats: dict[str, Any] = {"code": model_status.code} if model_status.code else {}
        if adapter_of(model_status.ref):
            stats["adapter"] = True
        self._end("error", model_status.error, stats=stats)

    def _end(self, status: str, error: str = "", stats: dict[str, Any] | None = None) -> None:
        stopping, answer = self._stage is Stage.STOPPING, self.answer
        self._reset()
        if answer is None:
            return
        if answer.channel is not None:
            self._bridge.close(answer.channel)
        self._checkpoint.stop()
        answer.end_of_thought()
        stats = stats_to_store(answer, status, stats or {}, self._saved.transcript)
        if status == "complete" and not answer.content and "turn" not in stats:
            faults = [f"{tr(_NO_CALL)} {call.fault}" for call in answer.calls if call.fault]
            if answer.tool or faults:
                status, error = "error", next(iter(faults), tr(_ONLY_A_TOOL))
        if self._closing and status in {"cancelled", "error"}:
            status, error = "interrupted", ""
        message = self._saved.save_message(
            answer.message_id,
            content=answer.content,
            reasoning=answer.reasoning,
            status=status,
            error=error,
            stats=stats,
        )
        self.message_changed.emit(message.id)
        if status == "complete" and turn_with_calls(message) is not None and not self._closing:
            self.begin_calls(answer, int(stats.get("generated_tokens", 0)))
            self._notify_phase_changed()
            if stopping:  # the reply finished before the stop request arrived
                self.stop()
        else:
            self.end_turn(message.id)

    def begin_calls(self, answer: Answer, tokens: int) -> None:
        """Run the tool calls of a complete answer, which took ``tokens`` to generate."""
        self._stage, self.calling = Stage.CALLING, answer
        self.tools.begin(answer.calls, tokens, (answer.options or self.options).tools)

    def end_calls(self) -> Answer:
        """Become idle. Return the answer whose tool calls have finished."""
        answer = self.calling
        assert answer is not None
        self._reset()
        return answer

    def _reset(self) -> None:
        self._stage, self.answer, self.calling, self._handle = Stage.IDLE, None, None, None

    def end_turn(self, message_id: str = "") -> None:
        self._reset()
        self._notify_phase_changed()
        last = message_id or self._saved.transcript.leaf_id
        if last is not None:
            self.reply_ended.emit(last)

    def _notify_phase_changed(self) -> None:
        self.phase_changed.emit()
        self.turn_changed.emit()

    @Slot()
    def _save_progress(self) -> None:
        if (answer := self.answer) is None:
            return
        length = len(answer.content) + len(answer.reasoning)
        if length != self._saved_length:
            self._saved_length = length
            self._saved.save_message(
                answer.message_id, content=answer.content, reasoning=answer.reasoning
            )

    @Slot(str)
    def _on_model_read(self, ref: str) -> None:
        if ref == self._saved.record.model:
            self.phase_changed.emit()

    @Slot(str)
    def _on_model_changed(self, ref: str) -> None:
        if self._stage is Stage.LOADING and self.model == ref:
            model_status = self._loader.get(ref)
            if model_status.state is LoadState.FAILED:
                self._fail_to_load(model_status)
            elif model_status.state is LoadState.UNLOADED:  # the user canceled the load
                self._end("cancelled")
            else:
                self.load_and_send()
        elif ref == self._saved.record.model:
            self.phase_changed.emit()

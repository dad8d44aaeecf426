"""A chat's tool calls: consent, execution, and results."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import CancelledError, Future
from functools import partial
from time import monotonic

from msgspec.structs import replace
from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app import flows
from app.bridge import Bridge
from app.chats.chat_part import ChatPart
from app.chats.saved_chat import SavedChat
from app.chats.tool_call import (
    DENIED,
    STOPPED,
    Call,
    CallState,
    OpenQuestion,
    ParsedToolCall,
    equal_json,
    figures,
    find_argument_error,
)
from app.chats.tool_offers import ToolOffers
from app.settings.language import mark, tr
from app.store import Message, new_id
from app.tools.builtin import HELPERS, Obstacle
from app.tools.consent import Decision
from app.tools.granted_folders import Difference
from app.tools.questions import Question, QuestionAction, Response
from app.tools.tool import (
    Tool,
    ToolError,
    ToolResult,
    failed_result,
    shorten,
    to_visible_line,
)
from app.tools.toolbox import Toolbox


class ToolCallRunner(ChatPart):
    """Runs the tool calls of one answer at a time. Most wait for the user's permission."""

    # (call): the receiver sets the call's lanes and future
    helpers_requested = Signal(object)
    # (call): stop its helpers, but keep their text
    stop_helpers_requested = Signal(object)
    calls_finished = Signal()  # all calls of an answer are done

    MOST_STEPS = 15
    MOST_TOKENS = 100_000
    # a low estimate, because a result that is too long makes the chat unusable
    CHARACTERS_PER_TOKEN = 2

    def __init__(
        self,
        saved: SavedChat,
        bridge: Bridge,
        toolbox: Toolbox,
        room: Callable[[], int],
        parent: QObject,
    ) -> None:
        """``room`` returns the number of free tokens in the context, or 0 if unknown."""
        super().__init__(parent)
        self._saved, self._bridge = saved, bridge
        self.toolbox = toolbox
        self._result_room = room
        self.offers = ToolOffers(self, toolbox.host, self._enabled_tools)
        # Not immediately, because the signals of the last call are still being handled.
        self._finish_timer = QTimer(self, singleShot=True, interval=0)
        self._finish_timer.timeout.connect(self._finish_if_over)
        self.calls: dict[str, Call] = {}  # calls in the current step, by message ID
        self.paused = False
        # number of answers with tool calls in this turn, including the current one
        self.step = 0
        self.tokens = 0  # generated tokens of all answers in this turn

    @property
    def waiting(self) -> int:
        return sum(call.is_waiting for call in self.calls.values())

    @property
    def first_waiting(self) -> str:
        return next((key for key, call in self.calls.items() if call.is_waiting), "")

    @property
    def running(self) -> int:
        running = (c for c in self.calls.values() if c.state is CallState.RUNNING)
        return sum(not call.questions for call in running)

    @property
    def is_at_limit(self) -> bool:
        return self.step >= self.MOST_STEPS or self.tokens >= self.MOST_TOKENS

    def new_turn(self) -> None:
        self.step = self.tokens = 0

    def begin(
        self, parsed_calls: Sequence[ParsedToolCall], tokens: int, offered_keys: Collection[str]
    ) -> None:
        """Start the tool calls of an answer.

        Each call is stored as a message immediately, so it survives a crash.

        Args:
            tokens: number of generated tokens.
            offered_keys: `Tool.key` of the tools in the request. Some servers call others.
        """
        self.step += 1
        self.tokens += tokens
        self.calls = {}
        keys = [key for key in self._enabled_tools() if key in offered_keys]
        offered = self.toolbox.enabled_tools(keys)
        with self._saved.transaction():
            for parsed in parsed_calls:
                tool = offered.get(parsed.name) if not parsed.fault else None
                call = Call(new_id(), parsed, tool, parsed.arguments)
                call.needs_preview = tool is not None and self.toolbox.is_previewed(tool)
                self.calls[call.message_id] = call
                chat_id, leaf_id = self._saved.record.id, self._saved.transcript.leaf_id
                message = Message(call.message_id, chat_id, leaf_id, "tool", status="streaming")
                self._saved.add(replace(message, stats=figures(call)))
        for call in self.calls.values():
            self.message_added.emit(call.message_id)
        self.chat_changed.emit()  # the chat has moved up in the list
        for call in list(self.calls.values()):
            if call.tool is None:
                name = to_visible_line(call.parsed.name)[:80]
                missing = ToolError(mark("There’s no tool “{name}” in this chat."), name=name)
                fault = call.parsed.fault
                result = ToolResult(fault, True, len(fault)) if fault else failed_result(missing)
                self._end(call, "error", result)
            elif self._is_allowed(call.tool):
                self._run(call)
            else:
                self._preview(call)

    def decide(self, message_id: str, decision: Decision, arguments: str | None = None) -> str:
        """Apply the user's decision about a call. Return why that isn't possible, or "".

        ``arguments`` is JSON text if the user edited it.
        """
        call = self.calls.get(message_id)
        if call is None or call.state is not CallState.ASKING or call.tool is None:
            return tr("This call is no longer waiting.")
        if decision is Decision.DENY:
            obstacle = call.preview if isinstance(call.preview, Obstacle) else None
            answer = f"{DENIED} {obstacle.model_text}" if obstacle is not None else DENIED
            user_text = obstacle.words if obstacle is not None else ""
            self._end(call, "error", ToolResult(answer, True, len(answer), user_text), decision)
            return ""
        text = call.displayed_arguments if arguments is None else arguments
        if (fault := find_argument_error(text)) is not None:
            return fault
        fresh = call.previewed_arguments is not None and equal_json(call.previewed_arguments, text)
        if not fresh:
            call.arguments, call.edited_arguments = text, None
            self._preview(call)
        if isinstance(call.preview, Obstacle):
            return call.preview.words
        if call.needs_preview and (not fresh or call.preview is None):
            return tr("Check the changes, then allow them.")
        call.arguments, call.decision, call.edited_arguments = text, decision, None
        if not call.tool.asks_each_time:
            self.toolbox.consents.remember(self._saved.record.id, call.tool, decision)
        self._run(call)
        for similar in list(self.calls.values()):  # the decision may apply to other calls
            waits = similar.state is CallState.ASKING and similar.edited_arguments is None
            if waits and similar.tool is not None and self._is_allowed(similar.tool):
                self._run(similar)
        return ""

    @property
    def calls_to_decide(self) -> list[Call]:
        return [call for call in self.calls.values() if call.state is CallState.ASKING]

    def decide_all(self, decision: Decision) -> None:
        """Allow (once) or deny all waiting calls. A call that can't be allowed keeps waiting."""
        for call in self.calls_to_decide:
            if call.state is CallState.ASKING:
                self.decide(call.message_id, decision)

    def allow_writing(self, message_id: str) -> None:
        call = self.calls.get(message_id)
        obstacle = call.preview if call is not None else None
        if isinstance(obstacle, Obstacle) and obstacle.folder is not None:
            self.toolbox.consents.grant(self._saved.record.id, obstacle.folder, True)
            self.refresh_previews()

    def refresh_previews(self) -> None:
        for call in self.calls_to_decide:
            if call.previewed_arguments is not None:
                self._preview(call)
                self.message_changed.emit(call.message_id)

    def answer(self, message_id: str, response: Response) -> bool:
        """Answer the displayed question of a call. Return False if there is none."""
        call = self.calls.get(message_id)
        if call is None or not call.questions:
            return False
        open_question = call.questions.pop(0)
        call.answered_questions.append((open_question.question.message, response.action.value))
        if open_question.future.set_running_or_notify_cancel():
            open_question.future.set_result(response)
        self._report_change(call)
        return True

    def stop_call(self, message_id: str) -> None:
        """Stop one call. The model gets a note, and the turn continues."""
        call = self.calls.get(message_id)
        if call is not None and call.lanes and call.state is CallState.RUNNING:
            self.stop_helpers_requested.emit(call)
        elif call is not None and call.state is CallState.RUNNING:
            self._cancel(call, "cancelled")

    def retry_call(self, message_id: str) -> None:
        """Stop a call and run it again with the same arguments.

        The user is asked again, unless the tool is always allowed.
        """
        call = self.calls.get(message_id)
        if call is not None and call.state is CallState.RUNNING:
            future, call.future = call.future, None
            self._close_channel(call)
            if future is not None:
                future.cancel()
            if call.tool is not None and self._is_allowed(call.tool):
                self._run(call)
                return
            call.state, call.decision = CallState.ASKING, None
            self._preview(call)
            self._report_change(call)

    def stop(self, status: str = "cancelled") -> None:
        for call in list(self.calls.values()):
            if call.state is not CallState.OVER:
                self._cancel(call, status)
        self.calls = {}
        self.paused = False

    def toggle_pause(self) -> None:
        """Pause or resume. While paused, running calls finish, but the model doesn't continue."""
        self.paused = not self.paused
        self._finish_timer.start()

    def _run(self, call: Call) -> None:
        assert call.tool is not None
        call.state, call.since = CallState.RUNNING, monotonic()
        call.channel, post = self._bridge.channel(partial(self._on_message, call))
        try:
            arguments = json.loads(call.arguments or "{}")
            digest = call.preview.digest if isinstance(call.preview, Difference) else ""
            if call.tool.key == HELPERS:
                call.future = Future()
                self.helpers_requested.emit(call)
            else:
                ask, chat_id = partial(_ask, post), self._saved.record.id
                call.future = self.toolbox.run(chat_id, call.tool, arguments, digest, ask)
        except (ValueError, ToolError) as error:
            self._end(call, "error", failed_result(error))
            return
        call.future.add_done_callback(post)
        self._report_change(call)

    def _preview(self, call: Call) -> None:
        assert call.tool is not None
        if find_argument_error(call.arguments) is not None:
            return
        arguments = json.loads(call.arguments or "{}")
        future = self.toolbox.preview(self._saved.record.id, call.tool, arguments)
        if future is None:
            return
        call.preview, call.previewed_arguments, call.preview_future = None, call.arguments, future
        flows.start(self, self._show_preview(call, future))

    async def _show_preview(self, call: Call, future: Future[Difference | Obstacle | None]) -> None:
        try:
            preview = await flows.wait_for_future(future)
        except CancelledError:
            return
        is_latest = call.preview_future is future  # not of earlier arguments
        if call.state is CallState.ASKING and is_latest:
            call.preview = preview
            self.message_changed.emit(call.message_id)

    def _on_message(self, call: Call, message: OpenQuestion | Future[ToolResult]) -> None:
        """Show a question of a running call, or process its result."""
        if isinstance(message, OpenQuestion):
            if not message.future.cancelled():
                call.questions.append(message)
                flows.start(self, self._watch(call, message))
                self._report_change(call)
            return
        try:
            result = message.result()
        except CancelledError:
            result = ToolResult(STOPPED, True, len(STOPPED))
        except BaseException as error:  # including SystemExit from a library
            result = failed_result(error)
        self._close_channel(call)
        if room := self._result_room():
            most = max(2000, room * self.CHARACTERS_PER_TOKEN // 2)
            result = replace(result, text=shorten(result.text, most))
        self._end(call, "error" if result.error else "complete", result)

    async def _watch(self, call: Call, open_question: OpenQuestion) -> None:
        """Remove a question that the server withdraws."""
        try:
            await flows.wait_for_future(open_question.future)
        except CancelledError:
            if open_question in call.questions:
                call.questions.remove(open_question)
                self._report_change(call)

    def _cancel(self, call: Call, status: str) -> None:
        future, call.future = call.future, None
        if future is not None:
            future.cancel()  # first, so that the helpers' text is stored with the call
        self._end(call, status, ToolResult(STOPPED, True, len(STOPPED)))

    def _close_channel(self, call: Call) -> None:
        questions, call.questions = call.questions, []
        for open_question in questions:
            if open_question.future.set_running_or_notify_cancel():
                open_question.future.set_result(Response(QuestionAction.CANCEL))
        if call.channel is not None:
            self._bridge.close(call.channel)

    def _end(
        self, call: Call, status: str, result: ToolResult, decision: Decision | None = None
    ) -> None:
        ran = call.state is CallState.RUNNING
        self._close_channel(call)
        call.decision = decision or call.decision
        call.state = CallState.OVER
        stats = figures(call) | {"size": result.size, "failed": result.error}
        if result.outcome is not None:
            stats["outcome"] = result.outcome.to_json()
        if ran:
            stats["seconds"] = round(monotonic() - call.since, 2)
        self._saved.save_message(
            call.message_id, content=result.text, status=status, error=result.shown, stats=stats
        )
        self._report_change(call)
        self._finish_timer.start()

    def _report_change(self, call: Call) -> None:
        self.message_changed.emit(call.message_id)
        self.phase_changed.emit()
        self.turn_changed.emit()

    def _is_allowed(self, tool: Tool) -> bool:
        return self.toolbox.consents.is_allowed(self._saved.record.id, tool)

    def _enabled_tools(self) -> list[str]:
        value = self._saved.record.params.get("tools")
        return [key for key in value if isinstance(key, str)] if isinstance(value, list) else []

    @Slot()
    def _finish_if_over(self) -> None:
        over = all(call.state is CallState.OVER for call in self.calls.values())
        if self.calls and over and not self.paused:
            self.calls = {}
            self.calls_finished.emit()


def _ask(post: Callable[[OpenQuestion], None], question: Question) -> Future[Response]:
    """Pass a question to the GUI thread and return the future of its answer. Thread-safe."""
    open_question = OpenQuestion(question, Future())
    post(open_question)
    return open_question.future

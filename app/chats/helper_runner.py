"""Questions that a chat's model asks other sessions in parallel."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace
from PySide6.QtCore import QObject, QTimer, Slot

from app.chats.answer import Answer, Phase
from app.chats.chat_part import ChatPart
from app.chats.lanes import HelperRun, LaneState, fork_result, format_result
from app.chats.options import ChatOptions, model_of_answer, options_of_answer
from app.chats.reply_generator import ReplyGenerator
from app.chats.saved_chat import SavedChat
from app.chats.tool_call import Call, CallState, turn_with_calls
from app.models.loading import LoadState, ModelLoader
from app.remote.address import is_remote
from app.settings.language import tr
from app.store import Message, new_id
from app.tools.builtin import parse_helper_call
from app.tools.tool import ToolError, failed_result

_LANE_STATES = {
    Phase.READING: LaneState.READING,
    Phase.THINKING: LaneState.THINKING,
    Phase.WRITING: LaneState.WRITING,
}


class _HelperGroup(Struct):
    """Helpers of one tool call."""

    call: Call
    model: str
    options: ChatOptions
    path: list[Message]
    clock: QTimer
    # by lane number
    generators: dict[int, ReplyGenerator] = field(default_factory=dict)


class HelperRunner(ChatPart):
    """Runs the helpers of tool calls in the background, within the limits set by the user.

    A helper that forks the chat's session has the chat's tools in its prompt, so that the prefix
    cache matches, but can't call them.
    """

    def __init__(
        self, saved: SavedChat, loader: ModelLoader, generator: ReplyGenerator, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._saved, self._loader, self._generator = saved, loader, generator
        self._groups: dict[str, _HelperGroup] = {}
        generator.tools.helpers_requested.connect(self.begin)
        generator.tools.stop_helpers_requested.connect(self.stop)

    @property
    def models(self) -> frozenset[str]:
        return frozenset(generator.model for generator in self._groups.values())

    @Slot(object)
    def begin(self, call: Call) -> None:
        """Start a call's helpers. The call's future gets the result; canceling the future stops
        them.
        """
        assert call.future is not None
        try:
            questions, fork = parse_helper_call(json.loads(call.arguments or "{}"))
        except ToolError as error:
            call.future.set_result(failed_result(error))
            return
        path = self._saved.transcript.path_to(call.message_id)
        asking = next(m for m in reversed(path) if m.role == "assistant")
        chat_model, model = self._saved.record.model, model_of_answer(asking.stats)
        if model is None or (is_remote(model) and model != chat_model):
            model = chat_model  # never switch back to a server the user has left
        now = self._generator.options
        options = options_of_answer(asking.stats, now)
        options = replace(options or now, seed=now.seed, max_tokens=now.helper_tokens)
        options = replace(options, answer_as=None, tools=options.tools if fork else ())
        call.lanes = [HelperRun(question) for question in questions]
        clock = QTimer(self, singleShot=True, interval=1_000 * now.helper_seconds)
        group = _HelperGroup(call, model, options, path if fork else [], clock)
        clock.timeout.connect(partial(self._end, group, LaneState.TIME))
        self._groups[call.message_id] = group
        call.future.add_done_callback(lambda _: self._abandon(call.message_id))
        clock.start()
        self._continue(group)

    @Slot(object)
    def stop(self, call: Call) -> None:
        """Stop all helpers of a call. Their text so far becomes the result."""
        if (group := self._groups.get(call.message_id)) is not None:
            self._end(group, LaneState.STOPPED)

    def stop_lane(self, message_id: str, number: int) -> None:
        if (group := self._groups.get(message_id)) is not None:
            self._end(group, LaneState.STOPPED, number)

    def _end(self, group: _HelperGroup, state: LaneState, number: int | None = None) -> None:
        for at, lane in enumerate(group.call.lanes):
            if not lane.is_over and number in (None, at):
                lane.state = state
                if (helper := group.generators.get(at)) is not None:
                    helper.stop()
        self._continue(group)

    def _continue(self, group: _HelperGroup) -> None:
        """Start helpers up to the limit, or set the call's result once all are done."""
        call, limit = group.call, self._generator.options.helpers_at_once
        for number, lane in enumerate(call.lanes):
            waits = lane.state is LaneState.WAITING and number not in group.generators
            if waits and len(group.generators) < limit:
                self._ask(group, number)
        self._notify(group)
        future = call.future
        if not group.generators and future is not None and not future.done():
            future.set_result(format_result(call.lanes))

    def _ask(self, group: _HelperGroup, number: int) -> None:
        call, status = group.call, self._loader.get(group.model)
        lane = call.lanes[number]
        if status.state is not LoadState.READY:
            lane.state, lane.why = LaneState.FAILED, status.error or tr("The model was unloaded.")
            return
        record = replace(self._saved.record, id=new_id(), model=group.model, params={})
        if path := group.path:
            question = fork_result(lane.question, number + 1, len(call.lanes))
            messages = [*path[:-1], replace(path[-1], content=question, status="complete")]
        else:
            record = replace(record, system="")
            messages = [Message(new_id(), record.id, None, content=lane.question)]
        aside = self._saved.make_temporary_copy(record, messages)
        answer = Answer(new_id(), model=group.model, options=group.options)
        aside.add(Message(answer.message_id, record.id, messages[-1].id, "assistant"))
        helper = self._generator.make_second(aside, self, fork=bool(path))
        helper.session.set_background(True)
        helper.text_added.connect(partial(self._on_text, group, number))
        helper.phase_changed.connect(partial(self._on_phase, group, number))
        ended = partial(self._on_ended, group, number, answer.message_id)
        helper.reply_ended.connect(ended)
        # A helper has no tools, because its record has no params. It ends if it calls one anyway.
        helper.tools.calls_finished.connect(ended)
        group.generators[number] = helper
        helper.generate(answer)

    def _on_text(self, group: _HelperGroup, number: int, _: str, text: str, kind: str) -> None:
        if kind == "answer":
            group.call.lanes[number].text += text
            self._notify(group)

    def _on_phase(self, group: _HelperGroup, number: int) -> None:
        lane, helper = group.call.lanes[number], group.generators.get(number)
        if helper is None or lane.is_over:
            return
        state = _LANE_STATES.get(helper.phase, lane.state)
        if state is not lane.state:
            lane.state = state
            self._notify(group)

    def _on_ended(
        self, group: _HelperGroup, number: int, message_id: str, _: object = None
    ) -> None:
        lane, helper = group.call.lanes[number], group.generators.get(number)
        if helper is None:
            return
        message = helper.message(message_id)
        stats: dict[str, Any] = message.stats
        lane.text = message.content.strip()
        lane.tokens = int(stats.get("generated_tokens", lane.tokens))
        lane.rate = float(stats.get("tokens_per_s", 0.0))
        self._generator.tools.tokens += lane.tokens
        if lane.is_over:
            pass
        elif turn_with_calls(message) is not None:
            lane.state, lane.why = LaneState.FAILED, tr("It tried to use a tool.")
        elif message.status == "error":
            lane.state, lane.why = LaneState.FAILED, message.error
        elif message.status != "complete":
            lane.state = LaneState.STOPPED
        elif stats.get("reason") == "memory":
            lane.state, lane.why = LaneState.FAILED, tr("Memory is full.")
        else:
            cut = stats.get("reason") == "length"
            lane.state = LaneState.TOKENS if cut else LaneState.DONE
        self._release(group, number)

    def _release(self, group: _HelperGroup, number: int) -> None:
        _drop(group.generators.pop(number))
        if group.call.state is CallState.RUNNING:
            self._continue(group)

    def _abandon(self, message_id: str) -> None:
        group = self._groups.pop(message_id)
        group.clock.stop()
        group.clock.deleteLater()
        generators, group.generators = group.generators, {}
        for lane in group.call.lanes:
            if not lane.is_over:
                lane.state = LaneState.STOPPED
        for helper in generators.values():
            _drop(helper)

    def _notify(self, group: _HelperGroup) -> None:
        self.text_added.emit(group.call.message_id, "", "lane")


def _drop(helper: ReplyGenerator) -> None:
    helper.discard()
    helper.deleteLater()

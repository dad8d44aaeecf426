"""Session of a chat with a remote model, with the interface and events of an engine session."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import re
import uuid
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Future
from contextlib import aclosing
from typing import Any, Protocol, TypeVar

from msgspec import field

from app.remote import client, remote_errors
from app.remote.address import KINDS, Remote
from app.remote.remote_errors import RemoteError
from app.remote.stream import ReplyReader, ReplyTimer
from app.settings.language import tr
from engine import (
    EngineError,
    Event,
    Failed,
    Finished,
    FinishReason,
    Image,
    Model,
    SamplingParams,
    TextDelta,
    ToolCallFailed,
    ToolCallFinished,
)
from engine.errors import INTERNAL_ERROR, INVALID_REQUEST
from engine.messages import LOST, text_of

log = logging.getLogger(__name__)

T = TypeVar("T")
Turn = Mapping[str, Any]

_ANY_JSON = {"type": ["object", "array"]}
_WANTS_COMPLETION_TOKENS = ("https://api.openai.com/",)


def build_body(
    remote: Remote, turns: Sequence[Turn], params: SamplingParams, sampling: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the request body.

    If the last of the ``turns`` is from the assistant, it's continued. `insert_files` reads files
    later. ``params`` has format, tools, seed and stop strings; ``sampling`` has the user's sampling
    parameters, with our names. Raises RemoteError `invalid_request` if the server doesn't support
    the chat's settings.
    """
    kind = KINDS[remote.kind]
    body: dict[str, Any] = {
        "model": remote.model,
        "messages": [_message(turn, keeps_reasoning=kind.keeps_reasoning) for turn in turns],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if params.seed is not None:
        body["seed"] = params.seed
    if params.stop:
        body["stop"] = list(params.stop)
    for own_name, server_name in kind.sampling.items():
        if sampling.get(own_name) is not None:
            body[server_name] = sampling[own_name]
    if sampling.get("max_tokens") is not None:
        newer = remote.address.startswith(_WANTS_COMPLETION_TOKENS)
        body["max_completion_tokens" if newer else "max_tokens"] = sampling["max_tokens"]
    if params.offered:
        body["tools"] = list(params.offered)
    if kind.thinking and isinstance(thinks := sampling.get("reasoning"), bool):
        body["chat_template_kwargs"] = {"enable_thinking": thinks}
    if params.is_constrained:
        body |= _form(remote, params)
    if turns and turns[-1].get("role") == "assistant":
        body |= _continuation_params(remote)
    return body


def _message(turn: Turn, *, keeps_reasoning: bool) -> dict[str, Any]:
    role, content = turn.get("role"), turn.get("content")
    if role == "tool":
        return {"role": role, "tool_call_id": turn.get("tool_call_id"), "content": content or ""}
    message: dict[str, Any] = {"role": role, "content": content or ""}
    if calls := turn.get("tool_calls"):
        message["tool_calls"] = [_call(call) for call in calls]
        message["content"] = content or None
    if keeps_reasoning and turn.get("reasoning_content"):
        message["reasoning_content"] = turn["reasoning_content"]
    return message


def insert_files(body: dict[str, Any]) -> dict[str, Any]:
    """Insert images and file texts into the body, in OpenAI's format. Blocks.

    This is called right before sending, because the files may be a hundred megabytes.
    """
    return {**body, "messages": [_as_json(message) for message in body["messages"]]}


def _as_json(message: dict[str, Any]) -> dict[str, Any]:
    content = message["content"]
    if not isinstance(content, list):
        return message
    if all(part["type"] == "text" for part in content):  # every server accepts a string
        return {**message, "content": text_of(content)}
    return {**message, "content": [_part(part) for part in content]}


def _part(part: Mapping[str, Any]) -> dict[str, Any]:
    if part["type"] == "text":
        return {"type": "text", "text": text_of([part])}
    image = Image(part["image"].data)
    if not image.data:
        return {"type": "text", "text": LOST["image"]}
    data = base64.b64encode(image.data).decode()
    return {"type": "image_url", "image_url": {"url": f"data:{image.media_type};base64,{data}"}}


def _call(call: Mapping[str, Any]) -> dict[str, Any]:
    function = call["function"]
    arguments = function["arguments"]
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    parsed = {"name": function["name"], "arguments": text or "{}"}
    return {"id": call["id"], "type": "function", "function": parsed}


def _form(remote: Remote, params: SamplingParams) -> dict[str, Any]:
    if params.json_schema is not None:
        schema = json.loads(params.json_schema) if isinstance(params.json_schema, str) else {}
        if schema == _ANY_JSON:
            return {"response_format": {"type": "json_object"}}
        described = {"name": "answer", "schema": schema}
        return {"response_format": {"type": "json_schema", "json_schema": described}}
    if remote.kind == "vllm":
        bound = {"choice": list(params.choices)} if params.choices else {"regex": params.regex}
        return {"structured_outputs": bound}
    if remote.kind == "sglang":
        return {"regex": params.regex or "|".join(f"({re.escape(c)})" for c in params.choices)}
    if remote.kind == "stretto":
        return {"choices": list(params.choices)} if params.choices else {"regex": params.regex}
    raise RemoteError(
        INVALID_REQUEST,
        tr(
            "{host} doesn’t support choices or patterns as a reply format. Choose another under "
            "“Reply format” in the chat’s settings, such as JSON.",
            host=remote.host,
        ),
    )


def _continuation_params(remote: Remote) -> dict[str, Any]:
    if not KINDS[remote.kind].continues:
        raise RemoteError(
            INVALID_REQUEST,
            tr("{host} can’t continue a reply that was cut off. Regenerate it.", host=remote.host),
        )
    if remote.kind in ("vllm", "sglang"):
        return {"add_generation_prompt": False, "continue_final_message": True}
    return {}


Listener = Callable[[Event], None]


class RemoteModel(Model, frozen=True):
    remote: Remote = field(default_factory=lambda: Remote("", ""))


class SessionRequests(Protocol):
    def key(self, address: str) -> str: ...

    def is_known(self, ref: str) -> bool: ...

    def start(self, work: Coroutine[Any, Any, T]) -> Future[T]: ...


class RemoteReply:
    def __init__(
        self, session_id: str, remote: Remote, line: SessionRequests, on_event: Listener
    ) -> None:
        self.id = uuid.uuid4().hex
        self._session_id = session_id
        self._remote = remote
        self._line = line
        self._on_event = on_event
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._flows = asyncio.Event()
        self._flows.set()
        self._stopped = self._paused = self._ended = False

    def begin(self, body: dict[str, Any]) -> None:
        self._line.start(self._run(body)).add_done_callback(self._on_over)

    # These may be called from any thread.

    def cancel(self, whole: bool = False) -> None:
        self._stopped = True
        self._call_soon(self._cancel_task)

    def pause(self) -> None:
        self._paused = True
        self._call_soon(self._apply_pause)

    def resume(self) -> None:
        self._paused = False
        self._call_soon(self._apply_pause)

    def _call_soon(self, callback: Callable[[], object]) -> None:
        if (loop := self._loop) is not None and not loop.is_closed():
            loop.call_soon_threadsafe(callback)

    # These run in the event loop's thread.

    def _on_over(self, future: Future[None]) -> None:
        if not self._ended:
            words = tr("Stretto is quitting.")
            self._post(Failed(self._session_id, self.id, remote_errors.UNREACHABLE, words))

    def _cancel_task(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _apply_pause(self) -> None:
        if self._paused:
            self._flows.clear()
        else:
            self._flows.set()

    async def _run(self, body: dict[str, Any]) -> None:
        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        reading, clock = ReplyReader(self._remote.host, self._remote.model), ReplyTimer()
        try:
            self._apply_pause()
            if not self._stopped:  # the reply may have been canceled before the loop started
                await self._read(body, reading, clock)
        except asyncio.CancelledError:
            self._stopped = True
        except EngineError as error:
            if not self._stopped:
                self._post(Failed(self._session_id, self.id, error.code, error.message))
                return
        except BaseException:  # including Rust panics, because every reply must end with an event
            log.exception("cannot read a remote model's reply")
            words = tr("The reply from {host} couldn’t be read.", host=self._remote.host)
            self._post(Failed(self._session_id, self.id, INTERNAL_ERROR, words))
            return
        self._finish(reading, clock)

    async def _read(self, body: dict[str, Any], reading: ReplyReader, clock: ReplyTimer) -> None:
        if not self._line.is_known(self._remote.ref):
            raise removed_model_error(self._remote)
        # The keychain can be slow, and may ask the user first.
        key = await asyncio.to_thread(self._line.key, self._remote.address)
        body = await asyncio.to_thread(insert_files, body)
        async with aclosing(client.stream_reply(self._remote, key, body, reading)) as pieces:
            async for kind, text in pieces:
                await self._flows.wait()
                clock.record_token()
                self._post(TextDelta(self._session_id, self.id, text, kind))

    def _finish(self, reading: ReplyReader, clock: ReplyTimer) -> None:
        if self._stopped:
            self._end(FinishReason.CANCELLED, reading, clock, None)
            return
        calls = reading.tool_calls()
        for key, name, arguments in calls:
            # In English, because the model reads this.
            fault = "" if name else "The call names no tool."
            if name and not _is_object(arguments):
                fault = "The arguments of the call are no JSON object."
            self._post(
                ToolCallFailed(self._session_id, self.id, key, name, arguments, fault)
                if fault
                else ToolCallFinished(self._session_id, self.id, key, name, arguments)
            )
        turn: dict[str, Any] = {"role": "assistant", "content": reading.text("answer")}
        if thought := reading.text("reasoning"):
            turn["reasoning_content"] = thought
        good = [call for call in calls if call[1] and _is_object(call[2])]
        if good:
            turn["tool_calls"] = [
                {"id": key, "type": "function", "function": {"name": name, "arguments": arguments}}
                for key, name, arguments in good
            ]
        reason = FinishReason.STOP
        if reading.is_cut_by_limit:
            reason = FinishReason.LENGTH
        elif not reading.reason and not good:
            reason = FinishReason.UNSTATED
        self._end(reason, reading, clock, turn)

    def _end(
        self,
        reason: FinishReason,
        reading: ReplyReader,
        clock: ReplyTimer,
        turn: dict[str, Any] | None,
    ) -> None:
        stats = clock.stats(reading)
        self._post(Finished(self._session_id, self.id, reason, stats, message=turn))

    def _post(self, event: Event) -> None:
        self._ended = isinstance(event, Finished | Failed)
        self._on_event(event)


class RemoteSession:
    def __init__(
        self,
        session_id: str,
        remote: Remote,
        line: SessionRequests,
        sampling: Mapping[str, Any],
    ) -> None:
        self.id = session_id  # the chat's ID
        self.remote = remote
        self._line = line
        self._chosen = dict(sampling)
        self._reply: RemoteReply | None = None

    def send(
        self,
        prompt: Sequence[Mapping[str, Any]],
        params: SamplingParams | None = None,
        on_event: Listener | None = None,
    ) -> RemoteReply:
        body = build_body(self.remote, prompt, params or SamplingParams(), self._chosen)
        hear = on_event or (lambda _: None)
        reply = RemoteReply(self.id, self.remote, self._line, hear)
        self._reply = reply
        reply.begin(body)
        return reply

    def prioritise(self, priority: int = 1, program: str = "", share: float = 0.0) -> None: ...

    def fork(self, session_id: str | None = None) -> RemoteSession:
        return RemoteSession(session_id or uuid.uuid4().hex, self.remote, self._line, self._chosen)

    def close(self, forget: bool = False) -> None:
        if self._reply is not None:
            self._reply.cancel()


def removed_model_error(remote: Remote | None, ref: str = "") -> remote_errors.RemoteError:
    if remote is None:
        words = tr("“{name}” isn’t a remote model. Choose another model.", name=ref)
        return remote_errors.RemoteError(remote_errors.GONE, words)
    return remote_errors.RemoteError(
        remote_errors.GONE,
        tr(
            "{model} at {host} is no longer in your models, so nothing was sent. Add it "
            "again, or choose another model.",
            model=remote.model,
            host=remote.host,
        ),
    )


def _is_object(arguments: str) -> bool:
    try:
        return isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        return False

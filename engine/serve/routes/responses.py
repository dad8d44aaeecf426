"""OpenAI's `/v1/responses`. Stored responses can be continued."""

from __future__ import annotations

import json
import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import Annotated, Any, Literal

from msgspec import Struct, field
from pydantic import BeforeValidator, Field, Tag
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from engine.errors import INVALID_REQUEST
from engine.messages import Message, media_in
from engine.model.info import Model
from engine.serve.auth import LOCAL, KeyOwner, owner_of
from engine.serve.errors import CONTEXT_LENGTH, RequestError
from engine.serve.json_input import answer_form
from engine.serve.routes import base, schema
from engine.serve.routes.chat import usage
from engine.serve.routes.tools import (
    INPUT,
    SEARCH,
    Toolbox,
    ToolChoice,
    call_item,
    custom_input,
    found_tools,
    function_name,
    with_head,
    with_note,
)
from engine.text.tools import quote, tool_call

MAX_STORED = 512
"""Responses kept per owner in memory."""
MAX_STORED_CHARACTERS = 2**27
"""Limit on the total size of an owner's stored responses. Parts that several responses share count
multiple times. The latest response is always kept.
"""
NOT_FOUND = "previous_response_not_found"
REFERENCE = "item_reference"

_LOGPROBS = "message.output_text.logprobs"
_ECHOED = {
    *("instructions", "parallel_tool_calls", "previous_response_id", "store", "tools"),
    *("truncation", "user"),
}
"""Fields of a request that its response repeats."""


def _refusals_as_text(content: Any) -> Any:
    if not isinstance(content, list):
        return content
    return [
        {"type": "text", "text": part.get("refusal")}
        if isinstance(part, dict) and part.get("type") == "refusal"
        else part
        for part in content
    ]


_KINDS = ("input_text", "output_text", "text", "reasoning_text", "summary_text")
_Texts = Annotated[str, schema.text_parts(*_KINDS), BeforeValidator(_refusals_as_text)]
_Shown = Annotated[Any, schema.text_parts(*_KINDS, shows=True), BeforeValidator(_refusals_as_text)]


class MessageItem(schema.Body):
    type: Literal["message"] = "message"
    role: Literal["system", "developer", "user", "assistant"]
    content: _Shown = ""


class ReasoningItem(schema.Body):
    type: Literal["reasoning"]
    content: _Texts = ""
    summary: _Texts = ""


class _CallItem(schema.Body):
    """Tool call in an earlier answer."""

    call_id: str = ""
    namespace: str | None = None

    @property
    def as_call(self) -> schema.JSON:
        raise NotImplementedError

    def _call(self, name: str, arguments: schema.JSON) -> schema.JSON:
        return tool_call(self.call_id, function_name(name, self.namespace), arguments)


class CallItem(_CallItem):
    type: Literal["function_call"]
    name: str
    arguments: schema.Arguments = Field(default_factory=dict)

    @property
    def as_call(self) -> schema.JSON:
        return self._call(self.name, self.arguments)


class CustomCallItem(_CallItem):
    type: Literal["custom_tool_call"]
    name: str
    input: str = ""

    @property
    def as_call(self) -> schema.JSON:
        return self._call(self.name, {INPUT: self.input})


class SearchCallItem(_CallItem):
    type: Literal["tool_search_call"]
    arguments: schema.Arguments = Field(default_factory=dict)

    @property
    def as_call(self) -> schema.JSON:
        return self._call(SEARCH, self.arguments)


class CallOutputItem(schema.Body):
    type: Literal["function_call_output", "custom_tool_call_output"]
    output: Annotated[_Shown, BeforeValidator(schema.as_history)] = ""
    call_id: str = ""


class SearchOutputItem(schema.Body):
    """Tools that the client's search found. They can be called from this point on."""

    type: Literal["tool_search_output"]
    tools: list[Any] = Field(default_factory=list)
    call_id: str = ""


class MoreToolsItem(schema.Body):
    type: Literal["additional_tools"]
    tools: list[Any] = Field(default_factory=list)


class WebSearchItem(schema.Body):
    """Web search by OpenAI's servers. Its results are in the answer that follows."""

    type: Literal["web_search_call"]


Item = Annotated[
    Annotated[MessageItem, Tag("@message")]
    | Annotated[ReasoningItem, Tag("@reasoning")]
    | Annotated[CallItem, Tag("@function_call")]
    | Annotated[CallOutputItem, Tag("@function_call_output")]
    | Annotated[CallOutputItem, Tag("@custom_tool_call_output")]
    | Annotated[CustomCallItem, Tag("@custom_tool_call")]
    | Annotated[SearchCallItem, Tag("@tool_search_call")]
    | Annotated[SearchOutputItem, Tag("@tool_search_output")]
    | Annotated[MoreToolsItem, Tag("@additional_tools")]
    | Annotated[WebSearchItem, Tag("@web_search_call")],
    schema.tagged_by("type", default="message"),
]


class TextOptions(schema.Body):
    format: schema.FlatFormat = None
    verbosity: Annotated[Any, schema.ignored_field("text.verbosity", "medium")] = None


class ResponsesBody(schema.GenerationBody, schema.TemplateOptions):
    refused = ("conversation", "prompt")
    aliases = {  # noqa: RUF012
        **schema.GenerationBody.aliases,
        **schema.aliases_of("max_output_tokens", schema.LENGTHS),
    }

    input: Annotated[
        schema.Items[Item],
        Field(min_length=1),
        schema.or_text(
            Annotated[list[Item], Field(min_length=1)],
            lambda text: {"role": "user", "content": text},
        ),
    ]
    instructions: str | None = None
    previous_response_id: str | None = None
    store: bool = True
    metadata: dict[str, Any] | None = None
    user: Any = None
    text: TextOptions = TextOptions()
    tools: list[Any] = Field(default_factory=list)
    tool_choice: ToolChoice = "auto"
    parallel_tool_calls: bool = True
    # Only log probabilities have to be requested. All other data is always included (e.g. reasoning
    # as text, so encrypted reasoning isn't needed) or belongs to unsupported tools.
    include: schema.Items[str] = Field(default_factory=list)
    top_logprobs: schema.TopLogprobs = 0
    truncation: Literal["auto", "disabled"] = "disabled"
    max_output_tokens: schema.Limit = None
    stop: Annotated[Any, schema.parameter("stop")] = None
    background: Annotated[Any, schema.single_value(False)] = None
    max_tool_calls: Annotated[Any, schema.ignored_field("max_tool_calls")] = None
    context_management: Annotated[Any, schema.ignored_field("context_management")] = None

    def generation(self, model: Model, before: StoredResponse, owner: KeyOwner) -> base.Generation:
        """Return what the body requests after an earlier response."""
        messages = [*before.messages, *_messages(self.input, bool(before.messages))]
        conversation = schema.decode_media(messages, model)
        box = Toolbox()
        box.add(self.tools)
        box.find(before.found, "tools")
        search_results, answered = list(before.found), bool(before.messages)
        for number, item in enumerate(self.input):
            answered = answered or _is_answer(item)
            if isinstance(item, (MoreToolsItem, SearchOutputItem)):
                (box.find if answered else box.add)(item.tools, f"input[{number}].tools")
                search_results += item.tools
        reasoning, template = self.template(model)
        tools = box.settings(model, self.tool_choice, self.parallel_tool_calls)
        logprobs = _LOGPROBS in self.include
        if self.top_logprobs and not logprobs:
            raise ValueError(f'top_logprobs requires include "{_LOGPROBS}"')
        bound = answer_form(self.text.format, "text.format")
        # Only validated, because a response always includes token counts.
        _ = self.wants_usage
        params = self.sampling(
            model,
            max_tokens=self.max_output_tokens,
            logprobs=self.top_logprobs if logprobs else None,
            **tools,
            **bound,
        )
        head = self.instructions
        system = [{"role": "system", "content": head}] if head else []
        effort = self.reasoning and self.reasoning.effort
        return base.Generation(
            model,
            [with_note([*system, *conversation], box.note())],
            params,
            self.config(reasoning, "slide" if self.truncation == "auto" else None),
            stream=self.stream,
            returns_reasoning=self.returns_reasoning,
            template=with_head(template, params, box.later),
            tools=box.given,
            extra={
                "owner": owner,
                "conversation": conversation,
                "found": search_results,
                "echo": {
                    **self.model_dump(include=_ECHOED),
                    "metadata": self.metadata or {},
                    "reasoning": {"effort": effort, "summary": None},
                    "tool_choice": self.tool_choice or "auto",
                },
            },
        )


class StoredResponse(Struct, frozen=True, dict=True):
    """Response, and the whole conversation that led to it."""

    messages: list[Message]
    response: schema.JSON
    found: list[Any] = field(default_factory=list)  # tools found by searches in the conversation

    @cached_property
    def size(self) -> int:
        """Size as JSON in characters, plus the bytes of images and recordings."""
        media_bytes = sum(len(part.data) for part in media_in(self.messages))
        return media_bytes + len(
            json.dumps([self.messages, self.response, self.found], default=repr)
        )

    @cached_property
    def items(self) -> dict[str, schema.JSON]:
        return {item["id"]: item for item in self.response.get("output", ())}


class StoredResponses:
    """Responses stored for each owner. Thread-safe."""

    def __init__(self) -> None:
        self._by_owner: dict[str, OrderedDict[str, StoredResponse]] = {}
        self._lock = threading.Lock()

    def add(self, owner: KeyOwner, stored: StoredResponse) -> None:
        total_size = stored.size  # computed outside the lock; takes milliseconds per megabyte
        with self._lock:
            responses = self._by_owner.setdefault(owner.id, OrderedDict())
            total_size += sum(response.size for response in responses.values())
            responses[stored.response["id"]] = stored
            while len(responses) > MAX_STORED or (
                total_size > MAX_STORED_CHARACTERS and len(responses) > 1
            ):
                total_size -= responses.popitem(last=False)[1].size

    def resolve_references(self, owner: KeyOwner, value: object) -> object:
        """Replace item references in an input with the items.

        Raises:
            RequestError: if an item isn't in any stored response.
            ValueError: if an item is referenced more than once.
        """
        if not isinstance(value, list) or not any(map(_reference_id, value)):
            return value
        with self._lock:
            stored_responses = list(reversed(self._by_owner.get(owner.id, {}).values()))
        seen_ids, items = set[str](), list[object]()
        for item in value:
            name = _reference_id(item)
            if name in seen_ids:
                raise ValueError(f"input has the item {quote(name)} twice")
            if not name:
                items.append(item)
                continue
            referenced = next(
                (earlier.items[name] for earlier in stored_responses if name in earlier.items), None
            )
            if referenced is None:
                raise RequestError(
                    400,
                    f"Unknown {REFERENCE} {quote(name)}: its response was not stored, or was "
                    "dropped. Send the item itself.",
                )
            seen_ids.add(name)
            items.append(referenced)
        return items

    def forget(self, owner_id: str) -> None:
        with self._lock:
            self._by_owner.pop(owner_id, None)

    def routes(self) -> list[base.APIRoute]:
        path = "/v1/responses/{id}"
        return [
            base.APIRoute("GET", path, self._read, "Get a stored response."),
            base.APIRoute("DELETE", path, self._delete, "Delete a stored response."),
        ]

    async def _read(self, request: Request) -> Response:
        owner, name = owner_of(request.scope), request.path_params["id"]
        return JSONResponse(self.find(owner, name, 404).response)

    async def _delete(self, request: Request) -> Response:
        owner, name = owner_of(request.scope), request.path_params["id"]
        self.find(owner, name, 404)
        with self._lock:
            self._by_owner.get(owner.id, {}).pop(name, None)
        return JSONResponse({"id": name, "object": "response", "deleted": True})

    def find(self, owner: KeyOwner, name: str, status: int = 400) -> StoredResponse:
        """Return a stored response, including its conversation.

        Raises:
            RequestError: if it was never stored, or was dropped.
        """
        with self._lock:
            by_id = self._by_owner.get(owner.id)
            stored = by_id.get(name) if by_id is not None else None
        if stored is None:
            raise RequestError(
                status,
                f"Unknown response {name!r}. It was not stored or has expired.",
                NOT_FOUND if status == 400 else INVALID_REQUEST,
            )
        return stored


class Responses(base.API):
    path = "/v1/responses"
    summary = "Create a response, which can be continued if it is stored."
    body = ResponsesBody
    streams_overflow = True  # Codex only compacts its conversation after receiving this event

    def __init__(self, stored: StoredResponses) -> None:
        self.stored = stored
        self.writer = partial(ResponsesWriter, store=self._store)

    def failed(self, error: schema.JSON, writer: Any = None) -> bytes:
        if writer is not None:
            return bytes(writer.failed(error))
        error_body = {"code": error["error"]["code"], "message": error["error"]["message"]}
        failed = {
            "id": f"resp_{uuid.uuid4().hex}",
            "object": "response",
            "created_at": int(time.time()),
            "status": "failed",
            "error": error_body,
            "output": [],
        }
        kind = "response.failed"
        return base.event(
            {"type": kind, "sequence_number": 0, "response": failed}, kind
        ) + base.event(
            {"type": "error", "sequence_number": 1, **error_body, "param": None, **error}, "error"
        )

    def read(
        self, body: Mapping[str, Any], model: Model, owner: KeyOwner = LOCAL
    ) -> base.Generation:
        body = {**body, "input": self.stored.resolve_references(owner, body.get("input"))}
        request_body = schema.validate(ResponsesBody, body)
        previous = request_body.previous_response_id
        before = self.stored.find(owner, previous) if previous else StoredResponse([], {})
        return request_body.generation(model, before, owner)

    def _store(
        self, generation: base.Generation, choice: base.Choice, response: schema.JSON
    ) -> None:
        extra = generation.extra
        if extra["echo"]["store"]:
            message = {**choice.as_message}
            if choice.reasoning_text:
                message["reasoning_content"] = choice.reasoning_text
            messages = [*extra["conversation"], message]
            self.stored.add(extra["owner"], StoredResponse(messages, response, extra["found"]))


def _reference_id(item: object) -> str:
    if not isinstance(item, dict):
        return ""
    name, kind = item.get("id"), item.get("type")
    refers = kind == REFERENCE or (kind is None and item.keys() <= {"id", "type"})
    return name if refers and isinstance(name, str) else ""


class InputTokens(Responses):
    path = "/v1/responses/input_tokens"
    summary = "Count the tokens of a prompt for responses."


def _is_answer(item: Any) -> bool:
    if isinstance(item, MessageItem):
        return item.role == "assistant"
    return not isinstance(item, MoreToolsItem)


def _messages(items: list[Any], answered: bool) -> list[Message]:
    """Convert input items to chat messages.

    Tools listed before the first answer are added to the head of the prompt. Reasoning is merged
    into the assistant message that follows it, and calls into the previous message.
    """
    messages: list[Message] = []
    thought = ""
    for item in items:
        answered = answered or _is_answer(item)
        if isinstance(item, WebSearchItem):
            schema.log_once("left out web searches of a conversation")
            continue
        if isinstance(item, MoreToolsItem):
            if answered:
                messages.append({"role": "system", "content": found_tools(item.tools)})
            continue
        if isinstance(item, ReasoningItem):
            thought = item.content or item.summary
            continue
        if isinstance(item, (CallOutputItem, SearchOutputItem)):
            content = item.output if isinstance(item, CallOutputItem) else found_tools(item.tools)
            messages.append({"role": "tool", "tool_call_id": item.call_id, "content": content})
            continue
        if isinstance(item, _CallItem):
            call = item.as_call
            if messages and messages[-1]["role"] == "assistant" and not thought:
                calls = [*messages[-1].get("tool_calls", []), call]
                messages[-1] = {**messages[-1], "tool_calls": calls}
                continue
            message: Message = {"role": "assistant", "content": "", "tool_calls": [call]}
        else:
            role = "system" if item.role == "developer" else item.role
            message = {"role": role, "content": item.content}
        if thought and message["role"] == "assistant":
            message["reasoning_content"] = thought
        messages.append(message)
        thought = ""
    if not messages:
        raise ValueError("input must have a message")
    return messages


Store = Callable[
    [base.Generation, base.Choice, schema.JSON], None
]  # called with a finished response


class ResponsesWriter(base.BlockWriter):
    """Writer of responses, whole or as events.

    Args:
        store: called when the response is finished.
    """

    def __init__(
        self, generation: base.Generation, choices: list[base.Choice], store: Store
    ) -> None:
        super().__init__(generation, choices)
        self._id = f"resp_{uuid.uuid4().hex}"
        self._created = int(time.time())
        self._store = store
        self._number = 0
        self._items: list[schema.JSON] = []
        self._arguments: list[str] = []  # argument chunks of the open call

    def begin(self) -> bytes:
        if self._number:  # a keep-alive has already sent this event
            return b""
        return self._state("response.created") + self._state("response.in_progress")

    def end(self) -> bytes:
        response = self._response(self._items)
        self._store(self.generation, self.choices[0], response)
        return self._event(f"response.{response['status']}", response=response)

    def sign_of_life(self) -> bytes:
        return self.begin() or self._state("response.in_progress")

    def failed(self, error: schema.JSON) -> bytes:
        error = error["error"]
        failed = self._response(self._items, "failed")
        code, message = error["code"], error["message"]
        error_code = code if code == CONTEXT_LENGTH else "server_error"
        failed["error"] = {"code": error_code, "message": message}
        return (
            self.begin()
            + self._event("response.failed", response=failed)
            + self._event("error", code=code, message=message, param=None, error=error)
        )

    def whole(self) -> schema.JSON:
        choice = self.choices[0]
        if choice.reasoning_text:
            self._items.append(_reasoning(choice.reasoning_text))
        if choice.text or not choice.calls:
            part: schema.JSON = {"type": "output_text", "text": choice.text, "annotations": []}
            if self.generation.params.logprobs is not None:
                part["logprobs"] = base.listed_odds(choice.odds)
            self._items.append(_message([part], "incomplete" if choice.hit_limit else "completed"))
        self._items += [
            call_item(self.generation.client_tool(call.name), call.id, call.arguments)
            for call in choice.calls
        ]
        response = self._response(self._items)
        self._store(self.generation, choice, response)
        return response

    @property
    def _item(self) -> schema.JSON:
        return self._items[-1]

    @property
    def _position(self) -> schema.JSON:
        return {"item_id": self._item["id"], "output_index": len(self._items) - 1}

    def open(self, block: str, call: base.CallStart | None = None) -> bytes:
        if call is not None:
            self._arguments = []
            item = call_item(self.generation.client_tool(call.name), call.id, "", "in_progress")
        else:
            item = _reasoning() if block == "reasoning" else _message([], "in_progress")
        self._items.append(item)
        index = len(self._items) - 1
        out = self._event("response.output_item.added", output_index=index, item={**item})
        if call is not None:
            return out
        part: schema.JSON = {"type": "reasoning_text", "text": ""}
        if block == "text":
            part = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
        item["content"] = [part]
        return out + self._event(
            "response.content_part.added", **self._position, content_index=0, part=part
        )

    def more(self, piece: base.Text | base.CallStart | base.CallDelta) -> bytes:
        if not isinstance(piece, base.Text):
            self._arguments.append(piece.text)
            if self._item["type"] != "function_call":
                return b""  # the input can't be extracted until the arguments are complete
            kind = "response.function_call_arguments.delta"
            return self._event(kind, **self._position, delta=piece.text)
        part = self._item["content"][0]
        part["text"] += piece.text
        if not piece.reasoning and self.generation.params.logprobs is not None:
            part["logprobs"] += base.listed_odds(piece.odds)
        if not piece.text and not piece.odds:
            return b""
        delta: schema.JSON = {**self._position, "content_index": 0, "delta": piece.text}
        if piece.reasoning:
            return self._event("response.reasoning_text.delta", **delta)
        return self._event(
            "response.output_text.delta", **delta, logprobs=base.listed_odds(piece.odds)
        )

    def close(self, incomplete: bool) -> bytes:
        item, position = self._item, self._position
        if self.block != "reasoning":
            item["status"] = "incomplete" if incomplete else "completed"
        if self.block == "call":
            out = self._call_closed(item, position, incomplete)
        else:
            part, position = item["content"][0], {**position, "content_index": 0}
            if self.block == "reasoning":
                out = self._event("response.reasoning_text.done", **position, text=part["text"])
            else:
                content = {"text": part["text"], "logprobs": part["logprobs"]}
                out = self._event("response.output_text.done", **position, **content)
            out += self._event("response.content_part.done", **position, part=part)
        index = position["output_index"]
        return out + self._event("response.output_item.done", output_index=index, item=item)

    def _call_closed(self, item: schema.JSON, position: schema.JSON, incomplete: bool) -> bytes:
        arguments = "".join(self._arguments)
        if item["type"] == "function_call":
            item["arguments"] = arguments
            call_json = {"name": item["name"], "arguments": arguments}
            return self._event("response.function_call_arguments.done", **position, **call_json)
        if incomplete:
            return b""
        if item["type"] == "tool_search_call":
            item["arguments"] = json.loads(arguments)
            return b""
        item["input"] = custom_input(arguments)
        kind = "response.custom_tool_call_input"
        return self._event(f"{kind}.delta", **position, delta=item["input"]) + self._event(
            f"{kind}.done", **position, input=item["input"]
        )

    # -- response object --------------------------------------------------------------------

    def _event(self, kind: str, **content: Any) -> bytes:
        encoded = base.event({"type": kind, "sequence_number": self._number, **content}, kind)
        self._number += 1
        return encoded

    def _state(self, kind: str) -> bytes:
        return self._event(kind, response=self._response([], "in_progress"))

    def _response(self, items: list[schema.JSON], status: str | None = None) -> schema.JSON:
        generation, choice = self.generation, self.choices[0]
        if status is None:
            status = "incomplete" if choice.hit_limit else "completed"
        params = generation.params
        return {
            **generation.extra["echo"],
            "id": self._id,
            "object": "response",
            "created_at": self._created,
            "status": status,
            "error": None,
            "incomplete_details": {"reason": "max_output_tokens"} if choice.hit_limit else None,
            "max_output_tokens": params.max_tokens,
            "model": generation.model.name,
            "output": items,
            "temperature": params.temperature,
            "text": {"format": {"type": "text"}},
            "top_logprobs": params.logprobs or 0,
            "top_p": params.top_p,
            "usage": self._usage() if choice.last is not None else None,
        }

    def _usage(self) -> schema.JSON:
        counts = usage(self.choices)
        return {
            "input_tokens": counts["prompt_tokens"],
            "input_tokens_details": {**counts["prompt_tokens_details"], "cache_write_tokens": 0},
            "output_tokens": counts["completion_tokens"],
            "output_tokens_details": counts["completion_tokens_details"],
            "total_tokens": counts["total_tokens"],
        }


def _reasoning(text: str | None = None) -> schema.JSON:
    parts = [] if text is None else [{"type": "reasoning_text", "text": text}]
    return {"id": f"rs_{uuid.uuid4().hex}", "type": "reasoning", "summary": [], "content": parts}


def _message(parts: list[schema.JSON], status: str) -> schema.JSON:
    name = f"msg_{uuid.uuid4().hex}"
    return {
        "id": name,
        "type": "message",
        "status": status,
        "role": "assistant",
        "content": parts,
    }

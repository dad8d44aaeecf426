"""OpenAI's `/v1/chat/completions`."""

from __future__ import annotations

import json
import time
import uuid
from abc import abstractmethod
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema, model_validator

from engine.messages import Message, ReplyStats, reasoning_text, with_reasoning
from engine.model.info import Model
from engine.serve.json_input import answer_form
from engine.serve.routes import base, schema
from engine.serve.routes.tools import (
    INPUT,
    FunctionChoice,
    Toolbox,
    ToolChoice,
    custom_input,
    with_note,
)
from engine.serve.sessions import DIGEST
from engine.text.tools import tool_call


class CalledFunction(schema.Body):
    name: str
    arguments: schema.Arguments = Field(default_factory=dict)


class CalledCustom(schema.Body):
    name: str
    input: str = ""


class ToolCall(schema.Body):
    id: str = ""
    type: Literal["function", "custom"] = "function"
    function: CalledFunction | None = None
    custom: CalledCustom | None = None

    @property
    def as_message(self) -> schema.JSON:
        """Call as chat templates expect it, with arguments as an object."""
        if self.type == "custom" and self.custom is not None:
            return tool_call(self.id, self.custom.name, {INPUT: self.custom.input})
        if self.function is None:
            raise ValueError("a tool call must have a function")
        return tool_call(self.id, self.function.name, self.function.arguments)


class ChatMessage(schema.Body):
    """Chat message. Unknown fields are passed to the model's template."""

    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: Annotated[Any, schema.text_parts("text", "input_text", shows=True)] = ""
    reasoning_content: str | None = None
    tool_calls: schema.Items[ToolCall] = Field(default_factory=list)
    tool_call_id: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _lenient(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        message = {key: value for key, value in data.items() if key != "function_call"}
        if message.get("role") == "function":  # role of tool results in OpenAI's older function API
            message["role"] = "tool"
        if message.get("role") not in ("assistant", "tool"):
            return data
        if isinstance(called := data.get("function_call"), dict):
            message["tool_calls"] = [{"function": called}]
        for field in ("reasoning_content", "reasoning"):
            if not isinstance(sent := message.get(field), str | None):
                message[field] = reasoning_text(sent) or json.dumps(sent, ensure_ascii=False)
        message = with_reasoning(message) if message["role"] == "assistant" else message
        return {**message, "content": schema.as_history(message.get("content"))}

    @property
    def as_message(self) -> Message:
        message: Message = self.model_dump(exclude_unset=True, exclude={"tool_calls"})
        message["role"] = "system" if self.role == "developer" else self.role
        message["content"] = self.content
        if self.tool_calls:
            message["tool_calls"] = [call.as_message for call in self.tool_calls]
        return message


SESSION = ("<session_context>\n", "</session_context>")
"""Delimiters of Copilot CLI's per-session folder. It's in the middle of the instructions and always
differs, so nothing after it could be shared between sessions.
"""


def _session_behind(messages: list[Message]) -> list[Message]:
    """Move Copilot CLI's session folder out of the instructions, into the first user message."""
    if [m["role"] for m in messages[:2]] != ["system", "user"]:
        return messages
    (system, user), (opens, closes) = messages[:2], SESSION
    text = system["content"]
    if not isinstance(text, str) or not isinstance(user["content"], str):
        return messages  # the content includes images
    start, end = text.find(opens), text.find(closes)
    if not 0 <= start < end:
        return messages
    schema.log_once("moved instructions about the session's folder before the first message")
    end += len(closes)
    question = f"{text[start:end]}\n\n{user['content']}"
    rest = text[:start] + text[end:].lstrip("\n")
    return [{**system, "content": rest}, {**user, "content": question}, *messages[2:]]


Digest = Annotated[str, WithJsonSchema({"type": "string", "pattern": f"^{DIGEST}$"})]
"""Digest of messages the session already has."""


class ChatBody(schema.GenerationBody, schema.TemplateOptions):
    messages: Annotated[schema.Items[ChatMessage], Field(min_length=1)]
    follows: Digest | None = None
    tools: list[Any] = Field(default_factory=list)
    tool_choice: ToolChoice = "auto"
    parallel_tool_calls: bool = True
    n: schema.Choices = 1
    logprobs: bool = False
    top_logprobs: schema.TopLogprobs = 0
    response_format: schema.Format = None
    max_tokens: schema.Limit = None
    max_completion_tokens: schema.Limit = None
    stop: Annotated[Any, schema.parameter("stop")] = None
    functions: list[Any] = Field(default_factory=list)  # older form of tools
    function_call: FunctionChoice = "auto"
    modalities: Annotated[Any, schema.single_value(["text"])] = None
    store: Annotated[Any, schema.ignored_field("store", False)] = None
    verbosity: Annotated[Any, schema.ignored_field("verbosity", "medium")] = None
    web_search_options: Any = None

    def asks(self, model: Model) -> base.Generation:
        limit = self.max_tokens or self.max_completion_tokens
        if limit != (self.max_completion_tokens or limit):
            raise ValueError("max_tokens and max_completion_tokens differ")
        reasoning, template = self.template(model)
        box = Toolbox()
        choice, several = self.tool_choice, self.parallel_tool_calls
        if self.functions and self.tools:
            raise ValueError("functions and tools cannot be combined; choose one")
        if self.functions:
            function, several = self.function_call, False
            choice = {"type": "function", **function} if isinstance(function, dict) else function
            box.add_functions(self.functions)
        elif self.function_call not in ("auto", "none"):
            raise ValueError("function_call requires functions")
        box.add(self.tools)
        if self.web_search_options is not None:
            box.add([{"type": "web_search"}])
        tools = box.settings(model, choice, several)
        bound = answer_form(self.response_format, "response_format")
        if self.top_logprobs and not self.logprobs:
            raise ValueError("top_logprobs requires logprobs")
        messages = _session_behind([m.as_message for m in self.messages])
        return base.Generation(
            model,
            [with_note(schema.decode_media(messages, model), box.note())],
            self.sampling(
                model,
                max_tokens=limit,
                logprobs=self.top_logprobs if self.logprobs else None,
                **tools,
                **bound,
            ),
            self.config(reasoning),
            self.n,
            self.stream,
            template,
            self.wants_usage,
            box.given,
            {"legacy": bool(self.functions)},
            returns_reasoning=self.returns_reasoning,
        )


class OpenAIWriter(base.Writer):
    """Base for OpenAI's chat and text completion writers."""

    def __init__(
        self, generation: base.Generation, choices: list[base.Choice], prefix: str, kind: str
    ) -> None:
        super().__init__(generation, choices)
        self._kind = kind
        self._head: schema.JSON = {
            "id": f"{prefix}-{uuid.uuid4().hex}",
            "created": int(time.time()),
            "model": generation.model.name,
        }

    def end(self) -> bytes:
        last = b"data: [DONE]\n\n"
        return self._chunk([], usage=usage(self.choices)) + last if self.generation.usage else last

    def whole(self) -> schema.JSON:
        return {
            **self._head,
            "object": self._kind.removesuffix(".chunk"),
            "choices": [self._choice(choice) for choice in self.choices],
            "usage": usage(self.choices),
        }

    @abstractmethod
    def _choice(self, choice: base.Choice) -> schema.JSON: ...

    def _chunk(self, choices: Sequence[schema.JSON], **fields: Any) -> bytes:
        return base.event({**self._head, "object": self._kind, "choices": choices, **fields})


def reason(choice: base.Choice, calls: str = "tool_calls") -> str:
    if choice.hit_limit:
        return "length"
    return calls if choice.calls else "stop"


def usage(choices: list[base.Choice]) -> schema.JSON:
    """Return the request's token counts. A prompt with several answers is counted once."""
    stats = [choice.stats for choice in choices]
    first: dict[int, ReplyStats] = {}
    for choice in choices:
        first.setdefault(choice.prompt, choice.stats)
    prompt = sum(s.prompt_tokens for s in first.values())
    generated = sum(s.generated_tokens for s in stats)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": generated,
        "total_tokens": prompt + generated,
        "prompt_tokens_details": {"cached_tokens": sum(s.reused_tokens for s in first.values())},
        "completion_tokens_details": {"reasoning_tokens": sum(s.reasoning_tokens for s in stats)},
    }


class ChatWriter(OpenAIWriter):
    def __init__(self, generation: base.Generation, choices: list[base.Choice]) -> None:
        super().__init__(generation, choices, "chatcmpl", "chat.completion.chunk")
        self._started: set[int] = set()
        self._custom: set[tuple[int, int]] = set()  # calls of custom tools, whose input is text
        # The client uses functions instead of tools.
        self._legacy: bool = generation.extra.get("legacy", False)
        self._calls = "function_call" if self._legacy else "tool_calls"  # finish reason

    def _is_custom(self, name: str) -> bool:
        return self.generation.client_tool(name).kind == "custom"

    def _calls_delta(self, call: schema.JSON) -> schema.JSON:
        return {"function_call": call["function"]} if self._legacy else {"tool_calls": [call]}

    def _call(self, call_id: str, name: str, arguments: str) -> schema.JSON:
        if self._is_custom(name):
            custom = {"name": name, "input": custom_input(arguments)}
            return {"id": call_id, "type": "custom", "custom": custom}
        return tool_call(call_id, name, arguments)

    def piece(self, choice: base.Choice, piece: base.Piece) -> bytes:
        delta: schema.JSON = {}
        if isinstance(piece, base.CallComplete) and self._is_custom(piece.name):
            call = self._call(piece.id, piece.name, piece.arguments)
            delta["tool_calls"] = [{"index": piece.number, **call}]
            return self._chunk_of(choice, delta, None)
        if isinstance(piece, base.CallStart) and self._is_custom(piece.name):
            self._custom.add((choice.index, piece.number))
            return b""  # the input can't be extracted until the arguments are complete
        if isinstance(piece, (base.CallComplete, base.CallBroken)):
            return b""  # the finish reason tells clients that the call has ended
        if isinstance(piece, base.CallStart):
            call = self._call(piece.id, piece.name, piece.text)
            delta = self._calls_delta({"index": piece.number, **call})
        elif isinstance(piece, base.CallDelta):
            if (choice.index, piece.number) in self._custom:
                return b""
            call_delta = {"index": piece.number, "function": {"arguments": piece.text}}
            delta = self._calls_delta(call_delta)
        elif piece.text or not choice.answer:
            delta["reasoning_content" if piece.reasoning else "content"] = piece.text
        return self._chunk_of(
            choice, delta, None, piece.odds if isinstance(piece, base.Text) else ()
        )

    def ended(self, choice: base.Choice) -> bytes:
        return self._chunk_of(choice, {}, reason(choice, self._calls))

    def sign_of_life(self) -> bytes:
        return self._chunk_of(self.open_choice, {}, None)

    def _choice(self, choice: base.Choice) -> schema.JSON:
        message: schema.JSON = {"role": "assistant", "content": choice.text}
        if choice.reasoning_text:
            message["reasoning_content"] = choice.reasoning_text
        if choice.calls:
            message["content"] = choice.text if choice.text.strip() else None
            calls = [self._call(call.id, call.name, call.arguments) for call in choice.calls]
            message |= self._calls_delta(calls[0]) if self._legacy else {"tool_calls": calls}
        return {
            "index": choice.index,
            "message": message,
            "logprobs": self._odds(choice.odds),
            "finish_reason": reason(choice, self._calls),
        }

    def _odds(self, odds: Any) -> schema.JSON | None:
        if self.generation.params.logprobs is None:
            return None
        return {"content": base.listed_odds(odds), "refusal": None}

    def _chunk_of(
        self, choice: base.Choice, delta: schema.JSON, finish_reason: str | None, odds: Any = ()
    ) -> bytes:
        if choice.index not in self._started:
            self._started.add(choice.index)
            delta = {"role": "assistant", **delta}
        entry = {"index": choice.index, "delta": delta, "finish_reason": finish_reason}
        if odds:
            entry["logprobs"] = self._odds(odds)
        # Like OpenAI, send null usage in every chunk but the last if the client requested usage.
        return self._chunk([entry], usage=None) if self.generation.usage else self._chunk([entry])


class ChatCompletions(base.API):
    path = "/v1/chat/completions"
    summary = "Create a chat completion."
    body = ChatBody
    writer = ChatWriter

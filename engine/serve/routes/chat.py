"""OpenAI's `/v1/chat/completions` and `/v1/completions`."""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, PlainValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from engine.messages import Message, RawPrompt, ReplyStats
from engine.model.info import Model
from engine.params import SamplingParams
from engine.serve.auth import LOCAL, Guest
from engine.serve.json_input import form
from engine.serve.routes.base import Generation, Writer, event
from engine.serve.routes.choice import (
    CallBegun,
    CallBroken,
    Called,
    CallMore,
    Choice,
    Piece,
    Text,
    listed_odds,
    odds_columns,
)
from engine.serve.routes.schema import (
    JSON,
    MOST_CHOICES,
    Arguments,
    Choices,
    Effort,
    Format,
    FunctionTool,
    GenerationBody,
    Items,
    Limit,
    Only,
    OpenAIUser,
    OpenBody,
    Setting,
    TemplateOptions,
    TextParts,
    TopLogprobs,
    parsed,
    quoted,
)
from engine.serve.sessions import DIGEST
from engine.text.tool_grammars import check


class CalledFunction(OpenBody):
    name: str
    arguments: Arguments = Field(default_factory=dict)


class ToolCall(OpenBody):
    id: str = ""
    type: Literal["function"] = "function"
    function: CalledFunction

    @property
    def as_message(self) -> JSON:
        """As templates want it, which is with an object of arguments."""
        function = {"name": self.function.name, "arguments": self.function.arguments}
        return {"id": self.id, "type": "function", "function": function}


class ChatMessage(OpenBody):
    """A message. Fields that are not known here are for the model's template."""

    refused = ("audio", "function_call")

    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: Annotated[str, TextParts("text", "input_text")] = ""
    reasoning_content: str | None = None
    tool_calls: Items[ToolCall] = Field(default_factory=list)
    tool_call_id: str | None = None

    @property
    def as_message(self) -> Message:
        """As templates want it."""
        message: Message = self.model_dump(exclude_unset=True, exclude={"tool_calls"})
        message["role"] = "system" if self.role == "developer" else self.role
        message["content"] = self.content
        if self.tool_calls:
            message["tool_calls"] = [call.as_message for call in self.tool_calls]
        return message


ToolChoice = Annotated[
    Any,
    WithJsonSchema(
        {
            "anyOf": [
                {"enum": ["auto", "none", "required"]},
                {
                    "type": "object",
                    "properties": {
                        "type": {"const": "function"},
                        "function": {"type": "object", "properties": {"name": {"type": "string"}}},
                    },
                    "required": ["type", "function"],
                },
                {
                    "type": "object",
                    "properties": {"type": {"const": "function"}, "name": {"type": "string"}},
                    "required": ["type", "name"],
                },
            ]
        }
    ),
]
"""How tools may be called. The last shape is that of responses."""


Digest = Annotated[str, WithJsonSchema({"type": "string", "pattern": f"^{DIGEST}$"})]
"""Of messages that a session knows. It is followed before the body is read."""


class ChatBody(GenerationBody, TemplateOptions, OpenAIUser):
    refused = ("audio", "moderation", "web_search_options", "prompt", "system", "id")

    messages: Annotated[Items[ChatMessage], Field(min_length=1)]
    follows: Digest | None = None
    reasoning: bool | None = None
    reasoning_effort: Effort | None = None
    tools: Items[FunctionTool] = Field(default_factory=list)
    tool_choice: ToolChoice = "auto"
    parallel_tool_calls: bool = True
    n: Choices = 1
    logprobs: bool = False
    top_logprobs: TopLogprobs = 0
    response_format: Format = None
    max_tokens: Limit | None = None
    max_completion_tokens: Limit | None = None
    stop: Annotated[Any, Setting("stop")] = None
    functions: Annotated[Any, Only([])] = None
    function_call: Annotated[Any, Only("none", "auto")] = None
    modalities: Annotated[Any, Only(["text"])] = None
    store: Annotated[Any, Only(False)] = None
    service_tier: Annotated[Any, Only("auto", "default")] = None
    verbosity: Annotated[Any, Only("medium")] = None


class ChatCompletions:
    """Chat completions."""

    path = "/v1/chat/completions"
    summary = "A chat completion."
    body = ChatBody

    def read(self, body: Mapping[str, Any], model: Model, guest: Guest = LOCAL) -> Generation:
        """What a body asks for."""
        asked = parsed(ChatBody, body)
        limit = asked.max_tokens or asked.max_completion_tokens
        if limit != (asked.max_completion_tokens or limit):
            raise ValueError("max_tokens and max_completion_tokens differ")
        reasoning, template = asked.template(
            model, asked.reasoning, asked.reasoning_effort, "reasoning_effort"
        )
        tools = tool_settings(model, asked.tools, asked.tool_choice, asked.parallel_tool_calls)
        bound = form(asked.response_format, "response_format") if asked.response_format else {}
        if bound and tools:
            raise ValueError("response_format and tools cannot both shape one answer: choose one")
        if asked.top_logprobs and not asked.logprobs:
            raise ValueError("top_logprobs goes with logprobs only")
        return Generation(
            model,
            [[message.as_message for message in asked.messages]],
            asked.sampling(
                model,
                max_tokens=limit,
                logprobs=asked.top_logprobs if asked.logprobs else None,
                **tools,
                **bound,
            ),
            asked.config(reasoning),
            asked.n,
            asked.stream,
            template,
            asked.wants_usage,
        )

    def writer(self, generation: Generation, choices: list[Choice]) -> Writer:
        """Who writes the answer."""
        return ChatWriter(generation, choices)


def tool_settings(
    model: Model, tools: Sequence[FunctionTool], choice: Any, several: bool
) -> dict[str, Any]:
    """The settings of an answer that may call tools; empty where there are none.

    Args:
        choice: as chat completions or responses have it.

    Raises:
        ValueError: the model cannot be offered these.
    """
    if isinstance(choice, dict):
        # Responses have the name beside the type.
        function = choice.get("function", choice)
        name = function.get("name") if isinstance(function, dict) else None
        if choice.get("type") != "function" or not isinstance(name, str):
            raise ValueError(f"tool_choice can only name a function here, not {quoted(choice)}")
        choice = name
    elif choice not in ("auto", "none", "required"):
        raise ValueError(
            f"tool_choice can be auto, none, required or name a function, not {quoted(choice)}"
        )
    return offered(model, [tool.model_dump(exclude_unset=True) for tool in tools], choice, several)


def offered(model: Model, tools: list[JSON], choice: str, several: bool) -> dict[str, Any]:
    """The settings of an answer that may call tools in the shape of chat completions.

    Args:
        choice: "auto", "none", "required" or a tool's name.

    Raises:
        ValueError: the model cannot be offered these.
    """
    params = SamplingParams(tools=tools, tool_choice=choice, parallel_tool_calls=several)
    check(params, model.tool_format, model.name)
    names = ("tools", "tool_choice", "parallel_tool_calls")
    return {name: getattr(params, name) for name in names} if params.tools else {}


def prompts(given: Any) -> list[RawPrompt]:
    """One or several prompts, each a text or token ids."""
    if isinstance(given, str):
        return [RawPrompt(given)]
    if isinstance(given, list) and given:
        if all(isinstance(one, str) for one in given):
            return [RawPrompt(one) for one in given]
        lists = [given] if all(_is_id(one) for one in given) else given
        if all(isinstance(ids, list) and ids and all(map(_is_id, ids)) for ids in lists):
            return [RawPrompt(None, tuple(ids)) for ids in lists]
    raise PydanticCustomError("prompts", "a text, a list of texts, or token ids")


def _is_id(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31


_IDS: JSON = {"type": "array", "items": {"type": "integer", "minimum": 0}, "minItems": 1}
Prompts = Annotated[
    list[RawPrompt],
    PlainValidator(prompts),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string"},
                {"type": "array", "items": {"type": "string"}, "minItems": 1},
                _IDS,
                {"type": "array", "items": _IDS, "minItems": 1},
            ]
        }
    ),
]


class CompletionsBody(GenerationBody, OpenAIUser):
    refused = ("suffix", "messages", "system", "tools", "reasoning", "chat_template_kwargs")

    prompt: Prompts
    echo: bool = False
    logprobs: TopLogprobs | None = None
    n: Choices = 1
    best_of: Choices | None = None
    response_format: Format = None
    max_tokens: Limit | None = None
    stop: Annotated[Any, Setting("stop")] = None


class Completions:
    """Completions of a text, of several, or of token ids."""

    path = "/v1/completions"
    summary = "Texts, continued as they stand."
    body = CompletionsBody

    def read(self, body: Mapping[str, Any], model: Model, guest: Guest = LOCAL) -> Generation:
        """What a body asks for."""
        asked = parsed(CompletionsBody, body)
        if asked.echo and any(prompt.text is None for prompt in asked.prompt):
            raise ValueError("echo goes with texts only, not with token ids")
        if asked.echo and asked.logprobs is not None:
            raise ValueError("echo and logprobs do not go together here")
        if asked.best_of not in (None, asked.n):
            raise ValueError(f"best_of can only be n, which is {asked.n}, not {asked.best_of}")
        if asked.n * len(asked.prompt) > MOST_CHOICES:
            raise ValueError(f"n times the prompts must be at most {MOST_CHOICES}")
        bound = form(asked.response_format, "response_format") if asked.response_format else {}
        return Generation(
            model,
            asked.prompt,
            asked.sampling(model, max_tokens=asked.max_tokens, logprobs=asked.logprobs, **bound),
            asked.config(None),
            asked.n,
            asked.stream,
            usage=asked.wants_usage,
            extra={"echo": [prompt.text for prompt in asked.prompt] if asked.echo else []},
        )

    def writer(self, generation: Generation, choices: list[Choice]) -> Writer:
        """Who writes the answer."""
        return CompletionsWriter(generation, choices)


# -- answers ------------------------------------------------------------------------------


class OpenAIWriter(Writer):
    """The head of every chunk, and how a stream ends.

    Args:
        prefix: of the answer's id.
        kind: what a chunk is called.
    """

    def __init__(
        self, generation: Generation, choices: list[Choice], prefix: str, kind: str
    ) -> None:
        super().__init__(generation, choices)
        self._kind = kind
        self._head: JSON = {
            "id": f"{prefix}-{uuid.uuid4().hex}",
            "created": int(time.time()),
            "model": generation.model.name,
        }

    def end(self) -> bytes:
        """The figures, if they are wanted, and the end."""
        last = b"data: [DONE]\n\n"
        return self._chunk([], usage=usage(self.choices)) + last if self.generation.usage else last

    def failed(self, told: JSON) -> bytes:
        """The error as an event."""
        return event(told)

    def _chunk(self, choices: Sequence[JSON], **more: Any) -> bytes:
        return event({**self._head, "object": self._kind, "choices": choices, **more})


def reason(choice: Choice) -> str:
    """Why it ended, in OpenAI's words."""
    if choice.by_length:
        return "length"
    return "tool_calls" if choice.calls else "stop"


def usage(choices: list[Choice]) -> JSON:
    """The figures of a request. Each prompt is counted once, however many answers it has."""
    stats = [choice.stats for choice in choices]
    first: dict[int, ReplyStats] = {}
    for choice in choices:
        first.setdefault(choice.prompt, choice.stats)
    prompt = sum(s.prompt_tokens for s in first.values())
    made = sum(s.generated_tokens for s in stats)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": made,
        "total_tokens": prompt + made,
        "prompt_tokens_details": {"cached_tokens": sum(s.reused_tokens for s in first.values())},
        "completion_tokens_details": {"reasoning_tokens": sum(s.reasoning_tokens for s in stats)},
    }


class ChatWriter(OpenAIWriter):
    """A chat completion, whole or in chunks."""

    def __init__(self, generation: Generation, choices: list[Choice]) -> None:
        super().__init__(generation, choices, "chatcmpl", "chat.completion.chunk")
        self._begun: set[int] = set()

    def begin(self) -> bytes:
        """Nothing: the first piece has the role."""
        return b""

    def piece(self, choice: Choice, piece: Piece) -> bytes:
        """The chunk for new text or a tool call."""
        delta: JSON = {}
        if isinstance(piece, (Called, CallBroken)):
            return b""  # its end shows in the reason at the answer's
        if isinstance(piece, CallBegun):
            delta["tool_calls"] = [
                {"index": piece.number, **_call(piece.id, piece.name, piece.text)}
            ]
        elif isinstance(piece, CallMore):
            delta["tool_calls"] = [{"index": piece.number, "function": {"arguments": piece.text}}]
        elif piece.text or not choice.answer:
            delta["reasoning_content" if piece.reasoning else "content"] = piece.text
        return self._chunk_of(choice, delta, None, piece.odds if isinstance(piece, Text) else ())

    def ended(self, choice: Choice) -> bytes:
        """The chunk that says why it ended."""
        return self._chunk_of(choice, {}, reason(choice))

    def whole(self) -> JSON:
        """The answer in one piece."""
        return {
            **self._head,
            "object": "chat.completion",
            "choices": [self._choice(choice) for choice in self.choices],
            "usage": usage(self.choices),
        }

    def _choice(self, choice: Choice) -> JSON:
        message: JSON = {"role": "assistant", "content": choice.text}
        if choice.thought:
            message["reasoning_content"] = choice.thought
        if choice.calls:
            message["content"] = choice.text if choice.text.strip() else None
            message["tool_calls"] = [
                _call(call.id, call.name, call.arguments) for call in choice.calls
            ]
        return {
            "index": choice.index,
            "message": message,
            "logprobs": self._odds(choice.odds),
            "finish_reason": reason(choice),
        }

    def _odds(self, odds: Any) -> JSON | None:
        if self.generation.params.logprobs is None:
            return None
        return {"content": listed_odds(odds), "refusal": None}

    def _chunk_of(self, choice: Choice, delta: JSON, why: str | None, odds: Any = ()) -> bytes:
        """A chunk of one choice."""
        if choice.index not in self._begun:
            self._begun.add(choice.index)
            delta = {"role": "assistant", **delta}
        one = {"index": choice.index, "delta": delta, "finish_reason": why}
        if odds:
            one["logprobs"] = self._odds(odds)
        # With figures at the end all others say that they have none, as with OpenAI.
        return self._chunk([one], usage=None) if self.generation.usage else self._chunk([one])


def _call(name: str, tool: str, arguments: str) -> JSON:
    function = {"name": tool, "arguments": arguments}
    return {"id": name, "type": "function", "function": function}


class CompletionsWriter(OpenAIWriter):
    """A completion, whole or in chunks."""

    def __init__(self, generation: Generation, choices: list[Choice]) -> None:
        super().__init__(generation, choices, "cmpl", "text_completion")
        self._sent: dict[int, int] = {}  # characters of each choice's text

    def begin(self) -> bytes:
        """The prompts, where they are to be echoed."""
        if not self.generation.extra["echo"]:
            return b""
        return b"".join(self._chunk_of(c, self._echo(c), None) for c in self.choices)

    def piece(self, choice: Choice, piece: Piece) -> bytes:
        """The chunk for new text."""
        assert isinstance(piece, Text)
        before = self._sent.get(choice.index, 0)
        odds = odds_columns(piece.odds, before) if piece.odds else None
        if odds is not None:
            self._sent[choice.index] = before + sum(map(len, odds["tokens"]))
        return self._chunk_of(choice, piece.text, None, odds)

    def ended(self, choice: Choice) -> bytes:
        """The chunk that says why it ended."""
        return self._chunk_of(choice, "", reason(choice))

    def whole(self) -> JSON:
        """The answer in one piece."""
        return {
            **self._head,
            "object": self._kind,
            "choices": [self._choice(choice) for choice in self.choices],
            "usage": usage(self.choices),
        }

    def _choice(self, choice: Choice) -> JSON:
        odds = None if self.generation.params.logprobs is None else odds_columns(choice.odds, 0)
        return {
            "index": choice.index,
            "text": self._echo(choice) + choice.text,
            "logprobs": odds,
            "finish_reason": reason(choice),
        }

    def _echo(self, choice: Choice) -> str:
        echoed = self.generation.extra["echo"]
        return str(echoed[choice.prompt]) if echoed else ""

    def _chunk_of(
        self, choice: Choice, text: str, why: str | None, odds: JSON | None = None
    ) -> bytes:
        one = {"index": choice.index, "text": text, "logprobs": odds, "finish_reason": why}
        return self._chunk([one])

"""Anthropic's `/v1/messages` and `/v1/messages/count_tokens`, which coding tools speak."""

from __future__ import annotations

import json
import uuid
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from engine.messages import Message
from engine.model.info import Model
from engine.params import SamplingParams
from engine.serve.json_input import form
from engine.serve.routes.base import (
    API,
    BlockWriter,
    CallBegun,
    Called,
    CallMore,
    Choice,
    Generation,
    Piece,
    Text,
    event,
)
from engine.serve.routes.schema import (
    JSON,
    Anything,
    Body,
    Effort,
    FlatFormat,
    GenerationBody,
    InSession,
    Items,
    Limit,
    Only,
    OpenBody,
    OrText,
    Setting,
    TemplateOptions,
    TextParts,
    item_type,
    turn_role,
)
from engine.serve.routes.tools import offered
from engine.serve.sessions import SessionConfig


class TextBlock(OpenBody):
    type: Literal["text"]
    text: str


class ThinkingBlock(OpenBody):
    type: Literal["thinking"]
    thinking: str


class ToolUseBlock(OpenBody):
    type: Literal["tool_use"]
    id: str
    name: str
    input: dict[str, Any] = Field(default_factory=dict)


class ToolResultBlock(OpenBody):
    type: Literal["tool_result"]
    tool_use_id: str
    content: Annotated[str, TextParts("text")] = ""


UserBlock = Annotated[
    Annotated[TextBlock, Tag("@text")] | Annotated[ToolResultBlock, Tag("@tool_result")],
    Discriminator(item_type),
]
AssistantBlock = Annotated[
    Annotated[TextBlock, Tag("@text")]
    | Annotated[ThinkingBlock, Tag("@thinking")]
    | Annotated[ToolUseBlock, Tag("@tool_use")],
    Discriminator(item_type),
]
_one_text = OrText(lambda text: {"type": "text", "text": text})


class UserTurn(OpenBody):
    role: Literal["user"]
    content: Annotated[Items[UserBlock], _one_text]

    @property
    def as_messages(self) -> list[Message]:
        """As templates have it: results of tools are messages of their own."""
        results: list[Message] = [
            {"role": "tool", "tool_call_id": block.tool_use_id, "content": block.content}
            for block in self.content
            if isinstance(block, ToolResultBlock)
        ]
        texts = [block.text for block in self.content if isinstance(block, TextBlock)]
        if results and not texts:
            return results
        return [*results, {"role": "user", "content": "".join(texts)}]


class AssistantTurn(OpenBody):
    role: Literal["assistant"]
    content: Annotated[Items[AssistantBlock], _one_text]

    @property
    def as_messages(self) -> list[Message]:
        """As templates have it."""
        texts, thoughts, calls = [], [], []
        for block in self.content:
            if isinstance(block, TextBlock):
                texts.append(block.text)
            elif isinstance(block, ThinkingBlock):
                thoughts.append(block.thinking)
            else:
                function = {"name": block.name, "arguments": block.input}
                calls.append({"id": block.id, "type": "function", "function": function})
        message: Message = {"role": "assistant", "content": "".join(texts)}
        if thought := "".join(thoughts):
            message["reasoning_content"] = thought
        if calls:
            message["tool_calls"] = calls
        return [message]


Turn = Annotated[
    Annotated[UserTurn, Tag("@user")] | Annotated[AssistantTurn, Tag("@assistant")],
    Discriminator(turn_role),
]


class CustomTool(OpenBody):
    type: Literal["custom"] = "custom"
    name: Annotated[str, Field(min_length=1)]
    description: str | None = None
    input_schema: dict[str, Any]
    strict: bool | None = None

    @property
    def as_function(self) -> JSON:
        """As chat completions have it."""
        function = {
            "name": self.name,
            "description": self.description,
            "parameters": self.input_schema,
            "strict": self.strict,
        }
        return {"type": "function", "function": function}


class ToolChoice(Body):
    type: Literal["auto", "any", "tool", "none"]
    name: str | None = None
    disable_parallel_tool_use: bool = False


class Thinking(Body):
    type: Literal["enabled", "adaptive", "disabled"]
    # It is a target, and `max_tokens` the limit, as with Anthropic.
    budget_tokens: Limit | None = None
    display: Annotated[Any, Only("summarized")] = None


class OutputConfig(Body):
    effort: Effort | None = None
    format: FlatFormat = None


class PromptBody(InSession, TemplateOptions):
    """What makes the prompt."""

    messages: Annotated[Items[Turn], Field(min_length=1)]
    system: Annotated[str, TextParts("text")] = ""
    tools: Items[CustomTool] = Field(default_factory=list)
    tool_choice: ToolChoice = ToolChoice(type="auto")
    thinking: Thinking | None = None
    output_config: OutputConfig = OutputConfig()
    reasoning: bool | None = None
    cache_control: Anything = None
    speed: Annotated[Any, Only("standard")] = None

    @property
    def conversation(self) -> list[Message]:
        """The messages, the system's first."""
        said: list[Message] = [{"role": "system", "content": self.system}] if self.system else []
        for turn in self.messages:
            said += turn.as_messages
        return said

    def reasons(self, model: Model) -> tuple[bool | None, dict[str, Any]]:
        """Whether to reason, and what the template is given.

        Raises:
            ValueError: the model does not reason.
        """
        reasoning, template = self.template(
            model, self.reasoning, self.output_config.effort, "output_config.effort"
        )
        if self.thinking is None:
            return reasoning, template
        if self.thinking.type == "enabled" and not model.thinking:
            raise ValueError(f"thinking cannot be enabled: {model.name} does not reason")
        return self.thinking.type != "disabled", template

    def tool_settings(self, model: Model) -> dict[str, Any]:
        """The settings of an answer that may call tools.

        Raises:
            ValueError: the model cannot be offered these.
        """
        choice = self.tool_choice
        if (choice.type == "tool") != (choice.name is not None):
            raise ValueError("tool_choice has a name where its type is tool, and there only")
        asked = choice.name or ("required" if choice.type == "any" else choice.type)
        tools = [tool.as_function for tool in self.tools]
        return offered(model, tools, asked, not choice.disable_parallel_tool_use)

    def asks(self, model: Model) -> Generation:
        reasoning, template = self.reasons(model)
        params = SamplingParams(**self.tool_settings(model))
        if params.offered:
            template["tools"] = list(params.offered)
        return Generation(
            model,
            [self.conversation],
            params,
            SessionConfig(reasoning=reasoning),
            template=template,
        )


class MessagesBody(PromptBody, GenerationBody):
    refused = ("container", "context_management", "mcp_servers", "n", "stop", "logprobs")

    max_tokens: Limit | None = None
    stop_sequences: Annotated[Any, Setting("stop")] = None
    metadata: Anything = None
    diagnostics: Anything = None
    service_tier: Annotated[Any, Only("auto", "standard_only")] = None

    def asks(self, model: Model) -> Generation:
        reasoning, template = self.reasons(model)
        tools = self.tool_settings(model)
        wanted = self.output_config.format
        bound = form(wanted, "output_config.format") if wanted else {}
        if bound and tools:
            raise ValueError("output_config.format and tools cannot both shape one answer")
        _ = self.wants_usage  # a message always has its figures
        return Generation(
            model,
            [self.conversation],
            self.sampling(
                model, max_tokens=self.max_tokens, stop=self.stop_sequences, **tools, **bound
            ),
            self.config(reasoning),
            stream=self.stream,
            template=template,
        )


# -- answers ------------------------------------------------------------------------------


class MessagesWriter(BlockWriter):
    """A message, whole or in events."""

    def __init__(self, generation: Generation, choices: list[Choice]) -> None:
        super().__init__(generation, choices)
        self._id = f"msg_{uuid.uuid4().hex}"
        self._index = -1  # of the last block

    def begin(self) -> bytes:
        choice = self.choices[0]
        usage = _usage(choice.prompt_tokens, choice.reused_tokens, 0)
        return _event("message_start", message=self._message([], None, None, usage))

    def open(self, block: str, call: CallBegun | None = None) -> bytes:
        self._index += 1
        started = _thinking_block("") if block == "reasoning" else _text_block("")
        if call is not None:
            started = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
        return _event("content_block_start", index=self._index, content_block=started)

    def more(self, piece: Text | CallBegun | CallMore) -> bytes:
        if not isinstance(piece, Text):
            delta = {"type": "input_json_delta", "partial_json": piece.text}
        elif piece.reasoning:
            delta = {"type": "thinking_delta", "thinking": piece.text}
        else:
            delta = {"type": "text_delta", "text": piece.text}
        return _event("content_block_delta", index=self._index, delta=delta)

    def close(self, incomplete: bool) -> bytes:
        return _event("content_block_stop", index=self._index)

    def piece(self, choice: Choice, piece: Piece) -> bytes:
        empty = isinstance(piece, Text) and not piece.text
        return b"" if empty else super().piece(choice, piece)

    def end(self) -> bytes:
        choice = self.choices[0]
        why, stop = _reason(choice)
        stats = choice.stats
        usage = _usage(stats.prompt_tokens, stats.reused_tokens, stats.generated_tokens)
        delta = {"stop_reason": why, "stop_sequence": stop}
        return _event("message_delta", delta=delta, usage=usage) + _event("message_stop")

    def failed(self, error: JSON) -> bytes:
        return event(error, "error")

    def whole(self) -> JSON:
        choice = self.choices[0]
        blocks = [_thinking_block(choice.thought)] if choice.thought else []
        if choice.text.strip() or not choice.calls:
            blocks.append(_text_block(choice.text))
        blocks += [_tool_block(call) for call in choice.calls]
        stats = choice.stats
        usage = _usage(stats.prompt_tokens, stats.reused_tokens, stats.generated_tokens)
        return self._message(blocks, *_reason(choice), usage)

    def _message(self, blocks: list[JSON], why: str | None, stop: str | None, usage: JSON) -> JSON:
        return {
            "id": self._id,
            "type": "message",
            "role": "assistant",
            "model": self.generation.model.name,
            "content": blocks,
            "stop_reason": why,
            "stop_sequence": stop,
            "usage": usage,
        }


def _event(kind: str, **content: Any) -> bytes:
    return event({"type": kind, **content}, kind)


def _text_block(text: str) -> JSON:
    return {"type": "text", "text": text}


def _thinking_block(text: str) -> JSON:
    # The signature is for reasoning that is not told. All of it is told here.
    return {"type": "thinking", "thinking": text, "signature": ""}


def _tool_block(call: Called) -> JSON:
    given = json.loads(call.arguments)
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": given}


def _usage(prompt: int, reused: int, made: int) -> JSON:
    return {
        "input_tokens": prompt - reused,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": reused,
        "output_tokens": made,
    }


def _reason(choice: Choice) -> tuple[str, str | None]:
    """Why it ended, in Anthropic's words, and the stop string."""
    if choice.by_length:
        return "max_tokens", None
    if choice.calls:
        return "tool_use", None
    return ("stop_sequence", choice.stop) if choice.stop else ("end_turn", None)


class Messages(API):
    path = "/v1/messages"
    summary = "Anthropic's messages."
    body = MessagesBody
    writer = MessagesWriter


class CountTokens(API):
    path = "/v1/messages/count_tokens"
    summary = "How many tokens a prompt of Anthropic's messages has."
    body = PromptBody

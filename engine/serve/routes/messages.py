"""Anthropic's `/v1/messages` and `/v1/messages/count_tokens`. Many coding tools use these."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Mapping
from typing import Annotated, Any, Literal, cast

from pydantic import BeforeValidator, Field, Tag

from engine.messages import Message
from engine.model.info import Model
from engine.params import SamplingParams
from engine.serve import documents
from engine.serve.json_input import answer_form, shorten
from engine.serve.routes import base, schema
from engine.serve.routes.tools import absent_note, tool_parameters, with_head, with_note
from engine.serve.sessions import SessionConfig
from engine.text.tools import quote, tool_call

SIGNATURE = "c3RyZXR0bw=="
"""Dummy signature for reasoning. Some clients treat reasoning without a signature as part of the
answer.
"""


class TextBlock(schema.Body):
    type: Literal["text"]
    text: str


class ThinkingBlock(schema.Body):
    type: Literal["thinking"]
    thinking: str = ""


class ToolUseBlock(schema.Body):
    type: Literal["tool_use"]
    id: str
    name: str
    input: schema.Arguments = Field(default_factory=dict)


class FoundTool(schema.Body):
    """Tool that the client's tool search found at this point of the conversation."""

    type: Literal["tool_reference"]
    tool_name: str


class DocumentBlock(schema.Body):
    type: Literal["document"]
    source: dict[str, Any] = Field(default_factory=dict)
    title: str | None = None
    context: str | None = None

    @property
    def text(self) -> str:
        """Text of the document, or a note with the reason if it can't be read."""
        heading = "\n".join(part for part in (self.title, self.context) if part)
        return "\n".join(part for part in (heading, _read_document(self.source)) if part)


class OtherBlock(schema.OpenBody):
    """Block that models can't process, or that one of Anthropic's own tools wrote."""

    type: str

    @property
    def text(self) -> str:
        if self.type in schema.UNSEEN:
            return schema.unsupported_note(self.type)
        if self.type in HIDDEN:
            schema.log_once("left out encrypted reasoning")
            return ""
        if self.type not in LEFT:
            raise ValueError(f"unsupported content block {quote(self.type)}")
        schema.log_once("passed results of Anthropic's own tools as JSON")
        return f"[{self.type}: {json.dumps(self.model_extra, ensure_ascii=False)}]"


HIDDEN = ("redacted_thinking", "compaction")
LEFT = (
    *("server_tool_use", "web_search_tool_result", "web_fetch_tool_result", "mcp_tool_use"),
    *("mcp_tool_result", "code_execution_tool_result", "bash_code_execution_tool_result"),
    *("text_editor_code_execution_tool_result", "tool_search_tool_result", "container_upload"),
    *("search_result",),
)
"""Block types that only Anthropic's servers produce."""


def _part(block: Any) -> str | schema.JSON:
    if isinstance(block, OtherBlock) and block.type == "image":
        return schema.given_image(block.model_extra or {})
    return cast(str, block.text)


ResultBlock = Annotated[
    Annotated[TextBlock, Tag("@text")]
    | Annotated[DocumentBlock, Tag("@document")]
    | Annotated[FoundTool, Tag("@tool_reference")]
    | Annotated[OtherBlock, Tag("@other")],
    schema.tagged_by("type", "text", "document", "tool_reference"),
]


def _text_block(text: str) -> schema.JSON:
    return {"type": "text", "text": text}


def _as_blocks(content: Any) -> Any:
    blocks = [content] if isinstance(content, dict) else content
    known_kinds = ("text", "document", "tool_reference", *schema.UNSEEN, *HIDDEN, *LEFT)
    if not isinstance(blocks, list):
        return blocks
    types = [block.get("type") if isinstance(block, dict) else None for block in blocks]
    return [
        block if kind in known_kinds else schema.as_part(block)
        for kind, block in zip(types, blocks, strict=True)
    ]


class ToolResultBlock(schema.Body):
    type: Literal["tool_result"]
    tool_use_id: str
    content: Annotated[
        schema.Items[ResultBlock],
        schema.or_text(list[ResultBlock], _text_block),
        BeforeValidator(_as_blocks),
    ] = Field(default_factory=list)

    @property
    def found(self) -> list[str]:
        return [block.tool_name for block in self.content if isinstance(block, FoundTool)]

    def found_content(self, deferred: Mapping[str, schema.JSON]) -> str | list[schema.JSON]:
        """Return the content with descriptions of the found tools. See `content_of`.

        Args:
            deferred: deferred tools by name, described here instead of in the prompt's head.
        """
        texts: list[str | schema.JSON] = []
        for block in self.content:
            if not isinstance(block, FoundTool):
                texts.append(_part(block))
            elif block.tool_name in deferred:
                definition = json.dumps(deferred[block.tool_name]["function"], ensure_ascii=False)
                texts.append(f"\nThis tool can be called from now on:\n{definition}\n")
            else:
                texts.append(f"\n{block.tool_name}\n")
        return schema.content_of(texts)


UserBlock = Annotated[
    Annotated[TextBlock, Tag("@text")]
    | Annotated[DocumentBlock, Tag("@document")]
    | Annotated[ToolResultBlock, Tag("@tool_result")]
    | Annotated[OtherBlock, Tag("@other")],
    schema.tagged_by("type", "text", "document", "tool_result"),
]
AssistantBlock = Annotated[
    Annotated[TextBlock, Tag("@text")]
    | Annotated[ThinkingBlock, Tag("@thinking")]
    | Annotated[ToolUseBlock, Tag("@tool_use")]
    | Annotated[OtherBlock, Tag("@other")],
    schema.tagged_by("type", "text", "thinking", "tool_use"),
]


class UserTurn(schema.Body):
    role: Literal["user"]
    content: Annotated[schema.Items[UserBlock], schema.or_text(list[UserBlock], _text_block)]

    def as_messages(self, deferred: Mapping[str, schema.JSON]) -> list[Message]:
        """Return messages for the chat template. Tool results become separate messages."""
        results: list[Message] = [
            {"role": "tool", "tool_call_id": b.tool_use_id, "content": b.found_content(deferred)}
            for b in self.content
            if isinstance(b, ToolResultBlock)
        ]
        parts = [_part(block) for block in self.content if not isinstance(block, ToolResultBlock)]
        if results and not parts:
            return results
        return [*results, {"role": "user", "content": schema.content_of(parts)}]


class AssistantTurn(schema.Body):
    role: Literal["assistant"]
    content: Annotated[
        schema.Items[AssistantBlock], schema.or_text(list[AssistantBlock], _text_block)
    ] = Field(default_factory=list)

    def as_messages(self, _: Mapping[str, schema.JSON]) -> list[Message]:
        texts, thoughts, calls = [], [], []
        for block in self.content:
            if isinstance(block, ThinkingBlock):
                thoughts.append(block.thinking)
            elif isinstance(block, ToolUseBlock):
                calls.append(tool_call(block.id, block.name, block.input))
            else:
                texts.append(block.text)
        message: Message = {"role": "assistant", "content": "".join(texts)}
        if thought := "".join(thoughts):
            message["reasoning_content"] = thought
        if calls:
            message["tool_calls"] = calls
        return [message]


class SystemTurn(schema.Body):
    """Message from the client program to the model, sent between turns."""

    role: Literal["system"]
    content: Annotated[str, schema.text_parts("text")]

    def as_messages(self, _: Mapping[str, schema.JSON]) -> list[Message]:
        return [{"role": "system", "content": self.content}]


Turn = Annotated[
    Annotated[UserTurn, Tag("@user")]
    | Annotated[AssistantTurn, Tag("@assistant")]
    | Annotated[SystemTurn, Tag("@system")],
    schema.tagged_by("role"),
]


class CustomTool(schema.Body):
    type: Literal["custom"] = "custom"
    name: Annotated[str, Field(min_length=1)]
    description: str | None = None
    input_schema: dict[str, Any]
    strict: bool | None = None
    defer_loading: bool = False

    @property
    def as_function(self) -> schema.JSON:
        function = {
            "name": self.name,
            "description": self.description,
            "parameters": self.input_schema,
            "strict": self.strict,
        }
        return {"type": "function", "function": function}


class ServerTool(schema.OpenBody):
    """Tool that runs on Anthropic's servers, or that only their models can use."""

    type: str
    name: str = ""


OfferedTool = Annotated[
    Annotated[CustomTool, Tag("@custom")] | Annotated[ServerTool, Tag("@other")],
    schema.tagged_by("type", "custom", default="custom"),
]


class ToolChoice(schema.Body):
    type: Literal["auto", "any", "tool", "none"]
    name: str | None = None
    disable_parallel_tool_use: bool = False


class OutputConfig(schema.Body):
    effort: Any = None
    format: schema.FlatFormat = None

    @property
    def reasoning(self) -> schema.ReasoningOptions:
        if self.effort is not None and self.effort not in schema.EFFORTS:
            schema.ignore("output_config.effort")
            return schema.ReasoningOptions()
        return schema.ReasoningOptions(effort=self.effort)


BILLING = re.compile(r"(x-anthropic-billing-header:[^\n]*\n?)+")
"""Header line that some clients put before the instructions. It differs for every process, so
nothing after it could be shared.
"""


def _without_billing(content: Any) -> Any:
    return [_cleaned(part) for part in content] if isinstance(content, list) else _cleaned(content)


def _cleaned(part: Any) -> Any:
    text = part.get("text") if isinstance(part, dict) else part
    if not isinstance(text, str) or (match := BILLING.match(text)) is None:
        return part
    schema.log_once("removed billing lines from the instructions")
    text = text[match.end() :].lstrip("\n")
    return {**part, "text": text} if isinstance(part, dict) else text


class PromptBody(schema.InSession, schema.TemplateOptions):
    messages: Annotated[schema.Items[Turn], Field(min_length=1)]
    system: Annotated[str, schema.text_parts("text"), BeforeValidator(_without_billing)] = ""
    tools: schema.Items[OfferedTool] = Field(default_factory=list)
    tool_choice: ToolChoice = ToolChoice(type="auto")
    output_config: OutputConfig = OutputConfig()
    context_management: Annotated[Any, schema.ignored_field("context_management")] = None
    mcp_servers: schema.Items[dict[str, Any]] = Field(default_factory=list)
    speed: Annotated[Any, schema.ignored_field("speed", "standard")] = None

    def conversation(self, model: Model) -> list[Message]:
        """Return messages for the model, system message first.

        System turns before the first answer are the same for all agents of a program. They are
        moved to the front, so that agents can share their cache.
        """
        deferred = {tool.name: tool.as_function for tool in self._tools if tool.defer_loading}
        head, messages = [self.system] if self.system else [], list[Message]()
        answered = False
        for turn in self.messages:
            answered |= isinstance(turn, AssistantTurn)
            if isinstance(turn, SystemTurn) and not answered:
                head.append(turn.content)
            else:
                messages += turn.as_messages(deferred)
        system: list[Message] = [{"role": "system", "content": "\n\n".join(head)}] if head else []
        if not messages:
            raise ValueError("messages must include a user message")
        return with_note([*system, *schema.decode_media(messages, model)], self._note)

    @property
    def _tools(self) -> list[CustomTool]:
        return [tool for tool in self.tools if isinstance(tool, CustomTool)]

    @property
    def _note(self) -> str:
        servers = [str(server.get("name", "")) for server in self.mcp_servers]
        names = [tool.name or tool.type for tool in self.tools if isinstance(tool, ServerTool)]
        if servers or names:
            schema.log_once("left out tools that only Anthropic's servers have, and told the model")
        if servers:
            schema.ignore("mcp_servers")
        for name in names:
            schema.ignore(f"tools[{name}]")
        return absent_note([*map(shorten, (*names, *servers))])

    def reasons(self, model: Model) -> tuple[bool | None, dict[str, Any]]:
        """Return the reasoning flag (None: the model decides), and the template's arguments."""
        return self.template(model, self.output_config.reasoning, "output_config.effort")

    def tool_settings(self, model: Model) -> tuple[dict[str, Any], set[str]]:
        """Return the tool parameters, and the names of tools to be described where a search found
        them.
        """
        choice, custom = self.tool_choice, self._tools
        if (choice.type == "tool") != (choice.name is not None):
            raise ValueError("tool_choice must have a name if, and only if, its type is tool")
        absent = {tool.name for tool in self.tools if isinstance(tool, ServerTool)}
        kind = choice.name or ("required" if choice.type == "any" else choice.type)
        if choice.name in absent or (kind == "required" and absent and not custom):
            schema.log_once("tool_choice names an unavailable tool")
            kind = "auto"
        found_names = {
            name
            for turn in self.messages
            if isinstance(turn, UserTurn)
            for block in turn.content
            if isinstance(block, ToolResultBlock)
            for name in block.found
        }
        # If the client has no search tool, include deferred tools from the start.
        searches = any("search" in tool.name.lower() and not tool.defer_loading for tool in custom)
        later = {tool.name for tool in custom if tool.defer_loading and (searches or found_names)}
        usable = [tool for tool in custom if tool.name not in later - found_names - {choice.name}]
        if not usable and kind in ("auto", "none"):
            return {}, set()
        settings = tool_parameters(
            model,
            [tool.as_function for tool in usable],
            kind,
            not choice.disable_parallel_tool_use,
        )
        return settings, later

    def asks(self, model: Model) -> base.Generation:
        reasoning, template = self.reasons(model)
        settings, later = self.tool_settings(model)
        params = SamplingParams(**settings)
        return base.Generation(
            model,
            [self.conversation(model)],
            params,
            SessionConfig(reasoning=reasoning),
            template=with_head(template, params, later),
        )


class MessagesBody(PromptBody, schema.GenerationBody):
    aliases = {**schema.GenerationBody.aliases, **schema.aliases_of("stop_sequences", schema.STOPS)}  # noqa: RUF012

    # Limit from Anthropic's documentation.
    temperature: Annotated[Any, schema.parameter("temperature", 1.0)] = None
    max_tokens: schema.Limit = None
    stop_sequences: Annotated[Any, schema.parameter("stop")] = None
    service_tier: Annotated[Any, schema.ignored_field("service_tier", "auto", "standard_only")] = (
        None
    )

    def asks(self, model: Model) -> base.Generation:
        reasoning, template = self.reasons(model)
        tools, later = self.tool_settings(model)
        bound = answer_form(self.output_config.format, "output_config.format")
        _ = self.wants_usage  # only validated, because a message always includes token counts
        params = self.sampling(
            model, max_tokens=self.max_tokens, stop=self.stop_sequences, **tools, **bound
        )
        return base.Generation(
            model,
            [self.conversation(model)],
            params,
            self.config(reasoning),
            stream=self.stream,
            template=with_head(template, params, later),
            returns_reasoning=self.returns_reasoning,
        )


def _replacement_note(media: str, reason: str) -> str:
    schema.log_once(f"replaced {media} with a note")
    return f"[{media.capitalize()} was here, {reason}.]"


def _read_document(source: Mapping[str, Any]) -> str:
    kind, data = source.get("type"), source.get("data")
    if kind == "text" and isinstance(data, str):
        return data
    if kind == "content":
        return str(schema.join_texts(source.get("content")))
    if kind != "base64" or not isinstance(data, str):
        return _replacement_note("a document", "which cannot be fetched from here")
    try:
        return documents.read(data, str(source.get("media_type")))
    except ValueError as error:
        return _replacement_note("a document", f"which could not be read: {error}")


class MessagesWriter(base.BlockWriter):
    def __init__(self, generation: base.Generation, choices: list[base.Choice]) -> None:
        super().__init__(generation, choices)
        self._id = f"msg_{uuid.uuid4().hex}"
        self._index = -1  # index of the latest block

    def begin(self) -> bytes:
        choice = self.choices[0]
        usage = _usage(choice.prompt_tokens, choice.reused_tokens, 0)
        return _event("message_start", message=self._message([], None, None, usage))

    def open(self, block: str, call: base.CallStart | None = None) -> bytes:
        self._index += 1
        started: schema.JSON = {"type": "thinking", "thinking": "", "signature": ""}
        if block == "text":
            started = _text_block("")
        if call is not None:
            started = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
        return _event("content_block_start", index=self._index, content_block=started)

    def more(self, piece: base.Text | base.CallStart | base.CallDelta) -> bytes:
        if not isinstance(piece, base.Text):
            delta = {"type": "input_json_delta", "partial_json": piece.text}
        elif piece.reasoning:
            delta = {"type": "thinking_delta", "thinking": piece.text}
        else:
            delta = {"type": "text_delta", "text": piece.text}
        return _event("content_block_delta", index=self._index, delta=delta)

    def close(self, incomplete: bool) -> bytes:
        out = _event("content_block_stop", index=self._index)
        if self.block != "reasoning":
            return out
        delta = {"type": "signature_delta", "signature": SIGNATURE}
        return _event("content_block_delta", index=self._index, delta=delta) + out

    def sign_of_life(self) -> bytes:
        return _event("ping")

    def piece(self, choice: base.Choice, piece: base.Piece) -> bytes:
        empty = isinstance(piece, base.Text) and not piece.text
        return b"" if empty else super().piece(choice, piece)

    def end(self) -> bytes:
        choice = self.choices[0]
        stop_reason, stop = _reason(choice)
        stats = choice.stats
        usage = _usage(stats.prompt_tokens, stats.reused_tokens, stats.generated_tokens)
        delta = {"stop_reason": stop_reason, "stop_sequence": stop}
        return _event("message_delta", delta=delta, usage=usage) + _event("message_stop")

    def whole(self) -> schema.JSON:
        choice = self.choices[0]
        blocks: list[schema.JSON] = []
        if thought := choice.reasoning_text:
            blocks.append({"type": "thinking", "thinking": thought, "signature": SIGNATURE})
        if choice.text.strip() or not choice.calls:
            blocks.append(_text_block(choice.text))
        for call in choice.calls:
            arguments = json.loads(call.arguments)
            blocks.append(
                {"type": "tool_use", "id": call.id, "name": call.name, "input": arguments}
            )
        stats = choice.stats
        usage = _usage(stats.prompt_tokens, stats.reused_tokens, stats.generated_tokens)
        return self._message(blocks, *_reason(choice), usage)

    def _message(
        self,
        blocks: list[schema.JSON],
        stop_reason: str | None,
        stop: str | None,
        usage: schema.JSON,
    ) -> schema.JSON:
        return {
            "id": self._id,
            "type": "message",
            "role": "assistant",
            "model": self.generation.model.name,
            "content": blocks,
            "stop_reason": stop_reason,
            "stop_sequence": stop,
            "usage": usage,
        }


def _event(kind: str, **content: Any) -> bytes:
    return base.event({"type": kind, **content}, kind)


def _usage(prompt: int, reused: int, generated: int) -> schema.JSON:
    return {
        "input_tokens": prompt - reused,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": reused,
        "output_tokens": generated,
    }


def _reason(choice: base.Choice) -> tuple[str, str | None]:
    if choice.hit_limit:
        return "max_tokens", None
    if choice.calls:
        return "tool_use", None
    return ("stop_sequence", choice.stop) if choice.stop else ("end_turn", None)


class Messages(base.API):
    path = "/v1/messages"
    summary = "Create a message, in Anthropic's shape."
    body = MessagesBody
    writer = MessagesWriter

    def failed(self, error: schema.JSON, writer: Any = None) -> bytes:
        return base.event(error, "error")


class CountTokensAPI(base.API):
    path = "/v1/messages/count_tokens"
    summary = "Count the tokens of a prompt, in Anthropic's shape."
    body = PromptBody

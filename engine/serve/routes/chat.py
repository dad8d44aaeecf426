"""OpenAI's `/v1/chat/completions` and `/v1/completions`."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.messages import Message, RawPrompt, ReplyStats
from engine.model.info import Model
from engine.openai.requests import form, with_text
from engine.openai.schemas import FORMAT, MESSAGES, PROMPT, TOOL_CHOICE, TOOLS
from engine.params import MOST_LOGPROBS, SamplingParams
from engine.serve.auth import LOCAL, Guest
from engine.serve.routes.base import Asked, Body, OpenAIErrors, Telling, event
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
from engine.serve.routes.fields import (
    CHOICES,
    EFFORTS,
    FLAG,
    FOLLOWS,
    LIMIT,
    MANNER,
    MODEL,
    MOST_CHOICES,
    STREAMING,
    TEMPLATE,
    TOP_LOGPROBS,
    USER,
    Fields,
    Kind,
    Table,
    conversation,
    one_of,
    only,
    said,
    settings,
    whole,
)
from engine.text.tool_grammars import check


class OpenAITelling(Telling):
    """The head of every chunk, and how a stream ends.

    Args:
        prefix: of the answer's id.
        kind: what a chunk is called.
    """

    def __init__(self, asked: Asked, choices: list[Choice], prefix: str, kind: str) -> None:
        super().__init__(asked, choices)
        self._kind = kind
        self._head: Body = {
            "id": f"{prefix}-{uuid.uuid4().hex}",
            "created": int(time.time()),
            "model": asked.model.name,
        }

    def end(self) -> bytes:
        """The figures, if they are wanted, and the end."""
        last = b"data: [DONE]\n\n"
        return self._chunk([], usage=usage(self.choices)) + last if self.asked.figures else last

    def failed(self, told: Body) -> bytes:
        """The error as an event."""
        return event(told)

    def _chunk(self, choices: Sequence[Body], **more: Any) -> bytes:
        return event({**self._head, "object": self._kind, "choices": choices, **more})


def reason(choice: Choice) -> str:
    """Why it ended, in OpenAI's words."""
    if choice.by_length:
        return "length"
    return "tool_calls" if choice.calls else "stop"


def usage(choices: list[Choice]) -> Body:
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


def offer(
    given: Any, model: Model, choice: str = "auto", named: str | None = None, together: bool = True
) -> SamplingParams:
    """The tools that a client offers, in OpenAI's shape of chat completions, as settings.

    Args:
        choice: "auto", "none" or "required".
        named: the only tool that may be called, and must be.
        together: there may be several calls.

    Raises:
        ValueError: they cannot be offered so.
    """
    asked = choice if named is None else named
    params = SamplingParams(tools=given, tool_choice=asked, parallel_tool_calls=together)
    check(params, model.tool_format, model.name)
    return params


def settings_of(offered: SamplingParams) -> dict[str, Any]:
    """The settings of tools among all, to be given with others."""
    if not offered.tools:
        return {}
    return {
        "tools": offered.tools,
        "tool_choice": offered.tool_choice,
        "parallel_tool_calls": offered.parallel_tool_calls,
    }


def arguments(given: Any, name: Any) -> Mapping[str, Any]:
    """A tool call's arguments as templates want them.

    Raises:
        ValueError: they are no JSON object.
    """
    try:
        found = json.loads(given) if isinstance(given, str) and given.strip() else given or {}
    except (ValueError, RecursionError):
        raise ValueError(f"the arguments of the call of {said(name)} are no JSON") from None
    if not isinstance(found, dict):
        raise ValueError(f"the arguments of the call of {said(name)} must be an object")
    return found


CHOICE: dict[str, Kind] = {
    "tool_choice": Kind(TOOL_CHOICE),
    "parallel_tool_calls": FLAG,
}
# Fields that can only ask for what is done anyway.
_ONE_VALUE: dict[str, Kind] = {
    "functions": only([]),
    "function_call": only("none", "auto"),
    "modalities": only(["text"]),
    "store": only(False),
    "service_tier": only("auto", "default"),
    "verbosity": only("medium"),
}


class ChatDoor(OpenAIErrors):
    """Chat completions."""

    path = "/v1/chat/completions"
    about = "A chat completion."
    table = Table(
        {
            **settings(),
            **MODEL,
            **USER,
            **STREAMING,
            **MANNER,
            **TEMPLATE,
            **CHOICE,
            **_ONE_VALUE,
            "messages": Kind(MESSAGES),
            "follows": FOLLOWS,
            "tools": Kind(TOOLS),
            "reasoning_effort": one_of(*EFFORTS),
            "n": CHOICES,
            "logprobs": FLAG,
            "top_logprobs": TOP_LOGPROBS,
            "response_format": Kind(FORMAT),
            "max_tokens": LIMIT,
            "max_completion_tokens": LIMIT,
        },
        required=("messages",),
        refused=("audio", "moderation", "web_search_options", "prompt", "system", "id"),
    )

    def read(self, body: Body, model: Model, guest: Guest = LOCAL) -> Asked:
        """The body in our own terms."""
        fields = Fields(body, self.table)
        fields.ignore((*MODEL, *USER, *_ONE_VALUE, "follows"))  # whoever calls has followed it
        stream, figures = fields.streaming()
        messages = [read_message(m) for m in conversation(fields.take("messages"))]
        reasoning, template = fields.template(model, fields.take("reasoning_effort"))
        offer = offered(fields, fields.take("tools", []), model)
        most = fields.top_logprobs(fields.flag("logprobs"), "logprobs")
        own = form(fields.take("response_format", {"type": "text"}), "response_format")
        if own and offer.offered:
            raise ValueError("response_format and tools cannot both shape one answer: choose one")
        asked = Asked(
            model,
            [messages],
            params=None,  # type: ignore[arg-type]
            manner=fields.manner(reasoning),
            n=fields.choices(),
            stream=stream,
            template=template,
            figures=figures,
        )
        limit = fields.limit("max_tokens", "max_completion_tokens")
        return replace(
            asked,
            params=fields.params(
                model, max_tokens=limit, logprobs=most, **settings_of(offer), **own
            ),
        )

    def telling(self, asked: Asked, choices: list[Choice]) -> Telling:
        """Who tells the client."""
        return ChatTelling(asked, choices)


def offered(fields: Fields, tools: Any, model: Model) -> SamplingParams:
    """The tools that may be called, and how."""
    choice, named = fields.take("tool_choice", "auto"), None
    if isinstance(choice, dict):
        # Responses have the name beside the type.
        inside = choice.get("function", choice)
        named = inside.get("name") if isinstance(inside, dict) else None
        if choice.get("type") != "function" or not isinstance(named, str):
            raise ValueError(f"tool_choice can only name a function here, not {said(choice)}")
    elif choice not in ("auto", "none", "required"):
        raise ValueError(
            f"tool_choice can be auto, none, required or name a function, not {said(choice)}"
        )
    together = fields.flag("parallel_tool_calls", True)
    return offer(tools, model, choice if named is None else "required", named, together)


def read_message(message: Message) -> Message:
    """A message as templates want it: plain text, arguments of calls as objects."""
    read: Message = dict(with_text(message))
    if read["role"] == "developer":
        read["role"] = "system"
    if read["role"] not in ("system", "user", "assistant", "tool"):
        raise ValueError(f"there is no role {said(read['role'])} here")
    if read.get("content") is None:
        read["content"] = ""
    calls = read.pop("tool_calls", None) or []
    if not isinstance(calls, list):
        raise ValueError("tool_calls must be a list")
    if calls:
        read["tool_calls"] = [_read_call(call) for call in calls]
    return read


def _read_call(call: Any) -> dict[str, Any]:
    inside = call.get("function") if isinstance(call, dict) else None
    name = inside.get("name") if isinstance(inside, dict) else None
    if not isinstance(inside, dict) or not isinstance(name, str):
        raise ValueError("a tool call in messages must have a function with a name")
    given = {"name": name, "arguments": arguments(inside.get("arguments"), name)}
    return {"id": str(call.get("id") or ""), "type": "function", "function": given}


class ChatTelling(OpenAITelling):
    """A chat completion, whole or in chunks."""

    def __init__(self, asked: Asked, choices: list[Choice]) -> None:
        super().__init__(asked, choices, "chatcmpl", "chat.completion.chunk")
        self._begun: set[int] = set()

    def begin(self) -> bytes:
        """Nothing: the first piece has the role."""
        return b""

    def piece(self, choice: Choice, piece: Piece) -> bytes:
        """The chunk for new text or a tool call."""
        told: Body = {}
        if isinstance(piece, (Called, CallBroken)):
            return b""  # its end shows in the reason at the answer's
        if isinstance(piece, CallBegun):
            told["tool_calls"] = [
                {"index": piece.number, **_call(piece.id, piece.name, piece.text)}
            ]
        elif isinstance(piece, CallMore):
            told["tool_calls"] = [{"index": piece.number, "function": {"arguments": piece.text}}]
        elif piece.text or not choice.answer:
            told["reasoning_content" if piece.reasoning else "content"] = piece.text
        return self._said(choice, told, None, piece.odds if isinstance(piece, Text) else ())

    def ended(self, choice: Choice) -> bytes:
        """The chunk that says why it ended."""
        return self._said(choice, {}, reason(choice))

    def whole(self) -> Body:
        """The answer in one piece."""
        return {
            **self._head,
            "object": "chat.completion",
            "choices": [self._choice(choice) for choice in self.choices],
            "usage": usage(self.choices),
        }

    def _choice(self, choice: Choice) -> Body:
        message: Body = {"role": "assistant", "content": choice.text}
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

    def _odds(self, told: Any) -> Body | None:
        if self.asked.params.logprobs is None:
            return None
        return {"content": listed_odds(told), "refusal": None}

    def _said(self, choice: Choice, delta: Body, why: str | None, told: Any = ()) -> bytes:
        """A chunk of one choice."""
        if choice.index not in self._begun:
            self._begun.add(choice.index)
            delta = {"role": "assistant", **delta}
        one = {"index": choice.index, "delta": delta, "finish_reason": why}
        if told:
            one["logprobs"] = self._odds(told)
        # With figures at the end all others say that they have none, as with OpenAI.
        return self._chunk([one], usage=None) if self.asked.figures else self._chunk([one])


def _call(name: str, tool: str, arguments: str) -> Body:
    function = {"name": tool, "arguments": arguments}
    return {"id": name, "type": "function", "function": function}


class CompletionsDoor(OpenAIErrors):
    """Completions of a text, of several, or of token ids."""

    path = "/v1/completions"
    about = "Texts, continued as they stand."
    table = Table(
        {
            **settings(),
            **MODEL,
            **USER,
            **STREAMING,
            **MANNER,
            "prompt": Kind(PROMPT),
            "echo": FLAG,
            "logprobs": whole(0, MOST_LOGPROBS),
            "n": CHOICES,
            "best_of": CHOICES,
            "response_format": Kind(FORMAT),
            "max_tokens": LIMIT,
        },
        required=("prompt",),
        refused=("suffix", "messages", "system", "tools", "reasoning", "chat_template_kwargs"),
    )

    def read(self, body: Body, model: Model, guest: Guest = LOCAL) -> Asked:
        """The body in our own terms."""
        fields = Fields(body, self.table)
        fields.ignore((*MODEL, *USER))
        stream, figures = fields.streaming()
        prompts = prompts_of(fields.take("prompt"), "prompt")
        echo = fields.flag("echo")
        if echo and any(p.text is None for p in prompts):
            raise ValueError("echo goes with texts only, not with token ids")
        most = fields.take("logprobs")
        if echo and most is not None:
            raise ValueError("echo and logprobs do not go together here")
        n = fields.choices()
        if (best := fields.take("best_of", n)) != n:
            raise ValueError(f"best_of can only be n, which is {n}, not {best}")
        if n * len(prompts) > MOST_CHOICES:
            raise ValueError(f"n times the prompts must be at most {MOST_CHOICES}")
        own = form(fields.take("response_format", {"type": "text"}), "response_format")
        manner = fields.manner(None)
        limit = fields.limit("max_tokens")
        params = fields.params(model, max_tokens=limit, logprobs=most, **own)
        return Asked(
            model,
            prompts,
            params,
            manner,
            n,
            stream,
            figures=figures,
            extra={"echo": [p.text for p in prompts] if echo else []},
        )

    def telling(self, asked: Asked, choices: list[Choice]) -> Telling:
        """Who tells the client."""
        return CompletionsTelling(asked, choices)


def prompts_of(given: Any, where: str) -> list[RawPrompt]:
    """One or several prompts, each a text or token ids."""
    if isinstance(given, str):
        return [RawPrompt(given)]
    if not isinstance(given, list) or not given:
        raise ValueError(f"{where} must be a text, a list of texts, or token ids")
    if all(isinstance(one, str) for one in given):
        return [RawPrompt(one) for one in given]
    lists = [given] if all(_is_id(one) for one in given) else given
    for ids in lists:
        if not isinstance(ids, list) or not ids or not all(_is_id(i) for i in ids):
            raise ValueError(f"{where} must be a text, a list of texts, or token ids")
    return [RawPrompt(None, tuple(ids)) for ids in lists]


def _is_id(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31


class CompletionsTelling(OpenAITelling):
    """A completion, whole or in chunks."""

    def __init__(self, asked: Asked, choices: list[Choice]) -> None:
        super().__init__(asked, choices, "cmpl", "text_completion")
        self._told: dict[int, int] = {}  # characters of each choice's text

    def begin(self) -> bytes:
        """The prompts, where they are to be echoed."""
        if not self.asked.extra["echo"]:
            return b""
        return b"".join(self._said(c, self._echo(c), None) for c in self.choices)

    def piece(self, choice: Choice, piece: Piece) -> bytes:
        """The chunk for new text."""
        assert isinstance(piece, Text)
        before = self._told.get(choice.index, 0)
        told = odds_columns(piece.odds, before) if piece.odds else None
        if told is not None:
            self._told[choice.index] = before + sum(map(len, told["tokens"]))
        return self._said(choice, piece.text, None, told)

    def ended(self, choice: Choice) -> bytes:
        """The chunk that says why it ended."""
        return self._said(choice, "", reason(choice))

    def whole(self) -> Body:
        """The answer in one piece."""
        return {
            **self._head,
            "object": self._kind,
            "choices": [self._choice(choice) for choice in self.choices],
            "usage": usage(self.choices),
        }

    def _choice(self, choice: Choice) -> Body:
        told = None if self.asked.params.logprobs is None else odds_columns(choice.odds, 0)
        return {
            "index": choice.index,
            "text": self._echo(choice) + choice.text,
            "logprobs": told,
            "finish_reason": reason(choice),
        }

    def _echo(self, choice: Choice) -> str:
        echoed = self.asked.extra["echo"]
        return str(echoed[choice.prompt]) if echoed else ""

    def _said(self, choice: Choice, text: str, why: str | None, told: Body | None = None) -> bytes:
        one = {"index": choice.index, "text": text, "logprobs": told, "finish_reason": why}
        return self._chunk([one])

"""Detection of a model's dialect, and its use for prompts and replies."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from msgspec import Struct

from engine.messages import Message, text_of
from engine.text import call_notations
from engine.text.dialects import (
    CALL,
    MLX_LM,
    OTHER,
    ROWS,
    THINK,
    Arguments,
    DialectRow,
    Markers,
    Pair,
    Switch,
)
from engine.text.rendering import MOMENT


class Dialect(Struct, frozen=True, eq=False):
    """Dialect of a tokenizer and template, based on a row of the table."""

    row: DialectRow
    markers: Markers
    tool_format: str  # notation of tool calls, or "" if the model doesn't support them
    reasons: bool  # the model can reason before answering
    knows_calls: bool  # the template can render tool calls in messages
    switch: Switch
    ends: tuple[str, ...]  # end-of-turn tokens that exist in the tokenizer

    def prepare(
        self, reasoning: bool | None, template: Arguments, messages: list[Message]
    ) -> tuple[dict[str, Any], list[Message]]:
        """Return template arguments and messages that give the desired reasoning.

        Args:
            reasoning: None leaves it to the template.
            template: arguments from the caller, which take precedence.
        """
        switch, arguments = self.switch, dict(template)
        today = datetime.fromtimestamp(arguments.get(MOMENT, time.time()))
        arguments = {
            **{name: today.strftime(form) for name, form in self.row.dates.items()},
            **arguments,
        }
        if reasoning is None and "reasoning_effort" not in arguments:
            return arguments, messages
        effort = switch.efforts.get(str(arguments.get("reasoning_effort")))
        if effort is not None:
            arguments = {**arguments, **effort}
        if reasoning is None:
            return arguments, messages
        words = switch.words[0 if reasoning else 1]
        if words and not any(w in _text(m) for m in messages for w in switch.words):
            first, rest = messages[0], messages[1:]
            if first["role"] == "system":
                messages = [{**first, "content": f"{words}\n{_text(first)}"}, *rest]
            else:
                messages = [{"role": "system", "content": words}, *messages]
        return {**(switch.on if reasoning else switch.off), **arguments}, messages

    def begin(self, thought: str, content: str, inside: bool) -> str:
        """Return the start of a reply as the model would have written it.

        Args:
            inside: True if the prompt ends inside reasoning.
        """
        start, end = self.markers.think_start, self.markers.think_end
        if not end and self.row.opening_texts is None:
            return content
        opening, between, plain = self.row.opening_texts or (f"{start}\n", f"\n{end}\n\n", "")
        if not thought and not inside:
            return plain + content if content else ""
        head = thought if inside else opening + thought
        return head.rstrip("\n") + between + content if content else head


def _text(message: Message) -> str:
    return text_of(message.get("content"))


def opens_reasoning(markers: Markers, prompt: str, opening: str | None = None) -> bool:
    """Return True if the template opened a reasoning block at the end of the prompt.

    Args:
        opening: what the template added after the messages, if known.
    """
    starts = [f for f in markers.frames if f.kind == "reasoning"]
    if opening is None:
        # Check only the very end, because messages can contain the marker, too.
        return any(prompt.rstrip().endswith(f.start) for f in starts)
    return any(
        opening.rfind(f.start) > max((opening.rfind(end) for end in f.ends), default=-1)
        for f in starts
    )


Made = TypeVar("Made")


def cache_per_tokenizer(make: Callable[[Any], Made]) -> Callable[[Any], Made]:
    """Cache the results of `make` per tokenizer, by weak reference."""
    results: WeakKeyDictionary[Any, Made] = WeakKeyDictionary()
    lock = threading.Lock()

    def cached(tokenizer: Any) -> Made:
        with lock:
            if tokenizer not in results:
                results[tokenizer] = make(tokenizer)
            return results[tokenizer]

    return cached


def recognize(tokenizer: Any) -> Dialect:
    inner = getattr(tokenizer, "_tokenizer", tokenizer)
    template = template_text(inner)
    renderer_name = renderer(tokenizer)
    tokens = added_tokens(tokenizer)
    row = next((row for row in ROWS if row.matches(tokens, template, renderer_name)), OTHER)

    pair = row.reasoning
    if pair == MLX_LM:
        pair = (tokenizer.think_start or "", tokenizer.think_end or "")
        if not pair[0] and THINK[1] in template:
            pair = THINK  # the markers are plain text, which mlx-lm doesn't detect
    tools, calls = row.tools, row.calls
    if tools == MLX_LM:
        calls = call_notations.format_of(tokenizer) or call_notations.infer_format(template)
        tools = _call_markers(tokenizer, calls)
        if not calls and CALL[0] in template:
            tools, calls = CALL, "json_tools"
    markers = Markers(
        *_as_pair(pair),
        *_as_pair(tools),
        row.dropped,
        row.more,
        row.header,
        row.calls_end_reasoning,
    )
    if row.tools != MLX_LM and template and "tools" not in template:
        calls = ""  # the template wouldn't show tools to the model
    has_tools = any(frame.kind == "tool" for frame in markers.frames) or row.header is not None
    thoughts = [frame for frame in markers.frames if frame.kind == "reasoning"]
    framed = bool(thoughts) or row.header is not None
    has_start = any(frame.start in template for frame in thoughts) or row.header is not None
    has_start = has_start or not template or bool(_REASONS.search(template))
    return Dialect(
        row,
        markers,
        calls if has_tools and calls != MLX_LM else "",
        framed and has_start,
        "tool_calls" in template or bool(renderer_name),
        row.switch or _switch(template),
        tuple(end for end in row.ends if end in tokens),
    )


@cache_per_tokenizer
def added_tokens(tokenizer: Any) -> Mapping[str, int]:
    inner = getattr(tokenizer, "_tokenizer", tokenizer)
    get_added = getattr(inner, "get_added_vocab", None)
    return get_added() if get_added is not None else {}


of = cache_per_tokenizer(recognize)
"""Return the dialect of a tokenizer wrapper."""


def renderer(tokenizer: Any) -> str:
    template = getattr(tokenizer, "_chat_template", None)
    if template is not None:
        return str(getattr(template, "__module__", "")).rpartition(".")[2]
    name = getattr(tokenizer, "renderer", "")
    return name if isinstance(name, str) else ""


def _call_markers(tokenizer: Any, calls: str) -> Pair:
    if tokenizer.has_tool_calling:
        return tokenizer.tool_call_start or "", tokenizer.tool_call_end or ""
    return call_notations.markers(calls) if calls else ("", "")


def _as_pair(pair: Pair | str) -> Pair:
    return pair if isinstance(pair, tuple) else ("", "")


def template_text(tokenizer: Any) -> str:
    template = getattr(tokenizer, "chat_template", None)
    if isinstance(template, Mapping):
        return "\n".join(str(text) for text in template.values())
    return template if isinstance(template, str) else ""


_REASONS = re.compile(r"think|reason", re.IGNORECASE)
_EFFORTS = ("minimal", "low", "medium", "high", "xhigh")


def _switch(template: str) -> Switch:
    if "enable_thinking" not in template and re.search(r"(if|not|set|and|or) thinking\b", template):
        return Switch({"thinking": True}, {"thinking": False})
    if "enable_thinking" not in template and "reasoning_effort" in template:
        return Switch(efforts={effort: {"reasoning_effort": effort} for effort in _EFFORTS})
    return Switch({"enable_thinking": True}, {"enable_thinking": False})

"""Adaptation of messages to chat templates that reject some of them.

Templates may raise for a system message, roles that don't alternate, several tool calls,
unexpected content types and more. Others silently drop system messages, tool calls or results.
Rendering prefixes finds the first message that is rejected or dropped. A change that the template
accepts is then applied to this and all later messages of the same shape. A change depends only on
the messages before it, so the next turn starts with the same text.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from itertools import permutations, product
from typing import Any

from engine.messages import Message, text_of

Render = Callable[[list[Message], bool], str]
"""Function that renders messages, and opens a reply if the flag is True. Raises the template's
errors.
"""

MAX_RULES = 24
"""Maximum number of different changes in a conversation."""

MAX_LESSONS = 64
"""Maximum number of searches for a change in a conversation."""

MAX_UNDECIDED = 3
"""Maximum number of messages for which no change helped. Templates can reject a prefix of a
conversation but accept the whole conversation.
"""

EMPTY = "…"

_WORD = re.compile(r"(?<![A-Za-z0-9])(?!(?:true|false|null)\b)[A-Za-z][A-Za-z0-9]*")
"""Words that look the same in every notation for tool calls and results."""
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)")
_WORD_SEARCH_CHARS = 2000

_Variant = Callable[[list[Message], Message], list[Message] | None]
_Placement = Callable[[list[Message], list[Message]], list[Message] | None]
_Change = tuple[tuple[_Variant, ...], _Placement]
_Shape = tuple[object, ...]


def render_adapted(render: Render, messages: list[Message], opening: bool) -> str:
    """Render messages, with changes for everything that the template rejects or drops.

    Raises:
        Exception: the first error from the template, if no change helps.
    """
    conversation = _Conversation(render, messages, opening)
    text, first = conversation.render_first(len(messages))
    while text is None or conversation.first_dropped(text) is not None:
        if not conversation.find_change(text):
            if text is not None:
                return text
            assert first is not None
            raise first
        text, error = conversation.render_first(len(messages))
        first = first or error
    return text


class _Conversation:
    """Conversation, with the changes that its template needs.

    Attributes:
        rules: by message shape: the index from which the change applies, and the change.
    """

    def __init__(self, render: Render, messages: list[Message], opening: bool) -> None:
        self.rules: dict[_Shape, tuple[int, _Change]] = {}
        self._render = render
        self._messages = messages
        self._opening = opening
        self._undecided: set[int] = set()
        self._change_counts: dict[int, int] = {}  # number of changes tried, by message
        self._lessons = 0

    def render_first(self, count: int) -> tuple[str | None, Exception | None]:
        return self._render_prefix(self._apply_changes(count), count)

    def find_change(self, text: str | None) -> bool:
        """Find a change for the first message that is rejected or dropped. Return False if there is
        none.
        """
        dropped = None if text is None else self.first_dropped(text)
        index = self._find_first_rejected() if dropped is None else self._find_displacing(dropped)
        needed_messages = [self._messages[i] for i in (index, dropped) if i is not None]
        before, message = self._apply_changes(index), self._messages[index]
        shape = _message_shape(before, message)
        results_as_user = message["role"] == "tool" and self._shows_results_as_user()
        self._lessons += 1
        if index in self._change_counts and self.rules.get(shape, (None,))[0] == index:
            del self.rules[shape]  # this change only works at the end of a conversation
        can_learn = len(self.rules) < MAX_RULES and self._lessons <= MAX_LESSONS
        for change in _CHANGES[self._change_counts.get(index, 0) :] if can_learn else ():
            self._change_counts[index] = self._change_counts.get(index, 0) + 1
            changed = _apply(change, before, message)
            if changed is None or (results_as_user and _as_user not in change[0]):
                continue
            rendered, _ = self._render_prefix(changed, index + 1)
            if rendered is not None and all(is_shown(item, rendered) for item in needed_messages):
                self.rules[shape] = (index, change)
                return True
        self._undecided.add(index)
        return index + 1 < len(self._messages) and len(self._undecided) <= MAX_UNDECIDED

    def first_dropped(self, text: str) -> int | None:
        if len(self._messages) == 1 and not self._opening:
            return None
        for index, message in enumerate(self._messages):
            if index not in self._undecided and not is_shown(message, text):
                return index
        return None

    def _find_displacing(self, dropped: int) -> int:
        message = self._messages[dropped]
        if message["role"] == "system":
            for index in range(dropped, len(self._messages)):
                if self._messages[index]["role"] == "system" and index not in self._undecided:
                    text, _ = self.render_first(index + 1)
                    if text is not None and not is_shown(message, text):
                        return index
        return dropped

    def _shows_results_as_user(self) -> bool:
        return any(
            shape[0] == "tool" and _as_user in change[0]
            for shape, (_, change) in self.rules.items()
        )

    def _find_first_rejected(self) -> int:
        known_indices = {index for index, _ in self.rules.values()} | self._undecided
        low = max(known_indices, default=-1) + 1
        high = len(self._messages)
        while high - low > 1:
            middle = (low + high) // 2
            if self.render_first(middle)[0] is None:
                high = middle
            else:
                low = middle
        return min(low, len(self._messages) - 1)

    def _apply_changes(self, count: int) -> list[Message]:
        out: list[Message] = []
        splits = folds = False
        results_as_user = self._shows_results_as_user()
        for index, message in enumerate(self._messages[:count]):
            default_change = _UNCHANGED
            if results_as_user and message["role"] == "tool":
                default_change = ((_as_user,), _append)
            start, change = self.rules.get(_message_shape(out, message), (index, default_change))
            if folds and index == 1 and message["role"] == "user":
                # Models whose template has no system role are trained with this form.
                change = (change[0] if start <= index else (), _merge)
                start = index
            changed = _apply(change, out, message) if start <= index else None
            if changed is not None:
                folds = folds or (index == 0 and _as_user in change[0])
                splits = splits or _split_calls in change[0]
            out = changed if changed is not None else [*out, message]
            if splits and message["role"] == "tool":
                out = _move_after_call(out)
        return out

    def _render_prefix(
        self, changed: list[Message], count: int
    ) -> tuple[str | None, Exception | None]:
        variants = [changed]
        if not any(message["role"] == "user" for message in changed):
            users = [m for m in self._messages[count:] if m["role"] == "user"]
            variants = [[*changed, *users[:1]], changed] if users else variants
        first: Exception | None = None
        for some in variants:
            try:
                return self._render(some, self._opening and count == len(self._messages)), None
            except MemoryError:
                raise
            except Exception as error:
                first = first or error
        return None, first


def is_shown(message: Message, text: str) -> bool:
    """Return True if a system message, tool result or tool call appears in the text."""
    if message["role"] == "system":
        lines = [line.strip() for line in text_of(message.get("content") or "").splitlines()]
        return max(lines, key=len, default="") in text
    if message["role"] == "tool":
        return _longest_word(text_of(message.get("content") or "")) in text
    return all(
        _longest_word(_format_call(call)) in text for call in message.get("tool_calls") or ()
    )


def _longest_word(text: str) -> str:
    words = _WORD.findall(_ESCAPE.sub(" ", text[:_WORD_SEARCH_CHARS]))
    return max(words, key=len, default="")


def _message_shape(before: list[Message], message: Message) -> _Shape:
    content, calls = message.get("content"), message.get("tool_calls") or ()
    return (
        message["role"],
        before[-1]["role"] if before else None,
        type(content) if content else None,
        min(len(calls), 2),
        "reasoning_content" in message,
    )


def _apply(change: _Change, before: list[Message], message: Message) -> list[Message] | None:
    variants, combine = change
    variants_so_far = [message]
    for variant in variants:
        results = [variant(before, messages) for messages in variants_so_far]
        if None in results:
            return None
        variants_so_far = [messages for group in results for messages in group or ()]
    return combine(before, variants_so_far)


def _text_arguments(_: list[Message], message: Message) -> list[Message] | None:
    """Convert arguments of tool calls to JSON strings, as in OpenAI's format."""
    calls = message.get("tool_calls")
    return [{**message, "tool_calls": [_arguments_to_text(c) for c in calls]}] if calls else None


def _arguments_to_text(call: Any) -> Any:
    inside = call.get("function") if isinstance(call, dict) else None
    if not isinstance(inside, dict) or isinstance(inside.get("arguments"), str):
        return call
    text = json.dumps(inside.get("arguments"), ensure_ascii=False)
    return {**call, "function": {**inside, "arguments": text}}


def _short_ids(_: list[Message], message: Message) -> list[Message] | None:
    """Shorten ids to nine letters and digits, which Mistral's templates require."""
    copy = {**message}
    if message.get("tool_calls"):
        copy["tool_calls"] = [{**c, "id": _shorten(c.get("id"))} for c in message["tool_calls"]]
    if "tool_call_id" in message:
        copy["tool_call_id"] = _shorten(message["tool_call_id"])
    return [copy] if copy != message else None


def _shorten(name: Any) -> str:
    text = str(name or "")
    if len(text) == 9 and text.isascii() and text.isalnum():
        return text
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:9]


def _text_content(_: list[Message], message: Message) -> list[Message] | None:
    return [{**message, "content": ""}] if message.get("content") is None else None


def _parts_as_text(_: list[Message], message: Message) -> list[Message] | None:
    content = message.get("content")
    if not isinstance(content, list) or any(part.get("type") != "text" for part in content):
        return None
    return [{**message, "content": text_of(content)}]


def _some_content(_: list[Message], message: Message) -> list[Message] | None:
    return None if message.get("content") else [{**message, "content": EMPTY}]


def _content_to_parts(_: list[Message], message: Message) -> list[Message] | None:
    content = message.get("content")
    return [{**message, "content": [_part(content)]}] if isinstance(content, str) else None


def _drop_reasoning(_: list[Message], message: Message) -> list[Message] | None:
    copy = {name: value for name, value in message.items() if name != "reasoning_content"}
    return [copy] if copy != message else None


def _split_calls(_: list[Message], message: Message) -> list[Message] | None:
    first, *rest = message.get("tool_calls") or [None]
    if not rest:
        return None
    single_calls: list[Message] = [
        {"role": message["role"], "content": "", "tool_calls": [call]} for call in rest
    ]
    return [{**message, "tool_calls": [first]}, *single_calls]


def _calls_to_text(_: list[Message], message: Message) -> list[Message] | None:
    calls = message.get("tool_calls")
    if not calls:
        return None
    text = text_of(message.get("content") or "")
    content = "\n\n".join(filter(None, [text, *map(_format_call, calls)]))
    return [{**{k: v for k, v in message.items() if k != "tool_calls"}, "content": content}]


def _format_call(call: Any) -> str:
    inside = _arguments_to_text(call).get("function") or {}
    return f"{inside.get('name')}({inside.get('arguments')})"


def _as_system(_: list[Message], message: Message) -> list[Message] | None:
    return [{**message, "role": "system"}] if message["role"] == "developer" else None


def _as_user(before: list[Message], message: Message) -> list[Message] | None:
    if message["role"] in ("user", "assistant"):
        return None
    content = message.get("content") or ""
    if message["role"] in ("tool", "function", "ipython"):
        calls = [c for m in before for c in m.get("tool_calls") or ()]
        matching = [c for c in calls if c.get("id") == message.get("tool_call_id")]
        name = _format_call(matching[-1]) if matching else message.get("name") or "a tool"
        content = _join_contents(f"Result of {name}:", content, "\n")
    return [{"role": "user", "content": content}]


_VARIANTS: tuple[_Variant, ...] = (
    _text_arguments,
    _short_ids,
    _text_content,
    _parts_as_text,
    _split_calls,
    _some_content,
    _drop_reasoning,
    _content_to_parts,
    _as_system,
    _as_user,
    _calls_to_text,
)


def _append(before: list[Message], messages: list[Message]) -> list[Message]:
    return [*before, *messages]


def _merge(before: list[Message], messages: list[Message]) -> list[Message] | None:
    first, *rest = messages
    if not before or before[-1]["role"] != first["role"] or first["role"] == "tool":
        return None
    last = before[-1]
    both = {**last, **first}
    for name in ("content", "reasoning_content"):
        if name in both:
            both[name] = _join_contents(last.get(name), first.get(name))
    if calls := [*(last.get("tool_calls") or ()), *(first.get("tool_calls") or ())]:
        both["tool_calls"] = calls
    return [*before[:-1], both, *rest]


def _bridge_with(content: str) -> _Placement:
    def bridged(before: list[Message], messages: list[Message]) -> list[Message] | None:
        role = messages[0]["role"]
        role_between = {"user": "assistant", "assistant": "user"}.get(role)
        if role_between is None or (role == "user" and not before):
            return None
        if before and before[-1]["role"] == role_between:
            return None
        return [*before, {"role": role_between, "content": content}, *messages]

    return bridged


_PLACEMENTS: tuple[_Placement, ...] = (_append, _merge, _bridge_with(""), _bridge_with(EMPTY))
_UNCHANGED: _Change = ((), _append)
_CHANGES: tuple[_Change, ...] = tuple(
    product(
        [(), *((variant,) for variant in _VARIANTS), *permutations(_VARIANTS, 2)],
        _PLACEMENTS,
    )
)


def _move_after_call(messages: list[Message]) -> list[Message]:
    *out, result = messages
    for index, message in enumerate(out):
        ids = [call.get("id") for call in message.get("tool_calls") or ()]
        if result.get("tool_call_id") in ids:
            return [*out[: index + 1], result, *out[index + 1 :]]
    return messages


def _join_contents(first: Any, second: Any, gap: str = "\n\n") -> Any:
    if not first or not second:
        return first or second or ""
    if isinstance(first, list) or isinstance(second, list):
        before, after = (c if isinstance(c, list) else [_part(c)] for c in (first, second))
        return [*before, _part(gap), *after]
    return f"{first}{gap}{second}"


def _part(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}

"""Size limits for requests, checked in milliseconds before any library sees the input."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from engine.errors import CONTEXT_OVERFLOW, INVALID_REQUEST, EngineError
from engine.messages import Message
from engine.params import SamplingParams
from engine.text import pieces

CHARACTERS_PER_TOKEN = 32
"""Maximum number of characters of a prompt per context token. Longer prompts are rejected without
tokenizing.

English has 4 to 5 characters per token, and code has 3. In real vocabularies, the longest tokens
(runs of spaces or dashes) have 16 to 128, so only prompts of mostly whitespace are rejected by
mistake.
"""

MAX_PROMPT_CHARACTERS = 16_000_000
"""Maximum number of characters of a prompt for any context. Tokenizing more would take minutes and
gigabytes.
"""

MAX_MESSAGES = 20_000
MAX_MESSAGE_VALUES = 200_000
"""Strings, numbers, lists and objects per message."""

MAX_MESSAGE_DEPTH = 32  # maximum nesting of lists and objects

# Limit for a schema, pattern or grammar, or for the total of all choices.
MAX_FORM_CHARACTERS = 256_000

MAX_CHOICES = 1_999
"""Maximum number of choices. With 2,000, llguidance fails at the first token, and 100,000 take 18
s.
"""

MAX_FORM_DEPTH = 100  # maximum nesting of schemas, or of brackets in patterns and grammars

MAX_FORM_PARTS = 10_000
"""Objects and lists in a schema, or rules in a grammar. llguidance takes 2.4 s for 5,000
properties.
"""

MAX_REFERENCE_CHAIN = 100
"""Longest chain of references. llguidance is recursive and crashes at 1,000."""

MAX_STOP_STRINGS = 256
MAX_STOP_CHARACTERS = 64_000
"""Limit on all stop strings together. The engine thread searches for them at every token, which
took 0.12 s with 20,000 stop strings.
"""

MAX_LOGIT_BIASES = 10_000  # limited because the bias array is rebuilt for every token


def check_params(params: SamplingParams, rows: int | None = None) -> None:
    """Reject sampling parameters that would slow down every token of every chat, or have no effect.

    Raises:
        EngineError: `invalid_request`.
    """
    stops, biases = params.stop, len(params.logit_bias)
    if len(stops) > MAX_STOP_STRINGS:
        raise EngineError(
            INVALID_REQUEST, f"Too many stop strings ({len(stops):,}, limit {MAX_STOP_STRINGS})."
        )
    if (length := sum(map(len, stops))) > MAX_STOP_CHARACTERS:
        raise EngineError(
            INVALID_REQUEST,
            f"Stop strings are too long ({length:,} characters, limit {MAX_STOP_CHARACTERS:,}).",
        )
    if biases > MAX_LOGIT_BIASES:
        raise EngineError(
            INVALID_REQUEST, f"logit_bias has {biases:,} tokens (limit {MAX_LOGIT_BIASES:,})."
        )
    if rows is not None and biases and (largest := max(params.logit_bias)) >= rows:
        raise EngineError(
            INVALID_REQUEST,
            f"logit_bias has token {largest}, but this model's token ids are 0 to {rows - 1}.",
        )


def check_ids(rows: int, ids: Sequence[int]) -> None:
    """Check that all ids are in the range of the embedding.

    Raises:
        EngineError: `invalid_request`.
    """
    for at in range(0, len(ids), pieces.TOKENS):
        part = ids[at : at + pieces.TOKENS]
        if max(part) < rows and min(part) >= 0:
            continue
        wrong = next(i for i in part if not 0 <= i < rows)
        raise EngineError(
            INVALID_REQUEST,
            f"The prompt has token {wrong:,}, but this model has only {rows:,} tokens. Its "
            "tokenizer belongs to another model.",
        )


def check_message_count(messages: int, limit: int = 20 * MAX_MESSAGES) -> None:
    """Reject conversations with too many messages to check individually.

    Raises:
        EngineError: `context_overflow`.
    """
    if messages > limit:
        raise EngineError(
            CONTEXT_OVERFLOW,
            f"The conversation has {messages:,} messages (limit {limit:,}). Start a new chat, or "
            "send fewer.",
        )


def check_prompt(messages: list[Message], context: int, reason: str = "") -> None:
    """Reject messages that can't fit in the context, or are too complex to process.

    Raises:
        EngineError: `context_overflow` or `invalid_request`.
    """
    check_message_count(len(messages), min(MAX_MESSAGES, context))
    characters = sum(map(message_size, messages))
    limit = max_characters(context)
    if characters > limit:
        min_tokens = -(-characters // CHARACTERS_PER_TOKEN)
        length = (
            f"at least {min_tokens:,} tokens long, and the model's context takes {context:,}"
            if min_tokens > context
            else f"{characters:,} characters long (limit: {limit:,})"
        )
        raise EngineError(
            CONTEXT_OVERFLOW,
            f"The conversation is {length}. Shorten it, attach less, or choose a model with a "
            "longer context.",
            reason,
        )


def max_characters(context: int) -> int:
    return min(MAX_PROMPT_CHARACTERS, CHARACTERS_PER_TOKEN * context)


def message_size(message: Message) -> int:
    """Return the characters of a message. Every value counts as at least one.

    Raises:
        EngineError: `invalid_request` if it's nested too deeply or has too many values.
    """
    characters, values, waiting = 0, 0, [(value, 1) for value in message.values()]
    while waiting:
        value, level = waiting.pop()
        values += 1
        characters += len(value) if isinstance(value, str) else 1
        if not isinstance(value, (dict, list, tuple)):
            continue
        if level >= MAX_MESSAGE_DEPTH or values + len(value) > MAX_MESSAGE_VALUES:
            raise EngineError(
                INVALID_REQUEST, "A message is nested too deeply or has too many values."
            )
        inner = value.values() if isinstance(value, dict) else value
        characters += sum(len(str(key)) for key in value) if isinstance(value, dict) else 0
        waiting += [(part, level + 1) for part in inner]
    return characters


def form_refusal(params: SamplingParams) -> str:
    if params.tool_form is not None:  # the engine generated this form
        form = params.tool_form
        schemas = [schema for _, schema in form.tools] + [form.answer] * (form.answer is not None)
        candidates = (SamplingParams(json_schema=schema) for schema in schemas)
        return next((reason for candidate in candidates if (reason := form_refusal(candidate))), "")
    texts = [params.json_schema, params.regex, params.grammar, *params.choices]
    strings = [text for text in texts if isinstance(text, str)]
    if len(params.choices) > MAX_CHOICES:
        return f"It has {len(params.choices):,} choices (limit {MAX_CHOICES:,})."
    length = sum(map(len, strings))
    if length > MAX_FORM_CHARACTERS:
        return f"It is {length:,} characters long (limit {MAX_FORM_CHARACTERS:,})."
    if wrong := _surrogate_error("".join(strings)):
        return wrong
    if params.json_schema is not None:
        return _schema_refusal(json.loads(str(params.json_schema)))
    if params.regex is not None:
        return _nesting_refusal(params.regex)
    if params.grammar is not None:
        return _grammar_refusal(params.grammar)
    return ""


def _schema_refusal(schema: Any) -> str:
    parts, waiting = 0, [(schema, 0)]
    while waiting:
        part, level = waiting.pop()
        if isinstance(part, (dict, list)):
            parts += 1
            if level >= MAX_FORM_DEPTH:
                return f"The schema is nested too deeply (limit {MAX_FORM_DEPTH} levels)."
            inner = part.values() if isinstance(part, dict) else part
            waiting += [(value, level + 1) for value in inner]
        elif isinstance(part, str) and (wrong := _surrogate_error(part)):
            return wrong
    if parts > MAX_FORM_PARTS:
        return f"The schema has {parts:,} objects and lists (limit {MAX_FORM_PARTS:,})."
    if _longest_reference_chain(schema) > MAX_REFERENCE_CHAIN:
        return f"The schema has a chain of more than {MAX_REFERENCE_CHAIN} references ($ref)."
    return ""


def _surrogate_error(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return "It contains an unpaired surrogate."
    return ""


def _longest_reference_chain(schema: Any) -> int:
    longest, seen_targets = 0, set[str]()
    waiting: list[tuple[Any, int]] = [(schema, 0)]
    while waiting:
        part, count = waiting.pop()
        if isinstance(part, list):
            waiting += [(value, count) for value in part]
        if not isinstance(part, dict):
            continue
        # Definitions are visited when they are referenced.
        waiting += [(v, count) for k, v in part.items() if k not in ("$defs", "definitions")]
        target = part.get("$ref")
        if isinstance(target, str) and target not in seen_targets:
            seen_targets.add(target)
            longest = max(longest, count + 1)
            waiting.append((_resolve_pointer(schema, target), count + 1))
    return longest


def _resolve_pointer(schema: Any, pointer: str) -> Any:
    target = schema
    for name in pointer.removeprefix("#").split("/")[1:]:
        key = name.replace("~1", "/").replace("~0", "~")
        if isinstance(target, dict):
            target = target.get(key)
        elif isinstance(target, list) and key.isdecimal() and len(key) < 9:
            target = target[int(key)] if int(key) < len(target) else None
        else:
            return None
    return target


_BRACKETS = re.compile(r"\\.|[()\[\]{}]", re.DOTALL)


def _nesting_refusal(text: str) -> str:
    depth = 0
    for match in _BRACKETS.finditer(text):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(match[0], 0)
        if depth > MAX_FORM_DEPTH:
            return f"Its brackets are nested too deeply (limit {MAX_FORM_DEPTH} levels)."
    return ""


_RULE = re.compile(r"^\s*[?!]*([A-Za-z_]\w*)(?:\.\d+)?\s*(?:\[[^\]\n]*\]\s*)?:", re.MULTILINE)
_NAME = re.compile(r"[A-Za-z_]\w*")


def _grammar_refusal(grammar: str) -> str:
    starts = list(_RULE.finditer(grammar))
    if len(starts) > MAX_FORM_PARTS:
        return f"The grammar has {len(starts):,} rules (limit {MAX_FORM_PARTS:,})."
    if not starts:
        return _nesting_refusal(grammar)  # llguidance reports an error if there are no rules
    ends = [*(rule.start() for rule in starts[1:]), len(grammar)]
    rules_by_name = {
        rule[1]: set(_NAME.findall(grammar[rule.end() : end]))
        for rule, end in zip(starts, ends, strict=True)
    }
    longest, seen_rules = 0, {"start"}
    waiting = [("start", 0)]
    while waiting:
        name, count = waiting.pop()
        longest = max(longest, count)
        for inner in rules_by_name.get(name, set()) - seen_rules:
            if inner in rules_by_name:
                seen_rules.add(inner)
                waiting.append((inner, count + 1))
    if longest > MAX_REFERENCE_CHAIN:
        return f"The grammar has a chain of more than {MAX_REFERENCE_CHAIN} rules."
    return _nesting_refusal(grammar)

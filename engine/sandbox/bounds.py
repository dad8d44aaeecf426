"""What is refused by its size alone, before any library sees it. Pure, and done in milliseconds."""

from __future__ import annotations

import json
import re
from typing import Any

from engine.errors import CONTEXT_OVERFLOW, INVALID_REQUEST, EngineError
from engine.messages import Message
from engine.params import SamplingParams

CHARACTERS_PER_TOKEN = 32
"""More characters than so many for each token of the context are refused without tokenising.

No text comes near: English has 4 to 5 a token, code 3, and the vocabularies' longest tokens for
what repeats (blanks, dashes) are 16 to 128 characters long, of which a text of nothing else would
be made. So a text may be refused that is nearly all blanks and 32 times too long to be of use;
every other one that fits passes.
"""

MOST_CHARACTERS = 16_000_000
"""Of one prompt, whatever the context: tokenising more takes minutes and gigabytes."""

MOST_MESSAGES = 20_000
MOST_VALUES = 200_000
"""Texts, numbers, lists and objects in all messages together (tool calls have many)."""

DEEPEST = 32  # lists and objects inside each other in a message

MOST_FORM = 256_000  # characters of a schema, expression, grammar, or of all choices together

MOST_CHOICES = 1_999
"""With one more llguidance gives up at the first token, and 100,000 take it 18 s."""

DEEPEST_FORM = 100  # levels of a schema, and brackets inside each other in an expression or grammar

MOST_PARTS = 10_000
"""Objects and lists in a schema, rules in a grammar: 5,000 properties take 2.4 s."""

LONGEST_CHAIN = 100
"""References that lead to each other: llguidance recurses over them, and 1,000 crash it."""

MOST_STOPS = 256
MOST_STOP_CHARACTERS = 64_000
"""Of all stop strings together. All of them are looked for at each token, by the engine's thread,
which took 20,000 of them an eighth of a second."""

MOST_BIASES = 10_000  # tokens with a `logit_bias`: they are laid out anew at each token


def check_params(params: SamplingParams, rows: int | None = None) -> None:
    """Refuse parameters that would hold up every chat at each token of this one, or have no effect.

    Args:
        rows: the number of ids that the model knows, if that is known.

    Raises:
        EngineError: `invalid_request`.
    """
    stops, biases = params.stop, len(params.logit_bias)
    if len(stops) > MOST_STOPS:
        raise EngineError(
            INVALID_REQUEST, f"There are {len(stops):,} stop strings; {MOST_STOPS} are the most."
        )
    if (length := sum(map(len, stops))) > MOST_STOP_CHARACTERS:
        raise EngineError(
            INVALID_REQUEST,
            f"The stop strings are {length:,} characters long; {MOST_STOP_CHARACTERS:,} are the "
            "most.",
        )
    if biases > MOST_BIASES:
        raise EngineError(
            INVALID_REQUEST, f"There are {biases:,} biases of tokens; {MOST_BIASES:,} are the most."
        )
    if rows is not None and biases and (largest := max(params.logit_bias)) >= rows:
        raise EngineError(
            INVALID_REQUEST,
            f"logit_bias names the token {largest}, and this model's tokens are 0 to {rows - 1}. "
            "Use token ids of this model.",
        )


def check_count(messages: int, most: int = 20 * MOST_MESSAGES) -> None:
    """Refuse a conversation of so many messages that looking at each of them takes long.

    Raises:
        EngineError: `context_overflow`.
    """
    if messages > most:
        raise EngineError(
            CONTEXT_OVERFLOW,
            f"The conversation has {messages:,} messages, more than can be read. Start a new "
            "chat, or send fewer.",
        )


def check_prompt(messages: list[Message], context: int, reason: str = "") -> None:
    """Refuse messages that cannot fit into a context of so many tokens, or be worked on at all.

    Args:
        reason: of the error where they are too long.

    Raises:
        EngineError: `context_overflow` or `invalid_request`.
    """
    check_count(len(messages), min(MOST_MESSAGES, context))
    characters = sum(map(size, messages))
    most = most_characters(context)
    if characters > most:
        least = -(-characters // CHARACTERS_PER_TOKEN)
        length = (
            f"at least {least:,} tokens long, and the model's context takes {context:,}"
            if least > context
            else f"{characters:,} characters long (limit: {most:,})"
        )
        raise EngineError(
            CONTEXT_OVERFLOW,
            f"The conversation is {length}. Shorten it, attach less, or choose a model with a "
            "longer context.",
            reason,
        )


def most_characters(context: int) -> int:
    """How many characters a prompt may have for a context of so many tokens."""
    return min(MOST_CHARACTERS, CHARACTERS_PER_TOKEN * context)


def size(message: Message) -> int:
    """The characters of a message, whatever it holds, each value counting for one at least.

    Raises:
        EngineError: `invalid_request`, it is nested too deeply or has too many parts.
    """
    characters, values, waiting = 0, 0, [(value, 1) for value in message.values()]
    while waiting:
        value, level = waiting.pop()
        values += 1
        characters += len(value) if isinstance(value, str) else 1
        if not isinstance(value, (dict, list, tuple)):
            continue
        if level >= DEEPEST or values + len(value) > MOST_VALUES:
            raise EngineError(INVALID_REQUEST, "A message is nested too deeply, or has too much.")
        inner = value.values() if isinstance(value, dict) else value
        characters += sum(len(str(key)) for key in value) if isinstance(value, dict) else 0
        waiting += [(part, level + 1) for part in inner]
    return characters


def form_refusal(params: SamplingParams) -> str:
    """Why the form of an answer is too large for llguidance; empty when it is not."""
    if params.tool_form is not None:  # its grammar is the engine's own
        form = params.tool_form
        schemas = [schema for _, schema in form.tools] + [form.answer] * (form.answer is not None)
        each = (SamplingParams(json_schema=schema) for schema in schemas)
        return next((reason for one in each if (reason := form_refusal(one))), "")
    texts = [params.json_schema, params.regex, params.grammar, *params.choices]
    given = [text for text in texts if isinstance(text, str)]
    if len(params.choices) > MOST_CHOICES:
        return f"There are {len(params.choices):,} choices; {MOST_CHOICES:,} are the most."
    length = sum(map(len, given))
    if length > MOST_FORM:
        return f"It is {length:,} characters long; {MOST_FORM:,} are the most."
    if wrong := _surrogate("".join(given)):
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
            if level >= DEEPEST_FORM:
                return f"The schema is nested more than {DEEPEST_FORM} levels deep."
            inner = part.values() if isinstance(part, dict) else part
            waiting += [(value, level + 1) for value in inner]
        elif isinstance(part, str) and (wrong := _surrogate(part)):
            return wrong
    if parts > MOST_PARTS:
        return f"The schema has {parts:,} parts; {MOST_PARTS:,} are the most."
    if _chain(schema) > LONGEST_CHAIN:
        return f"More than {LONGEST_CHAIN} references ($ref) of the schema lead to each other."
    return ""


def _surrogate(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return "It holds half a character."
    return ""


def _chain(schema: Any) -> int:
    """How many references lead to each other, where each target is visited once."""
    longest, seen = 0, set[str]()
    waiting: list[tuple[Any, int]] = [(schema, 0)]
    while waiting:
        part, count = waiting.pop()
        if isinstance(part, list):
            waiting += [(value, count) for value in part]
        if not isinstance(part, dict):
            continue
        # Definitions are visited by those who refer to them.
        waiting += [(v, count) for k, v in part.items() if k not in ("$defs", "definitions")]
        target = part.get("$ref")
        if isinstance(target, str) and target not in seen:
            seen.add(target)
            longest = max(longest, count + 1)
            waiting.append((_pointed(schema, target), count + 1))
    return longest


def _pointed(schema: Any, pointer: str) -> Any:
    """What a reference leads to inside the same schema; None where it leads nowhere."""
    place = schema
    for name in pointer.removeprefix("#").split("/")[1:]:
        key = name.replace("~1", "/").replace("~0", "~")
        if isinstance(place, dict):
            place = place.get(key)
        elif isinstance(place, list) and key.isdecimal() and len(key) < 9:
            place = place[int(key)] if int(key) < len(place) else None
        else:
            return None
    return place


_BRACKETS = re.compile(r"\\.|[()\[\]{}]", re.DOTALL)


def _nesting_refusal(text: str) -> str:
    depth = 0
    for found in _BRACKETS.finditer(text):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(found[0], 0)
        if depth > DEEPEST_FORM:
            return f"Its brackets stand more than {DEEPEST_FORM} deep in each other."
    return ""


_RULE = re.compile(r"^\s*[?!]*([A-Za-z_]\w*)(?:\.\d+)?\s*(?:\[[^\]\n]*\]\s*)?:", re.MULTILINE)
_NAME = re.compile(r"[A-Za-z_]\w*")


def _grammar_refusal(grammar: str) -> str:
    starts = list(_RULE.finditer(grammar))
    if len(starts) > MOST_PARTS:
        return f"The grammar has {len(starts):,} rules; {MOST_PARTS:,} are the most."
    if not starts:
        return _nesting_refusal(grammar)  # llguidance says what is wrong with it
    ends = [*(found.start() for found in starts[1:]), len(grammar)]
    named = {
        found[1]: set(_NAME.findall(grammar[found.end() : end]))
        for found, end in zip(starts, ends, strict=True)
    }
    longest, seen = 0, {"start"}
    waiting = [("start", 0)]
    while waiting:
        name, count = waiting.pop()
        longest = max(longest, count)
        for inner in named.get(name, set()) - seen:
            if inner in named:
                seen.add(inner)
                waiting.append((inner, count + 1))
    if longest > LONGEST_CHAIN:
        return f"More than {LONGEST_CHAIN} rules of the grammar lead to each other."
    return _nesting_refusal(grammar)

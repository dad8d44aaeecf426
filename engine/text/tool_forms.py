"""Tool calls in a model's own way, bound to the JSON schemas of their arguments.

`engine.text.tool_grammars` says what a call looks like; here they are put between their markers.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from engine.params import SamplingParams
from engine.text import recognition, tool_headers, tool_notation
from engine.text.form_limits import bounded
from engine.text.tool_grammars import BOUND, Rules, json_of, rules, text
from engine.text.tools import inlined

_BLANK = "WS: /[ \\n]{0,4}/"


@dataclass(frozen=True)
class _Shape:
    """A format in Lark's notation.

    Attributes:
        open: what stands before a call, or before several.
        inside: what stands behind it; `{calls}` stands for the call or calls.
        close: what ends it; empty where that is the end of the turn.
        between: what stands between calls that have one `open` in common; None where each has
            its own.
    """

    open: str
    inside: str
    close: str
    between: str | None = None


def check(params: SamplingParams, format_name: str, model: str) -> None:
    """See that a model can be offered the tools of `params`, and be bound as they ask.

    Args:
        format_name: of the model's calls: its `tool_format`.
        model: its name, for the sentence.

    Raises:
        ValueError: it cannot, and why.
    """
    if not params.offered:
        return
    if not format_name:
        raise ValueError(f"tools cannot be offered to {model}: it knows no tool calls")
    form = params.tool_form
    if form is not None and format_name not in BOUND:
        asked = (
            "tool_choice can only be auto or none" if form.required else "strict can only be false"
        )
        raise ValueError(f"{asked} here: the calls of {model} cannot be bound to a form")


def bound(params: SamplingParams, tokenizer: Any, name: str) -> SamplingParams:
    """The same with the grammar that `params.tool_form` asks for.

    Args:
        tokenizer: mlx-lm's.
        name: the format's, one of `BOUND`.

    Raises:
        ValueError: a schema cannot be bound in this format, and why.
    """
    if params.tool_form is None:
        return params
    form, limits = params.tool_form, params.form_limits
    schemas = [
        (tool, inlined(schema if limits is None else bounded(schema, limits)))
        for tool, schema in form.tools
    ]
    if name == "harmony":
        lines = tool_headers.harmony(schemas, form.required, partial(_spelled, tokenizer=tokenizer))
        return replace(params, grammar="\n".join(lines) + "\n")
    shape = _shape(name, tokenizer)
    tools = [
        _tool(name, tool, schema, shape, tokenizer, number)
        for number, (tool, schema) in enumerate(schemas)
    ]
    lines = [f"tool{number}: {made.call}" for number, made in enumerate(tools)]
    more = [rule for made in tools for rule in made.more]
    lines.append("call: " + " | ".join(f"tool{number}" for number in range(len(tools))))
    inside = shape.inside.format(calls=_several("call", shape.between, form.several))
    repeated = form.several and shape.between is None
    # mlx-lm's reader of these takes a line break at most before the end.
    gap = '"\\n"?' if name == "qwen3_coder" else "WS"
    ended = f" {gap} {shape.close}" if shape.close else ""
    section = f"{shape.open} WS {inside}{ended}"
    if form.required:
        start = "WS section" + (" (WS section)*" if repeated else "")
        if recognition.of(tokenizer).markers.header is not None:  # Muse Spark's
            spell = partial(_spelled, tokenizer=tokenizer)
            start = f"thought* {tool_headers.to_tools(spell)} {start}"
            more += [tool_headers.thoughts(name, spell), tool_headers.THOUGHT]
        lines += [f"start: {start}", f"section: {section}"]
    else:
        # What opens the call is written freely. Where nothing closes it, more calls may follow.
        start = f"WS {inside}{ended}"
        if repeated and not shape.close:
            start += f" (WS {shape.open} WS {inside})*"
        lines.append(f"start: {start}")
    return replace(params, grammar="\n".join([*reversed(lines), *more, _BLANK]) + "\n")


def _shape(name: str, tokenizer: Any) -> _Shape:
    dialect = recognition.of(tokenizer)
    start, end = dialect.markers.call
    if not start:
        raise ValueError("the model's calls have no marker, so that they cannot be bound")
    opened = _spelled(start, tokenizer)
    closed = _spelled(end, tokenizer) if end else ""
    if name in ("deepseek", "minimax_m2", "dsml", "kimi_k3", "muse_spark"):
        return _Shape(opened, "{calls}", closed, "WS")
    if name == "pythonic":
        return _Shape(opened, '"[" {calls} "]"', closed, '", "')
    if name == "python lines":
        return _Shape(opened, "{calls}", closed, '"\\n"')
    if name == "json" and dialect.row.name not in ("llama 3", "granite 4"):
        return _Shape(opened, '"[" WS {calls} WS "]"', closed, 'WS "," WS')
    if name == "kimi_k2":
        return _Shape(opened, "{calls}", closed, "WS")
    if name == "mistral" and len(_ids("[ARGS]", tokenizer)) != 1:
        # Before there was [ARGS] all calls were one JSON list.
        return _Shape(opened, '"[" WS {calls} WS "]"', closed, 'WS "," WS')
    return _Shape(opened, "{calls}", closed)


def _tool(name: str, tool: str, schema: str, shape: _Shape, tokenizer: Any, number: int) -> Rules:
    """A call of one tool."""
    if name == "kimi_k2":
        begin, argue, end = (
            _marker(f"<|tool_call_{what}|>", tokenizer)
            for what in ("begin", "argument_begin", "end")
        )
        named = f"{text(f'functions.{tool}:')} /[0-9]{{1,3}}/"
        given = json_of(json.loads(schema))
        return Rules(f"{begin} WS {named} WS {argue} WS {given} WS {end}")
    if name == "mistral" and shape.between is None:
        given = json_of(json.loads(schema))
        return Rules(f"{text(tool)} WS {_marker('[ARGS]', tokenizer)} WS {given}")
    dialect = recognition.of(tokenizer).row.name
    spell = partial(_spelled, tokenizer=tokenizer)
    try:
        if name in tool_notation.NAMES:
            return tool_notation.rules(name, tool, schema, number, spell)
        return rules(name, dialect, tool, schema, number, spell)
    except ValueError as error:
        raise ValueError(f"calls of the tool {tool} cannot be bound: {error}") from None


def _several(one: str, between: str | None, several: bool) -> str:
    return f"{one} ({between} {one})*" if several and between is not None else one


def _marker(words: str, tokenizer: Any) -> str:
    """A marker, as its own token or spelled out."""
    ids = _ids(words, tokenizer)
    return f"(<[{ids[0]}]> | {text(words)})" if len(ids) == 1 else text(words)


def _ids(text: str, tokenizer: Any) -> list[int]:
    return list(tokenizer.encode(text, add_special_tokens=False))


def _spelled(words: str, tokenizer: Any) -> str:
    """Text whose special tokens are tokens, or spelled out."""
    get_added = getattr(getattr(tokenizer, "_tokenizer", tokenizer), "get_added_vocab", dict)
    added = sorted((re.escape(token) for token in get_added()), key=len, reverse=True)
    pieces = re.split(f"({'|'.join(added)})", words) if added else [words]
    told = [_marker(p, tokenizer) if n % 2 else text(p) for n, p in enumerate(pieces) if p]
    return " ".join(told)

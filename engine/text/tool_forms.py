"""Tool calls in a model's own way, bound to the JSON schemas of their arguments.

Only formats whose arguments are JSON can be bound. The others write each argument as plain text
between tags, which no schema describes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from engine.params import FormLimits, SamplingParams
from engine.text import recognition
from engine.text.form_limits import bounded
from engine.text.forms import BLANKS

BOUND = ("json_tools", "mistral", "kimi_k2")
"""The formats that can be bound, by the names of mlx-lm's parsers."""

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
    """
    if params.tool_form is None:
        return params
    form = params.tool_form
    shape = _shape(name, tokenizer)
    tools = [
        _tool(name, tool, schema, shape, tokenizer, params.form_limits)
        for tool, schema in form.tools
    ]
    rules = [f"tool{number}: {rule}" for number, rule in enumerate(tools)]
    rules.append("call: " + " | ".join(f"tool{number}" for number in range(len(tools))))
    inside = shape.inside.format(calls=_several("call", shape.between, form.several))
    repeated = form.several and shape.between is None
    section = f"{shape.open} WS {inside}" + (f" WS {shape.close}" if shape.close else "")
    if form.required:
        start = "WS section" + (" (WS section)*" if repeated else "")
        rules += [f"start: {start}", f"section: {section}"]
    else:
        # What opens the call is written freely. Where nothing closes it, more calls may follow.
        start = f"WS {inside}" + (f" WS {shape.close}" if shape.close else "")
        if repeated and not shape.close:
            start += f" (WS {shape.open} WS {inside})*"
        rules.append(f"start: {start}")
    return replace(params, grammar="\n".join([*reversed(rules), _BLANK]) + "\n")


def _shape(name: str, tokenizer: Any) -> _Shape:
    markers = recognition.of(tokenizer).markers
    start, end = markers.tool_start, markers.tool_end
    opened = _marker(start, tokenizer)
    closed = _marker(end, tokenizer) if end else ""
    if name == "kimi_k2":
        return _Shape(opened, "{calls}", closed, "WS")
    if name == "mistral" and len(_ids("[ARGS]", tokenizer)) != 1:
        # Before there was [ARGS] all calls were one JSON list.
        return _Shape(opened, '"[" WS {calls} WS "]"', closed, 'WS "," WS')
    return _Shape(opened, "{calls}", closed)


def _tool(
    name: str,
    tool: str,
    schema: str,
    shape: _Shape,
    tokenizer: Any,
    limits: FormLimits | None,
) -> str:
    """A call of one tool."""
    if limits is not None:
        schema = bounded(schema, limits)
    known = {"whitespace_pattern": BLANKS}
    given = f"%json {json.dumps({**json.loads(schema), 'x-guidance': known})}"
    if name == "kimi_k2":
        begin, argue, end = (
            _marker(f"<|tool_call_{what}|>", tokenizer)
            for what in ("begin", "argument_begin", "end")
        )
        named = f"{_text(f'functions.{tool}:')} /[0-9]{{1,3}}/"
        return f"{begin} WS {named} WS {argue} WS {given} WS {end}"
    if name == "mistral" and shape.between is None:
        return f"{_text(tool)} WS {_marker('[ARGS]', tokenizer)} WS {given}"
    parts = ['"{"', _text('"name"'), '":"', _text(json.dumps(tool)), '","', _text('"arguments"')]
    return " WS ".join([*parts, '":"', given, '"}"'])


def _several(one: str, between: str | None, several: bool) -> str:
    return f"{one} ({between} {one})*" if several and between is not None else one


def _marker(text: str, tokenizer: Any) -> str:
    """A marker, as its own token or spelled out."""
    ids = _ids(text, tokenizer)
    return f"(<[{ids[0]}]> | {_text(text)})" if len(ids) == 1 else _text(text)


def _ids(text: str, tokenizer: Any) -> list[int]:
    return list(tokenizer.encode(text, add_special_tokens=False))


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)

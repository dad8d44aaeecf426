"""How models write tool calls: one table, by which calls are read, followed and bound.

Whole calls are read by mlx-lm's parsers (`mlx_lm.tool_parsers`), or by ours where it has none.
`engine.text.tool_calls` follows calls that are not whole yet, `engine.text.tool_grammars` makes
grammars of them; both go by the same row. A notation that is not in the table, of a newer mlx-lm,
is read at its end, and cannot be bound.
"""

from __future__ import annotations

import importlib
import json
import logging
import re
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType, SimpleNamespace
from typing import Any

from msgspec import Struct

log = logging.getLogger(__name__)

_PARSERS = "mlx_lm.tool_parsers"
_Found = dict[str, Any]


class Call(Struct, frozen=True):
    """One call of a tool."""

    name: str
    arguments: str  # as JSON
    id: str | None = None  # the model's own, where it gives one

    def as_message(self, name: str) -> dict[str, Any]:
        """As messages have it, for templates, under an id of that name."""
        function = {"name": self.name, "arguments": json.loads(self.arguments)}
        return {"id": name, "type": "function", "function": function}


class Tags(Struct, frozen=True):
    """How arguments stand between tags; {name}, {key} and {kind} stand for what is theirs."""

    # open, close: around the arguments
    open: str
    close: str
    argument: str  # what every argument begins with
    # before, after: around the value of each
    before: str
    after: str
    # what a text in an argument cannot have, as the reader would end there or read on
    ends: tuple[str, ...]
    # the reader goes by the argument's type in the schema, so that it must have one
    typed: bool = False
    # the reader takes for JSON what can be read as such. A text that could be is written as JSON.
    unless_json: bool = False


class Notation(Struct, frozen=True):
    """A row of the table."""

    # finds where a call begins, and its tool's name as the first group. Where arguments are JSON it
    # goes from the end of the call before up to the brace that opens them, and has the groups
    # `name` or `key`, and `id`.
    head: re.Pattern[str]
    # a call whose arguments are JSON. A blank stands for blanks and line ends, TOOL for the name,
    # NAME for the name as JSON, ID for Kimi's, NUMBER for a number in quotes.
    json: str = ""
    tags: Tags | None = None  # of arguments that stand between tags
    quote: str = ""  # what stands around texts in Gemma's notation
    # in Lark's notation what stands before, between and behind calls that have their markers in
    # common; None where each call has its own
    section: tuple[str, str, str] | None = None
    # our reader of the text between the markers. It gives dictionaries with a name and arguments,
    # as mlx-lm's parsers do; whatever it raises means that there is no call.
    read: Callable[[str, Any], Any] | None = None


# -- our readers --------------------------------------------------------------------------------


def _read_json(text: str, _: Any) -> list[_Found]:
    """Calls as JSON: one object, a list, or several of either behind each other.

    The names of the fields are those of Llama, Granite, Nemotron, Hunyuan, Phi (name, arguments or
    parameters), Cohere (tool_name, parameters, tool_call_id) and Apertus ({name: arguments}).
    """
    decoder, found, at = json.JSONDecoder(strict=False), list[_Found](), 0
    while (begins := re.compile(r"[\[{]").search(text, at)) is not None:
        value, at = decoder.raw_decode(text, begins.start())
        found += [_one(one) for one in (value if isinstance(value, list) else [value])]
    if not found:
        raise ValueError("no object")
    return found


def _one(value: _Found) -> _Found:
    inner = value.get("function")
    if isinstance(inner, dict):
        value = {"id": value.get("id"), **inner}
    name = next((value[key] for key in ("name", "tool_name", "function") if key in value), None)
    if name is None and len(value) == 1:
        ((name, arguments),) = value.items()
        return {"name": name, "arguments": arguments}
    arguments = next((value[key] for key in ("arguments", "parameters") if key in value), {})
    return {"name": name, "arguments": arguments, "id": value.get("id")}


def _read_harmony(text: str, _: Any) -> _Found:
    """`functions.NAME {…}`: the recipient of the header, and the message."""
    name, _, arguments = text.strip().partition(" ")
    return {"name": name.removeprefix("functions."), "arguments": json.loads(arguments or "{}")}


_DEEPSEEK = re.compile(r"(?:function)?<｜tool▁sep｜>|<｜tool▁call▁(?:begin|end)｜>|```(?:json)?")


def _read_deepseek(text: str, _: Any) -> list[_Found]:
    """V3.1's `NAME<｜tool▁sep｜>{…}`, or R1's `function<｜tool▁sep｜>NAME` and a block of JSON."""
    parts = [part.strip() for part in _DEEPSEEK.split(text)]
    parts = [part for part in parts if part]
    if not parts or len(parts) % 2:
        raise ValueError("a name without arguments")
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return [{"name": name, "arguments": json.loads(given)} for name, given in pairs]


_D = "｜DSML｜"
_INVOKE = re.compile(rf'<{_D}invoke name="([^"]+)">(.*?)</{_D}invoke>', re.DOTALL)
_PARAMETER = re.compile(
    rf'<{_D}parameter name="([^"]+)"(?: string="(true|false)")?>(.*?)</{_D}parameter>', re.DOTALL
)


def _read_dsml(text: str, _: Any) -> list[_Found]:
    """DeepSeek V3.2's markup: parameters are texts, or JSON where they say `string="false"`."""
    return [
        {
            "name": name,
            "arguments": {
                key: json.loads(value) if kind == "false" else value
                for key, kind, value in _PARAMETER.findall(body)
            },
        }
        for name, body in _INVOKE.findall(text)
    ]


def _read_lines(text: str, tools: Any) -> Any:
    """OLMo 3's: calls in Python's words, one a line."""
    from mlx_lm.tool_parsers.pythonic import parse_tool_call

    calls = [line for line in text.strip().splitlines() if line.strip()]
    return parse_tool_call(f"[{', '.join(calls)}]", tools)


# -- the table ----------------------------------------------------------------------------------

_ID = r'(?:"(?:id|tool_call_id)"\s*:\s*"(?P<id>[^"\\]*)"\s*,\s*)?'
_OBJECT = re.compile(
    # the end of the object before, where there is one
    r'(?:(?:\s*,\s*"\w+"\s*:\s*"[^"\\]*")*\s*\})?[\s,;\[\]]*+(?:functools[\s\[]*+)?\{\s*'
    rf'{_ID}(?:"type"\s*:\s*"function"\s*,\s*)?'
    r'(?:"(?:name|tool_name)"\s*:\s*"(?P<name>[^"\\]+)"\s*,\s*"(?:arguments|parameters)"'
    r'|"(?!(?:name|tool_name|function|arguments|parameters|id|type)")(?P<key>[^"\\]+)")\s*:\s*\{'
)
JSON_CALL = '{ "name" : NAME , "arguments" : ARGUMENTS }'
JSON_LIST = ('"[" WS', 'WS "," WS', 'WS "]"')
_APART = ("", "WS", "")
_GLM = Notation(
    re.compile(r"\A\s*([^\s<{]+)\s*(?=<arg_key>)"),
    tags=Tags(
        "{name}\n",
        "",
        "<arg_value>",
        "<arg_key>{key}</arg_key>\n<arg_value>",
        "</arg_value>\n",
        ("</arg_value>",),
    ),
)

NOTATIONS: Mapping[str, Notation] = {
    "json_tools": Notation(_OBJECT, JSON_CALL),
    "json": Notation(_OBJECT, JSON_CALL, section=JSON_LIST, read=_read_json),
    "mistral": Notation(
        re.compile(rf"[\s,]*(?P<bare>[^\s\[{{\]]+)\s*\[ARGS\]\s*\{{|{_OBJECT.pattern}"),
        "TOOL [ARGS] ARGUMENTS",
    ),
    "kimi_k2": Notation(
        re.compile(
            r"\s*+(?:<\|tool_call_end\|>\s*+)?(?:<\|tool_call_begin\|>\s*+)?"
            r"(?P<id>functions\.(?P<name>.+?):\d+)\s*<\|tool_call_argument_begin\|>\s*\{"
        ),
        "<|tool_call_begin|> ID <|tool_call_argument_begin|> ARGUMENTS <|tool_call_end|>",
        section=_APART,
    ),
    "harmony": Notation(
        re.compile(r"\s*(?:functions\.)?(?P<name>[^\s{]+)\s+\{"), "ARGUMENTS", read=_read_harmony
    ),
    "deepseek": Notation(
        re.compile(
            r"(?:\s|```|<｜tool▁call▁(?:begin|end)｜>)*(?:function<｜tool▁sep｜>)?"
            r"(?P<name>[^\s<`{]+)(?:\s|```(?:json)?|<｜tool▁sep｜>)+\{"
        ),
        "<｜tool▁call▁begin｜>TOOL<｜tool▁sep｜> ARGUMENTS <｜tool▁call▁end｜>",
        section=_APART,
        read=_read_deepseek,
    ),
    "qwen3_coder": Notation(
        re.compile(r"<function=([^\s<>]+)>"),
        tags=Tags(
            "<function={name}>\n",
            "</function>",
            "<parameter=",
            "<parameter={key}>\n",
            "\n</parameter>\n",
            ("</parameter>", "</function>"),
            typed=True,
        ),
    ),
    "minimax_m2": Notation(
        re.compile(r"<invoke name=[\"']?([^\"'>]+)[\"']?>"),
        tags=Tags(
            '<invoke name="{name}">\n',
            "</invoke>",
            "<parameter name=",
            '<parameter name="{key}">',
            "</parameter>\n",
            ("</parameter>", "</invoke>"),
            typed=True,
        ),
        section=_APART,
    ),
    "minicpm5": Notation(
        re.compile(r"\A\s*[\"']?([^\"'<>]+)[\"']?\s*>"),
        tags=Tags(
            '"{name}">',
            "",
            "<param name=",
            '<param name="{key}">',
            "</param>",
            ("</param>", "</function>", "<![CDATA["),
            typed=True,
        ),
    ),
    "dsml": Notation(
        re.compile(rf'<{_D}invoke name="([^"]+)">'),
        tags=Tags(
            f'<{_D}invoke name="{{name}}">\n',
            f"</{_D}invoke>",
            f"<{_D}parameter name=",
            f'<{_D}parameter name="{{key}}" string="{{raw}}">',
            f"</{_D}parameter>\n",
            (f"</{_D}parameter>",),
        ),
        section=_APART,
        read=_read_dsml,
    ),
    "kimi_k3": Notation(
        re.compile(r'<\|open\|>call tool="([^"]+)"[^<]*<\|sep\|>'),
        tags=Tags(
            '<|open|>call tool="{name}" index="1"<|sep|>',
            "<|close|>call<|sep|>",
            "<|open|>argument",
            '<|open|>argument key="{key}" type="{kind}"<|sep|>',
            "<|close|>argument<|sep|>",
            ("<|close|>",),
        ),
        section=_APART,
    ),
    "muse_spark": Notation(
        re.compile(r'<atem:invoke name="([^"]+)">'),
        tags=Tags(
            '<atem:invoke name="{name}">\n',
            "</atem:invoke>",
            "<atem:parameter name=",
            '<atem:parameter name="{key}">',
            "</atem:parameter>\n",
            ("</atem:parameter>",),
            unless_json=True,
        ),
        section=_APART,
    ),
    "longcat": Notation(
        re.compile(r"\A\s*([^\s<{]+)\s*(?=<longcat_arg_key>)"),
        tags=Tags(
            "{name}\n",
            "",
            "<longcat_arg_value>",
            "<longcat_arg_key>{key}</longcat_arg_key>\n<longcat_arg_value>",
            "</longcat_arg_value>\n",
            ("</longcat_arg_value>",),
        ),
    ),
    "glm47": _GLM,
    "laguna": _GLM,
    "pythonic": Notation(re.compile(r"\A\s*\[?\s*([\w.]+)\("), section=('"["', '", "', '"]"')),
    "python lines": Notation(
        re.compile(r"\A\s*([\w.]+)\("), section=("", '"\\n"', ""), read=_read_lines
    ),
    "gemma4": Notation(re.compile(r"\A\s*call:([\w-]+)\{"), quote='<|"|>'),
    "function_gemma": Notation(re.compile(r"\A\s*call:(\w+)\{"), quote="<escape>"),
}


# -- reading ------------------------------------------------------------------------------------


def format_of(tokenizer: Any) -> str:
    """The name of mlx-lm's parser for a tokenizer's tool calls; empty where it has none."""
    parser = tokenizer.tool_parser if tokenizer.has_tool_calling else None
    package, _, name = str(getattr(parser, "__module__", "")).rpartition(".")
    return name if package == _PARSERS else ""


def inferred(template: str) -> str:
    """The name of mlx-lm's parser by a template's text.

    mlx-lm looks at templates that are one text, and not at named ones.
    """
    from mlx_lm import tokenizer_utils

    infer = getattr(tokenizer_utils, "_infer_tool_parser", None)
    if infer is None or not template:
        return ""
    found = infer(SimpleNamespace(chat_template=template, get_vocab=dict))
    return str(found or "")


def markers(name: str) -> tuple[str, str]:
    """What begins and ends a call for one of mlx-lm's parsers."""
    module = _mlx_lms(name)
    return str(module.tool_call_start), str(module.tool_call_end)


def read(name: str, text: str, tools: Sequence[dict[str, Any]] = ()) -> list[Call]:
    """The calls in a text that a model wrote between its markers, of any tool.

    Args:
        name: of the notation: a dialect's `tool_format`.
        tools: those that were offered, in OpenAI's shape; some readers go by their types.

    Raises:
        ValueError: it is no call.
    """
    known = NOTATIONS.get(name)
    parser = known.read if known is not None and known.read else _mlx_lms(name).parse_tool_call
    try:
        found = parser(text, list(tools))
    except Exception as error:  # the parsers raise whatever their steps do
        log.debug("a tool call could not be read", exc_info=True)
        raise ValueError(f"it could not be read ({type(error).__name__})") from None
    return [_call(one) for one in (found if isinstance(found, list) else [found])]


def _mlx_lms(name: str) -> ModuleType:
    return importlib.import_module(f"{_PARSERS}.{name}")


def _call(found: Any) -> Call:
    name = found.get("name") if isinstance(found, dict) else None
    if not isinstance(name, str):
        raise ValueError("it names no tool")
    arguments = found.get("arguments", {})
    if isinstance(arguments, str):
        arguments = json.loads(arguments)
    if not isinstance(arguments, dict):
        raise ValueError("its arguments are no object")
    own = found.get("id")
    return Call(
        name, json.dumps(arguments, ensure_ascii=False), own if isinstance(own, str) else None
    )

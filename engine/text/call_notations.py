"""Table of tool-call notations, and parsers for them.

The parsers are lenient but keep everything: strings stay as written, numbers keep their digits,
and text that isn't a call is returned (`ParsedCalls.rest`). The table is also used to follow
incomplete calls (`engine.text.tool_calls`) and to create grammars (`engine.text.tool_grammars`).
mlx-lm parses newer notations that aren't in the table.
"""

from __future__ import annotations

import importlib
import json
import logging
import re
from collections.abc import Mapping, Sequence
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

from msgspec import Struct

from engine.text.call_values import (
    PYTHON_STYLE,
    Style,
    allowed_types,
    convert_text,
    dumps,
    parse_literal,
    skip_blanks,
    split_members,
)
from engine.text.tools import Tool, tool_call

log = logging.getLogger(__name__)

_PARSERS = "mlx_lm.tool_parsers"


class Call(Struct, frozen=True):
    name: str
    arguments: str  # arguments as JSON
    id: str | None = None  # id written by the model, if any

    def as_message(self, name: str) -> dict[str, Any]:
        """Return the call in the format of messages. `name` becomes its id."""
        return tool_call(name, self.name, json.loads(self.arguments))


class Tags(Struct, frozen=True):
    """Notation with arguments between tags. Placeholders: {name}, {key} and {kind}."""

    # Delimiters of the arguments.
    open: str
    close: str
    # Start of an argument. Group `key` is its name. If the tag specifies whether the value is a
    # string, group `kind` is "true" or "string".
    argument: re.Pattern[str]
    # Delimiters of each value.
    before: str
    after: str
    # Strings not allowed in constrained text, because the parser would interpret them as tags.
    ends: tuple[str, ...]
    # Parsing depends on the type in the schema, so each argument needs a type.
    typed: bool = False
    # A string that could be mistaken for JSON is written as JSON.
    unless_json: bool = False
    lines: bool = False  # each value is on a separate line
    cdata: bool = False  # a value may be a CDATA section


class Notation(Struct, frozen=True):
    # Start of a call. The tool's name is in group `name` (or `bare`, or `key`), and the model's own
    # id in `id`. With JSON arguments, the pattern covers everything from the end of the previous
    # call to the opening brace.
    head: re.Pattern[str]
    # Template of a call with JSON arguments. A space matches any whitespace, TOOL is the name, NAME
    # is the name as JSON, ID is Kimi's id, and NUMBER is a quoted number.
    json: str = ""
    tags: Tags | None = None  # set if arguments are between tags
    quote: str = ""  # string delimiter in Gemma's notation
    # Lark expressions before, between and after calls that share a pair of markers. None if every
    # call has its own markers.
    section: tuple[str, str, str] | None = None
    tail: str = ""  # pattern at the end of a complete text between markers
    # Start of a call without arguments, with the same groups as `head`.
    empty: re.Pattern[str] | None = None
    starts: str = ""  # possible first characters of text between markers; "" for any


class ParsedCalls(NamedTuple):
    calls: list[Call]
    rest: str


_FENCE = re.compile(r"\A\s*```\w*\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)
_BETWEEN = re.compile(r"[\s,;\[\]})]*(?:functools\s*(?=\[))?[\s\[]*")
_NAMES = ("name", "tool_name", "function", "tool")
_GIVEN = ("arguments", "parameters", "args", "input")
_ARGUMENT = re.compile(r"([A-Za-z_]\w*)\s*=\s*")
_JSON_FIRST = re.compile(r"\s*\[?\s*\{")
_JSON_BLOCK = re.compile(r"(?:<\|open\|>json[^<]*<\|sep\|>\s*)?\{")
_JSON_ENDED = r"\s*(?:<\|close\|>json<\|sep\|>\s*)?"
_CDATA = re.compile(r"\s*<!\[CDATA\[(.*)\]\]>\s*\Z", re.DOTALL)


def _read_headed(text: str, notation: Notation) -> ParsedCalls:
    calls, at = list[Call](), 0
    while head := _match_head(text, notation, at):
        fields = {key: value for key, value in head.groupdict().items() if value}
        if head.re is notation.empty:
            arguments, at = "{}", head.end()
        else:
            arguments, at = parse_literal(text, head.end() - 1)
        name = fields.get("name") or fields.get("bare") or fields["key"]
        calls.append(Call(name.strip(), arguments, fields.get("id")))
    rest = text[at:].strip()
    return ParsedCalls(calls, "" if re.fullmatch(notation.tail, rest) else rest)


def _match_head(text: str, notation: Notation, at: int = 0) -> re.Match[str] | None:
    empty = notation.empty
    return notation.head.match(text, at) or (empty.match(text, at) if empty is not None else None)


def _read_objects(text: str) -> ParsedCalls:
    """Parse calls given as JSON: an object, a list, or a mix of both.

    Accepts the field names of Llama, Granite, Nemotron, Hunyuan and Phi (name, arguments or
    parameters), Cohere (tool_name, parameters, tool_call_id) and Apertus ({name: arguments}).
    """
    if fenced := _FENCE.match(text):
        text = fenced[1]
    calls, at = list[Call](), 0
    while True:
        between = _BETWEEN.match(text, at)
        at = between.end() if between else at
        if not text.startswith("{", at):
            return ParsedCalls(calls, text[at:].strip())
        value, at = parse_literal(text, at)
        calls.append(_call_of_object(split_members(value)))


def _call_of_object(value: dict[str, str]) -> Call:
    call_id = json.loads(value.get("id", value.get("tool_call_id", "null")))
    if value.get("function", "").startswith("{"):
        value = split_members(value["function"])
    name = next((json.loads(value[key]) for key in _NAMES if key in value), None)
    args = next((value[key] for key in _GIVEN if key in value), None)
    if name is None and len(value) == 1:
        ((name, args),) = value.items()
    if args is None and not isinstance(name, str | None):
        raise ValueError("it names no tool")
    if args is None and name is not None:
        extras = set(value) - {*_NAMES, "id", "tool_call_id", "type"}
        args = f"{{{', '.join(f'{dumps(key)}: {value[key]}' for key in value if key in extras)}}}"
    if args is not None and args.startswith('"'):
        args, _ = parse_literal(json.loads(args).strip() or "{}", 0)
    if not isinstance(name, str) or args is None:
        raise ValueError("it has no tool name or no arguments")
    args = "{}" if args == "null" else args
    if not args.startswith("{"):
        raise ValueError("its arguments are not an object")
    return Call(name, args, call_id if isinstance(call_id, str) else None)


def _read_gemma(text: str, notation: Notation) -> ParsedCalls:
    calls, at, style = list[Call](), 0, Style(notation.quote)
    while head := notation.head.match(text, at):
        arguments, at = parse_literal(text, head.end() - 1, style)
        calls.append(Call(head["name"], arguments))
    return ParsedCalls(calls, text[at:].strip())


def _read_python(text: str, tools: Sequence[Tool]) -> ParsedCalls:
    calls, at = list[Call](), skip_blanks(text, 0)
    at += text.startswith("[", at)
    while head := re.compile(r"\s*([\w.:/-]+)\s*\(").match(text, at):
        called = _python_name(head[1], tools)
        properties, arguments = _properties(tools, called), list[str]()
        names = list(properties)
        at = skip_blanks(text, head.end())
        while not text.startswith(")", at):
            key = _ARGUMENT.match(text, at)
            if key is None and len(arguments) >= len(names):
                raise ValueError("an argument has no name")
            name = key[1] if key is not None else names[len(arguments)]
            value, at = parse_literal(text, key.end() if key is not None else at, PYTHON_STYLE)
            is_alone = key is None and not arguments and value.startswith("{")
            if is_alone and (allowed_types(properties[name]) or {"object"}).isdisjoint({"object"}):
                # A single object with all arguments, as in JSON.
                arguments += (
                    f"{dumps(item)}: {value_text}"
                    for item, value_text in split_members(value).items()
                )
            else:
                arguments.append(f"{dumps(name)}: {value}")
            at = skip_blanks(text, at)
            if not text.startswith((",", ")"), at):
                raise ValueError("an argument has no end")
            at = skip_blanks(text, at + 1) if text[at] == "," else at
        calls.append(Call(called, f"{{{', '.join(arguments)}}}"))
        at = skip_blanks(text, at + 1)
        at += text.startswith((",", ";"), at)
    rest = text[at:].strip()
    return ParsedCalls(calls, "" if rest == "]" else rest)


def _python_name(word: str, tools: Sequence[Tool]) -> str:
    is_tool = any(tool["function"]["name"] == word for tool in tools)
    return word if is_tool else word.removesuffix(".call")


def _is_python(text: str, tools: Sequence[Tool]) -> bool:
    head = _PYTHON.match(text)
    if head is None or not tools:
        return head is not None
    name = _python_name(head["name"], tools)
    return any(tool["function"]["name"] == name for tool in tools)


def _properties(tools: Sequence[Tool], name: str) -> Mapping[str, Any]:
    for tool in tools:
        if tool["function"]["name"] == name:
            properties = (tool["function"].get("parameters") or {}).get("properties")
            return properties if isinstance(properties, Mapping) else {}
    return {}


class _TagParser:
    """Parser for arguments between tags.

    A value ends at the first closing tag followed by text that can come after a value, so strings
    may contain similar tags. Without the closing tag, the value ends before a line that starts the
    schema's next argument.
    """

    def __init__(self, text: str, notation: Notation, tools: Sequence[Tool]) -> None:
        assert notation.tags is not None
        self._text, self._tools = text, tools
        self._head, self._tags = notation.head, notation.tags
        self._after, self._close = notation.tags.after.strip(), notation.tags.close

    def read(self) -> ParsedCalls:
        text, calls, at = self._text, list[Call](), 0
        while head := self._head.match(text, skip_blanks(text, at)):
            name, at = head["name"].strip(), head.end()
            arguments = "{}"
            if not head.groupdict().get("empty"):
                arguments, at = self._arguments(at, _properties(self._tools, name))
            calls.append(Call(name, arguments))
        return ParsedCalls(calls, text[at:].strip())

    def _arguments(self, at: int, properties: Mapping[str, Any]) -> tuple[str, int]:
        text, values = self._text, dict[str, str]()
        while True:
            at = skip_blanks(text, at)
            if head := self._tags.argument.match(text, at):
                key = head["key"].strip()
                end, at = self._value_end(head.end(), {*values, key}, properties)
                values[key] = self._convert_value(head, text[head.end() : end], properties.get(key))
            elif self._close and text.startswith(self._close, at):
                at += len(self._close)
                break
            elif text.startswith(self._after, at):
                at += len(self._after)  # skip a superfluous end tag
            elif not values and (block := _JSON_BLOCK.match(text, at)):
                arguments, at = parse_literal(text, block.end() - 1)
                json_end = re.compile(rf"{_JSON_ENDED}(?:{re.escape(self._close)})?").match(
                    text, at
                )
                return arguments, json_end.end() if json_end is not None else at
            elif at == len(text) or self._head.match(text, at):
                break  # the end tag is missing
            else:
                raise ValueError("it has text between its arguments")
        return f"{{{', '.join(f'{dumps(key)}: {value}' for key, value in values.items())}}}", at

    def _value_end(
        self, start: int, names: set[str], properties: Mapping[str, Any]
    ) -> tuple[int, int]:
        """Return the end of a value, and the end of its closing tag."""
        text, in_section = (
            self._text,
            self._tags.cdata and self._text.startswith("<![CDATA[", start),
        )
        end, behind = -1, start
        while (end := text.find(self._after, behind)) >= 0:
            behind = end + len(self._after)
            if in_section and not text[start:end].rstrip().endswith("]]>"):
                continue
            if self._can_follow(behind, names):
                break
        if end < 0:
            end = text.rfind(self._close, start) if self._close else -1
            end = behind = end if end >= 0 else len(text)
        # Arguments quoted inside a value have their own end tags. If there's one too few, the end
        # tag of this value is missing.
        heads = [
            m
            for m in self._tags.argument.finditer(text, start, end)
            if m["key"].strip() in properties and m["key"].strip() not in names
        ]
        if heads and text.count(self._after, start, behind) <= len(heads):
            lines = [m for m in heads if text[start : m.start()].rstrip(" \t").endswith("\n")]
            if lines:
                return self._trim_wrong_tag(start, lines[0].start(), properties), lines[0].start()
        if end == behind:
            end = self._trim_wrong_tag(start, end, properties)
        return end, behind

    def _trim_wrong_tag(self, start: int, end: int, properties: Mapping[str, Any]) -> int:
        wrong = re.search(r"</(?:[\w:]+=)?([\w.:-]+)>\s*\Z", self._text[start:end])
        if wrong is not None and wrong[1] in {*properties, "parameter", "param", "arg_value"}:
            return start + wrong.start()
        return end - (not self._tags.lines and self._text.endswith("\n", start, end))

    def _can_follow(self, at: int, names: set[str]) -> bool:
        text, at = self._text, skip_blanks(self._text, at)
        if at == len(text) or self._head.match(text, at):
            return True
        argument = self._tags.argument.match(text, at)
        if argument is not None:
            return argument["key"].strip() not in names
        if not self._close or not text.startswith(self._close, at):
            return False
        at = skip_blanks(text, at + len(self._close))
        return at == len(text) or self._head.match(text, at) is not None

    def _convert_value(self, head: re.Match[str], text: str, schema: Any) -> str:
        if self._tags.lines and text.startswith("\n"):
            text = text[1:-1] if text.endswith("\n") and len(text) > 1 else text[1:]
        if self._tags.cdata and (section := _CDATA.match(text)):
            return convert_text(section[1].replace("]]]]><![CDATA[>", "]]>"), schema)
        kind = head.groupdict().get("kind")
        if kind in ("true", "string") and not allowed_types(schema) - {"string", "null"}:
            return dumps(text)
        if kind not in (None, "true", "string"):
            return convert_text(text, schema, has_json=True)
        return convert_text(text, schema, self._tags.unless_json)


_ID = r'(?:"(?:id|tool_call_id)"\s*:\s*"(?P<id>[^"\\]*)"\s*,\s*)?'
_OBJECT = re.compile(
    # End of the previous object, if any.
    r'(?:(?:\s*,\s*"\w+"\s*:\s*"[^"\\]*")*\s*\})?[\s,;\[\]]*+(?:functools[\s\[]*+)?\{\s*'
    rf'{_ID}(?:"type"\s*:\s*"function"\s*,\s*)?'
    r'(?:"(?:name|tool_name)"\s*:\s*"(?P<name>[^"\\]+)"\s*,\s*"(?:arguments|parameters)"'
    r'|"(?!(?:name|tool_name|function|arguments|parameters|id|type)")(?P<key>[^"\\]+)")\s*:\s*\{'
)
JSON_CALL = '{ "name" : NAME , "arguments" : ARGUMENTS }'
JSON_LIST = ('"[" WS', 'WS "," WS', 'WS "]"')
_APART = ("", "WS", "")
_OBJECTS = "{[`<f"
_NAMED = r"""["']?(?P<name>[^\s"'<>]+?)["']?"""
_KEYED = r"""["']?(?P<key>[^"'<>\n]+?)["']?"""
_PYTHON = re.compile(r"\A\s*\[?\s*(?P<name>[\w.:/-]+)\(")
_GEMMA = re.compile(r"\s*call:\s*(?P<name>[\w.:/-]+)\s*\{")
_D = "｜DSML｜"
_MISTRAL = r"[\s,]*(?:\[TOOL_CALLS\]\s*)?(?P<bare>[^\s\[{\]]+)"
_MISTRAL_ARGS = r"\s*(?:\[CALL_ID\][^\s\[]*\s*)?\[ARGS\]\s*"
_KIMI = (
    r"\s*+(?:<\|tool_call_end\|>\s*+)?(?:<\|tool_call_begin\|>\s*+)?"
    r"(?P<id>(?:functions\.)?(?P<name>[^\s<]+?)(?::\d+)?)\s*<\|tool_call_argument_begin\|>\s*"
)
_DEEPSEEK = r"(?:\s|```|<｜tool▁call▁(?:begin|end)｜>)*"


def _glm_notation(key: str, value: str) -> Notation:
    return Notation(
        re.compile(rf"\A\s*(?P<name>[^\s<{{]+)\s*(?=<{key}>|\{{|\Z)"),
        tags=Tags(
            "{name}\n",
            "",
            re.compile(rf"<{key}>(?P<key>[^<]*)(?:</{key}>)?\s*<{value}>"),
            f"<{key}>{{key}}</{key}>\n<{value}>",
            f"</{value}>\n",
            (f"</{value}>",),
        ),
    )


NOTATIONS: Mapping[str, Notation] = {
    "json_tools": Notation(_OBJECT, JSON_CALL, starts=_OBJECTS),
    "json": Notation(_OBJECT, JSON_CALL, section=JSON_LIST, starts=_OBJECTS),
    "mistral": Notation(
        re.compile(rf"{_MISTRAL}(?:{_MISTRAL_ARGS})?\{{|{_OBJECT.pattern}"),
        "TOOL [ARGS] ARGUMENTS",
        empty=re.compile(rf"{_MISTRAL}{_MISTRAL_ARGS}(?=\[TOOL_CALLS\]|\Z)"),
    ),
    "kimi_k2": Notation(
        re.compile(_KIMI + r"\{"),
        "<|tool_call_begin|> ID <|tool_call_argument_begin|> ARGUMENTS <|tool_call_end|>",
        section=_APART,
        tail=r"(?:<\|tool_call_end\|>)?",
        empty=re.compile(_KIMI + r"(?=<\|tool_call_end\|>|\Z)"),
    ),
    "harmony": Notation(
        re.compile(r"\s*(?:functions\.)?(?P<name>[^\s{]+)\s+\{"),
        "ARGUMENTS",
        empty=re.compile(r"\s*(?:functions\.)?(?P<name>[^\s{]+)\s*\Z"),
    ),
    "deepseek": Notation(
        re.compile(
            rf"{_DEEPSEEK}(?:function<｜tool▁sep｜>)?"
            r"(?P<name>[^\s<`{]+)(?:\s|```(?:json)?|<｜tool▁sep｜>)+\{"
        ),
        "<｜tool▁call▁begin｜>TOOL<｜tool▁sep｜> ARGUMENTS <｜tool▁call▁end｜>",
        section=_APART,
        tail=r"(?:\s|```|<｜tool▁call▁end｜>)*",
        empty=re.compile(
            rf"{_DEEPSEEK}(?:function<｜tool▁sep｜>(?P<name>[^\s<`{{]+)|(?P<bare>[^\s<`{{]+)"
            r"<｜tool▁sep｜>)(?:\s|```(?:json)?)*(?=<｜tool▁call▁end｜>|\Z)"
        ),
    ),
    "qwen3_coder": Notation(
        re.compile(rf"<function(?:=|\s+name=){_NAMED}\s*(?P<empty>/)?>"),
        tags=Tags(
            "<function={name}>\n",
            "</function>",
            re.compile(rf"<parameter(?:=|\s+name=){_KEYED}\s*>"),
            "<parameter={key}>\n",
            "\n</parameter>\n",
            ("</parameter>", "</function>"),
            typed=True,
            lines=True,
        ),
    ),
    "minimax_m2": Notation(
        re.compile(rf"<invoke(?:=|\s+name=){_NAMED}\s*(?P<empty>/)?>"),
        tags=Tags(
            '<invoke name="{name}">\n',
            "</invoke>",
            re.compile(rf"<parameter(?:=|\s+name=){_KEYED}\s*>"),
            '<parameter name="{key}">',
            "</parameter>\n",
            ("</parameter>", "</invoke>"),
            typed=True,
        ),
        section=_APART,
    ),
    "minicpm5": Notation(
        re.compile(rf"\A\s*{_NAMED}\s*(?P<empty>/)?>"),
        tags=Tags(
            '"{name}">',
            "",
            re.compile(rf"<param\s+name\s*=\s*{_KEYED}\s*>"),
            '<param name="{key}">',
            "</param>",
            ("</param>", "</function>", "<![CDATA["),
            typed=True,
            cdata=True,
        ),
    ),
    "dsml": Notation(
        re.compile(rf"<{_D}invoke name={_NAMED}\s*>"),
        tags=Tags(
            f'<{_D}invoke name="{{name}}">\n',
            f"</{_D}invoke>",
            re.compile(
                rf"<{_D}parameter name={_KEYED}"
                r"""(?:\s+string=["']?(?P<kind>true|false)["']?)?\s*>"""
            ),
            f'<{_D}parameter name="{{key}}" string="{{raw}}">',
            f"</{_D}parameter>\n",
            (f"</{_D}parameter>",),
        ),
        section=_APART,
    ),
    "kimi_k3": Notation(
        re.compile(r'<\|open\|>call tool="(?P<name>[^"]+)"[^<]*<\|sep\|>'),
        tags=Tags(
            '<|open|>call tool="{name}" index="1"<|sep|>',
            "<|close|>call<|sep|>",
            re.compile(
                r'<\|open\|>argument\s+key="(?P<key>[^"]*)"(?:\s+type="(?P<kind>\w+)")?[^<]*<\|sep\|>'
            ),
            '<|open|>argument key="{key}" type="{kind}"<|sep|>',
            "<|close|>argument<|sep|>",
            ("<|close|>",),
        ),
        section=_APART,
    ),
    "muse_spark": Notation(
        re.compile(r'<atem:invoke\b[^>]*?\bname="(?P<name>[^"]+)">'),
        tags=Tags(
            '<atem:invoke name="{name}">\n',
            "</atem:invoke>",
            re.compile(r'<atem:parameter\b[^>]*?\bname="(?P<key>[^"]+)"[^>]*>'),
            '<atem:parameter name="{key}">',
            "</atem:parameter>\n",
            ("</atem:parameter>",),
            unless_json=True,
        ),
        section=_APART,
    ),
    "longcat": _glm_notation("longcat_arg_key", "longcat_arg_value"),
    "glm47": _glm_notation("arg_key", "arg_value"),
    "laguna": _glm_notation("arg_key", "arg_value"),
    "pythonic": Notation(_PYTHON, section=('"["', '", "', '"]"')),
    "python lines": Notation(_PYTHON, section=("", '"\\n"', "")),
    "gemma4": Notation(_GEMMA, quote='<|"|>'),
    "function_gemma": Notation(_GEMMA, quote="<escape>"),
}


def format_of(tokenizer: Any) -> str:
    parser = tokenizer.tool_parser if tokenizer.has_tool_calling else None
    package, _, name = str(getattr(parser, "__module__", "")).rpartition(".")
    return name if package == _PARSERS else ""


def infer_format(template: str) -> str:
    """Return the parser that mlx-lm guesses from a chat template, or "".

    mlx-lm only does this for unnamed templates.
    """
    from mlx_lm import tokenizer_utils

    infer = getattr(tokenizer_utils, "_infer_tool_parser", None)
    if infer is None or not template:
        return ""
    format_name = infer(SimpleNamespace(chat_template=template, get_vocab=dict))
    return str(format_name or "")


def markers(name: str) -> tuple[str, str]:
    module = _mlx_lm_parser(name)
    return str(module.tool_call_start), str(module.tool_call_end)


def parse_calls(name: str, text: str, tools: Sequence[Tool] = ()) -> ParsedCalls:
    """Parse the calls in a text between markers.

    Args:
        tools: offered tools in OpenAI's format, processed by `resolve_types`.
    """
    notation = NOTATIONS.get(name)
    if notation is None:
        return _parse_with_mlx_lm(name, text, tools)
    first, xml_notation = text.lstrip()[:1], NOTATIONS["qwen3_coder"]
    if notation.tags is not None and first != "{":
        return _TagParser(text, notation, tools).read()
    if notation.quote:
        return _read_gemma(text, notation)
    is_json = notation.json or _JSON_FIRST.match(text)
    if not is_json or (notation.json == JSON_CALL and _is_python(text, tools)):
        return _read_python(text, tools)
    head = _match_head(text, notation) if notation.json != JSON_CALL else None
    if head is not None and (name != "mistral" or head["bare"]):
        return _read_headed(text, notation)
    if first == "<" and xml_notation.head.match(text.lstrip()):
        return _TagParser(text, xml_notation, tools).read()
    return _read_objects(text)


def is_complete(name: str, text: str) -> bool:
    notation = NOTATIONS.get(name)
    if notation is None:
        return True
    end, tags = text.rstrip(), notation.tags
    if tags is not None and not end.startswith("{"):
        if tags.close or (tags.cdata and end.count("<![CDATA[") > end.count("]]>")):
            return bool(tags.close) and end.endswith((tags.close, "/>"))
        return end.endswith(tags.after.strip()) or tags.argument.search(end) is None
    if notation.quote and not end.endswith("}"):
        return False
    try:
        parsed = parse_calls(name, text)
    except ValueError:
        return False
    return bool(parsed.calls) and not parsed.rest


def _parse_with_mlx_lm(name: str, text: str, tools: Sequence[Tool]) -> ParsedCalls:
    try:
        result = _mlx_lm_parser(name).parse_tool_call(text, list(tools))
    except Exception as error:  # each parser raises different exceptions
        log.debug("cannot parse a tool call", exc_info=True)
        raise ValueError(f"it could not be read ({type(error).__name__})") from None
    calls = result if isinstance(result, list) else [result]
    return ParsedCalls(
        [_call_of_object({k: dumps(v) for k, v in call.items()}) for call in calls], ""
    )


def _mlx_lm_parser(name: str) -> ModuleType:
    return importlib.import_module(f"{_PARSERS}.{name}")

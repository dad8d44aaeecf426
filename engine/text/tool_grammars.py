"""One call of one tool in a model's own way, as a rule of a grammar in Lark's notation.

Where arguments are JSON, llguidance binds them to their schema. Between tags a text stands as it
is, and everything else as JSON, as the format's reader wants it.
"""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from engine.text.forms import BLANKS

Spell = Callable[[str], str]
"""Text as a grammar has it, its special tokens as tokens."""

_KEYS = {
    "llama 3": ("name", "parameters"),
    "command a": ("tool_name", "parameters"),
    "command r": ("tool_name", "parameters"),
}
"""What a call's fields are called, by the dialect."""
_KEYS_OF_ALL = ("name", "arguments")


@dataclass(frozen=True)
class _Tags:
    """How a format of tags writes a call; {name}, {key} and {kind} stand for what is theirs.

    Attributes:
        open, close: around the arguments.
        before, after: around the value of each.
        ends: what a text in an argument cannot have, as the reader would end there or read on.
        as_read: the reader goes by the argument's type in the schema, so that it must have one.
        unless_json: the reader takes for JSON what can be read as such. A text that could be is
            written as JSON.
    """

    open: str
    close: str
    before: str
    after: str
    ends: tuple[str, ...]
    as_read: bool = False
    unless_json: bool = False


_D = "｜DSML｜"
_TAGS = {
    "qwen3_coder": _Tags(
        "<function={name}>\n",
        "</function>",
        "<parameter={key}>\n",
        "\n</parameter>\n",
        ("</parameter>", "</function>"),
        True,
    ),
    "minimax_m2": _Tags(
        '<invoke name="{name}">\n',
        "</invoke>",
        '<parameter name="{key}">',
        "</parameter>\n",
        ("</parameter>", "</invoke>"),
        True,
    ),
    "minicpm5": _Tags(
        '"{name}">',
        "",
        '<param name="{key}">',
        "</param>",
        ("</param>", "</function>", "<![CDATA["),
        True,
    ),
    "dsml": _Tags(
        f'<{_D}invoke name="{{name}}">\n',
        f"</{_D}invoke>",
        f'<{_D}parameter name="{{key}}" string="{{raw}}">',
        f"</{_D}parameter>\n",
        (f"</{_D}parameter>",),
    ),
    "kimi_k3": _Tags(
        '<|open|>call tool="{name}" index="1"<|sep|>',
        "<|close|>call<|sep|>",
        '<|open|>argument key="{key}" type="{kind}"<|sep|>',
        "<|close|>argument<|sep|>",
        ("<|close|>",),
    ),
    "glm47": _Tags(
        "{name}\n",
        "",
        "<arg_key>{key}</arg_key>\n<arg_value>",
        "</arg_value>\n",
        ("</arg_value>",),
    ),
    "muse_spark": _Tags(
        '<atem:invoke name="{name}">\n',
        "</atem:invoke>",
        '<atem:parameter name="{key}">',
        "</atem:parameter>\n",
        ("</atem:parameter>",),
        unless_json=True,
    ),
    "longcat": _Tags(
        "{name}\n",
        "",
        "<longcat_arg_key>{key}</longcat_arg_key>\n<longcat_arg_value>",
        "</longcat_arg_value>\n",
        ("</longcat_arg_value>",),
    ),
}
_TAGS["laguna"] = _TAGS["glm47"]
_CALLS = ("pythonic", "python lines")
BOUND = (
    *("json_tools", "json", "harmony", "mistral", "kimi_k2", "deepseek"),
    *("gemma4", "function_gemma", *_TAGS, *_CALLS),
)
"""The formats that can be bound, by their readers' names."""

_KEY = re.compile(r"[\w.:/-]+")
_NO_JSON = r" & ~/[\x22\[{\-0-9](?s:.*)/ & ~/true|false|NaN|Infinity/"
"""Text that no reader takes for JSON; `_free` has seen to null."""


@dataclass
class Rules:
    """The rules of one tool's call.

    Attributes:
        call: the right side of the rule for the call.
        more: other rules that it needs, whole.
    """

    call: str
    more: list[str] = field(default_factory=list)


def rules(name: str, dialect: str, tool: str, schema: str, number: int, spell: Spell) -> Rules:
    """The rules for a call of one tool.

    Args:
        name: the format's, of `BOUND`; for Mistral's and Kimi K2's, "json_tools" or what they do
            themselves.
        dialect: the row's name in the table of dialects.
        schema: of the arguments, as JSON.
        number: of the tool, for the names of rules.

    Raises:
        ValueError: the schema cannot be bound in this format, and why.
    """
    parsed = json.loads(schema)
    if name in _TAGS:
        return _tagged(_TAGS[name], tool, parsed, number, spell)
    if name in _CALLS:
        # Where each call is a line, its values have no line breaks.
        return Rules(_python(tool, parsed, BLANKS if name == "pythonic" else r"\x20"))
    if name == "deepseek":
        given = json_of(parsed)
        if dialect == "deepseek r1":
            opened = spell(f"<｜tool▁call▁begin｜>function<｜tool▁sep｜>{tool}\n```json\n")
            closed = spell("\n```<｜tool▁call▁end｜>")
            return Rules(f"{opened} {given} {closed}")
        opened = spell(f"<｜tool▁call▁begin｜>{tool}<｜tool▁sep｜>")
        return Rules(f"{opened} {given} {spell('<｜tool▁call▁end｜>')}")
    quoted, given = text(json.dumps(tool)), json_of(parsed)
    if name == "json" and dialect == "apertus":
        return Rules(f'"{{" WS {quoted} WS ":" WS {given} WS "}}"')
    named, argued = _KEYS.get(dialect, _KEYS_OF_ALL) if name == "json" else _KEYS_OF_ALL
    head = ['"{"']
    if name == "json" and dialect == "command a":
        head += [text('"tool_call_id"'), '":"', '/"[0-9]{1,2}"/', '","']
    parts = [*head, text(f'"{named}"'), '":"', quoted, '","', text(f'"{argued}"'), '":"']
    return Rules(" WS ".join([*parts, given, '"}"']))


def json_of(schema: Any, blanks: str = BLANKS) -> str:
    """JSON of a schema. `blanks` is what may stand between its parts."""
    return f"%json {json.dumps({**schema, 'x-guidance': {'whitespace_pattern': blanks}})}"


def text(words: str) -> str:
    """Text as it stands."""
    return json.dumps(words, ensure_ascii=False)


def _arguments(schema: Any) -> list[tuple[str, dict[str, Any], bool]]:
    """The arguments that a schema names, each with its own schema and whether it must be there."""
    if not isinstance(schema.get("properties", {}), dict) or any(
        word in schema for word in ("anyOf", "oneOf", "allOf", "$ref", "patternProperties", "if")
    ):
        raise ValueError("its parameters must be plain properties for this model")
    defined = {key: schema[key] for key in ("$defs", "definitions") if key in schema}
    must = schema.get("required", ())
    found = []
    for key, own in schema.get("properties", {}).items():
        if not isinstance(own, dict) or not _KEY.fullmatch(key):
            raise ValueError(f"the parameter {json.dumps(key)} cannot be bound for this model")
        found.append((key, {**own, **defined}, key in must))
    return found


def _tagged(tags: _Tags, tool: str, schema: Any, number: int, spell: Spell) -> Rules:
    made = Rules(spell(tags.open.format(name=tool)))
    for place, (key, own, must) in enumerate(_arguments(schema)):
        kind = own.get("type")
        choices = own.get("enum", [own["const"]] if "const" in own else None)
        words = choices is not None and all(isinstance(one, str) for one in choices)
        raw = kind == "string" or (tags.as_read and kind is None and words)
        if tags.as_read and not raw and not isinstance(kind, str):
            raise ValueError(f"the parameter {json.dumps(key)} must have one type for this model")
        if not raw:
            value = json_of(own)
        elif words and choices is not None:
            written = [text(json.dumps(one) if tags.unless_json else one) for one in choices]
            value = "(" + " | ".join(written) + ")"
        else:
            value = f"TEXT{number}_{place}"
            free = _free(own, key, tags.ends)
            made.more.append(f"{value}: {free}{_NO_JSON if tags.unless_json else ''}")
            value = f"({value} | {json_of(own)})" if tags.unless_json else value
        before = tags.before.format(
            key=key, raw=str(raw).lower(), kind=kind if isinstance(kind, str) else "object"
        )
        one = f"{spell(before)} {value} {spell(tags.after)}"
        made.call += f" {one}" if must else f" ({one})?"
    made.call += f" {spell(tags.close)}" if tags.close else ""
    return made


def _free(schema: dict[str, Any], key: str, ends: tuple[str, ...]) -> str:
    """Text between tags: of the schema's length, no blanks at its ends, and none of `ends`."""
    if "pattern" in schema or "format" in schema:
        raise ValueError(
            f"the parameter {json.dumps(key)} has a pattern or format, which cannot be bound for "
            "this model"
        )
    least, most = int(schema.get("minLength", 0)), schema.get("maxLength", "")
    anything = "(?s:.*)"
    trimmed = r"/(\S((?s:.*)\S)?)?/" if not least else r"/\S((?s:.*)\S)?/"
    never = "|".join(re.escape(end).replace("/", r"\/") for end in ends)
    return (
        f"/(?s:.){{{least},{most}}}/ & {trimmed} & ~/[nN][uU][lL][lL]/ "
        f"& ~/{anything}({never}){anything}/"
    )


def _python(tool: str, schema: Any, blanks: str) -> str:
    """A call in Python's words. Its values are JSON, which the readers take for Python's."""
    if not all(part.isidentifier() and not keyword.iskeyword(part) for part in tool.split(".")):
        raise ValueError("its name cannot be a function's in Python, as this model writes calls")
    given: list[str] = []
    may: list[str] = []
    for key, own, must in _arguments(schema):
        if not key.isidentifier() or keyword.iskeyword(key):
            raise ValueError(f"the parameter {json.dumps(key)} cannot be bound for this model")
        (given if must else may).append(f"{text(key + '=')} {json_of(own, blanks)}")
    comma = text(", ")
    if given:
        inside = f" {comma} ".join(given) + "".join(f" ({comma} {one})?" for one in may)
    else:
        chains = [
            one + "".join(f" ({comma} {later})?" for later in may[at + 1 :])
            for at, one in enumerate(may)
        ]
        inside = f"({' | '.join(chains)})?" if chains else ""
    return f"{text(tool + '(')} {inside} {text(')')}"

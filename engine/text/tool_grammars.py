"""Grammars that constrain tool calls to their tools' JSON schemas, in the model's notation.

The grammars are in llguidance's Lark format, which supports JSON schemas. In notations with tags,
strings are unescaped and other values are JSON, as the parser expects
(`engine.text.call_notations`). Gemma's calls look like
`call:NAME{key:<|"|>text<|"|>,other:{deep:5}}`, with bare keys, special quotes around strings, and
JSON for everything else.
"""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from engine.params import FormLimits, SamplingParams
from engine.text import lark, recognition
from engine.text.call_notations import JSON_CALL, JSON_LIST, NOTATIONS, Tags
from engine.text.forms import BLANKS, add_limits, literal
from engine.text.tools import ANY, ToolForm, inline_references

Schema = dict[str, Any]

_BLANK = "WS: /[ \\n]{0,4}/"
_THOUGHT = r"THOUGHT: /(?s:.*)/ & ~/(?s:.*)<\|(?s:.*)/"
"""Reasoning: any text that doesn't include something like a marker."""
_NO_JSON = r" & ~/[\x22\[{\-0-9](?s:.*)/ & ~/true|false|NaN|Infinity/"
"""Text that can't be mistaken for JSON. (`_free_text_pattern` handles null.)"""
_KEY = re.compile(r"[\w.:/-]+")
_WORD = re.compile(r"\w+")
_COMBINING = ("anyOf", "oneOf", "allOf", "$ref", "patternProperties", "if")
_NOT_IN_GEMMAS = ("patternProperties", "if", "not", "allOf", "pattern", "format")
_FREE: Schema = json.loads(ANY)
_OTHER_KINDS = '("object" | "array" | "number" | "integer" | "boolean" | "null")'
_MAX_DEPTH = 8
_MAX_TEXT_CHARACTERS = 10**6
"""Length limit for strings in arguments, in characters. Strings can be entire files."""
_MAX_COUNTED_CHARACTERS = 500
"""Longer length limits, in characters, are ignored for strings between tags. Computing one token's
mask takes 5 ms at 900, and 15 to 60 ms at 5,000.
"""
_MAX_ITEMS = 64  # larger limits on list items are ignored


def check(params: SamplingParams, format_name: str, model: str) -> None:
    if not params.offered:
        return
    if not format_name:
        raise ValueError(f"{model} does not support tools")
    form = params.tool_form
    if form is not None and format_name not in NOTATIONS:
        required = (
            "tool_choice can only be auto or none" if form.required else "strict can only be false"
        )
        raise ValueError(f"{required} here: tool calls of {model} cannot be constrained")


def add_grammar(params: SamplingParams, tokenizer: Any, name: str) -> SamplingParams:
    """Add a grammar for `params.tool_form` to the parameters.

    Args:
        name: the notation, a key of `NOTATIONS`.

    Raises:
        ValueError: if a schema can't be expressed in this notation.
    """
    form, limits = params.tool_form, params.form_limits
    if form is None:
        return params
    if limits == FormLimits():  # the request has no limits
        limits = replace(limits, characters=_MAX_TEXT_CHARACTERS)
    grammar = _GrammarBuilder(tokenizer, name, form, params.form_limits)
    calls = []
    for tool, schema in form.tools:
        try:
            free = schema == ANY
            own_schema = (
                _FREE if free else json.loads(inline_references(add_limits(schema, limits)))
            )
            calls.append(grammar.call(tool, own_schema))
        except ValueError as error:
            raise ValueError(f"calls of the tool {tool} cannot be constrained: {error}") from None
    rules = [f"start: {grammar.start()}", f"call: {' | '.join(calls)}", *grammar.rules, _BLANK]
    return replace(params, grammar="\n".join(rules) + "\n")


class _GrammarBuilder:
    def __init__(
        self, tokenizer: Any, name: str, form: ToolForm, limits: FormLimits | None
    ) -> None:
        self._tokenizer = tokenizer
        self._name, self._notation = name, NOTATIONS[name]
        self._dialect = recognition.of(tokenizer)
        self._covers_reply, self._several = form.covers_reply, form.several
        self._answer = ""
        if form.answer is not None:
            self._answer = _json_rule(json.loads(add_limits(form.answer, limits)))
        get_added = getattr(getattr(tokenizer, "_tokenizer", tokenizer), "get_added_vocab", dict)
        added = sorted((re.escape(token) for token in get_added()), key=len, reverse=True)
        self._added = re.compile(f"({'|'.join(added)})") if added else None
        self._section = self._notation.section
        self._template = self._dialect.row.call or self._notation.json
        if name == "mistral" and self._token_id("[ARGS]") is None:
            # Older models without [ARGS] put all calls in a single JSON list.
            self._template, self._section = JSON_CALL, JSON_LIST
        elif self._dialect.row.name == "llama 3":
            self._section = None
        self.rules: list[str] = []  # additional rules

    def start(self) -> str:
        """Return the start rule, which refers to a single call as `call`."""
        if self._name == "harmony":
            if not self._covers_reply:
                return "call"
            calls = self._allow_answer("call", "<|channel|>final<|message|>")
            return f"{self._reasoning_rule()} {calls}"
        opened, closed = self._dialect.markers.call
        if not opened:
            raise ValueError("the model's calls have no marker, so they cannot be constrained")
        calls = "call"
        if self._section is not None:
            before, between, after = self._section
            calls = f"{before} call{f' ({between} call)*' if self._several else ''} {after}"
        # mlx-lm's qwen3_coder parser accepts at most one line break before the end.
        gap = '"\\n"?' if self._name == "qwen3_coder" else "WS"
        ending = f" {gap} {self._spell_out(closed)}" if closed else ""
        section = f"{self._spell_out(opened)} WS {calls}{ending}"
        repeated = self._several and self._section is None
        if self._covers_reply:
            self.rules.append(f"section: {section}")
            start = "WS section" + (" (WS section)*" if repeated else "")
            if self._dialect.markers.header is None:
                return self._allow_answer(start, "")
            start = f"{self._spell_out(' to=tools<|message|>')} {start}"  # for Muse Spark
            return f"{self._reasoning_rule()} {self._allow_answer(start, ' to=user<|message|>')}"
        # The opening marker isn't constrained. Without a closing marker, more calls can follow.
        start = f"WS {calls}{ending}"
        return start if closed or not repeated else f"{start} (WS {section})*"

    def _allow_answer(self, calls: str, header: str) -> str:
        """Allow an answer instead of calls, if the form of the answer is given."""
        if not self._answer:
            return calls
        return f"({calls} | {self._spell_out(header)} WS {self._answer})"

    def _reasoning_rule(self) -> str:
        """Return the rule for reasoning parts, each including the start of the next part.

        For models whose parts have headers (gpt-oss, Muse Spark), required calls are constrained
        from the reply's first token on. The reasoning before them is free text.
        """
        opened, closed = " to=self<|message|>", "<|eom|>"
        if self._name == "harmony":
            opened, closed = "<|channel|>analysis<|message|>", "<|end|>"
        next_part = self._spell_out(f"{closed}<|start|>assistant")
        self.rules += [f"thought: {self._spell_out(opened)} THOUGHT {next_part}", _THOUGHT]
        return "thought*"

    def call(self, tool: str, schema: Schema) -> str:
        if self._name == "harmony":
            return f"{self._harmony_head(tool)} {_json_rule(schema)}"
        if self._notation.tags is not None:
            return self._tagged_call(self._notation.tags, tool, schema)
        if self._notation.quote:
            if not self._notation.head.fullmatch(f"call:{tool}{{"):
                raise ValueError("its name has characters that this model's calls cannot contain")
            arguments = _Gemmas(self, self._notation.quote, schema).arguments_rule()
            return f"{literal(f'call:{tool}')} {arguments}"
        if self._notation.json:
            return self._json_call(tool, schema)
        # If a line break ends the call, values can't contain any.
        return _python_call(tool, schema, BLANKS if self._name == "pythonic" else r"\x20")

    def _json_call(self, tool: str, schema: Schema) -> str:
        rules = {
            "NAME": literal(json.dumps(tool)),
            "ID": f"{literal(f'functions.{tool}:')} /[0-9]{{1,3}}/",
            "NUMBER": '/"[0-9]{1,2}"/',
            "ARGUMENTS": _json_rule(schema),
        }
        parts = self._template.split(" ")
        return " WS ".join(rules.get(p) or self._spell_out(p.replace("TOOL", tool)) for p in parts)

    def _harmony_head(self, tool: str) -> str:
        """Return the rule for the text in front of gpt-oss's arguments.

        If the call is optional, the model has written the header already, and the splitter only
        keeps the name from it.
        """
        if not self._covers_reply:
            return f'"functions."? {literal(tool + " ")}'
        headers = (
            f'(" json" | {self._spell_out(" <|constrain|>json")})? {self._spell_out("<|message|>")}'
        )
        target, channel = f" to=functions.{tool}", "<|channel|>commentary"
        return (
            f"({self._spell_out(channel + target)} | {self._spell_out(target + channel)}) {headers}"
        )

    def _tagged_call(self, tags: Tags, tool: str, schema: Schema) -> str:
        rule = self._spell_out(tags.open.format(name=tool))
        if schema == _FREE:
            rule += f" ({self._free_argument(tags)})*"
        for key, spec, must in _arguments(schema):
            kind = spec.get("type")
            choices = spec.get("enum", [spec["const"]] if "const" in spec else None)
            words = choices is not None and all(isinstance(word, str) for word in choices)
            raw = kind == "string" or (tags.typed and kind is None and words)
            if tags.typed and not raw and not isinstance(kind, str):
                raise ValueError(f"the parameter {json.dumps(key)} must have one type here")
            before = self._spell_out(
                tags.before.format(
                    key=key, raw=str(raw).lower(), kind=kind if isinstance(kind, str) else "object"
                )
            )
            after = self._spell_out(tags.after)
            if not raw:
                value = f"{_json_rule(spec)} {after}"
            elif words and choices is not None:
                sequence = (
                    literal(json.dumps(word) if tags.unless_json else word) for word in choices
                )
                value = f"({' | '.join(sequence)}) {after}"
            elif tags.unless_json:
                text = self._text_until(_free_text_pattern(spec, key, tags.ends) + _NO_JSON, after)
                value = f"({text} | {_json_rule(spec)} {after})"
            else:
                value = self._text_until(_free_text_pattern(spec, key, tags.ends), after)
            rule += f" {before} {value}" if must else f" ({before} {value})?"
        return f"{rule} {self._spell_out(tags.close)}" if tags.close else rule

    def _free_argument(self, tags: Tags) -> str:
        """Return the rule for an unconstrained argument. It's JSON only if the tags distinguish
        JSON from text.
        """
        after = self._spell_out(tags.after)
        text = self._text_until(f"/(?s:.*)/ & {_exclude(tags.ends)}", after)
        key = self.text(r'/[^"<>\n]{1,200}/')
        shows_type = "{raw}" in tags.before or "{kind}" in tags.before
        values = [("true", '"string"', text)]
        values += [("false", _OTHER_KINDS, f"{_json_rule({})} {after}")] if shows_type else []
        rules = []
        for raw, kind, value in values:
            rules_by_part = {"{key}": key, "{raw}": literal(raw), "{kind}": kind}
            parts = re.split("({key}|{raw}|{kind})", tags.before)
            before = " ".join(rules_by_part.get(part) or self._spell_out(part) for part in parts)
            rules.append(f"{before} {value}")
        return " | ".join(rules)

    def text(self, expression: str) -> str:
        name = f"TEXT{len(self.rules)}"
        self.rules.append(f"{name}: {expression}")
        return name

    def _text_until(self, expression: str, after: str) -> str:
        """Return the rule for a string followed by its end marker.

        The rule is lazy if the marker is ordinary text. A greedy rule would match the marker as
        part of the string and never end.
        """
        text = self.text(expression)
        if "<[" in after:
            return f"{text} {after}"
        name = f"ended{len(self.rules)}"
        self.rules.append(f"{name}[lazy]: {text} {after}")
        return name

    def _spell_out(self, words: str) -> str:
        pieces = self._added.split(words) if self._added is not None else [words]
        rules = []
        for number, piece in enumerate(pieces):
            token_id = self._token_id(piece) if number % 2 else None
            if piece:
                rules.append(literal(piece) if token_id is None else f"<[{token_id}]>")
        return " ".join(rules)

    def _token_id(self, words: str) -> int | None:
        ids = self._tokenizer.encode(words, add_special_tokens=False)
        return int(ids[0]) if len(ids) == 1 else None


def _json_rule(schema: Schema, blanks: str = BLANKS) -> str:
    return f"%json {json.dumps({**schema, 'x-guidance': {'whitespace_pattern': blanks}})}"


def _unsupported_error(key: str) -> ValueError:
    return ValueError(f"the parameter {json.dumps(key)} cannot be constrained for this model")


def _arguments(schema: Schema) -> Iterator[tuple[str, Schema, bool]]:
    properties = schema.get("properties", {})
    if not isinstance(properties, dict) or any(word in schema for word in _COMBINING):
        raise ValueError("its parameters must be plain properties for this model")
    defined: Schema = {key: schema[key] for key in ("$defs", "definitions") if key in schema}
    for key, property_schema in properties.items():
        if not isinstance(property_schema, dict) or not _KEY.fullmatch(key):
            raise _unsupported_error(key)
        yield key, {**property_schema, **defined}, key in schema.get("required", ())


def _free_text_pattern(schema: Schema, key: str, ends: tuple[str, ...]) -> str:
    """Return the pattern for a trimmed string between tags that doesn't contain any of `ends`."""
    exclusion = f"~/[nN][uU][lL][lL]/ & {_exclude(ends)}"
    if pattern := _anchored_pattern(schema):
        return f"/{pattern}/ & {exclusion}"
    if "pattern" in schema or "format" in schema:
        raise ValueError(
            f"the parameter {json.dumps(key)} has a pattern or format, which cannot be constrained "
            "for this model"
        )
    min_length, max_length = int(schema.get("minLength", 0)), schema.get("maxLength", "")
    trimmed = r"/(\S((?s:.*)\S)?)?/" if not min_length else r"/\S((?s:.*)\S)?/"
    if max_length and int(max_length) > _MAX_COUNTED_CHARACTERS:
        max_length = ""
    length_rule = f"/(?s:.){{{min_length},{max_length}}}/ & " if min_length or max_length else ""
    return f"{length_rule}{trimmed} & {exclusion}"


def _exclude(ends: tuple[str, ...]) -> str:
    listed = "|".join(re.escape(end).replace("/", r"\/") for end in ends)
    return f"~/(?s:.*)({listed})(?s:.*)/"


def _anchored_pattern(schema: Schema) -> str:
    """Return a pattern for the entire string, or "" if the schema has none.

    Outside JSON, patterns that match within the string aren't supported.
    """
    pattern = str(schema.get("pattern", ""))
    if not (pattern.startswith("^(?:") and pattern.endswith(")$")):
        return ""
    try:
        return lark.convert_expression(pattern[4:-2])
    except ValueError:
        return ""


def _python_call(tool: str, schema: Schema, blanks: str) -> str:
    """Return the rule for a Python-style call with values in JSON, which the parsers accept."""
    if not all(part.isidentifier() and not keyword.iskeyword(part) for part in tool.split(".")):
        raise ValueError("its name is not a Python identifier, which this model's calls require")
    arguments: list[tuple[str, bool]] = []
    if schema == _FREE:
        item = f"/[A-Za-z_][A-Za-z0-9_]*/ {literal('=')} {_json_rule({}, blanks)}"
        return f"{literal(tool + '(')} ({item} ({literal(', ')} {item})*)? {literal(')')}"
    for key, property_schema, must in _arguments(schema):
        if not key.isidentifier() or keyword.iskeyword(key):
            raise _unsupported_error(key)
        arguments.append((f"{literal(key + '=')} {_json_rule(property_schema, blanks)}", must))
    arguments.sort(key=lambda any_argument: not any_argument[1])  # required arguments first
    return f"{literal(tool + '(')} {_join_with_commas(arguments, ', ')} {literal(')')}"


def _join_with_commas(parts: list[tuple[str, bool]], comma: str) -> str:
    tails = [""]  # what can follow each expression, in reverse
    for expression, must in reversed(parts):
        item = f"{literal(comma)} {expression}"
        tails.append(f"{item} {tails[-1]}" if must else f"({item})? {tails[-1]}")
    tails.reverse()
    starts = []
    for at, (expression, must) in enumerate(parts):
        starts.append(f"{expression} {tails[at + 1]}")
        if must:
            return f"({' | '.join(starts)})"
    return f"({' | '.join(starts)})?" if parts else ""


class _Gemmas:
    """Builder of argument rules in Gemma's notation.

    FunctionGemma's parser doesn't support lists, objects, or strings with braces.
    """

    def __init__(self, grammar: _GrammarBuilder, mark: str, schema: Schema) -> None:
        self._grammar = grammar
        self._mark, self._quote = mark, grammar._spell_out(mark)
        self._schema = schema
        self._defined = {**schema.get("$defs", {}), **schema.get("definitions", {})}
        self._flat = grammar._name == "function_gemma"

    def arguments_rule(self) -> str:
        return self._any_value() if self._schema == _FREE else self._object(self._schema, 0)

    def _any_value(self) -> str:
        if not any(rule.startswith("any: ") for rule in self._grammar.rules):
            inner = "" if self._flat else ' | any | "[" (value ("," value)*)? "]"'
            plain = _json_rule({"type": ["number", "boolean", "null"]})
            text, pair = self._value({"type": "string"}, "", 0), r'/\w+/ ":" value'
            self._grammar.rules.append(f"value: {text} | {plain}{inner}")
            self._grammar.rules.append(f'any: "{{" ({pair} ("," {pair})*)? "}}"')
        return "any"

    def _object(self, schema: Schema, depth: int) -> str:
        if any(word in schema for word in (*_NOT_IN_GEMMAS, "anyOf", "oneOf")):
            raise ValueError("its parameters must be plain properties for this model")
        parts: list[tuple[str, bool]] = []
        for key, property_schema in schema.get("properties", {}).items():
            if not _WORD.fullmatch(key) or not isinstance(property_schema, dict):
                raise _unsupported_error(key)
            value = self._value(property_schema, key, depth + 1)
            parts.append((f"{literal(key + ':')} {value}", key in schema.get("required", ())))
        return f'"{{" {_join_with_commas(parts, ",")} "}}"'

    def _value(self, schema: Schema, key: str, depth: int) -> str:
        target = schema.get("$ref")
        definition = None if target is None else self._defined.get(str(target).rpartition("/")[2])
        if isinstance(definition, dict):
            schema = {
                **definition,
                **{word: value for word, value in schema.items() if word != "$ref"},
            }
        pattern = _anchored_pattern(schema)
        excluded_words = set(_NOT_IN_GEMMAS) - ({"pattern"} if pattern else set())
        if depth > _MAX_DEPTH or any(word in schema for word in (*excluded_words, "$ref")):
            raise _unsupported_error(key)
        kind = schema.get("type")
        one_of = schema.get("enum", [schema["const"]] if "const" in schema else None)
        choices = schema.get("anyOf", schema.get("oneOf"))
        if choices is None and isinstance(kind, list):
            choices = [{**schema, "type": type_} for type_ in kind]
        if one_of is not None:
            return f"({' | '.join(self._constant(type_, key) for type_ in one_of)})"
        if choices is not None:
            return f"({' | '.join(self._value(type_, key, depth + 1) for type_ in choices)})"
        if kind == "string":
            min_length, max_length = int(schema.get("minLength", 0)), schema.get("maxLength", "")
            letter = r"[^}\x00]" if self._flat else r"[^\x00]"
            form = f"/{letter}{{{min_length},{max_length}}}/ & {_exclude((self._mark,))}"
            name = self._grammar.text(f"{form} & /{pattern}/" if pattern else form)
            return f"{self._quote} {name} {self._quote}"
        if kind in ("integer", "number", "boolean", "null"):
            return _json_rule(schema)
        if kind == "object" and "properties" in schema and not self._flat:
            return self._object(schema, depth)
        if kind == "array" and isinstance(schema.get("items"), dict) and not self._flat:
            return _items(self._value(schema["items"], key, depth + 1), schema)
        raise _unsupported_error(key)

    def _constant(self, value: Any, key: str) -> str:
        if isinstance(value, (dict, list)):
            raise _unsupported_error(key)
        if not isinstance(value, str):
            return literal(json.dumps(value))
        if self._mark in value or (self._flat and "}" in value):
            raise ValueError(f"{json.dumps(value)} cannot be written in this model's calls")
        return f"{self._quote} {literal(value)} {self._quote}"


def _items(item: str, schema: Schema) -> str:
    min_items, max_items = int(schema.get("minItems", 0)), schema.get("maxItems")
    if min_items > _MAX_ITEMS:
        raise ValueError("a list has too many required items for this model")
    if max_items is None or max_items > _MAX_ITEMS:
        tail = f'("," {item})*'
    else:
        tail = ""
        for _ in range(int(max_items) - max(min_items, 1)):
            tail = f'("," {item} {tail})?'
    first = " ".join([item, *[f'"," {item}'] * (min_items - 1), tail])
    inside = "" if max_items == 0 else first if min_items else f"({first})?"
    return f'"[" {inside} "]"'

"""Conversion of answer forms to llguidance grammars with limits. Doesn't import MLX.

If a schema allows it, small models produce endless digits, list items or text. `add_limits` adds
limits wherever a schema has none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from engine.params import FormLimits, SamplingParams
from engine.text.schema_keywords import remove_unsupported

MISSING = "Output formats need the Python package llguidance, which is not installed."

MAX_ROW_ITEMS = 256
"""Maximum number of parser items per character for a grammar from a request.

For right-recursive grammars, llguidance's time per token grows with the cube of the items (version
1.9: 11 ms for 100 items, 0.2 s for 256, 3.4 s for 700). JSON schemas need more items, which are
cheap, and only have llguidance's limit of 2,000.
"""

_UNIMPLEMENTED = re.compile(r"Unimplemented keys: (\[.*?\])")
_LISTING = re.compile(r"\n *1 \| ")

# Either compact or with limited indentation, because weak models would generate whitespace forever.
BLANKS = r"\x20|\n\x20{0,24}"


def refusal_reason(params: SamplingParams) -> str:
    """Return the reason why a form can't be used, or "".

    Usually takes 1 ms, but 0.2 s for a 90 KB schema.
    """
    if not params.is_constrained:
        return ""
    try:
        from llguidance import LLMatcher
    except ImportError:
        return MISSING
    if not LLMatcher.validate_grammar(build_grammar(LLMatcher, params)):
        return ""
    return explain_error(
        LLMatcher.validate_grammar(build_grammar(LLMatcher, without_limits(params))), params
    )


def build_grammar(matcher: Any, params: SamplingParams) -> str:
    if params.grammar is not None:
        return str(matcher.grammar_from_lark(params.grammar))
    if params.json_schema is not None:
        schema = add_limits(str(params.json_schema), params.form_limits)
        return str(
            matcher.grammar_from_json_schema(schema, defaults={"whitespace_pattern": BLANKS})
        )
    if params.regex is not None:
        return str(matcher.grammar_from_regex(params.regex))
    return str(matcher.grammar_from_lark("start: " + " | ".join(map(literal, params.choices))))


def parser_limits(params: SamplingParams) -> Any:
    from llguidance import LLParserLimits

    is_own = params.grammar is not None and params.tool_form is None
    return LLParserLimits(max_items_in_row=MAX_ROW_ITEMS if is_own else None)


def without_limits(params: SamplingParams) -> SamplingParams:
    """Drop `form_limits`, for schemas that contradict them."""
    return replace(params, form_limits=None)


def explain_error(error: str, params: SamplingParams) -> str:
    """Return a readable form of an llguidance error. For schemas, only the line that names the
    keyword is kept.
    """
    _, schema_error, rest = error.partition("failed to compile JSON schema: ")
    # The rest is a listing of the tool grammar.
    text = _LISTING.split(rest)[0] if schema_error else error
    line = " ".join(text.split())
    if not schema_error and params.json_schema is None:
        return error
    if match := _UNIMPLEMENTED.search(line):
        names = ", ".join(f"'{name}'" for name in json.loads(match[1]))
        words = "keywords {} are" if "," in names else "keyword {} is"
        return f"the schema {words.format(names)} not supported."
    if line.startswith("regex parse error"):
        reason = line.rpartition("error: ")[2]
        return f"the schema keyword 'pattern' has an unsupported expression: {reason}"
    return line


def explain_limit(error: str) -> str:
    """Return a reason like "is too expensive to evaluate: …", or "" if no limit was exceeded.

    Args:
        error: the matcher's error after it rejected a token.
    """
    if not error or "satisfy the grammar" in error or "NoExtension" in error:
        return ""
    reason = error.partition("\n")[0].rstrip(".")
    reason = reason.removeprefix("lexer error: ").removeprefix("Parser Error: ")
    return f"is too expensive to evaluate: {reason}."


def literal(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


_ANY = "stretto-any-{}"

_NOTES = {
    *("title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"),
    *("$comment", "$schema", "$id", "$defs", "definitions"),
}
_COMBINING = frozenset(
    ("$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "not", "if", "enum", "const")
)
# Keywords whose value is a schema, a list of schemas, or a mapping to schemas.
_ONE = ("items", "additionalItems", "additionalProperties", "contains", "unevaluatedItems")
_MANY = ("anyOf", "oneOf", "prefixItems")
_NAMED = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")


def add_limits(schema: str, limits: FormLimits | None) -> str:
    """Add limits to a schema (given as text) where it has none, and remove unsupported keywords.

    The result never allows more than `schema`, whose own limits are kept. `allOf`, `not` and `if`
    stay unchanged, because a limit in one part could contradict another. Objects with optional
    properties are closed to additional properties, because llguidance can't count them.
    """
    schema = remove_unsupported(schema)
    if limits is None:
        return schema
    work = _SchemaBounds(limits)
    try:
        out = work.schema(json.loads(schema))
        if work.used:
            out["$defs"] = {**out.get("$defs", {}), **work.definitions()}
        return json.dumps(out)
    except (TypeError, AttributeError, RecursionError):
        return schema  # malformed or too deep; llguidance has better error messages


class _SchemaBounds:
    def __init__(self, limits: FormLimits) -> None:
        self._limits = limits
        self.used = False  # a part allows arbitrary JSON, so definitions are needed

    def definitions(self) -> dict[str, Any]:
        rules: dict[str, Any] = {}
        for level in range(self._limits.depth + 1):
            node: dict[str, Any] = {"type": ["null", "boolean", "number", "string"]}
            if level:
                node["type"] += ["array", "object"]
                below = {"$ref": f"#/$defs/{_ANY.format(level - 1)}"}
                node["items"] = node["additionalProperties"] = below
            rules[_ANY.format(level)] = {**node, **self._limits_of(node)}
        return rules

    def _any(self) -> dict[str, Any]:
        self.used = True
        return {"$ref": f"#/$defs/{_ANY.format(self._limits.depth)}"}

    def schema(self, node: Any) -> Any:
        if node is True:
            return self._any()
        if not isinstance(node, dict):
            return node
        out = dict(node)
        for name in _ONE:
            if name in out:
                out[name] = self.schema(out[name])
        for name in _MANY:
            if isinstance(out.get(name), list):
                out[name] = [self.schema(part) for part in out[name]]
        for name in _NAMED:
            if isinstance(out.get(name), dict):
                out[name] = {key: self.schema(part) for key, part in out[name].items()}
        if not _COMBINING.isdisjoint(out):
            return out
        if _NOTES.issuperset(out):
            return {**out, **self._any()}
        kinds = _kinds(out)
        if "array" in kinds and "items" not in out and "prefixItems" not in out:
            out["items"] = self._any()
        if "object" in kinds and "additionalProperties" not in out:
            properties, required = set(out.get("properties", ())), set(out.get("required", ()))
            out["additionalProperties"] = False if required < properties else self._any()
        return {**out, **self._limits_of(out)}

    def _limits_of(self, node: Mapping[str, Any]) -> dict[str, Any]:
        kinds, limits, out = _kinds(node), self._limits, dict[str, Any]()
        if kinds & {"integer", "number"}:
            out.update(self._number_limits(node, "integer" in kinds))
        if "string" in kinds and not {"maxLength", "format", "pattern"} & set(node):
            out["maxLength"] = max(limits.characters, 2 * _number(node, "minLength"))
        if "array" in kinds and "maxItems" not in node:
            out["maxItems"] = max(limits.items, 2 * _number(node, "minItems"))
        if "object" in kinds and node.get("additionalProperties") is not False:
            properties, required = set(node.get("properties", ())), set(node.get("required", ()))
            if "maxProperties" not in node and properties <= required:
                out["maxProperties"] = len(required) + _number(node, "minProperties") + limits.items
        return out

    def _number_limits(self, node: Mapping[str, Any], integer: bool) -> dict[str, Any]:
        out: dict[str, Any] = {}
        largest = 10**self._limits.digits - 1
        low = max(_number(node, "minimum"), _number(node, "exclusiveMinimum"))
        high = min(_number(node, "maximum"), _number(node, "exclusiveMaximum"))
        if not {"maximum", "exclusiveMaximum"} & set(node):
            out["maximum"] = largest if low < largest else 10 * low
        if not {"minimum", "exclusiveMinimum"} & set(node):
            out["minimum"] = -largest if high > -largest else 10 * high
        if not integer and "multipleOf" not in node:
            out["multipleOf"] = 10.0**-self._limits.decimals
        return out


def _kinds(node: Mapping[str, Any]) -> set[str]:
    types = node.get("type")
    if types is None:
        objects = {"properties", "required", "additionalProperties", "patternProperties"}
        kinds = {"object"} if objects & set(node) else set()
        return kinds | ({"array"} if {"items", "prefixItems"} & set(node) else set())
    return {types} if isinstance(types, str) else {k for k in types if isinstance(k, str)}


def _number(node: Mapping[str, Any], name: str) -> Any:
    value = node.get(name, 0)
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else 0

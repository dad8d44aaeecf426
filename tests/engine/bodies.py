"""Strategies for valid and invalid values of the JSON schemas in `/openapi.json`."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

ODD: st.SearchStrategy[Any] = st.sampled_from(
    [0, -1, 10**12, 2**70, 0.5, True, "", "x", "\u0000\u202e", [], [[]], [None], {}, {"type": "x"}]
)
"""Values that almost every field rejects."""


def values(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    if "anyOf" in schema:
        return st.one_of([values(one) for one in schema["anyOf"]])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "const" in schema:
        return st.just(schema["const"])
    kind = schema.get("type")
    if kind == "object":
        return _objects(schema)
    if kind == "array":
        return st.lists(values(schema["items"]), min_size=schema.get("minItems", 0), max_size=3)
    if kind == "integer":
        low = schema.get("minimum", -5)
        return st.integers(low, min(low + 40, schema.get("maximum", low + 40)))
    if kind == "number":
        above = schema.get("exclusiveMinimum")
        low, most = schema.get("minimum", above or 0.0), schema.get("maximum", 9.0)
        return st.floats(low, most, exclude_min=above is not None, allow_nan=False)
    if kind == "string":
        if "pattern" in schema:
            return st.from_regex(schema["pattern"], fullmatch=True)
        return st.text("aé<{ \n\u4e2d", min_size=schema.get("minLength", 0), max_size=8)
    return {
        "boolean": st.booleans(),
        "null": st.none(),
        None: st.one_of(st.none(), st.booleans(), st.text(max_size=3)),
    }[kind]


def _objects(schema: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    known = schema.get("properties", {})
    needed = set(schema.get("required", ()))
    return st.fixed_dictionaries(
        {name: values(known[name]) for name in known if name in needed},
        optional={name: values(known[name]) for name in known if name not in needed},
    )


def simplest(schema: dict[str, Any]) -> Any:
    if "anyOf" in schema:
        return simplest(schema["anyOf"][0])
    if "enum" in schema or "const" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    if schema.get("type") == "object":
        known = schema.get("properties", {})
        return {name: simplest(known[name]) for name in schema.get("required", ())}
    if schema.get("type") == "array":
        return [simplest(schema["items"])] * schema.get("minItems", 0)
    if schema.get("type") in ("integer", "number"):
        return schema.get("minimum", schema.get("maximum", 1))
    return {"string": "x", "boolean": True}.get(schema.get("type", ""))

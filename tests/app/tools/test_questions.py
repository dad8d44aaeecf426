"""Forms for questions of servers."""

from __future__ import annotations

from typing import Any

import pytest

from app.tools.questions import (
    MOST_FIELDS,
    Field,
    FieldError,
    FieldKind,
    Question,
    Value,
    make_address_question,
    make_form_question,
)
from app.tools.tool import ToolError


def one(part: dict[str, Any], *, required: bool = False) -> Field:
    schema = {"properties": {"it": part}, "required": ["it"] if required else []}
    return make_form_question("server", "", schema).fields[0]


@pytest.mark.parametrize(
    ("part", "given", "taken"),
    [
        ({"type": "string"}, "x", "x"),
        ({"type": "string"}, None, None),
        ({"type": "integer", "minimum": 1, "maximum": 9}, " 7 ", 7),
        ({"type": "number"}, "2.5", 2.5),
        ({"type": "number"}, "\u22121", -1.0),
        ({"type": "boolean"}, False, False),
        ({"type": "string", "enum": ["a", "b"]}, "b", "b"),
        ({"type": "array", "items": {"enum": ["a", "b"]}}, ["b"], ["b"]),
        ({"type": "string", "format": "email"}, "a@b.de", "a@b.de"),
        ({"type": "string", "format": "uri"}, "https://b.de", "https://b.de"),
        ({"type": "string", "format": "date"}, "2026-02-28", "2026-02-28"),
        ({"type": "string", "format": "date-time"}, "2026-02-28T10:00:00Z", "2026-02-28T10:00:00Z"),
    ],
)
def test_form_field_converts_valid_values(
    part: dict[str, Any], given: Value | None, taken: Value | None
) -> None:
    assert one(part).convert(given) == taken


@pytest.mark.parametrize(
    ("part", "given", "words"),
    [
        ({"type": "string", "minLength": 3}, "ab", "at least 3"),
        ({"type": "string", "maxLength": 3}, "abcd", "at most 3"),
        ({"type": "integer"}, "2.5", "whole number"),
        ({"type": "integer", "maximum": 9}, "10", "at most 9"),
        ({"type": "number"}, "nan", "a number"),
        ({"type": "number"}, "1e999", "a number"),
        ({"type": "string", "enum": ["a"]}, "b", "from the list"),
        ({"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 2}, ["a"], "at least 2"),
        ({"type": "string", "format": "email"}, "a@b", "not an email"),
        ({"type": "string", "format": "uri"}, "b.de", "not an address"),
        ({"type": "string", "format": "date"}, "2026-02-30", "the date as"),
        ({"type": "string", "format": "date-time"}, "2026-02-28T10:00:00", "date and time as"),
    ],
)
def test_form_field_refuses_invalid_values(part: dict[str, Any], given: Value, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        one(part).convert(given)


def test_required_fields_are_named() -> None:
    asked = make_form_question(
        "s",
        "m",
        {
            "properties": {"a": {"type": "string"}, "b": {"type": "string", "title": "The b"}},
            "required": ["b"],
        },
    )
    with pytest.raises(FieldError, match="The b is required") as caught:
        asked.content({"a": "x"})
    assert caught.value.name == "b"
    assert asked.content({"b": "y"}) == {"b": "y"}


def test_choices_with_titles_in_all_their_spellings() -> None:
    pairs = (("a", "First"), ("b", "Second"))
    titled = [{"const": value, "title": title} for value, title in pairs]
    names = ["First", "Second"]
    for part in (
        {"type": "string", "oneOf": titled},
        {"type": "string", "enum": ["a", "b"], "enumNames": names},
        {"type": "array", "items": {"anyOf": titled}},
    ):
        assert one(part).choices == pairs


def test_invalid_default_is_dropped() -> None:
    assert one({"type": "integer", "default": 3}).default == 3
    assert one({"type": "integer", "maximum": 2, "default": 3}).default is None
    assert one({"type": "boolean", "default": True}).default is True
    assert one({"type": "string", "enum": ["a"], "default": "z"}).default is None


def test_server_texts_hide_nothing() -> None:
    sly = {"type": "string", "title": "Na\u202eme\x1b[31m", "description": "x\u200by"}
    field = one(sly)
    assert (field.title, field.about) == ("Name", "xy")
    assert make_form_question("s", "a\x1b[2Jb", {"properties": {}}).message == "ab"


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "array"},
        {"properties": {"a": {"type": "object"}}},
        {"properties": {"a": {"type": "string", "enum": []}}},
        {"properties": {"a": {"type": "array", "items": {"type": "string"}}}},
        {"properties": {"a": {"type": "string", "oneOf": [{"title": "no const"}]}}},
        {"properties": {"a": {"oneOf": 3}}},
        {"properties": {"a": "text"}},
        {"properties": {f"f{n}": {"type": "string"} for n in range(MOST_FIELDS + 1)}},
    ],
)
def test_nested_schema_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(ToolError, match=r"^server asked"):
        make_form_question("server", "", schema)


def test_secrets_are_noticed() -> None:
    for name in ("password", "API key", "api_key", "access-token", "PIN", "client_secret"):
        assert Field(name, name, FieldKind.TEXT).is_secret, name
    for name in ("city", "spinning", "keyboard", "compass"):
        assert not Field(name, name, FieldKind.TEXT).is_secret, name


def test_only_pages_of_the_web_are_shown() -> None:
    assert make_address_question("s", "m", "https://a.example/x") == Question(
        "s", "m", (), "https://a.example/x"
    )
    for url in ("file:///a", "javascript:alert(1)", "https://", "https://a\u202e.b", "x" * 5000):
        with pytest.raises(ToolError, match="isn’t a web address"):
            make_address_question("s", "m", url)

"""Reply formats: storage, engine parameters, and errors."""

from __future__ import annotations

import json

import pytest

from app.chats.options import ChatOptions, build_sampling, find_format_error
from tests.engine import hostile

EVERY_FORM = [
    ChatOptions(answer_as="json"),
    ChatOptions(answer_as="schema", schema='{"type": "object"}'),
    ChatOptions(answer_as="choices", choices=("yes", "no\nnever")),
    ChatOptions(answer_as="pattern", pattern="[0-9]{4}"),
    ChatOptions(answer_as="schema", schema='{"type": ', pattern="kept [", choices=("kept",)),
    ChatOptions(schema="kept while text is free"),
]


@pytest.mark.parametrize("options", EVERY_FORM)
def test_invalid_format_is_stored_as_typed(options):
    stored = json.loads(json.dumps(options.to_params()))
    assert ChatOptions.from_params(stored) == options


def test_bits_of_cache_that_are_not_integer_are_ignored():
    assert ChatOptions.from_params({"kv_bits": 4.0}) == ChatOptions()


def test_format_of_older_version_is_free_text():
    old = {"temperature": 0.5, "seed": 3, "stop": ["#"], "slide": True}
    options = ChatOptions.from_params(old)
    assert options.answer_as is None
    assert options.to_params() == old
    assert not build_sampling(options, {}).is_constrained


@pytest.mark.parametrize(
    "spoilt",
    [
        {"answer_as": "grammar"},
        {"answer_as": ["json"]},
        {"schema": {"type": "object"}},
        {"choices": "yes"},
        {"choices": [1, ""]},
        {"pattern": 3},
    ],
)
def test_unknown_format_is_ignored(spoilt):
    assert ChatOptions.from_params(spoilt) == ChatOptions()


@pytest.mark.parametrize(
    ("options", "field", "value"),
    [
        (EVERY_FORM[0], "json_schema", '{"type": ["object", "array"]}'),
        (EVERY_FORM[1], "json_schema", '{"type": "object"}'),
        (EVERY_FORM[2], "choices", ("yes", "no\nnever")),
        (EVERY_FORM[3], "regex", "[0-9]{4}"),
    ],
)
def test_engine_gets_only_the_chosen_form(options, field, value):
    params = build_sampling(options, {})
    forms = {name: getattr(params, name) for name in ("json_schema", "choices", "regex", "grammar")}
    assert {name: form for name, form in forms.items() if form} == {field: value}


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ("", "Paste a JSON schema."),
        ("[]", "A schema is a JSON object: { … }."),
        ('{\n "type" 3\n}', "Line 2, column 9: expecting ':' delimiter."),
        ('{"maximum": NaN}', "NaN isn’t a number in JSON."),
        ("[" * 100_000, "The schema is nested too deeply."),
        ('{"type": "strng"}', "Invalid type: strng."),
        (
            '{"properties": {"a": {"type": "string"}, "b": {"items": {"type": "strng"}}}}',
            "In properties › b › items: invalid type: strng.",
        ),
        (
            '{"anyOf": [{"type": "null"}, {"not": {}}]}',
            "In anyOf › 2: the schema keyword 'not' is not supported.",
        ),
        (
            '{"properties": {"a": {"type": "string", "pattern": "(x"}}}',
            "In properties › a: the schema keyword 'pattern' has an unsupported expression: "
            "unclosed group.",
        ),
    ],
)
def test_invalid_schema_error_names_the_place(schema, said):
    assert find_format_error(ChatOptions(answer_as="schema", schema=schema)).startswith(said)


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("", "The pattern is empty."),
        ("a(b", "At character 2: unclosed group."),
        ("x/y(b", "At character 4: unclosed group."),
        (r"\/x(", "At character 4: unclosed group."),
        ("é[", "At character 2: unclosed character class."),
        ("ab\\", "At character 3: a backslash with nothing after it."),
        (r"\bx", "Lookarounds not supported yet; WordUnicode."),
    ],
)
def test_invalid_pattern_error_names_the_place(pattern, said):
    assert find_format_error(ChatOptions(answer_as="pattern", pattern=pattern)) == said


@pytest.mark.parametrize("pattern", ["a/b", r"a\\", "[0-9]+|none", "^x$", "(?x) a b"])
def test_valid_pattern_is_accepted(pattern):
    assert find_format_error(ChatOptions(answer_as="pattern", pattern=pattern)) == ""


def test_invalid_format_is_not_sent_to_engine():
    with pytest.raises(ValueError, match="At character 1: unclosed group"):
        build_sampling(ChatOptions(answer_as="pattern", pattern="("), {})
    with pytest.raises(ValueError, match="list is empty"):
        build_sampling(ChatOptions(answer_as="choices"), {})
    # Fields of other formats are ignored.
    assert build_sampling(ChatOptions(answer_as="json", pattern="("), {}).regex is None


def test_format_that_crashes_library_is_refused():
    schema = json.dumps(hostile.chain(1500))
    assert "chain of more than" in find_format_error(ChatOptions(answer_as="schema", schema=schema))
    choices = tuple(f"choice {n}" for n in range(100_000))
    assert "100,000 choices" in find_format_error(ChatOptions(answer_as="choices", choices=choices))
    assert "characters" in find_format_error(
        ChatOptions(answer_as="schema", schema=" " * 300_000 + schema)
    )
    assert "deep" in find_format_error(
        ChatOptions(answer_as="pattern", pattern="(" * 5000 + ")" * 5000)
    )

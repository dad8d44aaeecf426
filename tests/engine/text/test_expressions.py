"""Converted regular expressions, and calls bound to them."""

from __future__ import annotations

import json
import re
from itertools import islice
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]
import llguidance
import pytest

from engine.params import SamplingParams
from engine.text import expressions, recognition, tool_grammars
from engine.text.call_notations import NOTATIONS
from tests.engine.speaking import CALLING
from tests.torture import calls as random_calls


@pytest.mark.parametrize(
    ("given", "means"),
    [
        (r"^(?P<month>May|June) \d{1,2}(?:st|nd)$", r"(?:May|June) \d{1,2}(?:st|nd)"),
        ("[[a&&b~/]\n", r"[\[a\&\&b\~\/]\n"),
        (r"^a\$", r"a\$"),
        ("(^a|b$)", ""),
        ("^a|b$", ""),
        (r"\bx", ""),
        ("(?i)x", ""),
        ("(a", ""),
    ],
)
def test_expressions_in_words_that_both_readers_know(given: str, means: str) -> None:
    assert expressions.convert(given) == means


@pytest.mark.parametrize("family", CALLING)
@pytest.mark.turns(9)
def test_calls_of_every_dialect_are_bound_beside_free_ones(family: str, tmp_path: Path) -> None:
    """Combine a text with a pattern, an unbound tool, and a reply with a schema."""
    text = {"type": "string", "pattern": r"^(?:a(?:b\n|\/ )*c)$"}
    code = {"type": "object", "properties": {"input": text}, "required": ["input"]}
    code["additionalProperties"] = False
    functions = [
        {"name": "code", "parameters": code, "strict": True},
        {"name": "free", "parameters": {"type": "object", "properties": {"x": {}}}},
    ]
    tools = [{"type": "function", "function": one} for one in functions]
    named = set[str]()
    tokenizer = random_calls.load_tokenizer(family, tmp_path)
    params = SamplingParams(tools=tools, tool_choice="auto", json_schema={"const": 7})
    for told in islice(random_calls.walks(tmp_path, tokenizer, params, 5), 12):
        if not told:
            named.add("answer")
        names = {one.id: one.name for one in told if one.kind == "started"}
        named |= set(names.values())
        for one in told:
            if one.kind == "finished" and names[one.id] == "code":
                jsonschema.validate(json.loads(one.text), code)
        if len(named) == 3:
            return
    assert named, "nothing was said"


TAGGED = (
    "deepseek-v32",
    "glm-45",
    "kimi-k3",
    "minicpm-5",
    "minimax-m2",
    "muse-spark",
    "qwen-coder",
)


@pytest.mark.parametrize("family", TAGGED)
def test_text_between_tags_ends_at_its_tag(family: str, tmp_path: Path) -> None:
    """Regression test: the text swallowed all but the last letter of its closing tag."""
    tokenizer = random_calls.load_tokenizer(family, tmp_path)
    notation = recognition.of(tokenizer).tool_format
    tags = NOTATIONS[notation].tags
    assert tags is not None
    schema = {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]}
    names = {"bound": True, "free": False}
    tools = [
        {"type": "function", "function": {"name": name, "parameters": schema, "strict": strict}}
        for name, strict in names.items()
    ]
    params = SamplingParams(tools=tools)
    form = str(tool_grammars.add_grammar(params, tokenizer, notation).grammar)
    form = re.sub("^start: .*", "start: call", form)
    words = llguidance.LLTokenizer(
        (tmp_path / "tokenizer.json").read_text(encoding="utf-8"),
        eos_token=tokenizer.eos_token_id,
        slices=[],
    )
    for name in names:
        matcher = llguidance.LLMatcher(words, llguidance.LLMatcher.grammar_from_lark(form))
        before = tags.before.format(key="x", raw="true", kind="string")
        text = (
            tags.open.format(name=name)
            + before
            + "if a < b:\n  c = d\n" * 300
            + "e"
            + tags.after
            + tags.close
        )
        said = tokenizer.encode(text, add_special_tokens=False)
        assert matcher.validate_tokens(said) == len(said), (name, text)

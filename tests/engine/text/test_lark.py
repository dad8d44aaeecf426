"""Custom tool grammars converted to regular expressions, and calls bound to them."""

from __future__ import annotations

import json
import re
import time
from itertools import islice
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]
import llguidance
import pytest

from engine.params import SamplingParams
from engine.text import lark, recognition, tool_grammars
from engine.text.call_notations import NOTATIONS
from tests.engine.speaking import CALLING
from tests.torture import calls as random_calls

PATCH = r"""
start: begin hunk+ end
begin: "*** Begin" LF
end: "*** End" LF?

hunk: add | change   // a comment
add: "*** Add: " name LF line+
?change: "*** Change: " name LF ("*** To: " name LF)? (part LF)+
part: "@@" | "@@ " name | ("+" | "-" | " ") /(.*)/

name: /(.+)/
line.2: "+" /(.*)/ LF -> line
%import common.LF
"""
GOOD = '*** Begin\n*** Change: a "b" \\.py\n@@ def f():\n-\told\n+ new\n*** Add: é\n+x\n*** End'
BAD = ("*** Begin\n*** End", "*** Begin\n*** Add: x\n*** End", GOOD.replace("+ new", "new"))
SUM = """
start: term (PLUS term)*
term: NUMBER | "(" NUMBER ")" | FLAG~2..3 | "x".."z" | [SIGN] "é\\n\\"q"
FLAG: "no"i | "ye" "s"
SIGN: /[+\\/[-]/
PLUS: "+"
%import common (NUMBER, WS_INLINE)
%ignore WS_INLINE
"""


def accepts(expression: str, text: str) -> bool:
    schema = {"properties": {"input": {"pattern": f"^(?:{expression})$"}}, "required": ["input"]}
    form = llguidance.LLMatcher.grammar_from_json_schema(json.dumps({"type": "object", **schema}))
    tokenizer = llguidance.LLTokenizer("byte")
    matcher = llguidance.LLMatcher(tokenizer, form, log_level=0)
    assert not matcher.is_error(), matcher.get_error()
    said = tokenizer.tokenize_str(json.dumps({"input": text}, ensure_ascii=False))
    return bool(matcher.consume_tokens(said) and matcher.is_accepting())


def test_patch_grammar_becomes_an_expression() -> None:
    expression = lark.convert_grammar(PATCH)
    assert accepts(expression, GOOD)
    assert accepts(expression, GOOD + "\n")
    assert not any(accepts(expression, bad) for bad in BAD)


def test_all_grammar_features_are_converted() -> None:
    expression = lark.convert_grammar(SUM)
    for text in ("1 + 2.5", "( 7 )+x", " NO no", 'yes\tnoyes+ / é\n"q', '[é\n"q'):
        assert accepts(expression, text), text
    for text in ("", "1 +", "no", "w", "n o", "(1", "nonono no"):
        assert not accepts(expression, text), text


@pytest.mark.parametrize(
    ("definition", "says"),
    [
        ('start: "(" start ")" | "x"', "recursive rule start"),
        ('start: a\na: "x" b\nb: "y" a', "recursive rule a"),
        ('rule: "x"', "no rule named start"),
        ("start: other", "no rule named other"),
        ('start: "x"\nstart: "y"', "two rules"),
        ('start: ("x"', "unclosed"),
        ('start: "x")', "unexpected"),
        ("start: -> x", ""),
        ("start: /a(?=b)/", "lookaround"),
        ("start: /(a)\\1/", r"has \1"),
        ("start: /a/m", "flags m"),
        ("start: %json {}", "not supported"),
        ("start: <|end|>", "not supported"),
        ("%import other.X\nstart: X", "imports from"),
        ("%import common.NOTHING\nstart: NOTHING", "imports NOTHING"),
        ("%declare X\nstart: X", "%declare"),
        ('start: "ab".."c"', "range"),
        ("", "does not begin"),
    ],
)
def test_unsupported_grammar_is_refused(definition: str, says: str) -> None:
    if not says:
        assert accepts(lark.convert_grammar(definition), "")
        return
    with pytest.raises(ValueError, match=r"[a-z]") as told:
        lark.convert_grammar(definition)
    assert says in str(told.value)


DOUBLING = "start: a0\n" + "".join(f"a{n}: a{n + 1} a{n + 1}\n" for n in range(60)) + 'a60: "x"'
CHAIN = "start: a0\n" + "".join(f"a{n}: a{n + 1}\n" for n in range(3000)) + 'a3000: "x"'
EXPLODING = {
    "rules that double": DOUBLING,
    "a chain of rules": CHAIN,
    "brackets": "start: " + "(" * 9000,
    "classes that are open": "start: /" + "[" * 40_000 + "/",
    "groups": "start: /" + "(" * 5000 + ")" * 5000 + "/",
    "quotes": "start: " + '"' * 40_001,
    "backslashes": 'start: "' + "\\" * 40_001,
    "a long one": 'start: "' + "x" * 10**6 + '"',
}


@pytest.mark.parametrize("which", EXPLODING)
def test_exponential_grammar_is_refused_quickly(which: str) -> None:
    began = time.process_time()
    with pytest.raises(ValueError, match=r"[a-z]"):
        lark.convert_grammar(EXPLODING[which])
    assert time.process_time() - began < 5


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
    if means:
        assert lark.convert_expression(given) == means
        return
    with pytest.raises(ValueError, match=r"[a-z]"):
        lark.convert_expression(given)


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

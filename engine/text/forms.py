"""An answer's form in the words of llguidance, and why it cannot be used. Without model or MLX."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from engine.params import SamplingParams
from engine.text.form_limits import bounded

MISSING = "Answers of a given form need the Python package llguidance, which is not installed."

# Compact, or indented by at most so much: a weak model would write blanks without end.
BLANKS = r"\x20|\n\x20{0,24}"


def refusal(params: SamplingParams) -> str:
    """Why the form cannot be used, in llguidance's words; empty when it can, or none is asked for.

    Takes about a millisecond, 0.2 s for a schema of 90 KB.
    """
    if not params.constrained:
        return ""
    try:
        from llguidance import LLMatcher
    except ImportError:
        return MISSING
    if not LLMatcher.validate_grammar(grammar(LLMatcher, params)):
        return ""
    return str(LLMatcher.validate_grammar(grammar(LLMatcher, without_limits(params))))


def grammar(matcher: Any, params: SamplingParams) -> str:
    """The form that `params` ask for, as llguidance's `LLMatcher` writes it for itself."""
    if params.json_schema is not None:
        schema = str(params.json_schema)
        if params.form_limits is not None:
            schema = bounded(schema, params.form_limits)
        return str(
            matcher.grammar_from_json_schema(schema, defaults={"whitespace_pattern": BLANKS})
        )
    if params.regex is not None:
        return str(matcher.grammar_from_regex(params.regex))
    if params.choices:
        return str(matcher.grammar_from_lark("start: " + " | ".join(map(_literal, params.choices))))
    return str(matcher.grammar_from_lark(params.grammar))


def without_limits(params: SamplingParams) -> SamplingParams:
    """The same without `form_limits`, for a schema that they make impossible."""
    return replace(params, form_limits=None)


def too_much(error: str) -> str:
    """Why llguidance has given up a form, as the end of a sentence.

    Args:
        error: of its matcher, after a token that it did not take.

    Returns:
        Empty where it was the token that did not fit.
    """
    if not error or "satisfy the grammar" in error:
        return ""
    reason = error.partition("\n")[0].removeprefix("lexer error: ").rstrip(".")
    return f"takes too much to follow: {reason}."


def _literal(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)

"""What an answer's form is to llguidance, and why it refuses one. Needs no model and no MLX."""

from __future__ import annotations

import json
from typing import Any

from engine.params import SamplingParams

MISSING = "Answers of a given form need the Python package llguidance, which is not installed."

# Compact or indented; a weak model must not write blanks without end between two members.
_BLANKS = r"\x20|\n\x20{0,24}"


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
    return str(LLMatcher.validate_grammar(grammar(LLMatcher, params)))


def grammar(matcher: Any, params: SamplingParams) -> str:
    """The form that `params` ask for, written by llguidance's `LLMatcher` for itself."""
    if params.json_schema is not None:
        options = {"whitespace_pattern": _BLANKS}
        return str(matcher.grammar_from_json_schema(params.json_schema, defaults=options))
    if params.regex is not None:
        return str(matcher.grammar_from_regex(params.regex))
    if params.choices:
        return str(matcher.grammar_from_lark("start: " + " | ".join(map(_literal, params.choices))))
    return str(matcher.grammar_from_lark(params.grammar))


def _literal(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)

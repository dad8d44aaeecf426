"""Random constrained tool calls: walk the grammar of each dialect and validate the results.

`python -m tests.torture calls` writes 200 calls of 20 nested schemas in every dialect with a
grammar. A walk takes any token that the grammar allows, like a model with random weights.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import llguidance
import numpy as np

from engine.params import SamplingParams
from engine.text import recognition, tool_grammars
from engine.text.forms import build_grammar
from engine.text.reply_text import ReplyText
from engine.text.tool_calls import CUT_OFF, ToolCallUpdate
from tests.engine.speaking import CALLING, write_folder

SCHEMAS, CALLS = 20, 200
MOST_TOKENS = 900


def schema(number: int, depth: int = 2) -> dict[str, Any]:
    """Return a nested schema with a reference, a choice, limits and optional arguments.

    Args:
        depth: of nested lists and objects.
    """
    pick = random.Random(number)

    def value(depth: int) -> dict[str, Any]:
        kinds = ["text", "whole", "number", "flag", "choice", "ref", *["list", "object"] * depth]
        kind = pick.choice(kinds)
        if kind == "text":
            return {"type": "string", "maxLength": pick.randint(1, 9)}
        if kind == "whole":
            return {"type": "integer", "minimum": 0, "maximum": pick.randint(1, 999)}
        if kind == "choice":
            return {"type": "string", "enum": pick.sample(["red", "light blue", "a/b", "x"], 2)}
        if kind == "ref":
            return {"$ref": "#/$defs/day"}
        if kind == "list":
            return {"type": "array", "items": value(depth - 1), "maxItems": 2}
        if kind == "object":
            return thing(depth - 1)
        return {"type": "boolean" if kind == "flag" else "number"}

    def thing(depth: int) -> dict[str, Any]:
        names = pick.sample(["city", "days", "unit", "note", "from_day", "x1"], pick.randint(1, 4))
        return {
            "type": "object",
            "properties": {name: value(depth) for name in names},
            "required": names[: pick.randint(1, len(names))],
            "additionalProperties": False,
        }

    made = thing(depth)
    made["$defs"] = {"day": {"type": "integer", "minimum": 1, "maximum": 31}}
    return made


def tool(number: int, depth: int) -> dict[str, Any]:
    about = {"name": "weather", "parameters": schema(number, depth)}
    return {"type": "function", "function": about}


def depth_of(tokenizer: Any) -> int:
    """Return the allowed nesting of arguments, which is 0 for FunctionGemma."""
    return 0 if recognition.of(tokenizer).tool_format == "function_gemma" else 2


def walk(matcher: Any, tokenizer: Any, end: int, pick: random.Random) -> list[int]:
    """Return random allowed tokens until the grammar or the limit ends."""
    tokens: list[int] = []
    closing = {tokenizer.convert_tokens_to_ids(word) for word in ('"', "<", "}", "]", ")")}
    while not matcher.is_stopped() and len(tokens) < MOST_TOKENS:
        bits = np.frombuffer(matcher.compute_bitmask(), np.uint8)
        allowed = np.flatnonzero(np.unpackbits(bits, bitorder="little")).tolist()
        if end in allowed and pick.random() < 0.7:
            break
        likely = [token for token in allowed if token in closing]
        token = pick.choice(likely if likely and pick.random() < 0.4 else allowed)
        # llguidance may allow a special token and then refuse it, because its text must be spelled
        # out.
        if matcher.validate_tokens([token]) and matcher.consume_tokens([token]) and token != end:
            tokens.append(token)
    return tokens


def calls(folder: Path, tokenizer: Any, number: int, seed: int) -> Iterator[list[ToolCallUpdate]]:
    params = SamplingParams(tools=[tool(number, depth_of(tokenizer))], tool_choice="required")
    return walks(folder, tokenizer, params, seed)


def walks(
    folder: Path, tokenizer: Any, params: SamplingParams, seed: int
) -> Iterator[list[ToolCallUpdate]]:
    bound = tool_grammars.add_grammar(params, tokenizer, recognition.of(tokenizer).tool_format)
    words = llguidance.LLTokenizer(
        (folder / "tokenizer.json").read_text(encoding="utf-8"),
        eos_token=tokenizer.eos_token_id,
        slices=[],
    )
    form, pick = build_grammar(llguidance.LLMatcher, bound), random.Random(seed)
    while True:
        matcher = llguidance.LLMatcher(words, form, log_level=0)
        assert not matcher.is_error(), matcher.get_error()
        tokens = walk(matcher, tokenizer, int(tokenizer.eos_token_id), pick)
        reply = ReplyText(tokenizer, "", (), None, params.offered)
        for token in tokens:
            reply.add(token)
        reply.finish(len(tokens) < MOST_TOKENS)
        yield reply.call_updates(over=True)


def check(told: list[ToolCallUpdate], number: int, depth: int) -> int:
    """Validate the calls and return their number. Only truncated calls may fail."""
    made = [one for one in told if one.kind == "finished"]
    for one in made:
        jsonschema.validate(json.loads(one.text), schema(number, depth))
    broken = [one for one in told if one.kind == "failed" and one.message != CUT_OFF]
    assert not broken, broken
    return len(made)


def load_tokenizer(name: str, folder: Path) -> Any:
    from mlx_lm.tokenizer_utils import load

    return load(write_folder(folder, name))


def main(arguments: list[str]) -> int:
    for name in CALLING:
        folder = Path(tempfile.mkdtemp(prefix="calls-"))
        tokenizer = load_tokenizer(name, folder)
        made = 0
        for number in range(SCHEMAS):
            own = 0
            for told in calls(folder, tokenizer, number, number):
                own += check(told, number, depth_of(tokenizer))
                if own >= CALLS // SCHEMAS:
                    break
            made += own
        print(f"{name:18} {made} calls of {SCHEMAS} schemas, all valid", flush=True)
    return 0

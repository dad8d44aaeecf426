"""In the child: the form of an answer, compiled to see whether it can be and what it costs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from engine.core.confined.refusing import RefusedError
from engine.params import SamplingParams
from engine.text.forms import grammar, refusal, too_much

_NO_TEXT = "No text has this form. Check the schema, the grammar or the pattern."
_SLOWEST = 1.0  # seconds for the first token's mask, which the engine's thread will wait for
_STEPS, _WALKED = 8, 0.5  # tokens that are followed, and seconds after which no more are


def compile_form(params: SamplingParams, tokenizer: Any) -> None:
    """Do all that the engine does with a form before its first token.

    Args:
        tokenizer: llguidance's; None to look at the form alone.

    Raises:
        RefusedError: with llguidance's reason.
    """
    if tokenizer is None:
        if reason := _in_small_stack(lambda: refusal(params)):
            raise RefusedError(reason)
        return
    if reason := _in_small_stack(lambda: _compiled(params, tokenizer)):
        raise RefusedError(reason)


def _compiled(params: SamplingParams, tokenizer: Any) -> str:
    from llguidance import LLMatcher

    matcher = LLMatcher(tokenizer, grammar(LLMatcher, params), log_level=0)
    if matcher.is_error():
        return str(matcher.get_error())
    begin = time.process_time()
    matcher.compute_bitmask()
    matcher.compute_ff_bytes()
    if time.process_time() - begin > _SLOWEST:
        return "It takes too long to follow."
    # A form that refers to nothing but itself compiles, and then admits no token.
    return _NO_TEXT if matcher.is_error() else _walked(matcher)


def _walked(matcher: Any) -> str:
    """Follow the first tokens that are allowed: what some forms cost shows at a token only."""
    begin = time.process_time()
    for _ in range(_STEPS):
        mask = int.from_bytes(matcher.compute_bitmask(), "little")
        if not mask or matcher.is_stopped():
            return ""
        before = time.process_time()
        if not matcher.consume_token((mask & -mask).bit_length() - 1):
            why = too_much(str(matcher.get_error()).strip())
            return f"It {why}" if why else ""
        now = time.process_time()
        if now - before > _SLOWEST:
            return "It takes too long to follow."
        if now - begin > _WALKED:
            return ""
    return ""


def _in_small_stack(work: Callable[[], str]) -> str:
    """What `work` returns, in a thread with less stack (`child`) than the engine's have."""
    told: list[str] = []
    raised: list[BaseException] = []

    def run() -> None:
        try:
            told.append(work())
        except BaseException as error:  # a panic, too
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if raised:
        raise raised[0]
    return told[0]

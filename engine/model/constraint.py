"""Constrained decoding by a JSON schema, regular expression or grammar, including tool calls.

llguidance parses the forms. The allowed tokens depend on the previous token, but the forward pass
doesn't, so it's launched ahead of time as for any other row. Only sampling waits for the previous
token.
"""

from __future__ import annotations

import logging
import time
from enum import Enum, auto
from typing import Any

import numpy as np

from engine.errors import INTERNAL_ERROR, INVALID_REQUEST, EngineError
from engine.model.loaded_model import TextCodec
from engine.params import SamplingParams
from engine.text import form_tokens, recognition
from engine.text.forms import (
    MISSING,
    build_grammar,
    explain_error,
    explain_limit,
    parser_limits,
    without_limits,
)
from engine.text.known_tokenizer import KnownTokenizer
from engine.text.reply_text import ReplyText

log = logging.getLogger(__name__)

SLOW_MASK_S = 0.01
"""If computing a mask takes longer than this, a worker thread computes the next mask."""

MAX_FOLLOW_S = 0.25
"""Limit of CPU time for consuming a token. llguidance holds the GIL during this time."""

FREE_FOLLOW_S, FOLLOW_S_PER_TOKEN = 1.0, 0.01
"""Limit of CPU time for consuming all tokens of a reply: a fixed amount plus an amount per
token.
"""

FREE_MASK_S, MASK_S_PER_TOKEN = 20.0, 0.05  # the same limits for computing masks

MAX_COSTLY_FORMS = 256  # number of slow forms to remember per model


class FormCost:
    """CPU time spent on the form of a reply, with limits.

    Wall time limits would make replies fail on a busy machine.

    Args:
        form: hash of the form.
        costly: hashes of the model's forms that have exceeded a limit.

    Attributes:
        is_slow: True if the last mask was slow, or there wasn't a mask yet.
    """

    def __init__(self, form: int, costly: set[int]) -> None:
        self.is_slow = True
        self._form, self._costly = form, costly
        self._follow_s = self._mask_s = 0.0
        self._tokens = 0

    def check(self) -> None:
        """Check that the form hasn't exceeded a limit, in this or an earlier reply.

        Raises:
            EngineError: `invalid_request`.
        """
        if self._form in self._costly:
            raise EngineError(
                INVALID_REQUEST,
                "The output format takes too long to evaluate. Simplify the schema, the grammar or "
                "the pattern.",
            )

    def add_follow(self, seconds: float, tokens: int) -> None:
        self._tokens += tokens
        self._follow_s += seconds
        allowed_s = FREE_FOLLOW_S + FOLLOW_S_PER_TOKEN * self._tokens
        if seconds > MAX_FOLLOW_S * max(1, tokens) or self._follow_s > allowed_s:
            self._reject_form()

    def add_mask(self, seconds: float) -> None:
        self.is_slow = seconds > SLOW_MASK_S
        self._mask_s += seconds
        if self._mask_s > FREE_MASK_S + MASK_S_PER_TOKEN * self._tokens:
            self._reject_form()

    def _reject_form(self) -> None:
        if len(self._costly) >= MAX_COSTLY_FORMS:
            self._costly.clear()
        self._costly.add(self._form)
        self.check()


class _Phase(Enum):
    OPENING = auto()  # before the first token, which starts the answer or, if allowed, reasoning
    REASONING = auto()  # unconstrained, except that the turn may not end
    ANSWER = auto()


class Constraint:
    def __init__(
        self, matcher: Any, tokenizer: Any, text: ReplyText, opens_reasoning: int, cost: FormCost
    ) -> None:
        self._matcher = matcher
        self._cost = cost
        self._tokenizer = tokenizer
        self._text = text
        self._opens_reasoning = opens_reasoning  # id of the token that starts reasoning, or -1
        self._phase = _Phase.REASONING if text.splitter.kind == "reasoning" else _Phase.OPENING
        self.complete = False  # set once only the end of the turn may follow

    def accept(self, token: int) -> None:
        """Consume a sampled token whose text is already part of the reply.

        Raises:
            EngineError: `internal_error` if the token isn't allowed, e.g. because a `logit_bias`
                rules out all allowed tokens; `invalid_request` if llguidance gives up.
        """
        if self._phase == _Phase.REASONING:
            if self._text.splitter.kind != "reasoning":
                self._phase = _Phase.ANSWER
                # The token that ended the reasoning may contain the first characters of the answer.
                self._text.begin_answer(self._can_start_answer)
                self._consume(self._tokenizer.tokenize_str(self._begin_answer()))
            return
        if self._phase == _Phase.OPENING:
            if token == self._opens_reasoning:
                self._phase = _Phase.REASONING
                return
            self._phase = _Phase.ANSWER
            self._begin_answer()
        self._consume([token])

    def _begin_answer(self) -> str:
        return self._text.disable_markers()

    def _can_start_answer(self, text: str) -> bool:
        tokens = self._tokenizer.tokenize_str(text)
        return not tokens or bool(self._matcher.validate_tokens(tokens) == len(tokens))

    def _consume(self, tokens: list[int]) -> None:
        self._cost.check()
        started_at = time.thread_time()
        fits = not tokens or self._matcher.consume_tokens(tokens)
        self._cost.add_follow(time.thread_time() - started_at, len(tokens))
        if not fits:
            if explanation := explain_limit(self._error_text()):
                raise EngineError(INVALID_REQUEST, f"The output format {explanation}")
            raise EngineError(
                INTERNAL_ERROR,
                f"The answer violated its output format. {self._error_text()}".strip(),
            )
        self.complete = bool(self._matcher.is_stopped())

    @property
    def binds(self) -> bool:
        return self._phase != _Phase.REASONING

    @property
    def is_slow(self) -> bool:
        """True if `mask` should run on a worker thread."""
        return self.binds and self._cost.is_slow

    def mask(self, vocab: int) -> np.ndarray | None:
        """Return a boolean mask `[vocab]` of allowed tokens, or None if all tokens are allowed.

        May run on any thread.

        Raises:
            EngineError: `invalid_request` if no token is allowed, or if evaluating the grammar
                takes too long.
        """
        if self.binds:
            started_at = time.thread_time()
            mask = self._next_mask(vocab)
            self._cost.add_mask(time.thread_time() - started_at)
            return mask
        return self._unbound_mask(vocab)

    def _unbound_mask(self, vocab: int) -> np.ndarray | None:
        mask = np.ones(vocab, bool)
        mask[[t for t in self._tokenizer.eos_tokens if t < vocab]] = False
        return mask

    def _next_mask(self, vocab: int) -> np.ndarray:
        self._cost.check()
        bits = np.frombuffer(self._matcher.compute_bitmask(), np.uint8)
        allowed_tokens = np.unpackbits(bits, bitorder="little")[:vocab].astype(bool)
        if self._matcher.is_error() and (explanation := explain_limit(self._error_text())):
            raise EngineError(INVALID_REQUEST, f"The output format {explanation}")
        if self._matcher.is_error() or not allowed_tokens.any():
            # Forms that only refer to themselves pass the initial check, but fail here.
            raise EngineError(
                INVALID_REQUEST,
                "No text can continue the answer in its output format. Check the schema, the "
                "grammar or the pattern.",
            )
        mask = np.zeros(vocab, bool)
        mask[: len(allowed_tokens)] = allowed_tokens
        if allowed_tokens.sum() == 1 and not self._matcher.validate_tokens(
            [int(allowed_tokens.argmax())]
        ):
            mask[:] = False
            mask[self._plain_tokens()] = True
        if self._phase == _Phase.OPENING and 0 <= self._opens_reasoning < vocab:
            mask[self._opens_reasoning] = True
        return mask

    def _plain_tokens(self) -> list[int]:
        """Return ordinary tokens that can start the text that has to follow.

        If that text looks like a special token, llguidance only allows the special token, but
        rejects it as input.
        """
        forced = self._matcher.compute_ff_bytes().decode(errors="ignore")
        starts = [self._tokenizer.greedy_tokenize(forced[:n]) for n in range(1, len(forced) + 1)]
        single = [ids[0] for ids in starts if len(ids) == 1]
        return [token for token in single if self._matcher.validate_tokens([token])]

    def _error_text(self) -> str:
        return str(self._matcher.get_error()).strip()


class RequiredCalls(Constraint):
    """Constraint for replies that must be tool calls or have a given form.

    The call markers are part of the constrained text.
    """

    def _begin_answer(self) -> str:
        # Omit text that the template or the model added around the reasoning.
        return self._text.raw_after_reasoning


class HeadedCalls(Constraint):
    """Constraint for dialects with a header before each part. Reasoning counts as free text."""

    def accept(self, token: int) -> None:
        self._consume([token])

    @property
    def binds(self) -> bool:
        return True


class FreeCalls(Constraint):
    """Constraint that only applies inside tool calls.

    Some calls can't be constrained: the header may name an unknown tool, or the token that ends
    the opening marker may include text that isn't a valid start of a call. Such calls are reported
    later if they are malformed.

    Args:
        opens: token that opens a call, or -1 if the marker has several tokens.
        closes: True if calls end with a marker. Otherwise, a call lasts until the answer ends.
    """

    def __init__(
        self,
        matcher: Any,
        tokenizer: Any,
        text: ReplyText,
        cost: FormCost,
        opens: int,
        closes: bool,
    ) -> None:
        super().__init__(matcher, tokenizer, text, -1, cost)
        self._opens = opens
        self._closes = closes
        self._calling = False
        # Number of finished calls; the text of the last call may be a token behind.
        self._closed = 0

    def accept(self, token: int) -> None:
        kind = self._text.splitter.kind
        if self._calling:
            self._consume([token])
            if self.complete and self._closes:
                self._calling = self.complete = False
                self._closed += 1
        elif (kind == "tool" and len(self._text.splitter.calls) >= self._closed) or (
            kind == "answer" and token == self._opens and not self._text.splitter.in_code
        ):
            self._matcher.reset()
            call = self._text.call
            if not self._can_start_answer(call):
                self._closed += 1
                return
            self._calling = True
            self._consume(self._tokenizer.tokenize_str(call))

    @property
    def binds(self) -> bool:
        return self._calling

    def _unbound_mask(self, vocab: int) -> None:
        return None


def constrain(
    model: TextCodec,
    params: SamplingParams,
    text: ReplyText,
    reasoning: bool | None,
    calls: bool = False,
) -> Constraint | None:
    """Return the constraint for `params`, or None if the reply is unconstrained.

    The first call for a model takes a second for a vocabulary of 150,000 tokens.

    Args:
        reasoning: True if the answer may start with reasoning; None if the model decides.
        calls: True if the form is for tool calls (`params.tool_form`).

    Raises:
        EngineError: `invalid_request` if the form can't be used. The message says why.
    """
    if not params.is_constrained:
        return None
    try:
        import llguidance
    except ImportError:
        raise EngineError(INVALID_REQUEST, MISSING) from None
    with model.forms_lock:
        if model.forms is None:
            model.forms = _create_tokenizer(llguidance, model)
    limits = parser_limits(params)
    form = build_grammar(llguidance.LLMatcher, params)
    cost = FormCost(hash(form), model.costly_forms)
    cost.check()
    matcher = llguidance.LLMatcher(model.forms, form, log_level=0, limits=limits)
    if matcher.is_error() and params.form_limits is not None:
        form = build_grammar(llguidance.LLMatcher, without_limits(params))
        matcher = llguidance.LLMatcher(model.forms, form, log_level=0, limits=limits)
    if matcher.is_error():
        reason = " ".join(explain_error(matcher.get_error(), params).split())
        raise EngineError(INVALID_REQUEST, f"The output format cannot be used: {reason}")
    tokenizer, opens_reasoning = model.forms, _reasoning_token(model, reasoning)
    covers_all = params.tool_form is not None and params.tool_form.covers_reply
    text.decide_early(not calls or covers_all)  # the form applies immediately after a marker
    if not calls:
        return Constraint(matcher, tokenizer, text, opens_reasoning, cost)
    assert params.tool_form is not None
    markers = recognition.of(model.tokenizer).markers
    if covers_all:
        if markers.header is not None:
            return HeadedCalls(matcher, tokenizer, text, -1, cost)
        return RequiredCalls(matcher, tokenizer, text, opens_reasoning, cost)
    start, end = markers.call
    ids = model.tokenizer.encode(start, add_special_tokens=False) if start else []
    opens = int(ids[0]) if len(ids) == 1 else -1
    return FreeCalls(matcher, tokenizer, text, cost, opens, bool(end))


def _create_tokenizer(llguidance: Any, model: TextCodec) -> Any:
    ends = sorted(model.eos) or [model.tokenizer.eos_token_id]
    try:
        if (tokens := model.form_tokens()) is not None:
            return form_tokens.assemble(tokens, ends)
    except Exception:
        log.warning("the tokenizer for forms is made in one call, not in parts", exc_info=True)
    text = _tokenizer_json(model.tokenizer)
    if text is None:
        raise EngineError(
            INVALID_REQUEST, "This model's tokenizer does not support output formats."
        )
    # Skipping the precomputed slices saves a third of the time, without a later slowdown.
    return llguidance.LLTokenizer(text, eos_token=ends, slices=[])


def _tokenizer_json(tokenizer: Any) -> str | None:
    if isinstance(tokenizer, KnownTokenizer):
        return tokenizer.to_json()
    backend = getattr(getattr(tokenizer, "_tokenizer", None), "backend_tokenizer", None)
    return None if backend is None else str(backend.to_str())


def _reasoning_token(model: TextCodec, reasoning: bool | None) -> int:
    markers = recognition.of(model.tokenizer).markers
    marker = markers.header.starts[0] if markers.header is not None else markers.think_start
    if (reasoning is False and markers.header is None) or not marker:
        return -1
    ids = model.tokenizer.encode(marker, add_special_tokens=False)
    return int(ids[0]) if len(ids) == 1 else -1

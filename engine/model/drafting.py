"""Speculative decoding: a small model drafts tokens, and the chat's model verifies them.

Every token position has its own random key (`sampling`). The model reads all drafted tokens in one
pass and samples a token after each of them, with that position's key. Drafted tokens are accepted
up to the first one that differs from the sampled token. The text is therefore the same with and
without drafts, except when two logits are so close that the rounding of a longer pass matters. In
a constrained reply, a token is sampled after the previous token has been accepted.

The method is from Leviathan et al. 2023 (arXiv:2211.17192), without its probabilistic acceptance,
which uses other random numbers than plain decoding and would change the text.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import mlx.core as mx
import numpy as np

from engine.cache.cache_objects import can_roll_back, flatten_caches
from engine.cache.session_kv import SessionKV
from engine.errors import UNSUPPORTED_SESSION, EngineError
from engine.model import runner
from engine.model.loaded_model import DraftSource, LoadedModel, TextCodec
from engine.model.runner import DecodeRequest, PendingLogits
from engine.model.sampling import token_id


class Drafter(DraftSource):
    """Draft model for a larger model, with caches for the latest answer.

    Args:
        ids: size of the common vocabulary. All token ids are less than this.

    Attributes:
        kv: the draft model's caches. Between turns, they only contain tokens of the answer.
    """

    model: LoadedModel

    def __init__(self, model: LoadedModel, for_model: LoadedModel, ids: int) -> None:
        super().__init__()
        self.model = model
        self.kv = SessionKV(model.new_caches)
        self.used_at = 0.0
        row_counts = [rows for rows in (for_model.text.rows, model.text.rows) if rows is not None]
        self._ids = min([ids, *row_counts])  # MLX doesn't check bounds in embedding lookups
        self._rows = model.text.rows if model.text.rows is not None else ids
        self._answer_tokens: list[int] | None = (
            None  # token list of the answer currently in the caches
        )
        self._domain = ""  # domain of that answer's session

    @property
    def nbytes(self) -> int:
        return self.model.abilities.estimate.bytes(self.kv.length) if self.kv.layers else 0

    def set_domain(self, domain: str) -> None:
        if domain != self._domain:
            self.drop()
            self._domain = domain

    def unread_count(self, tokens: list[int], domain: str) -> int:
        """Return the number of an answer's tokens that the draft model has to read, at least 1.

        Args:
            tokens: the answer's token list, which must be the same object each time and may only
                grow.
        """
        if domain != self._domain:
            return len(tokens)
        read_tokens = (
            self.kv.length if tokens is self._answer_tokens else self.kv.reusable_length(tokens)
        )
        return len(tokens) - read_tokens

    def prefill(self, tokens: list[int], count: int) -> None:
        self._switch_answer(tokens)
        start = self.kv.length
        max_id = self._rows - 1
        runner.prefill(self.model, self.kv, [min(t, max_id) for t in tokens[start : start + count]])
        self.kv.tokens[start:] = tokens[start : start + count]

    def draft(self, tokens: list[int], count: int) -> list[mx.array]:
        """Draft `count` tokens after an answer's tokens. Return lazy ids, each `[1]`."""
        self._switch_answer(tokens)
        self.used_at = time.monotonic()
        feed = mx.array([tokens[self.kv.length :]], mx.uint32)
        drafted: list[mx.array] = []
        for _ in range(count):
            feed = mx.minimum(feed, self._rows - 1)
            logits = runner.forward(self.model, [feed], [self.kv.layers], alone=True)
            if not drafted:
                self.kv.save_before_draft(len(tokens))
            drafted.append(mx.argmax(logits[:, : self._ids], axis=-1).astype(mx.uint32))
            feed = drafted[-1][None]
        return drafted

    def record_draft(self, tokens: list[int], fed_tokens: Sequence[int]) -> None:
        """Record the tokens that `draft` has fed: all of `fed_tokens` except the last token."""
        for token in [*tokens[self.kv.length :], *fed_tokens[1:-1]]:
            self.kv.record_token(token)

    def roll_back(self, length: int) -> None:
        self.kv.roll_back(length)

    def forget_answer(self, tokens: list[int]) -> None:
        if tokens is self._answer_tokens:
            self.drop()

    def drop(self) -> None:
        self.kv.drop()
        self._answer_tokens = None

    def _switch_answer(self, tokens: list[int]) -> None:
        if tokens is not self._answer_tokens:
            self.kv.reuse_prefix(tokens)
            self._answer_tokens = tokens


class CheckedDraft:
    def __init__(self, fed: list[int], logits: mx.array, sampled_ids: list[int] | None) -> None:
        self.fed = fed  # last token of the answer, followed by the drafted tokens
        self._logits = logits
        self._sampled_ids = sampled_ids

    @property
    def drafted(self) -> list[int]:
        return self.fed[1:]

    def sample(self, answer: DecodeRequest, index: int) -> int:
        """Return the token after `fed[index]`. All tokens up to `fed[index]` must have been
        accepted.
        """
        row = self._logits[index : index + 1]
        if self._sampled_ids is None:
            return token_id(runner.sample_constrained(answer, PendingLogits(row)))
        token = self._sampled_ids[index]
        if answer.odds is not None:
            mx.eval(answer.odds.record(row, mx.array([token])))
        return token


def draft_and_verify(
    model: LoadedModel, answer: DecodeRequest, drafter: DraftSource | None, count: int
) -> CheckedDraft | None:
    """Draft `count` tokens of an answer and verify them in one pass. Blocks.

    Afterwards, the model's caches contain all of `CheckedDraft.fed`, and the drafter's caches all
    but the last token. Returns None if there is nothing to draft.
    """
    if isinstance(drafter, Drafter):
        drafted = drafter.draft(answer.tokens, count)
    else:
        drafted = [mx.array([t], mx.uint32) for t in answer.match_search.draft(count)]
    if not drafted:
        return None
    answer.kv.save_before_draft(answer.kv.length)
    fed_ids = mx.concatenate([mx.array(answer.tokens[-1:], mx.uint32), *drafted])
    logits, sampled_ids = runner.verify(model, answer, fed_ids)
    fed_tokens = _wait_for_ids(fed_ids)
    check = CheckedDraft(
        fed_tokens, logits, None if sampled_ids is None else _wait_for_ids(sampled_ids)
    )
    for token in fed_tokens:
        answer.kv.record_token(token)
    if isinstance(drafter, Drafter):
        drafter.record_draft(answer.tokens, check.fed)
    return check


def _wait_for_ids(lazy: mx.array) -> list[int]:
    return [int(token) for token in np.array(lazy)]


def make_drafter(model: LoadedModel, small: LoadedModel, vocab: Mapping[str, int]) -> Drafter:
    """Return a drafter for `model` that uses a small model with the same tokenizer.

    Args:
        vocab: see `common_vocabulary`.

    Raises:
        EngineError: `unsupported_session` if one of the models doesn't support drafting.
    """
    name, main_name = model.info.name, small.info.name
    if model.info.id == small.info.id:
        raise _refusal(f"{name} cannot draft for itself. Choose a smaller model.")
    check_can_verify(model)
    _check_can_roll_back(small, f"by {main_name}")
    return Drafter(small, model, max(vocab.values(), default=-1) + 1)


def check_can_verify(model: LoadedModel) -> None:
    """Check that a model can verify drafts.

    Raises:
        EngineError: `unsupported_session`.
    """
    if model.ranks > 1:
        raise _refusal("A model spread over several ranks cannot use a draft model.")
    _check_can_roll_back(model, f"for {model.info.name}")


def _check_can_roll_back(model: LoadedModel, part: str) -> None:
    if model.abilities.token_by_token:
        raise _refusal(f"Drafts are not possible {part}: it reads tokens one by one.")
    if not all(map(can_roll_back, flatten_caches(model.new_caches()))):
        raise _refusal(f"Drafts are not possible {part}: its caches cannot be trimmed.")


def common_vocabulary(model: TextCodec, small: TextCodec) -> dict[str, int]:
    """Return the vocabulary that two models have in common.

    Raises:
        EngineError: `unsupported_session` if their tokenizers differ.
    """
    vocab: dict[str, int] = model.tokenizer.get_vocab()
    if vocab != small.tokenizer.get_vocab():
        raise _refusal(
            f"{small.info.name} cannot draft for {model.info.name}: their tokenizers differ. "
            "Choose a smaller model of the same family."
        )
    return vocab


def _refusal(reason: str) -> EngineError:
    return EngineError(UNSUPPORTED_SESSION, reason)

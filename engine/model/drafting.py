"""A small model drafts, the chat's own model checks: several tokens of one chat in one pass.

Every token of an answer has a random key of its own (`sampling`), so a draft is checked against
what the chat would have said: its model reads the drafted tokens in one pass and chooses a token
after each, with that token's key. As long as it chooses what was drafted, the tokens are as good
as if they had been made one by one. The text is the same with and without drafts, but for two
tokens whose logits are nearer to each other than a pass of several tokens rounds.

A form may bind the answer: then each token is chosen once the one before it has been accepted.
What is looked up in the chats themselves (`lookup`) is checked for several of them in one pass.

The method is Leviathan et al. 2023 (arXiv:2211.17192), with their acceptance by chance replaced:
there the random numbers differ from those of plain decoding, and with them the text.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence

import mlx.core as mx
import numpy as np

from engine.cache.cache_objects import can_be_put_back, single
from engine.cache.session_kv import SessionKV
from engine.errors import UNSUPPORTED_SESSION, EngineError
from engine.model import runner
from engine.model.loaded import LoadedModel, TextCodec, Trust
from engine.model.lookup import Lookup
from engine.model.runner import Answer, Following, Unsampled

log = logging.getLogger(__name__)

TOO_MANY_FAULTS = 3  # after so many passes that raised, a model is not drafted for for a while


class Drafter:
    """The small model beside a large one, and its caches of the answer it drafted for last.

    Args:
        model: the small one.
        ids: the tokenizer of the two has the ids below it.

    Attributes:
        kv: its caches. Between two turns they hold tokens of the answer and nothing else.
        used_at: when it drafted last, on the monotonic clock.
        drafted, accepted: tokens since it was loaded.
        trust: passes, as far as they raise.
        has_room: whether there was memory for its caches, when that was looked at last.
    """

    def __init__(self, model: LoadedModel, for_model: LoadedModel, ids: int) -> None:
        self.model = model
        self.kv = SessionKV(model.new_caches)
        self.used_at = 0.0
        self.drafted = self.accepted = 0
        self.trust = Trust(TOO_MANY_FAULTS)
        self.has_room = False
        self._looked_at: tuple[object, ...] = ()
        known = [rows for rows in (for_model.text.rows, model.text.rows) if rows is not None]
        self._ids = min([ids, *known])  # MLX does not check an id that it looks up
        self._rows = model.text.rows if model.text.rows is not None else ids
        self._of: list[int] | None = None  # the tokens, of the same list, that the caches follow
        self._domain = ""  # of the session whose tokens they are

    @property
    def works(self) -> bool:
        """Whether it may be used."""
        return self.trust.works

    @property
    def nbytes(self) -> int:
        """Bytes of its caches, by their length: that is looked at in every turn."""
        return self.model.can.estimate.bytes(self.kv.length) if self.kv.layers else 0

    def admitted(self, tokens: list[int], limit: int, version: int) -> bool:
        """Whether it was looked for memory already; see `admit`."""
        return self._looked_at == (id(tokens), limit, version)

    def admit(self, tokens: list[int], limit: int, version: int, has_room: bool) -> None:
        """Take note of whether there is memory for an answer of at most `limit` tokens.

        Args:
            version: of the memory, changes whenever it is to be looked at again.
        """
        self._looked_at = (id(tokens), limit, version)
        self.has_room = has_room

    def draft_for(self, domain: str) -> None:
        """Draft for a session of this domain: caches of another's tokens are none to go on from."""
        if domain != self._domain:
            self.drop()
            self._domain = domain

    def behind(self, tokens: list[int]) -> int:
        """How many of an answer's tokens it has still to read; the last one always is.

        Args:
            tokens: the answer's own list of all its tokens, to which it only adds.
        """
        held = self.kv.length if tokens is self._of else self.kv.reach(tokens)
        return len(tokens) - held

    def read(self, tokens: list[int], count: int) -> None:
        """Read the next `count` of an answer's tokens, and wait until that is done."""
        self._follow(tokens)
        start = self.kv.length
        most = self._rows - 1
        runner.prefill(self.model, self.kv, [min(t, most) for t in tokens[start : start + count]])
        self.kv.tokens[start:] = tokens[start : start + count]

    def draft(self, tokens: list[int], pending: mx.array, count: int) -> list[mx.array]:
        """The next `count` tokens after the `pending` one `[1, 1]`: lazy ids, `[1]` each.

        The answer has the pending one in any case: what comes after it can be taken back.
        """
        self._follow(tokens)
        self.used_at = time.monotonic()
        unread = mx.array([tokens[self.kv.length :]], mx.uint32)
        feed = mx.concatenate([unread, pending.astype(mx.uint32)], axis=1)
        drafted: list[mx.array] = []
        for _ in range(count):
            feed = mx.minimum(feed, self._rows - 1)
            logits = runner.forward(self.model, [feed], [self.kv.layers], alone=True)
            if not drafted:
                self.kv.remember(len(tokens) + 1)
            drafted.append(mx.argmax(logits[:, : self._ids], axis=-1).astype(mx.uint32))
            feed = drafted[-1][None]
        return drafted

    def note(self, tokens: list[int], fed: Sequence[int]) -> None:
        """Take note of what `draft` has had the model read: all of `fed` but its last."""
        for token in [*tokens[self.kv.length :], *fed[:-1]]:
            self.kv.note_fed(token)

    def keep(self, length: int) -> None:
        """Forget what was drafted and not accepted: only `length` tokens of the answer are."""
        self.kv.go_back(length)

    def drop(self) -> None:
        """Free its caches."""
        self.kv.drop()
        self._of = None

    def fail(self, error: BaseException) -> None:
        """A pass with its drafts has raised: nobody knows what its caches hold."""
        self.trust.failed()
        log.warning("drafting of %s failed: %s", self.model.info.name, type(error).__name__)
        self.drop()

    def _follow(self, tokens: list[int]) -> None:
        if tokens is not self._of:
            self.kv.begin(tokens)
            self._of = tokens


class Check:
    """What one pass over a draft came to."""

    def __init__(self, fed: list[int], logits: mx.array, chosen: list[int] | None) -> None:
        self.fed = fed  # the token that was pending, and those drafted after it
        self._logits = logits
        self._chosen = chosen

    @property
    def drafted(self) -> list[int]:
        return self.fed[1:]

    def choose(self, answer: Answer, place: int) -> int:
        """What the answer says after `fed[place]`, once all up to that has been accepted."""
        row = self._logits[place : place + 1]
        if self._chosen is None:
            return _ids(runner.choose(answer, Unsampled(row)))[0]
        token = self._chosen[place]
        if answer.odds is not None:
            mx.eval(answer.odds.note(row, mx.array([token])))
        return token


def check(
    model: LoadedModel, answer: Answer, drafter: Drafter | Lookup, count: int
) -> Check | None:
    """Draft `count` tokens of an answer and have its model read them in one pass; waits.

    Both models' caches then hold all of `Check.fed` (the drafter's all but the last). None where
    there is nothing to draft after all.
    """
    pending = runner.fed_next(answer)
    if isinstance(drafter, Drafter):
        drafted = drafter.draft(answer.tokens, pending, count)
    else:
        drafted = [mx.array([t], mx.uint32) for t in answer.places.draft(_id(pending), count)]
    if not drafted:
        return None
    answer.kv.remember(answer.kv.length)
    fed = mx.concatenate([pending[0].astype(mx.uint32), *drafted])
    ahead = runner.read_ahead(model, answer, fed)
    found = _checked(answer, _ids(fed), ahead)
    if isinstance(drafter, Drafter):
        drafter.note(answer.tokens, found.fed)
    return found


def check_together(
    model: LoadedModel, answers: Sequence[Answer], counts: Sequence[int]
) -> list[Following | Check]:
    """As `check`, for several answers in one pass; those without a draft take a step in it.

    Args:
        counts: how many tokens are looked up for each; 0 for none.
    """
    fed: list[list[int]] = []
    for answer, count in zip(answers, counts, strict=True):
        pending = _id(runner.fed_next(answer)) if count else 0
        looked_up = answer.places.draft(pending, count) if count else []
        fed.append([pending, *looked_up] if looked_up else [])
    drafts = [(a, tokens) for a, tokens in zip(answers, fed, strict=True) if tokens]
    plain = [a for a, tokens in zip(answers, fed, strict=True) if not tokens]
    if not drafts:
        return [*runner.decode(model, answers, True)]
    for answer, _ in drafts:
        answer.kv.remember(answer.kv.length)
    following, read = runner.decode_with_drafts(model, plain, drafts)
    steps = iter(following)
    checks = iter([_checked(*one, ahead) for one, ahead in zip(drafts, read, strict=True)])
    return [next(checks) if tokens else next(steps) for tokens in fed]


def _checked(answer: Answer, fed: list[int], ahead: runner.Ahead) -> Check:
    """What has been read ahead, which the answer's caches hold now."""
    logits, chosen = ahead
    found = Check(fed, logits, None if chosen is None else _ids(chosen))
    for token in fed:
        answer.kv.note_fed(token)
    return found


def _id(lazy: mx.array) -> int:
    """Wait for a token's id, and give it."""
    return int(lazy.item())  # type: ignore[arg-type]


def _ids(lazy: mx.array) -> list[int]:
    """Wait for token ids, and give them."""
    return [int(token) for token in np.array(lazy)]


def couple(model: LoadedModel, small: LoadedModel, vocab: Mapping[str, int]) -> Drafter:
    """What drafts for `model`, made of a small model with the same tokenizer (`same_tokens`).

    Raises:
        EngineError: `unsupported_session`, why the one cannot draft or the other not be drafted
            for.
    """
    name, other = model.info.name, small.info.name
    if model.info.id == small.info.id:
        raise _refused(f"{name} cannot draft for itself. Choose a smaller model.")
    may_be_drafted_for(model)
    _may_go_back(small, f"by {other}")
    return Drafter(small, model, max(vocab.values(), default=-1) + 1)


def may_be_drafted_for(model: LoadedModel) -> None:
    """See whether a model can check drafts.

    Raises:
        EngineError: `unsupported_session`, why it cannot.
    """
    if model.ranks > 1:
        raise _refused("A model that is spread over several ranks cannot be drafted for.")
    _may_go_back(model, f"for {model.info.name}")


def _may_go_back(model: LoadedModel, part: str) -> None:
    if model.can.token_by_token:
        raise _refused(f"Nothing can be drafted {part}: it reads its tokens one by one.")
    if not all(map(can_be_put_back, single(model.new_caches()))):
        raise _refused(
            f"Nothing can be drafted {part}: what it has read cannot be taken back from its caches."
        )


def same_tokens(model: TextCodec, small: TextCodec) -> dict[str, int]:
    """The tokens of the tokenizer that two models have in common, with their ids. For a worker.

    Raises:
        EngineError: `unsupported_session`: their tokenizers differ.
    """
    vocab: dict[str, int] = model.tokenizer.get_vocab()
    if vocab != small.tokenizer.get_vocab():
        raise _refused(
            f"{small.info.name} cannot draft for {model.info.name}: their tokenizers differ. "
            "Choose a smaller model of the same family."
        )
    return vocab


def _refused(why: str) -> EngineError:
    return EngineError(UNSUPPORTED_SESSION, why)

"""Runs each chat of a schedule again, alone, and compares its tokens with those given in company.

A difference that rounding explains is a tie; any other is a fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from engine.engine import Engine, Session
from engine.errors import EngineError
from engine.messages import Message
from engine.model.info import Model
from engine.params import SamplingParams
from engine.reply import Reply

PATIENCE = 120.0  # seconds for one reply; only a hang takes that long
TIE = 1e-4  # two tokens whose logits are nearer than this may change places by rounding
# Quantised keys: one that rounds the other way is off by a whole step of the quantisation.
TIE_IN_BITS = 0.05
DISTANCES = (TIE, 1e-3, 1e-2, TIE_IN_BITS, 0.5, 5.0)
END = 2  # the random models' end-of-turn id; a reply without it has the length asked for

Prompt = str | list[Message]
Ended = Literal["finished", "cancelled", "failed", "refused"]


class Turn(Struct, frozen=True):
    """A prompt that a chat was given, and its reply."""

    prompt: Prompt
    params: SamplingParams
    tokens: tuple[int, ...]
    # "failed" if the chat or the model was taken away during the reply. "refused" if the
    # conversation was too long for the context, or the model cannot have such a session.
    ended: Ended
    # whether the chat's cache had been evicted and computed again before this turn
    rebuilt: bool = False
    dropped: int = 0  # how many messages were left out of the prompt to fit it into the context
    code: str = ""  # the error's, if there was one

    @property
    def counts(self) -> bool:
        """Whether the turn has changed the conversation."""
        return self.ended == "finished" or (self.ended != "refused" and bool(self.tokens))


class Chat(Struct):
    """A conversation and how it came about. A fork's turns begin with those of its origin."""

    session: Any  # its Session; None for a single question
    options: dict[str, Any]
    turns: list[Turn] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    asked: Prompt = ""
    params: SamplingParams = field(default_factory=SamplingParams)
    reply: Reply | None = None
    paused: bool = False

    @property
    def reproducible(self) -> bool:
        return bool(self.options.get("reproducible"))

    @property
    def tie(self) -> float:
        """How near two logits are that rounding may turn round."""
        return TIE_IN_BITS if self.options.get("kv_bits") else TIE

    @property
    def slides(self) -> bool:
        return self.options.get("on_overflow") == "slide"


class Outcome(Struct):
    """What a comparison found."""

    replies: int = 0  # how many were compared
    tokens: int = 0
    cancelled: int = 0  # of them, those that did not run to their end
    ties: int = 0  # replies that differ from a token on whose logit was within `TIE` of another's
    # how many distinct replies there were. Few would mean that the test sees little.
    different: int = 0
    rebuilt: int = 0  # replies on a cache that had been computed again
    slid: int = 0  # replies to conversations whose oldest messages had been dropped
    refused: int = 0  # replies that were refused in company and alone
    # replies that differ for no known reason. It must be empty.
    faults: list[str] = field(default_factory=list)


def compare(engine: Engine, folder: Path, chats: Sequence[Chat], spread: bool = False) -> Outcome:
    """Run every conversation alone, one after another, and compare the tokens.

    A reply that was cancelled is repeated up to as many tokens as it gave.

    Args:
        spread: the chats were computed on several ranks, whose sums round otherwise than one's:
            what is reproducible is so among engines of as many ranks.
    """
    outcome = Outcome()
    model = engine.load(folder)
    said = set()
    for number, chat in enumerate(chats):
        session = engine.open_session(model, **chat.options)
        for place, turn in enumerate(chat.turns):
            kind = "reproducible" if chat.reproducible else "shared"
            where = f"{kind} chat {number}, turn {place}"
            if turn.ended == "refused":
                outcome.refused += 1
                if not _is_refused(session, turn):
                    outcome.faults.append(f"{where}: refused in company only")
                continue
            if turn.counts:
                alone = _replay(session, chat, turn)
                outcome.replies += 1
                outcome.tokens += len(turn.tokens)
                outcome.cancelled += turn.ended != "finished"
                outcome.rebuilt += turn.rebuilt
                outcome.slid += turn.dropped > 0
                said.add(turn.tokens)
                if alone != turn.tokens:
                    at = first_difference(alone, turn.tokens)
                    apart = distance(engine, model, chat, place, at)
                    exact = chat.reproducible and not turn.rebuilt and not spread
                    if not exact and apart <= chat.tie:
                        outcome.ties += 1
                    else:
                        bits = chat.options.get("kv_bits")
                        kept = f" (keys in {bits} bits)" if bits else ""
                        outcome.faults.append(f"{where}{kept}, token {at}, {apart:g} apart")
                    break  # the two conversations differ from here on
            if chat.slides and turn.ended != "finished":
                break  # what it dropped depended on the tokens asked for, not on those given
        session.close()
    engine.unload(model)
    outcome.different = len(said)
    return outcome


def _is_refused(session: Session, turn: Turn) -> bool:
    try:
        session.send(turn.prompt, turn.params).tokens(PATIENCE)
    except EngineError as error:
        return error.code == turn.code
    return False


def first_difference(one: Sequence[int], other: Sequence[int]) -> int:
    for place, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return place
    return min(len(one), len(other))


def _replay(session: Session, chat: Chat, turn: Turn) -> tuple[int, ...]:
    """The tokens of the same turn, run again. A cancelled turn gives as many as it gave before."""
    if turn.ended == "finished":
        return tuple(session.send(turn.prompt, turn.params).tokens(PATIENCE))
    if chat.slides:
        return tuple(session.send(turn.prompt, turn.params).tokens(PATIENCE)[: len(turn.tokens)])
    params = replace(turn.params, max_tokens=len(turn.tokens))
    return tuple(session.send(turn.prompt, params).tokens(PATIENCE))


def distance(engine: Engine, model: Model, chat: Chat, place: int, at: int) -> float:
    """By how much two logits have to move, in all, for the chat alone to give the other token.

    The least of `DISTANCES` that does; infinite where none of them does.
    """
    session = engine.open_session(model, **{**chat.options, "reproducible": False})
    *before, turn = chat.turns[: place + 1]
    for earlier in before:
        if earlier.counts:
            _replay(session, chat, earlier)
    # The end-of-turn token is not among the tokens; None stands for it.
    wanted = turn.tokens[at] if at < len(turn.tokens) else None
    with _nudged(at, wanted) as enough:
        _replay(session, chat, turn)
        engine.stats()
    session.close()
    return min(enough, default=float("inf"))


@contextmanager
def _nudged(at: int, wanted: int | None) -> Iterator[list[float]]:
    """Sample token `at` again and again, with two logits moved by half of each distance.

    The list that is yielded then has the distances that give `wanted`.
    """
    import mlx.core as mx

    from engine.model import runner as _runner

    runner: Any = _runner
    sample = runner.sample_rows
    enough: list[float] = []
    first: list[int] = []

    def spy(logits: Any, samplers: Any, indices: Sequence[int], *rest: Any) -> Any:
        tokens = sample(logits, samplers, indices, *rest)
        first.append(indices[0])  # not 0 in an answer that is continued
        if indices[0] - first[0] == at and not enough:
            ids = mx.arange(logits.shape[-1])
            ended = END if wanted is None else wanted
            towards = mx.where(ids == ended, 0.5, 0) - mx.where(ids == tokens[0], 0.5, 0)
            for far in DISTANCES:
                again = sample(logits + (far * towards)[None], samplers, indices, *rest)[0]
                if int(again.item()) == ended:
                    enough.append(far)
        return tokens

    runner.sample_rows = spy
    try:
        yield enough
    finally:
        runner.sample_rows = sample

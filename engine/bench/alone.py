"""Isolation check: replay each chat of a schedule alone and compare the tokens.

Differences that can be explained by rounding are called ties. All others are faults.
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

PATIENCE = 120.0  # timeout per reply in seconds
TIE = 1e-4  # two logits this close may swap because of rounding
# With quantized keys, a rounding error can grow to a whole quantization step.
TIE_IN_BITS = 0.05
DISTANCES = (TIE, 1e-3, 1e-2, TIE_IN_BITS, 0.5, 5.0)
END = 2  # EOS token of random models; without it, replies have exactly the requested length

Prompt = str | list[Message]
Ended = Literal["finished", "cancelled", "failed", "refused"]


class Turn(Struct, frozen=True):
    prompt: Prompt
    params: SamplingParams
    tokens: tuple[int, ...]
    # "failed" means that the chat or model was removed during the reply. "refused" means that the
    # conversation exceeded the context, or that the model doesn't support such a session.
    ended: Ended
    # The chat's cache was evicted and had to be prefilled again for this turn.
    rebuilt: bool = False
    dropped: int = 0  # number of messages dropped to fit the context
    code: str = ""  # error code, or ""

    @property
    def counts(self) -> bool:
        """True if the turn became part of the conversation."""
        return self.ended == "finished" or (self.ended != "refused" and bool(self.tokens))


class Chat(Struct):
    """Chat and its history. A fork's history starts with the turns of the original chat."""

    session: Any  # `Session`, or None for a single question
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
        """Tolerance for ties. See `TIE`."""
        return TIE_IN_BITS if self.options.get("kv_bits") else TIE

    @property
    def slides(self) -> bool:
        return self.options.get("on_overflow") == "slide"


class Outcome(Struct):
    replies: int = 0  # number of compared replies
    tokens: int = 0
    cancelled: int = 0  # number of canceled replies, included in `replies`
    ties: int = 0  # replies that differ, starting at a token with tied logits
    # Number of distinct replies. The check is only meaningful if this number is high.
    different: int = 0
    rebuilt: int = 0  # replies whose cache was evicted
    slid: int = 0  # replies in conversations with dropped messages
    refused: int = 0  # replies that were refused in both runs
    # Differences without an explanation. Must be empty.
    faults: list[str] = field(default_factory=list)


def compare(engine: Engine, folder: Path, chats: Sequence[Chat], spread: bool = False) -> Outcome:
    """Replay each conversation alone, one after another, and compare the tokens.

    Cancelled replies are replayed up to the token where they were cancelled.

    Args:
        spread: the chats ran on several ranks, which round differently. Sessions are only
            reproducible for the same number of ranks.
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
                    break  # the histories differ from here on
            if chat.slides and turn.ended != "finished":
                break  # dropped messages depend on the number of tokens requested, not generated
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
    """Replay a turn and return its tokens, but not more than it had if it was cancelled."""
    if turn.ended == "finished":
        return tuple(session.send(turn.prompt, turn.params).tokens(PATIENCE))
    if chat.slides:
        return tuple(session.send(turn.prompt, turn.params).tokens(PATIENCE)[: len(turn.tokens)])
    params = replace(turn.params, max_tokens=len(turn.tokens))
    return tuple(session.send(turn.prompt, params).tokens(PATIENCE))


def distance(engine: Engine, model: Model, chat: Chat, place: int, at: int) -> float:
    """Find out how close the logits of two different tokens were.

    Returns the smallest of `DISTANCES` by which the logits have to be moved for the chat to give
    the other token when it runs alone, or infinity.
    """
    session = engine.open_session(model, **{**chat.options, "reproducible": False})
    *before, turn = chat.turns[: place + 1]
    for earlier in before:
        if earlier.counts:
            _replay(session, chat, earlier)
    # None stands for the EOS token, which isn't in `tokens`.
    wanted = turn.tokens[at] if at < len(turn.tokens) else None
    with _nudged(at, wanted) as enough:
        _replay(session, chat, turn)
        engine.stats()
    session.close()
    return min(enough, default=float("inf"))


@contextmanager
def _nudged(at: int, wanted: int | None) -> Iterator[list[float]]:
    """Patch sampling to also try moving the logits of token `at` by each of `DISTANCES`.

    Yields a list that is filled with the distances that lead to `wanted`.
    """
    import mlx.core as mx

    from engine.model import runner as _runner
    from engine.model.sampling import token_id

    runner: Any = _runner
    sample = runner.sample_rows
    enough: list[float] = []
    first: list[int] = []

    def spy(logits: Any, samplers: Any, indices: Sequence[int], *rest: Any) -> Any:
        tokens = sample(logits, samplers, indices, *rest)
        first.append(indices[0])  # indices don't start at 0 if an answer is continued
        if indices[0] - first[0] == at and not enough:
            logits, ids = mx.array(logits), mx.arange(logits.shape[-1])
            ended = END if wanted is None else wanted
            towards = mx.where(ids == ended, 0.5, 0) - mx.where(ids == tokens[0], 0.5, 0)
            for far in DISTANCES:
                again = sample(logits + (far * towards)[None], samplers, indices, *rest)[0]
                if token_id(again) == ended:
                    enough.append(far)
        return tokens

    runner.sample_rows = spy
    try:
        yield enough
    finally:
        runner.sample_rows = sample

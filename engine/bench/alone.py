"""Isolation check: replay each chat of a schedule alone, and compare the tokens and their logits.

Logits of the same tokens may differ only by rounding. If rounding changes a token (a tie), the
replies differ from there on.
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
from engine.params import SamplingParams
from engine.reply import Reply

PATIENCE = 120.0  # timeout per reply in seconds
TIE = 2e-3  # maximum difference between logits of a token, in standard deviations
# With quantized keys, a rounding error can grow to a whole quantization step.
TIE_IN_BITS = 0.05
END = 2  # EOS token of random models; without it, replies have exactly the requested length

Prompt = str | list[Message]
Rows = dict[int, Any]
"""Logits `[vocab]` of a reply by the index of the token sampled from them."""
Logits = dict[int, Rows]  # by the reply's seed
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
    def is_kept(self) -> bool:
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
    def tie_tolerance(self) -> float:
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
    apart: float = 0.0  # largest difference of logits that is not a fault
    # Replies whose logits are not bitwise equal, apart from those with quantized keys.
    unequal: list[str] = field(default_factory=list)
    # Differences without an explanation. Must be empty.
    faults: list[str] = field(default_factory=list)


@contextmanager
def recorded_logits(recorded: Logits) -> Iterator[None]:
    """While the block runs, append the logits of each sampled token to `recorded`."""
    # Imported here because this imports MLX, which an engine has to import first.
    from engine.model import runner as _runner
    from engine.model.sampling import evaluate_rows

    runner: Any = _runner
    sample = runner._sample_tokens

    def record(logits: Any, places: Any, *rest: Any) -> Any:
        for row, (answer, index, _) in zip(evaluate_rows(logits), places, strict=True):
            recorded.setdefault(answer.sampler.seed, {})[index] = row.copy()
        return sample(logits, places, *rest)

    runner._sample_tokens = record
    try:
        yield
    finally:
        runner._sample_tokens = sample


def compare(engine: Engine, folder: Path, chats: Sequence[Chat], company: Logits | None) -> Outcome:
    """Replay each conversation alone, and compare it.

    Cancelled replies are replayed up to the token where they were cancelled.

    Args:
        company: the logits when the chats ran together. None for greedy chats on several ranks,
            which round differently and run in other processes. Sessions are only reproducible for
            the same number of ranks.
    """
    outcome, alone = Outcome(), Logits()
    model = engine.load(folder)
    replies = set()
    with recorded_logits(alone):
        for number, chat in enumerate(chats):
            session = engine.open_session(model, **chat.options)
            for number_of_turn, turn in enumerate(chat.turns):
                kind = "reproducible" if chat.reproducible else "shared"
                place = f"{kind} chat {number}, turn {number_of_turn}"
                if turn.ended == "refused":
                    outcome.refused += 1
                    if not _is_refused(session, turn):
                        outcome.faults.append(f"{place}: refused in company only")
                    continue
                if turn.is_kept:
                    tokens = _replay(session, chat, turn)
                    outcome.replies += 1
                    outcome.tokens += len(turn.tokens)
                    outcome.cancelled += turn.ended != "finished"
                    outcome.rebuilt += turn.rebuilt
                    outcome.slid += turn.dropped > 0
                    replies.add(turn.tokens)
                    seed = turn.params.seed
                    assert seed is not None
                    if company is None:
                        distance = _gap(alone[seed], turn.tokens, tokens)
                    else:
                        distance = logit_distance(company[seed], alone[seed], turn.tokens, tokens)
                    exact = chat.reproducible and not turn.rebuilt and company is not None
                    # Logits of equal tokens may still differ, because the start of a fork or of a
                    # cancelled prompt was prefilled in different chunks.
                    if (exact and tokens != turn.tokens) or not distance <= chat.tie_tolerance:
                        bits = chat.options.get("kv_bits")
                        cache = f" (keys in {bits} bits)" if bits else ""
                        at = first_difference(tokens, turn.tokens)
                        outcome.faults.append(f"{place}{cache}, token {at}, {distance:.2g} apart")
                        break
                    outcome.apart = max(outcome.apart, distance)
                    if distance and not chat.options.get("kv_bits"):
                        outcome.unequal.append(place)
                    if tokens != turn.tokens:
                        outcome.ties += 1
                        break  # the histories differ from here on
                if chat.slides and turn.ended != "finished":
                    break  # dropped messages depend on the tokens requested, not generated
            session.close()
    engine.unload(model)
    outcome.different = len(replies)
    return outcome


def _is_refused(session: Session, turn: Turn) -> bool:
    try:
        session.send(turn.prompt, turn.params).tokens(PATIENCE)
    except EngineError as error:
        return error.code == turn.code
    return False


def first_difference(first: Sequence[int], second: Sequence[int]) -> int:
    for position, (a, b) in enumerate(zip(first, second, strict=False)):
        if a != b:
            return position
    return min(len(first), len(second))


def _replay(session: Session, chat: Chat, turn: Turn) -> tuple[int, ...]:
    if turn.ended == "finished":
        return tuple(session.send(turn.prompt, turn.params).tokens(PATIENCE))
    if chat.slides:
        return tuple(session.send(turn.prompt, turn.params).tokens(PATIENCE)[: len(turn.tokens)])
    params = replace(turn.params, max_tokens=len(turn.tokens))
    return tuple(session.send(turn.prompt, params).tokens(PATIENCE))


def logit_distance(
    company: Rows, alone: Rows, tokens: Sequence[int], other_tokens: Sequence[int]
) -> float:
    """Return the largest difference between the logits of a reply in two runs.

    Logits are compared up to the first different token, in standard deviations. The result is
    infinite if any of these are missing.
    """
    import numpy as np

    same = first_difference(tokens, other_tokens)
    count, distances = same + (len(tokens) != len(other_tokens) or same < len(tokens)), [0.0]
    first = min(alone, default=0)  # not 0 if an answer is continued
    for index in range(first, first + count):
        if index not in company or index not in alone:
            return float("inf")
        a, b = company[index], alone[index]
        with np.errstate(invalid="ignore"):  # some logits may be -inf
            distance = np.where(a == b, 0.0, np.abs(a - b)).max() / b[np.isfinite(b)].std()
        distances.append(float(distance))
    return float(np.max(distances))  # NaN if any is


def _gap(alone: Rows, tokens: Sequence[int], other_tokens: Sequence[int]) -> float:
    """Return the distance between the logits of the tokens at which greedy replies first differ."""
    at = first_difference(tokens, other_tokens)
    if at == max(len(tokens), len(other_tokens)):
        return 0.0
    row = alone[min(alone) + at]
    own_logit, other_logit = (
        row[tokens[at] if at < len(tokens) else END] for tokens in (tokens, other_tokens)
    )
    return float(abs(own_logit - other_logit) / row.std())

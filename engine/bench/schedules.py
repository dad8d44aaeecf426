"""Random schedules of many chats on one engine, and the same conversations run alone to compare.

`run` lets a seed decide who joins, sends, edits, cancels, forks, closes, reopens or has the model
unloaded; `compare` replays what each chat was asked, one chat at a time in an engine of its own.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from engine.engine import Engine, Reply, Session
from engine.errors import SESSION_CLOSED, UNKNOWN_MODEL
from engine.messages import Failed, Finished, FinishReason, Message
from engine.models import Model
from engine.params import SamplingParams

PATIENCE = 120.0  # seconds for one reply; only a hang takes that long
TIE = 1e-4  # two tokens whose logits are nearer than this may change places by rounding

END = 2  # the random models' end-of-turn id; without it a reply has the length asked for

WORDS = ("do", "re", "mi", "fa", "sol", "la", "si", "ut")

Prompt = str | list[Message]


@dataclass(frozen=True)
class Turn:
    """One thing that a chat was asked and what it said.

    Attributes:
        ended: "finished"; "cancelled"; or "failed" when chat or model were taken away meanwhile.
    """

    prompt: Prompt
    params: SamplingParams
    tokens: tuple[int, ...]
    ended: str


@dataclass
class Chat:
    """A conversation as it came about, a fork's together with what it was forked from."""

    session: Session
    reproducible: bool
    turns: list[Turn] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    asked: Prompt = ""
    params: SamplingParams = field(default_factory=SamplingParams)
    reply: Reply | None = None


@dataclass
class Outcome:
    """What a comparison found.

    Attributes:
        ties: replies that differ from where two tokens were all but equally good.
        faults: replies that differ without that excuse; must be empty.
        different: how many different replies there were, to see that they are not all alike.
    """

    replies: int = 0
    tokens: int = 0
    cancelled: int = 0
    ties: int = 0
    different: int = 0
    faults: list[str] = field(default_factory=list)


class Schedule:
    """One model's chats under a seed."""

    def __init__(self, engine: Engine, folder: Path, seed: int, chats: int = 16) -> None:
        self._engine = engine
        self._folder = folder
        self._random = random.Random(seed)
        self._most = chats
        self._model: Model = engine.load(folder)
        self._chats: list[Chat] = []
        self.done: list[Chat] = []
        self.actions: Counter[str] = Counter()

    def run(self, steps: int) -> list[Chat]:
        """Take so many random actions; every conversation that there was."""
        for _ in range(steps):
            self._step()
        for chat in list(self._chats):
            self._settle(chat)
            self._close(chat)
        self._engine.unload(self._model)
        return self.done

    def _step(self) -> None:
        chance = self._random.random()
        if chance < 0.004:
            return self._reload()
        if len(self._chats) < self._most and chance < 0.4:
            return self._open()
        if not self._chats:
            return None
        for chat in self._chats:
            if chat.reply is not None and chat.reply.done:
                self._settle(chat)
        idle = [c for c in self._chats if c.reply is None]
        if idle and self._random.random() < 0.8:  # most of them should be answering at once
            return self._random.choices(
                (self._send, self._edit, self._fork, self._close, self._reopen),
                (64, 14, 14, 5, 3),
            )[0](self._random.choice(idle))
        busy = [c for c in self._chats if c.reply is not None]
        if not busy:
            return None
        return self._random.choices(
            (self._wait, self._cancel, self._settle, self._fork, self._close),
            (55, 14, 2, 12, 3),
        )[0](self._random.choice(busy))

    def _open(self, session_id: str | None = None) -> None:
        self.actions["open"] += 1
        reproducible = self._random.random() < 0.25
        session = self._engine.open_session(self._model, session_id, reproducible=reproducible)
        self._chats.append(Chat(session, reproducible))

    def _send(self, chat: Chat) -> None:
        self._ask(chat, self._words())
        self.actions["follow-up" if chat.turns else "send"] += 1

    def _edit(self, chat: Chat) -> None:
        """Go back to an earlier message and ask something else there, or the same again."""
        users = [n for n, m in enumerate(chat.messages) if m["role"] == "user"]
        if not users:
            return self._send(chat)
        self.actions["edit"] += 1
        at = self._random.choice(users)
        again = self._random.random() < 0.5
        last = chat.messages[at] if again else {"role": "user", "content": self._words()}
        return self._ask(chat, [*chat.messages[:at], last])

    def _ask(self, chat: Chat, prompt: Prompt) -> None:
        pick = self._random
        chat.asked = prompt
        chat.params = SamplingParams(
            max_tokens=pick.choice((1, 8, 30, 60, 90)),
            logit_bias=pick.choice(({}, {END: -1e9}, {END: -1e9})),
            temperature=pick.choice((0.0, 0.0, 0.7, 1.2)),
            top_p=pick.choice((1.0, 0.9)),
            top_k=pick.choice((0, 50)),
            repetition_penalty=pick.choice((1.0, 1.0, 1.1)),
            seed=pick.randrange(1 << 30),
        )
        chat.reply = chat.session.send(prompt, chat.params)

    def _words(self) -> str:
        count = self._random.choice((1, 2, 5, 12, 30))
        return " ".join(self._random.choices(WORDS, k=count))

    def _wait(self, chat: Chat) -> None:
        """Let the reply get on by a few events."""
        assert chat.reply is not None
        enough = len(chat.reply._events) + self._random.randrange(1, 8)
        for number, _ in enumerate(chat.reply, 1):
            if number == enough:
                return

    def _cancel(self, chat: Chat) -> None:
        assert chat.reply is not None
        self.actions["cancel"] += 1
        chat.reply.cancel()
        self._settle(chat)

    def _settle(self, chat: Chat) -> None:
        """Wait for the reply's end and write the turn down."""
        if chat.reply is None:
            return
        turn, text = _finished(chat)
        chat.turns.append(turn)
        chat.reply = None
        if turn.ended == "finished" or (turn.ended == "cancelled" and turn.tokens):
            asked = chat.asked
            before = [*chat.messages, {"role": "user", "content": asked}]
            chat.messages = before if isinstance(asked, str) else list(asked)
            chat.messages.append({"role": "assistant", "content": text})

    def _fork(self, chat: Chat) -> None:
        if len(self._chats) >= self._most:
            return
        running = chat.reply is not None and not chat.reply.done
        if not running:
            self._settle(chat)
        twin = chat.session.fork()
        if running:
            self._engine.stats()  # the fork has been made by now
            assert chat.reply is not None
            if chat.reply.done:  # before or after the fork? No telling.
                twin.close()
                return
        self.actions["fork"] += 1
        copy = Chat(twin, chat.reproducible, list(chat.turns), list(chat.messages))
        self._chats.append(copy)

    def _close(self, chat: Chat) -> None:
        self.actions["close"] += 1
        chat.session.close()
        self._settle(chat)
        self._retire(chat)

    def _reopen(self, chat: Chat) -> None:
        self.actions["reopen"] += 1
        self._retire(chat)
        self._open(chat.session.id)

    def _retire(self, chat: Chat) -> None:
        self._chats.remove(chat)
        self.done.append(chat)

    def _reload(self) -> None:
        self.actions["reload"] += 1
        self._engine.unload(self._model)
        for chat in list(self._chats):
            self._settle(chat)
            self._retire(chat)
        self._model = self._engine.load(self._folder)


def _finished(chat: Chat) -> tuple[Turn, str]:
    reply = chat.reply
    assert reply is not None
    *_, last = reply  # every reply ends; a hang is the caller's time limit
    text = "".join(getattr(e, "text", "") for e in reply)
    if isinstance(last, Finished):
        ended = "cancelled" if last.reason == FinishReason.CANCELLED else "finished"
    else:
        assert isinstance(last, Failed)
        if last.code not in (SESSION_CLOSED, UNKNOWN_MODEL):
            raise AssertionError(f"a reply failed: {last.code}: {last.message}")
        ended = "failed"
    return Turn(chat.asked, chat.params, tuple(reply._tokens), ended), text


def compare(engine: Engine, folder: Path, chats: Sequence[Chat]) -> Outcome:
    """Run every conversation alone, one after another, and compare the tokens.

    What was cut short is asked again for as many tokens as came: they must be the first ones.
    """
    outcome = Outcome()
    model = engine.load(folder)
    said = set()
    for number, chat in enumerate(chats):
        session = engine.open_session(model, reproducible=chat.reproducible)
        for place, turn in enumerate(chat.turns):
            if not turn.tokens and turn.ended != "finished":
                continue  # as if it had not been asked
            alone = tuple(_replay(session, turn).tokens(PATIENCE))
            outcome.replies += 1
            outcome.tokens += len(turn.tokens)
            outcome.cancelled += turn.ended != "finished"
            said.add(turn.tokens)
            if alone == turn.tokens:
                continue
            at = next(
                (i for i, (a, b) in enumerate(zip(alone, turn.tokens, strict=False)) if a != b),
                min(len(alone), len(turn.tokens)),
            )
            if not chat.reproducible and _is_tie(engine, model, chat, place, at):
                outcome.ties += 1
            else:
                kind = "reproducible" if chat.reproducible else "shared"
                outcome.faults.append(f"{kind} chat {number}, turn {place}, token {at}")
            break  # from here on the two conversations are about different things
        session.close()
    engine.unload(model)
    outcome.different = len(said)
    return outcome


def _replay(session: Session, turn: Turn) -> Reply:
    params = turn.params
    if turn.ended != "finished":
        params = _limited(params, len(turn.tokens))
    return session.send(turn.prompt, params)


def _limited(params: SamplingParams, tokens: int) -> SamplingParams:
    return replace(params, max_tokens=tokens)


def _is_tie(engine: Engine, model: Model, chat: Chat, place: int, at: int) -> bool:
    """Whether less than `TIE` in two logits gives, alone, the token that was given in company."""
    session = engine.open_session(model)
    *before, turn = chat.turns[: place + 1]
    for earlier in before:
        if earlier.tokens or earlier.ended == "finished":
            _replay(session, earlier).tokens(PATIENCE)
    # One past the end stands for the end-of-turn token, which is not among the tokens.
    wanted = turn.tokens[at] if at < len(turn.tokens) else None
    with _nudged(at, wanted) as given:
        _replay(session, turn).tokens(PATIENCE)
        engine.stats()
    session.close()
    return bool(given) and given[0]


@contextmanager
def _nudged(at: int, wanted: int | None) -> Iterator[list[bool]]:
    """Watch the sampling of token `at`: would it be `wanted` with both logits nudged by half?"""
    import mlx.core as mx

    from engine import runner as _runner

    runner: Any = _runner
    sample = runner.sample_rows
    given: list[bool] = []

    def spy(logits: Any, samplers: Any, indices: Sequence[int], *rest: Any) -> Any:
        tokens = sample(logits, samplers, indices, *rest)
        if indices[0] == at and not given:
            ids = mx.arange(logits.shape[-1])
            ended = END if wanted is None else wanted
            change = mx.where(ids == ended, TIE / 2, 0) - mx.where(ids == tokens[0], TIE / 2, 0)
            again = sample(logits + change[None], samplers, indices, *rest)[0]
            given.append(int(again.item()) == ended)
        return tokens

    runner.sample_rows = spy
    try:
        yield given
    finally:
        runner.sample_rows = sample

"""Rank 0's end of what callers ask: commands come over the link, what they bring goes back.

Nothing that can be called crosses it. A reply's sink and a call's answer stay with the relay, under
the reply's id and a number.
"""

from __future__ import annotations

import contextlib
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any

from engine.core.ranks.leader import Leader
from engine.core.ranks.link import Link
from engine.errors import EngineError, as_engine_error
from engine.messages import Command, Event, Load, Send, UnloadIdle
from engine.runtime.workers import Answer, Mailbox


@dataclass(frozen=True)
class Asked:
    """A command on its way to rank 0, without what can be called.

    Attributes:
        number: of its answer; 0 where none is waited for.
    """

    command: Command
    number: int = 0


@dataclass(frozen=True)
class Unasked:
    """The caller does not want an answer any more."""

    number: int


@dataclass(frozen=True)
class Told:
    """An event of a reply, with the ids that came with it."""

    event: Event
    tokens: tuple[int, ...]


@dataclass(frozen=True)
class Answered:
    """A call's result, or its error."""

    number: int
    result: Any = None
    error: tuple[str, str] | None = None


@dataclass(frozen=True)
class Progress:
    """How far a load is, or the id of a model that went for being idle."""

    number: int
    value: float | str


def nowhere(event: Event, tokens: tuple[int, ...]) -> None:
    """Stands for a sink on the way."""


class FarEnd:
    """Takes what comes over the link, on the thread that listens to it."""

    def __init__(self, link: Link, mailbox: Mailbox, leader: Leader) -> None:
        self._link = link
        self._mailbox = mailbox
        self._leader = leader
        self._answers: dict[int, Future[Any]] = {}

    def take(self, message: Any) -> None:
        """Take a follower's message, or a command."""
        if isinstance(message, dict):
            self._leader.hear(message)
            return
        (asked,) = message
        if isinstance(asked, Unasked):
            answer = self._answers.pop(asked.number, None)
            if answer is not None:
                answer.cancel()
            return
        with contextlib.suppress(EngineError):  # it is just stopping
            self._mailbox.post(self._here(asked))

    def _here(self, asked: Asked) -> Command:
        """The command as this process's engine takes it."""
        command, number, link = asked.command, asked.number, self._link
        if isinstance(command, Send):
            return replace(command, sink=lambda e, tokens: link.hand(Told(e, tokens)))
        if isinstance(command, UnloadIdle):
            return replace(command, told=lambda model: link.hand(Progress(number, model)))
        if not number:
            return command
        answer: Future[Any] = Answer(can_be_cancelled=True)
        if not isinstance(command, Load):
            answer.set_running_or_notify_cancel()
        self._answers[number] = answer
        answer.add_done_callback(lambda done: self._answered(number, done))
        if isinstance(command, Load):
            told = None
            if command.told is not None:

                def told(share: float) -> None:
                    link.hand(Progress(number, share))

            return replace(command, answer=answer, told=told)
        changed: Any = command
        return replace(changed, answer=answer)  # type: ignore[no-any-return]

    def _answered(self, number: int, done: Future[Any]) -> None:
        self._answers.pop(number, None)
        if done.cancelled():
            return
        error = done.exception()
        if error is None:
            self._link.hand(Answered(number, done.result()))
        else:
            known = as_engine_error(error)
            self._link.hand(Answered(number, error=(known.code, known.message)))

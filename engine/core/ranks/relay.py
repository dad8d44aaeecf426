"""What stands for the engine where the ranks are other processes: commands out, events back.

It has the face of `engine.runtime.loop.Loop` and runs on the engine thread. Nothing of MLX happens
here, so whatever becomes of the ranks, this process goes on and can start them again.
"""

from __future__ import annotations

import logging
import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

from engine.core.ranks import files
from engine.core.ranks.agreeing import budget_of, differing
from engine.core.ranks.far_end import Answered, Asked, Progress, Told, Unasked, nowhere
from engine.core.ranks.hosts.host import Host
from engine.core.ranks.processes import Processes, Rank
from engine.core.ranks.watch import Watch
from engine.errors import ENGINE_STOPPED, EngineError, RanksLostError, words_of
from engine.messages import (
    Command,
    Failed,
    Finished,
    GetStats,
    Send,
    Sink,
    Stop,
    UnloadIdle,
    WorkDone,
)
from engine.runtime.workers import Mailbox, refuse

log = logging.getLogger(__name__)

CHECKED_EVERY = 100
"""Turns after which the followers compare their caches with rank 0's. Takes a few milliseconds."""

CHECK_EVERY = "STRETTO_RANKS_CHECK"
"""Names another number of turns, for proofs."""

_IDLE = -1  # the number of the command that says who hears of idle models: the last one counts

_LEAVING = 10.0  # seconds for rank 0 to end its engine


@dataclass
class _Reply:
    session_id: str
    sink: Sink


class Relay:
    """The ranks of one engine, and who waits for what from them.

    Args:
        hosts: where each rank is started, rank 0 on this machine.
        memory_budget: bytes that all of one machine together may take there.
        cache_dir: the folder for their KV caches, None for none.
        cache_bytes: what the folder may take.

    Raises:
        RanksLostError: they could not be started, or do not fit together.
    """

    def __init__(
        self,
        mailbox: Mailbox,
        hosts: Sequence[Host],
        memory_budget: int | None = None,
        cache_dir: Path | None = None,
        cache_bytes: int = 0,
    ) -> None:
        self._mailbox = mailbox
        kept = files.portable(cache_dir)
        self._kept = {"cache": str(kept) if kept else None, "cache bytes": cache_bytes}
        self._inbox: deque[Command] = deque()
        self._replies: dict[str, _Reply] = {}
        self._answers: dict[int, Command] = {}
        self._made = 0
        self._ended = threading.Event()
        self._lost: list[str] = []
        self._watch: Watch | None = None
        self._processes = Processes(hosts, self._unwanted)
        try:
            ranks = self._processes.start()
            differs = differing(ranks)
            if differs is not None:
                raise RanksLostError(differs)
            self._begin(ranks, memory_budget)
        except BaseException as error:
            self._close()
            why = EngineError(ENGINE_STOPPED, f"The engine could not start: {_said(error)}")
            for command in self._inbox:
                refuse(command, why)
            raise

    def _unwanted(self) -> bool:
        """Whether the engine was stopped while it starts."""
        self._mailbox.take(self._inbox, block=False)
        return any(isinstance(command, Stop) for command in self._inbox)

    def _begin(self, ranks: list[Rank], memory_budget: int | None) -> None:
        budget = budget_of(ranks, memory_budget)
        check_every = int(os.environ.get(CHECK_EVERY) or CHECKED_EVERY)
        self._ranks = ranks
        self._watch = Watch(ranks, self._lose)
        for rank in ranks:
            threading.Thread(
                target=self._listen, args=(rank,), name="stretto-ranks-link", daemon=True
            ).start()
        self._processes.begin({"budget": budget, "check every": check_every, **self._kept})

    def run(self) -> None:
        """Hand on what comes until a `Stop` does, or a rank is lost."""
        why = "The engine was stopped."
        try:
            while self._turn():
                pass
        except BaseException as error:
            known = isinstance(error, EngineError)
            why = _said(error)
            log.error("%s", why, exc_info=None if known else error)
            raise
        finally:
            self.end(why)

    def _turn(self) -> bool:
        self._mailbox.take(self._inbox, block=not self._inbox)
        if self._lost:
            raise RanksLostError(self._why())
        while self._inbox:
            command = self._inbox[0]
            if isinstance(command, Stop):
                return False
            if isinstance(command, WorkDone):
                command.deliver()
            else:
                self._ask(command)
            self._inbox.popleft()
        return True

    # -- out --------------------------------------------------------------------------------

    def _ask(self, command: Command) -> None:
        number, sent = 0, command
        names = {field.name for field in fields(command)}
        if isinstance(command, Send):
            self._replies[command.reply_id] = _Reply(command.session_id, command.sink)
            sent = replace(command, sink=nowhere)
        elif "answer" in names or "told" in names:
            self._made += 1
            number = _IDLE if isinstance(command, UnloadIdle) else self._made
            self._answers[number] = command
            hidden = {n: None for n in ("answer", "told") if n in names}
            if getattr(command, "told", None) is not None:
                hidden["told"] = True  # type: ignore[assignment]
            sent = replace(command, **hidden)  # type: ignore[arg-type]
        try:
            self._ranks[0].link.hand(Asked(sent, number))
        except OSError:
            raise RanksLostError(self._why()) from None
        answer = getattr(command, "answer", None)
        if answer is not None:
            answer.add_done_callback(partial(self._unasked, number))

    def _unasked(self, number: int, answer: Future[Any]) -> None:
        if not answer.cancelled():
            return
        self._answers.pop(number, None)  # rank 0 says no more of it
        if not self._ended.is_set():
            try:
                self._ranks[0].link.hand(Unasked(number))
            except OSError:
                log.debug("nobody is left to be told that an answer is not wanted")

    # -- back -------------------------------------------------------------------------------

    def _listen(self, rank: Rank) -> None:
        """On a thread of its own: take what a rank sends."""
        assert self._watch is not None
        try:
            while True:
                message = rank.link.take(trusted=rank.number == 0)
                if isinstance(message, tuple):
                    self._post(partial(self._take, message[0]))
                elif "beat" in message:
                    steps, busy = int(message["beat"]), bool(message["busy"])
                    rank.held = int(message["held"])
                    self._watch.beat(rank.number, steps, busy, bool(message["loading"]))
                elif "to all" in message and rank.number == 0:
                    for other in self._ranks[1:]:
                        other.link.tell(message["to all"])
                elif "fault" in message:
                    self._lose(f"{self._name(rank)} failed: {_words(message)}")
                elif "over" in message:
                    self._ended.set()
                else:
                    self._ranks[0].link.tell({**message, "rank": rank.number})
        except (EOFError, OSError, ValueError, TypeError):
            self._lose(f"{self._name(rank)} has gone.")

    def _name(self, rank: Rank) -> str:
        return rank.place(len(self._ranks))

    def _post(self, deliver: Callable[[], None]) -> None:
        try:
            self._mailbox.post(WorkDone(deliver, lambda error: None))
        except EngineError:  # everybody has been told the end
            log.debug("a rank has spoken after the end")

    def _take(self, handed: object) -> None:
        match handed:
            case Told(event, tokens):
                reply = self._replies.get(event.reply_id)
                if reply is None:
                    return
                if isinstance(event, (Finished, Failed)):
                    del self._replies[event.reply_id]
                reply.sink(event, tokens)
            case Progress(number, value):
                told = getattr(self._answers.get(number), "told", None)
                if told is not None:
                    told(value)
            case Answered(number, result, error):
                command = self._answers.pop(number, None)
                if command is None:
                    return
                if error is not None:
                    refuse(command, EngineError(*error))
                elif isinstance(command, GetStats):
                    command.answer.set_result({**result, "ranks": self._told_of()})
                else:
                    command.answer.give(result)  # type: ignore[union-attr]

    def _told_of(self) -> list[dict[str, Any]]:
        """What the engine's figures say of the ranks."""
        return [
            {
                "rank": rank.number,
                "host": rank.host,
                "pid": rank.process.pid if rank.process is not None else 0,
                "device": rank.hello.get("device"),
                "memory": rank.hello.get("memory"),
                "held": rank.held,
                "turn": self._watch.steps(rank.number) if self._watch is not None else 0,
            }
            for rank in self._ranks
        ]

    # -- the end ----------------------------------------------------------------------------

    def _lose(self, why: str) -> None:
        """On any thread: a rank is lost, and the others are of no use without it."""
        if self._ended.is_set():
            return
        self._lost.append(why)
        self._ended.set()
        self._processes.kill()
        self._post(lambda: None)  # the engine thread looks

    def _why(self) -> str:
        why = self._lost[0] if self._lost else "A rank has gone."
        return f"{why} The ranks were ended; the next use starts them again."

    def end(self, why: str) -> None:
        """End all ranks, and tell everybody who waits."""
        if not self._ended.is_set():  # in order: it frees what it holds
            try:
                self._ranks[0].link.hand(Asked(Stop()))
                self._ended.wait(_LEAVING)
            except OSError:
                log.debug("rank 0 was gone before it was told to stop")
        self._ended.set()
        self._close()
        left = [*self._inbox, *self._mailbox.close()]
        self._inbox.clear()
        for handed in left:  # what was told before the end
            if isinstance(handed, WorkDone):
                _surely(handed.deliver)
        for reply_id, reply in list(self._replies.items()):
            failed = Failed(reply.session_id, reply_id, ENGINE_STOPPED, why)
            _surely(partial(reply.sink, failed, ()))
        self._replies.clear()
        for command in [*self._answers.values(), *left]:
            _surely(partial(refuse, command, EngineError(ENGINE_STOPPED, why)))
        self._answers.clear()

    def _close(self) -> None:
        self._ended.set()
        if self._watch is not None:
            self._watch.close()
        self._processes.close()


def _said(error: BaseException) -> str:
    return error.message if isinstance(error, EngineError) else words_of(error)


def _words(message: dict[str, Any]) -> str:
    return str(message["fault"]).rstrip(".") + "."


def _surely(part: Callable[[], object]) -> None:
    try:
        part()
    except BaseException:
        log.exception("a fault while the ranks ended")

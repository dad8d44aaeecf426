"""What stands for the engine where the ranks are other processes: commands out, events back.

It has the face of `engine.runtime.loop.Loop` and runs on the engine thread. Nothing of MLX happens
here, so whatever becomes of the ranks, this process goes on and can start them again.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter, deque
from collections.abc import Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from engine.cluster import machines
from engine.cluster.hosts import Host
from engine.cluster.link import CALLED, Answered, Asked, Called, Unasked
from engine.cluster.processes import DYING, Processes, Rank, Watch, died
from engine.errors import ENGINE_STOPPED, EngineError, RanksLostError, run_cleanup, words_of
from engine.messages import (
    Command,
    Failed,
    Finished,
    GetStats,
    Send,
    Stop,
    UnloadIdle,
    WorkDone,
)
from engine.runtime.admission import BUDGET_SHARE
from engine.runtime.workers import Mailbox, refuse

log = logging.getLogger(__name__)

_IDLE = -1  # the number of the command about idle models: the last one counts

_LEAVING = 10.0  # seconds for rank 0 to end its engine


def budget_of(ranks: Sequence[Rank], given: int | None) -> int:
    """Bytes that each rank may take: as many as the one that has least, on whatever machine.

    Args:
        given: for all ranks of one machine together; None for most of what is free there. Of other
            machines than rank 0's no more than that is taken in any case.
    """
    here = ranks[0].hello.get("machine")
    crowd = Counter(rank.hello.get("machine") for rank in ranks)

    def most(rank: Rank) -> int:
        free = int(int(rank.hello["memory"]) * BUDGET_SHARE)
        if given is None:
            return free
        return given if rank.hello.get("machine") == here else min(given, free)

    return min(most(rank) // crowd[rank.hello.get("machine")] for rank in ranks)


def differing(ranks: Sequence[Rank]) -> str | None:
    """Why ranks cannot be in one group; None where nothing differs."""
    wanted = ranks[0].hello.get("versions") or {}
    for rank in ranks[1:]:
        theirs = rank.hello.get("versions")
        known = theirs if isinstance(theirs, dict) else {}
        for fault in machines.differing(f"Rank {rank.number}", wanted, known, "rank 0"):
            return fault
    return None


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
        self._inbox: deque[Command] = deque()
        self._waiting: dict[int, Command] = {}  # whose callers expect something of rank 0
        self._made = 0
        self._ended = threading.Event()
        self._lost: list[str] = []
        self._watch: Watch | None = None
        self._processes = Processes(hosts, self._unwanted)
        try:
            self._ranks = self._processes.start()
            differs = differing(self._ranks)
            if differs is not None:
                raise RanksLostError(differs)
            self._watch = Watch(self._ranks, self._lose)
            for rank in self._ranks:
                threading.Thread(
                    target=self._listen, args=(rank,), name="stretto-ranks-link", daemon=True
                ).start()
            self._processes.begin(
                {
                    "budget": budget_of(self._ranks, memory_budget),
                    "cache": _portable(cache_dir),
                    "cache bytes": cache_bytes,
                }
            )
        except BaseException as error:
            self._close()
            why = EngineError(ENGINE_STOPPED, f"The engine could not start: {words_of(error)}")
            for command in self._inbox:
                refuse(command, why)
            raise

    def _unwanted(self) -> bool:
        """Whether the engine was stopped while it starts."""
        self._mailbox.take(self._inbox, block=False)
        return any(isinstance(command, Stop) for command in self._inbox)

    def run(self) -> None:
        """Hand on what comes until a `Stop` does, or a rank is lost."""
        why = "The engine was stopped."
        try:
            while self._turn():
                pass
        except BaseException as error:
            known = isinstance(error, EngineError)
            why = words_of(error)
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
                self._take(command.value)
            else:
                self._ask(command)
            self._inbox.popleft()
        return True

    # -- out --------------------------------------------------------------------------------

    def _ask(self, command: Command) -> None:
        answer: Future[Any] | None = getattr(command, "answer", None)
        hidden: dict[str, Any] = {
            name: True for name in CALLED if getattr(command, name, None) is not None
        }
        if answer is not None:
            hidden["answer"] = None
        number = 0
        if hidden:
            self._made += 1
            number = _IDLE if isinstance(command, UnloadIdle) else self._made
            self._waiting[number] = command
        try:
            self._ranks[0].link.hand(Asked(replace(command, **hidden), number))
        except OSError:
            raise RanksLostError(self._why()) from None
        if answer is not None:
            answer.add_done_callback(partial(self._unasked, number))

    def _unasked(self, number: int, answer: Future[Any]) -> None:
        if not answer.cancelled():
            return
        self._waiting.pop(number, None)  # rank 0 says no more of it
        if not self._ended.is_set():
            try:
                self._ranks[0].link.hand(Unasked(number))
            except OSError:
                log.debug("rank 0 has gone before it heard that an answer is not wanted")

    # -- back -------------------------------------------------------------------------------

    def _listen(self, rank: Rank) -> None:
        """On a thread of its own: take what a rank sends."""
        name = rank.place(len(self._ranks))
        try:
            while True:
                message = rank.link.take(trusted=rank.number == 0)
                if isinstance(message, tuple):
                    self._post(WorkDone(0, message[0]))
                elif "beat" in message:
                    rank.beat(message)
                elif "to all" in message and rank.number == 0:
                    for other in self._ranks[1:]:
                        other.link.tell(message["to all"])
                elif "fault" in message:
                    self._lose(f"{name} failed: {str(message['fault']).rstrip('.')}.", DYING)
                elif "over" in message:
                    self._ended.set()
                else:
                    self._ranks[0].link.tell({**message, "rank": rank.number})
        except (EOFError, OSError, ValueError, TypeError):
            self._lose(f"{name} has gone.", DYING)

    def _post(self, message: WorkDone) -> None:
        try:
            self._mailbox.post(message)
        except EngineError:  # all callers have their answers
            log.debug("a rank has spoken after the end")

    def _take(self, handed: object) -> None:
        match handed:
            case Called(number, arguments):
                command = self._waiting.get(number)
                if isinstance(command, Send):
                    event = arguments[0]
                    if isinstance(event, Failed) and event.code == ENGINE_STOPPED:
                        return  # `end` says why: rank 0 only knows that the others left it
                    if isinstance(event, (Finished, Failed)):
                        del self._waiting[number]
                    command.sink(*arguments)
                elif command is not None:
                    command.told(*arguments)  # type: ignore[union-attr, misc]
            case Answered(number, result, error):
                command = self._waiting.pop(number, None)
                if command is None:
                    return
                if error is not None:
                    refuse(command, EngineError(*error))
                elif isinstance(command, GetStats):
                    command.answer.set_result({**result, "ranks": self._figures()})
                else:
                    command.answer.give(result)  # type: ignore[union-attr]

    def _figures(self) -> list[dict[str, Any]]:
        """What the engine's figures say of the ranks."""
        return [
            {
                "rank": rank.number,
                "host": rank.host,
                "pid": rank.process.pid if rank.process is not None else 0,
                "device": rank.hello.get("device"),
                "memory": rank.hello.get("memory"),
                "held": rank.held,
                "turn": rank.steps,
            }
            for rank in self._ranks
        ]

    # -- the end ----------------------------------------------------------------------------

    def _lose(self, why: str, within: float = 0.0) -> None:
        """On any thread: a rank is lost, and the others are of no use without it.

        Args:
            within: as of `died`.
        """
        if self._ended.is_set():
            return
        # A rank that was killed takes the others with it, who may be heard of before it.
        self._lost.append(died(self._ranks, within) or why)
        self._ended.set()
        self._processes.kill()
        self._post(WorkDone())  # the engine thread looks

    def _why(self) -> str:
        why = self._lost[0] if self._lost else "A rank has gone."
        return f"{why} The ranks were ended; the next use starts them again."

    def end(self, why: str) -> None:
        """End all ranks, and give an error to all who wait."""
        if not self._ended.is_set():  # in order: it frees what it holds
            try:
                self._ranks[0].link.hand(Asked(Stop()))
                self._ended.wait(_LEAVING)
            except OSError:
                log.debug("rank 0 was gone before it was asked to stop")
        self._ended.set()
        self._close()
        left = [*self._inbox, *self._mailbox.close()]
        self._inbox.clear()
        for handed in left:  # what ranks have sent before the end
            if isinstance(handed, WorkDone):
                run_cleanup(partial(self._take, handed.value))
        for command in [*self._waiting.values(), *left]:
            run_cleanup(partial(refuse, command, EngineError(ENGINE_STOPPED, why)))
        self._waiting.clear()

    def _close(self) -> None:
        self._ended.set()
        if self._watch is not None:
            self._watch.close()
        self._processes.close()


def _portable(folder: Path | None) -> str | None:
    """A folder by a name that means the same on a machine where the home is another."""
    if folder is None or not folder.is_relative_to(Path.home()):
        return str(folder) if folder is not None else None
    return str("~" / folder.relative_to(Path.home()))

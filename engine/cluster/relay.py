"""Replacement for the engine loop that relays commands and events to and from rank processes.

It has the interface of `engine.runtime.loop.Loop` and runs on the engine thread without MLX, so
this process survives the loss of ranks and can start new ones.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter, deque
from collections.abc import Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any

from msgspec.structs import replace

from engine.cluster import machines
from engine.cluster.hosts import Host
from engine.cluster.link import (
    CALLBACK_FIELDS,
    CommandCallback,
    CommandCancelled,
    CommandResult,
    RelayedCommand,
)
from engine.cluster.processes import DEATH_WAIT_S, Rank, RankProcesses, RankWatcher, dead_rank_text
from engine.errors import ENGINE_STOPPED, EngineError, RanksLostError, describe_error, run_cleanup
from engine.messages import (
    Command,
    Failed,
    Finished,
    GetStats,
    Send,
    Stop,
    WorkDone,
)
from engine.runtime.admission import BUDGET_SHARE
from engine.runtime.mailbox import Mailbox, refuse

log = logging.getLogger(__name__)

_SHUTDOWN_TIMEOUT_S = 10.0  # timeout for shutting down rank 0's engine


def rank_budget(ranks: Sequence[Rank], budget: int | None) -> int:
    """Return the memory budget per rank that all of them can afford.

    Args:
        budget: bytes for all ranks on one machine together, or None for most of the free memory.
            Other machines never use more than their free memory.
    """
    machine = ranks[0].hello.get("machine")
    crowd = Counter(rank.hello.get("machine") for rank in ranks)

    def max_budget(rank: Rank) -> int:
        free = int(int(rank.hello["memory"]) * BUDGET_SHARE)
        if budget is None:
            return free
        return budget if rank.hello.get("machine") == machine else min(budget, free)

    return min(max_budget(rank) // crowd[rank.hello.get("machine")] for rank in ranks)


def version_difference(ranks: Sequence[Rank]) -> str | None:
    expected = ranks[0].hello.get("versions") or {}
    for rank in ranks[1:]:
        reported = rank.hello.get("versions")
        versions = reported if isinstance(reported, dict) else {}
        for fault in machines.version_differences(
            f"Rank {rank.number}", expected, versions, "rank 0"
        ):
            return fault
    return None


class Relay:
    """Ranks of an engine, and the commands waiting for results from them.

    Args:
        memory_budget: bytes for all ranks on one machine together.

    Raises:
        RanksLostError: if the ranks can't be started, or their versions don't match.
    """

    def __init__(
        self,
        mailbox: Mailbox,
        hosts: Sequence[Host],
        memory_budget: int | None = None,
    ) -> None:
        self._mailbox = mailbox
        self._inbox: deque[Command] = deque()
        self._pending: dict[int, Command] = {}  # commands with outstanding callbacks or results
        self._last_number = 0
        self._ended = threading.Event()
        self._problems: list[str] = []
        self._watch: RankWatcher | None = None
        self._processes = RankProcesses(hosts, self._is_stopping)
        try:
            self._ranks = self._processes.start()
            differs = version_difference(self._ranks)
            if differs is not None:
                raise RanksLostError(differs)
            self._watch = RankWatcher(self._ranks, self._lose_rank)
            for rank in self._ranks:
                threading.Thread(
                    target=self._listen, args=(rank,), name="stretto-ranks-link", daemon=True
                ).start()
            self._processes.send_setup({"budget": rank_budget(self._ranks, memory_budget)})
        except BaseException as error:
            self._close()
            engine_error = EngineError(
                ENGINE_STOPPED, f"The engine could not start: {describe_error(error)}"
            )
            for command in self._inbox:
                refuse(command, engine_error)
            raise

    def _is_stopping(self) -> bool:
        self._mailbox.take(self._inbox, block=False)
        return any(isinstance(command, Stop) for command in self._inbox)

    def run(self) -> None:
        error_text = "The engine was stopped."
        try:
            while self._step():
                pass
        except BaseException as error:
            is_known = isinstance(error, EngineError)
            error_text = describe_error(error)
            log.error("%s", error_text, exc_info=None if is_known else error)
            raise
        finally:
            self.end(error_text)

    def _step(self) -> bool:
        self._mailbox.take(self._inbox, block=not self._inbox)
        if self._problems:
            raise RanksLostError(self._lost_text())
        while self._inbox:
            command = self._inbox[0]
            if isinstance(command, Stop):
                return False
            if isinstance(command, WorkDone):
                self._handle_message(command.value)
            else:
                self._relay_command(command)
            self._inbox.popleft()
        return True

    def _relay_command(self, command: Command) -> None:
        answer: Future[Any] | None = getattr(command, "answer", None)
        hidden: dict[str, Any] = {
            name: True for name in CALLBACK_FIELDS if getattr(command, name, None) is not None
        }
        if answer is not None:
            hidden["answer"] = None
        number = 0
        if hidden:
            self._last_number += 1
            number = self._last_number
            self._pending[number] = command
        try:
            self._ranks[0].link.send_object(RelayedCommand(replace(command, **hidden), number))
        except OSError:
            raise RanksLostError(self._lost_text()) from None
        if answer is not None:
            answer.add_done_callback(partial(self._on_cancelled, number))

    def _on_cancelled(self, number: int, answer: Future[Any]) -> None:
        if not answer.cancelled():
            return
        self._pending.pop(number, None)  # rank 0 won't send anything else for this command
        if not self._ended.is_set():
            try:
                self._ranks[0].link.send_object(CommandCancelled(number))
            except OSError:
                log.debug("rank 0 ended before a cancellation was sent")

    def _listen(self, rank: Rank) -> None:
        name = rank.label(len(self._ranks))
        try:
            while True:
                message = rank.link.receive(trusted=rank.number == 0)
                if isinstance(message, tuple):
                    self._post(WorkDone(0, message[0]))
                elif "beat" in message:
                    rank.record_heartbeat(message)
                elif "to all" in message and rank.number == 0:
                    for follower in self._ranks[1:]:
                        follower.link.send_message(message["to all"])
                elif "fault" in message:
                    self._lose_rank(
                        f"{name} failed: {str(message['fault']).rstrip('.')}.", DEATH_WAIT_S
                    )
                elif "over" in message:
                    self._ended.set()
                else:
                    self._ranks[0].link.send_message({**message, "rank": rank.number})
        except (EOFError, OSError, ValueError, TypeError):
            self._lose_rank(f"{name} closed its connection.", DEATH_WAIT_S)

    def _post(self, message: WorkDone) -> None:
        try:
            self._mailbox.post(message)
        except EngineError:  # all callers have already received their results
            log.debug("message from a rank after the end")

    def _handle_message(self, handed: object) -> None:
        match handed:
            case CommandCallback(number, arguments):
                command = self._pending.get(number)
                if isinstance(command, Send):
                    event = arguments[0]
                    if isinstance(event, Failed) and event.code == ENGINE_STOPPED:
                        return  # `end` reports the actual cause, which rank 0 can't determine
                    if isinstance(event, (Finished, Failed)):
                        del self._pending[number]
                    command.sink(*arguments)
                elif command is not None:
                    command.callback(*arguments)  # type: ignore[union-attr, misc]
            case CommandResult(number, result, error):
                command = self._pending.pop(number, None)
                if command is None:
                    return
                if error is not None:
                    refuse(command, EngineError(*error))
                elif isinstance(command, GetStats):
                    command.answer.set_result({**result, "ranks": self._rank_stats()})
                else:
                    command.answer.resolve(result)  # type: ignore[union-attr]

    def _rank_stats(self) -> list[dict[str, Any]]:
        return [
            {
                "rank": rank.number,
                "host": rank.host,
                "pid": rank.process.pid if rank.process is not None else 0,
                "device": rank.hello.get("device"),
                "memory": rank.hello.get("memory"),
                "held": rank.held_bytes,
                "turn": rank.steps,
            }
            for rank in self._ranks
        ]

    def _lose_rank(self, reason: str, timeout_s: float = 0.0) -> None:
        """Handle the loss of a rank, on any thread. The other ranks can't continue and are
        killed.
        """
        if self._ended.is_set():
            return
        # When a rank is killed, the other ranks fail, and their errors may arrive first.
        self._problems.append(dead_rank_text(self._ranks, timeout_s) or reason)
        self._ended.set()
        self._processes.kill()
        self._post(WorkDone())  # wakes up the engine thread

    def _lost_text(self) -> str:
        problem = self._problems[0] if self._problems else "A rank has ended."
        return f"{problem} All ranks were stopped. They restart with the next request."

    def end(self, error_text: str) -> None:
        if not self._ended.is_set():  # give rank 0 a chance to shut down cleanly
            try:
                self._ranks[0].link.send_object(RelayedCommand(Stop()))
                self._ended.wait(_SHUTDOWN_TIMEOUT_S)
            except OSError:
                log.debug("rank 0 ended before it was stopped")
        self._ended.set()
        self._close()
        unsent = [*self._inbox, *self._mailbox.close()]
        self._inbox.clear()
        for handed in unsent:  # commands that arrived but were never executed
            if isinstance(handed, WorkDone):
                run_cleanup(partial(self._handle_message, handed.value))
        for command in [*self._pending.values(), *unsent]:
            run_cleanup(partial(refuse, command, EngineError(ENGINE_STOPPED, error_text)))
        self._pending.clear()

    def _close(self) -> None:
        self._ended.set()
        if self._watch is not None:
            self._watch.close()
        self._processes.close()

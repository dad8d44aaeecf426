"""Requests through the engine, so many at a time; each in a session of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any

from engine.batch.requests import Request
from engine.engine import Engine, Session
from engine.errors import ENGINE_STOPPED, EngineError
from engine.messages import Event, Failed, Finished, ReplyStats, TextDelta
from engine.model.info import Model
from engine.reply import Reply

TICK_SECONDS = 0.25


@dataclass(frozen=True)
class Answer:
    """What became of a request: an answer, or an error as {"code", "message"}.

    Attributes:
        content: the fields of the record that tell of it; the same in every run.
        latency_s: from sending the request to its last token, waiting in the engine included.
    """

    content: dict[str, Any]
    stats: ReplyStats
    latency_s: float

    @property
    def failed(self) -> bool:
        return "error" in self.content


class _Flight:
    """A request on its way."""

    def __init__(self, request: Request, session: Session, runner: Runner) -> None:
        self.request = request
        self.session = session
        self._runner = runner
        self._sent = time.perf_counter()
        self.latency = 0.0
        self.last: Finished | Failed | None = None
        self.reply: Reply = session.send(request.prompt, request.params, self._note)

    def _note(self, event: Event) -> None:
        """Called on the engine thread."""
        if isinstance(event, (Finished, Failed)):
            self.latency = time.perf_counter() - self._sent
            self.last = event
            self._runner.ended.put(self)
        elif isinstance(event, TextDelta):
            self._runner.tokens += 1


class Runner:
    """Keeps `concurrency` requests going.

    Attributes:
        tokens: about how many tokens have come so far, of unfinished answers too.
        ended: what the engine thread is through with.
    """

    def __init__(
        self, engine: Engine, model: Model, concurrency: int, reproducible: bool = False
    ) -> None:
        self._engine = engine
        self._model = model
        self._concurrency = concurrency
        self._reproducible = reproducible
        self._flights: set[_Flight] = set()
        self.tokens = 0
        self.ended: SimpleQueue[_Flight] = SimpleQueue()

    def run(
        self,
        requests: Iterator[Request],
        answered: Callable[[Request, Answer], None],
        tick: Callable[[], None] | None = None,
    ) -> None:
        """Answer all requests; `answered` hears of each as it ends, `tick` four times a second.

        Raises:
            EngineError: `engine_stopped`; what was going on then was not answered.
        """
        try:
            self._fill(requests)
            while self._flights:
                try:
                    flight = self.ended.get(timeout=None if tick is None else TICK_SECONDS)
                except Empty:
                    flight = None
                if flight is not None:
                    self._land(flight, answered)
                    self._fill(requests)
                if tick is not None:
                    tick()
        finally:
            for flight in self._flights:
                flight.session.close()

    def _fill(self, requests: Iterator[Request]) -> None:
        while len(self._flights) < self._concurrency:
            request = next(requests, None)
            if request is None:
                return
            session = self._engine.open_session(
                self._model,
                system=request.system,
                reproducible=self._reproducible,
                reasoning=request.reasoning,
            )
            self._flights.add(_Flight(request, session, self))

    def _land(self, flight: _Flight, answered: Callable[[Request, Answer], None]) -> None:
        self._flights.discard(flight)
        flight.session.close()
        last = flight.last
        assert last is not None
        if isinstance(last, Failed) and last.code == ENGINE_STOPPED:
            raise EngineError(last.code, last.message)
        answered(flight.request, _answer(flight, last))


def _answer(flight: _Flight, last: Finished | Failed) -> Answer:
    if isinstance(last, Failed):
        error = {"code": last.code, "message": last.message}
        return Answer({"error": error}, ReplyStats(), flight.latency)
    parts: dict[str, list[str]] = {"answer": [], "reasoning": [], "tool": []}
    for event in flight.reply:
        if isinstance(event, TextDelta):
            parts[event.kind].append(event.text)
    content: dict[str, Any] = {"text": "".join(parts["answer"])}
    for kind in ("reasoning", "tool"):
        if parts[kind]:
            content[kind] = "".join(parts[kind])
    content |= {
        "finish_reason": str(last.reason),
        "prompt_tokens": last.stats.prompt_tokens,
        "generated_tokens": last.stats.generated_tokens,
        "seed": flight.request.params.seed,
    }
    return Answer(content, last.stats, flight.latency)

"""The lines of the input, and their requests through the engine, many at a time.

Each is in a session of its own. Whatever a request brings costs that request only. After a
breakdown of the engine the model is loaded again. The requests that were going on then are asked
again one at a time, and the one that breaks the engine again is recorded as failed.
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from msgspec import Struct

from engine.batch import requests as openai_request
from engine.batch.requests import Defaults, Request, parsed
from engine.engine import Engine, Session
from engine.errors import ENGINE_STOPPED, INTERNAL_ERROR, EngineError
from engine.messages import Event, Failed, Finished, ReplyStats, TextDelta
from engine.model.info import Model
from engine.reply import Reply
from engine.serve import json_input
from engine.serve.json_input import shortened
from engine.serve.routes.schema import read_fields

log = logging.getLogger(__name__)

TICK_SECONDS = 0.25


class BadLine(Struct, frozen=True):
    """One line that cannot be answered, and why."""

    line: int
    id: str | int | None
    why: str
    openai: bool = False


def lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Every line that is not empty with its number, one at a time: the file may be large."""
    with path.open("rb") as file:
        for number, raw in enumerate(file, 1):
            content = raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw
            if content.strip():
                yield number, content.strip()


def digest(raw: bytes, salt: str) -> str:
    """A name for a line and for all else that its answer depends on (`salt`)."""
    return hashlib.sha256(salt.encode() + b"\0" + raw).hexdigest()[:16]


class Parser:
    """Turns lines into requests. It remembers their ids, since no two lines may have the same.

    Attributes:
        ignored: names of fields that were ignored.
    """

    def __init__(self, defaults: Defaults) -> None:
        self._defaults = defaults
        self._seen: dict[str, int] = {}
        self.ignored: set[str] = set()

    def __call__(self, line: int, raw: bytes) -> Request | BadLine:
        name, of_openai = None, False
        try:
            entry = json_input.decode(raw)
            of_openai = openai_request.is_openai(entry)
            given = entry.get("custom_id" if of_openai else "id")
            if given is not None and (isinstance(given, bool) or not isinstance(given, (str, int))):
                raise ValueError(f"an id is a text or a whole number, not {given!r}")
            name = given
            if name is not None:
                first = self._seen.setdefault(json.dumps(name), line)
                if first != line:
                    raise ValueError(f"the id {name!r} is that of line {first} already")

            def read() -> Request:
                plain = openai_request.plain(entry) if of_openai else entry
                return parsed(plain, self._defaults, line, name, of_openai)

            request, ignored = read_fields(read)
            self.ignored.update(ignored.split(", ") if ignored else ())
            return request
        except ValueError as error:
            why = str(error)
        except Exception as error:
            # A line of any content must leave a record. It must not end the run.
            log.debug("line %d could not be read", line, exc_info=True)
            why = f"it could not be read ({type(error).__name__})"
        return BadLine(line, name, shortened(why), of_openai)


# -- answers ------------------------------------------------------------------------------------


class Answer(Struct, frozen=True):
    """What became of a request: an answer, or an error as {"code", "message"}."""

    content: dict[str, Any]  # the fields of the record that tell of it; the same in every run
    stats: ReplyStats
    latency_s: float  # from sending the request to its last token, waiting in the engine included

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
    """Keeps `concurrency` requests going."""

    def __init__(
        self,
        engine: Engine,
        model: Model,
        concurrency: int,
        reproducible: bool = False,
    ) -> None:
        self._engine = engine
        self.model = model  # what answers; another record after a breakdown
        self._concurrency = concurrency
        self._reproducible = reproducible
        self._flights: set[_Flight] = set()
        self._suspects: deque[Request] = deque()  # one of them has broken the engine
        self.tokens = 0  # about how many tokens have come so far, of unfinished answers too
        self.ended: SimpleQueue[_Flight] = SimpleQueue()  # what the engine thread is through with

    def run(
        self,
        requests: Iterator[Request],
        answered: Callable[[Request, Answer], None],
        tick: Callable[[], None] | None = None,
    ) -> None:
        """Answer all requests. `answered` hears of each as it ends, `tick` four times a second.

        Raises:
            EngineError: `engine_stopped` when the engine was stopped on purpose. What was going
                on then was not answered.
        """
        try:
            self._fill(requests, answered)
            while self._flights:
                try:
                    flight = self.ended.get(timeout=None if tick is None else TICK_SECONDS)
                except Empty:
                    flight = None
                if flight is not None and flight in self._flights:
                    self._land(flight, answered)
                    self._fill(requests, answered)
                if tick is not None:
                    tick()
        finally:
            for flight in self._flights:
                flight.session.close()

    def _fill(
        self, requests: Iterator[Request], answered: Callable[[Request, Answer], None]
    ) -> None:
        while len(self._flights) < (1 if self._suspects else self._concurrency):
            request = self._suspects[0] if self._suspects else next(requests, None)
            if request is None:
                return
            try:
                self._flights.add(self._send(request))
            except Exception as error:
                if isinstance(error, EngineError) and error.code == ENGINE_STOPPED:
                    self._recover([] if self._suspects else [request])
                    continue
                if self._suspects:
                    self._suspects.popleft()
                answered(request, _refused(error))

    def _send(self, request: Request) -> _Flight:
        session = self._engine.open_session(
            self.model,
            system=request.system,
            reproducible=self._reproducible,
            reasoning=request.reasoning,
        )
        try:
            return _Flight(request, session, self)
        except BaseException:
            session.close()
            raise

    def _land(self, flight: _Flight, answered: Callable[[Request, Answer], None]) -> None:
        last = flight.last
        assert last is not None
        if isinstance(last, Failed) and last.code == ENGINE_STOPPED:
            alone = bool(self._suspects)
            self._recover([] if alone else [f.request for f in self._flights])
            if alone:
                error = {"code": INTERNAL_ERROR, "message": "The engine broke down over this."}
                answer = Answer({"error": error}, ReplyStats(), flight.latency)
                answered(self._suspects.popleft(), answer)
            return
        self._flights.discard(flight)
        flight.session.close()
        if self._suspects:
            self._suspects.popleft()
        answered(flight.request, _answer(flight, last))

    def _recover(self, again: list[Request]) -> None:
        """Load the model again, and ask what was going on again, one at a time.

        Raises:
            EngineError: the engine was stopped on purpose, or the model cannot be loaded.
        """
        self.model = self._engine.load_again(self.model)
        log.warning("the engine broke down; the model has been loaded again")
        self._flights.clear()
        self._suspects.extend(sorted(again, key=lambda request: request.line))


def _refused(error: Exception) -> Answer:
    """A request that could not even be sent."""
    if isinstance(error, EngineError):
        told = {"code": error.code, "message": shortened(error.message)}
    else:
        log.debug("a request could not be sent", exc_info=True)
        why = f"The request could not be sent ({type(error).__name__})."
        told = {"code": INTERNAL_ERROR, "message": why}
    return Answer({"error": told}, ReplyStats(), 0.0)


def _answer(flight: _Flight, last: Finished | Failed) -> Answer:
    if isinstance(last, Failed):
        error = {"code": last.code, "message": shortened(last.message)}
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

"""Runner of batch requests, which are processed concurrently.

Every request has its own session. If the engine fails, the model is reloaded, and the running
requests are repeated one by one. A request that makes the engine fail again is recorded as failed.
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

from engine.batch.requests import (
    BatchRequest,
    RequestDefaults,
    build_completion,
    is_openai,
    parse_openai_request,
    parse_request,
)
from engine.engine import Engine, Session
from engine.errors import ENGINE_STOPPED, INTERNAL_ERROR, EngineError
from engine.messages import Event, Failed, Finished, ReplyStats, TextDelta
from engine.model.info import Model
from engine.reply import Reply
from engine.serve import json_input
from engine.serve.auth import LOCAL
from engine.serve.errors import RequestError
from engine.serve.json_input import shorten
from engine.serve.routes.schema import read_fields
from engine.serve.sessions import SessionConfig

log = logging.getLogger(__name__)

TICK_S = 0.25


class InvalidLine(Struct, frozen=True):
    line: int
    id: str | int | None
    reason: str
    is_openai: bool = False


def read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    with path.open("rb") as file:
        for number, raw in enumerate(file, 1):
            content = raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw
            if content.strip():
                yield number, content.strip()


def line_digest(raw: bytes, salt: str) -> str:
    """Return an id for a line and everything else that its answer depends on (`salt`)."""
    return hashlib.sha256(salt.encode() + b"\0" + raw).hexdigest()[:16]


class LineParser:
    """Parser of lines, which rejects ids that were already used."""

    def __init__(self, defaults: RequestDefaults, model: Model) -> None:
        self._defaults = defaults
        self._model = model
        self._lines: dict[str, int] = {}
        self.ignored: set[str] = set()

    def __call__(self, line: int, raw: bytes) -> BatchRequest | InvalidLine:
        name, of_openai = None, False
        try:
            entry = json_input.decode(raw)
            of_openai = is_openai(entry)
            label = entry.get("custom_id" if of_openai else "id")
            if label is not None and (isinstance(label, bool) or not isinstance(label, (str, int))):
                raise ValueError(f"an id must be a string or an integer, not {label!r}")
            name = label
            if name is not None:
                first = self._lines.setdefault(json.dumps(name), line)
                if first != line:
                    raise ValueError(f"the id {name!r} is already used in line {first}")

            def read() -> BatchRequest:
                if of_openai:
                    return parse_openai_request(entry, self._defaults, self._model, line, name)
                return parse_request(entry, self._defaults, line, name)

            request, ignored = read_fields(read)
            self.ignored.update(ignored.split(", ") if ignored else ())
            return request
        except (ValueError, EngineError, RequestError) as error:
            reason = str(error)
        except Exception as error:
            # Record the failure of this line, whatever it is, and continue the run.
            log.debug("cannot parse line %d", line, exc_info=True)
            reason = f"it could not be parsed ({type(error).__name__})"
        return InvalidLine(line, name, shorten(reason), of_openai)


class BatchAnswer(Struct, frozen=True):
    """Answer to a line. Errors have the form {"code", "message"}.

    Attributes:
        content: content of the record, or the body in a record in OpenAI's format. The same in
            every run.
        latency_s: time until the last token, including waiting time in the engine.
    """

    content: dict[str, Any]
    stats: ReplyStats
    latency_s: float

    @property
    def is_failure(self) -> bool:
        return "error" in self.content


class ActiveRequest:
    def __init__(self, request: BatchRequest, session: Session, runner: BatchRunner) -> None:
        self.request = request
        self.session = session
        self._runner = runner
        self._sent = time.perf_counter()
        self.latency = 0.0
        self.last: Finished | Failed | None = None
        template = request.generation.template if request.generation else None
        self.reply: Reply = session.send(request.prompt, request.params, self._on_event, template)

    def _on_event(self, event: Event) -> None:
        if isinstance(event, (Finished, Failed)):
            self.latency = time.perf_counter() - self._sent
            self.last = event
            self._runner.ended.put(self)
        elif isinstance(event, TextDelta):
            self._runner.tokens += 1


class BatchRunner:
    def __init__(
        self,
        engine: Engine,
        model: Model,
        concurrency: int,
        reproducible: bool = False,
    ) -> None:
        self._engine = engine
        self.model = model  # replaced after an engine failure
        self._concurrency = concurrency
        self._reproducible = reproducible
        self._flights: set[ActiveRequest] = set()
        # Requests that may have caused an engine failure.
        self._suspects: deque[BatchRequest] = deque()
        self.tokens = 0  # approximate number of received tokens, for the progress display
        self.ended: SimpleQueue[ActiveRequest] = SimpleQueue()  # filled on the engine thread

    def run(
        self,
        requests: Iterator[BatchRequest],
        on_answer: Callable[[BatchRequest, BatchAnswer], None],
        on_tick: Callable[[], None] | None = None,
    ) -> None:
        """Answer all requests.

        Raises:
            EngineError: `engine_stopped` if the engine was stopped deliberately. In that case,
                running requests get no answer.
        """
        try:
            self._fill(requests, on_answer)
            while self._flights:
                try:
                    flight = self.ended.get(timeout=None if on_tick is None else TICK_S)
                except Empty:
                    flight = None
                if flight is not None and flight in self._flights:
                    self._finish(flight, on_answer)
                    self._fill(requests, on_answer)
                if on_tick is not None:
                    on_tick()
        finally:
            for flight in self._flights:
                flight.session.close()

    def _fill(
        self,
        requests: Iterator[BatchRequest],
        on_answer: Callable[[BatchRequest, BatchAnswer], None],
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
                on_answer(request, _send_failure(error))

    def _send(self, request: BatchRequest) -> ActiveRequest:
        config = request.config
        if self._reproducible:
            config = config.with_(SessionConfig(reproducible=True))
        session = config.open(self._engine, self.model, LOCAL)
        try:
            return ActiveRequest(request, session, self)
        except BaseException:
            session.close()
            raise

    def _finish(
        self, flight: ActiveRequest, on_answer: Callable[[BatchRequest, BatchAnswer], None]
    ) -> None:
        last = flight.last
        assert last is not None
        if isinstance(last, Failed) and last.code == ENGINE_STOPPED:
            alone = bool(self._suspects)
            self._recover([] if alone else [f.request for f in self._flights])
            if alone:
                error = {
                    "code": INTERNAL_ERROR,
                    "message": "This request causes an engine failure.",
                }
                answer = BatchAnswer({"error": error}, ReplyStats(), flight.latency)
                on_answer(self._suspects.popleft(), answer)
            return
        self._flights.discard(flight)
        flight.session.close()
        if self._suspects:
            self._suspects.popleft()
        on_answer(flight.request, _read_answer(flight, last))

    def _recover(self, requests: list[BatchRequest]) -> None:
        """Reload the model, and repeat the running requests one by one."""
        self.model = self._engine.load_again(self.model)
        log.warning("engine failed; model reloaded")
        self._flights.clear()
        self._suspects.extend(sorted(requests, key=lambda request: request.line))


def _send_failure(error: Exception) -> BatchAnswer:
    if isinstance(error, EngineError):
        error_body = {"code": error.code, "message": shorten(error.message)}
    else:
        log.debug("cannot send a request", exc_info=True)
        error_text = f"The request could not be sent ({type(error).__name__})."
        error_body = {"code": INTERNAL_ERROR, "message": error_text}
    return BatchAnswer({"error": error_body}, ReplyStats(), 0.0)


def _read_answer(flight: ActiveRequest, last: Finished | Failed) -> BatchAnswer:
    if isinstance(last, Failed):
        error = {"code": last.code, "message": shorten(last.message)}
        return BatchAnswer({"error": error}, ReplyStats(), flight.latency)
    if flight.request.generation is not None:
        content = build_completion(flight.request.generation, flight.reply)
        return BatchAnswer(content, last.stats, flight.latency)
    parts: dict[str, list[str]] = {"answer": [], "reasoning": [], "tool": []}
    for event in flight.reply:
        if isinstance(event, TextDelta):
            parts[event.kind].append(event.text)
    content = {"text": "".join(parts["answer"])}
    for kind in ("reasoning", "tool"):
        if parts[kind]:
            content[kind] = "".join(parts[kind])
    content |= {
        "finish_reason": str(last.reason),
        "prompt_tokens": last.stats.prompt_tokens,
        "generated_tokens": last.stats.generated_tokens,
        "seed": flight.request.params.seed,
    }
    return BatchAnswer(content, last.stats, flight.latency)

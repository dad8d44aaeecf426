"""Handlers for session commands: open, send, cancel, fork, and close."""

from __future__ import annotations

import logging
import time
from functools import partial

from msgspec.structs import replace

from engine.cache.cache_file import Record
from engine.cache.ledger import Ledger
from engine.cache.offload import CLIENT_PREFIX
from engine.errors import SESSION_BUSY, SESSION_CLOSED, UNKNOWN_MODEL, EngineError, as_engine_error
from engine.messages import (
    Cancel,
    CloseSession,
    CountTokens,
    FinishReason,
    Forget,
    Fork,
    GetStats,
    Keep,
    OpenSession,
    Pause,
    Prioritise,
    Send,
)
from engine.model.loaded_model import LoadedModel
from engine.model.quantized_kv import new_caches, quantized_caches, try_quantized_caches
from engine.params import SamplingParams
from engine.runtime.mailbox import CommandFuture, refuse
from engine.runtime.preparing import FileFinder, PromptJob, count, prepare, with_images
from engine.runtime.request import CacheFile, Request, SessionState
from engine.runtime.scheduler import Scheduler
from engine.runtime.state import State
from engine.runtime.stats import report
from engine.runtime.workers import Task, Work, Workers
from engine.text.rendering import MOMENT

log = logging.getLogger(__name__)


class SessionCommands:
    def __init__(self, state: State, workers: Workers, scheduler: Scheduler) -> None:
        self._state = state
        self._workers = workers
        self._scheduler = scheduler
        # Errors for single questions whose model isn't loaded, by session id. `send` reports and
        # removes them.
        self._one_shot_errors: dict[str, tuple[str, str]] = {}
        # Trials of quantized caches, by model and bits.
        self._trials: dict[tuple[str, int], CommandFuture[None]] = {}

    def open(self, command: OpenSession) -> None:
        self._state.end_namesake(command.session_id)
        model = self._state.models.get(command.model_id)
        if model is None:  # the session's first message will fail with this reason
            errors = self._one_shot_errors if command.one_shot else self._state.session_errors
            error_text = "The model of this chat is not loaded. Load it first."
            errors[command.session_id] = (UNKNOWN_MODEL, error_text)
            return
        modes, bits = model.abilities.modes, command.kv_bits
        # Result of an earlier trial of quantized caches.
        quantized = model.quantized_caches.get(bits) if bits is not None else None
        if isinstance(quantized, tuple):
            self._state.session_errors[command.session_id] = quantized
            return
        # Exact models are reproducible without separate passes, unless their caches are quantized.
        reproducible = command.reproducible and not (modes.exact and bits is None)
        # A shared prefix splits attention into two parts, which rounds differently.
        shares_prefix = modes.shares_prefix and bits is None and not reproducible
        make = model.new_caches
        if bits is not None:
            make = partial(new_caches, model, bits)
        kv = model.new_kv(make, shares_prefix, bits)
        self._state.add_session(
            SessionState(
                id=command.session_id,
                model=model,
                system=command.system,
                reproducible=reproducible,
                reasoning=command.reasoning,
                kv=kv,
                estimate=model.abilities.estimate if quantized is None else quantized.estimate,
                kv_bits=bits,
                on_overflow=command.on_overflow,
                context=command.context,
                one_shot=command.one_shot,
                named=command.named,
                domain=command.domain,
            )
        )
        if bits is not None and quantized is None and not command.one_shot:
            self._workers.start(
                self._check_quantized(command.session_id),
                partial(self._end_unsupported, command.session_id, bits),
            )

    def send(self, command: Send) -> None:
        session = self._state.sessions.get(command.session_id)
        if session is None:
            closed = (SESSION_CLOSED, "This chat's session is closed. Open it again.")
            one_shot = self._one_shot_errors.pop(command.session_id, closed)
            raise EngineError(*self._state.session_errors.get(command.session_id, one_shot))
        if session.request is not None:
            raise EngineError(SESSION_BUSY, "This chat is still answering. Stop it or wait.")
        request = Request(
            command.reply_id,
            session,
            command.params,
            command.sink,
            command.sent_at,
            bool(command.params.offered or command.template.get("tools")),
            self._state.clock,
        )
        job = PromptJob(
            codec=session.model.text,
            system=session.system,
            reasoning=session.reasoning,
            slides=session.on_overflow == "slide",
            context=session.context_length,
            history=list(session.history),
            omitted=list(session.omitted),
            ledger=session.kv.ledger,
            asked=command.prompt,
            params=command.params,
            find_file=self._file_finder(session),
            template={**command.template, MOMENT: session.template_time()},
            stop=request.ended,
        )
        session.request = self._state.requests[session.id] = request
        self._state.unended.add(request)
        self._workers.start(
            self._prepare(job, session.id, session.image_lane, request.id),
            partial(self._fail_preparing, session.id, request.id),
        )

    def _prepare(self, job: PromptJob, session_id: str, image_lane: str, reply_id: str) -> Task:
        """Prepare a reply's prompt.

        The arguments don't refer to the request, because its model may be unloaded while a worker
        prepares the prompt.
        """
        if self._state.sessions[session_id].kv_bits is not None:
            yield from self._check_quantized(session_id)
        if job.stop.is_set():
            return
        model_id = job.codec.info.id
        if job.codec.preprocessor is not None:
            job = yield Work(image_lane, partial(with_images, job))
        prepared = yield Work(model_id, partial(prepare, job))
        request = self._find_request(session_id, reply_id)
        if request is None or prepared is None:
            return  # the reply has ended in the meantime
        request.kv.ledger = prepared.ledger
        request.session.omitted = prepared.omitted
        if prepared.cache_file is not None:
            self._use_file(request.session, prepared.cache_file)
        request.enqueue(prepared)

    def _use_file(self, session: SessionState, file: CacheFile) -> None:
        """Let a new session start from a cache file.

        If the session continues the file's conversation and no other session uses the file, the
        session is also saved to it.
        """
        if session.reproducible and not file.continues:
            return  # a trimmed cache would have other chunk boundaries than a new one
        session.fallback_cache_id = file.name
        if file.continues and all(s.file != file.name for s in self._state.sessions.values()):
            session.file = file.name

    def _check_quantized(self, session_id: str) -> Task:
        """Check that a session's model supports its `kv_bits`. If not, end the session."""
        session = self._state.sessions.get(session_id)
        if session is None:
            return
        model, bits = session.model, session.kv_bits
        assert bits is not None
        if bits not in model.quantized_caches:
            yield from self._run_trial(model, bits)
        session = self._state.sessions.get(session_id)
        if session is None or session.model is not model or session.kv_bits != bits:
            return  # closed, and perhaps opened again with other options
        try:
            session.estimate = quantized_caches(model, bits).estimate
        except EngineError as error:
            self._end_unsupported(session_id, bits, error)

    def _end_unsupported(self, session_id: str, bits: int, error: BaseException) -> None:
        session = self._state.sessions.get(session_id)
        if session is None or session.kv_bits != bits:
            return
        reason = as_engine_error(error)
        if not session.one_shot:
            self._state.session_errors[session_id] = (reason.code, reason.message)
        self._state.end_session(session, reason.code, reason.message)

    def _run_trial(self, model: LoadedModel, bits: int) -> Task:
        trial = (model.info.id, bits)
        if trial in self._trials:
            yield self._trials[trial]
            return
        future = self._trials[trial] = CommandFuture()
        try:
            for _ in try_quantized_caches(model, bits):
                yield Work(model.info.id, int)  # continues in the next iteration
                if self._state.models.get(model.info.id) is not model:
                    return
        finally:
            del self._trials[trial]
            future.resolve(None)

    def _file_finder(self, session: SessionState) -> FileFinder | None:
        """Return the search for a cache on disk that a session's first prompt can start from."""
        if not session.named or session.kv.tokens or session.kv.ledger.text:
            return None
        offload, fingerprint = self._state.memory.offload, session.fingerprint
        if name := self._state.memory.file_of(session):

            def read_own_file(_: str) -> tuple[str, Record] | None:
                record = offload.read_header(name, fingerprint)
                return None if record is None else (name, record)

            return read_own_file
        return partial(offload.find, fingerprint) if session.id.startswith(CLIENT_PREFIX) else None

    def _fail_preparing(self, session_id: str, reply_id: str, error: BaseException) -> None:
        request = self._find_request(session_id, reply_id)
        if request is not None:
            self._state.fail_reply(request, error, keep_cache=True)

    def _find_request(self, session_id: str, reply_id: str) -> Request | None:
        request = self._state.requests.get(session_id)
        return request if request is not None and request.id == reply_id else None

    def cancel(self, command: Cancel) -> None:
        request = self._find_request(command.session_id, command.reply_id)
        if request is None:
            return
        if command.whole and not (request.paused or request.is_whole):
            request.cancels_when_whole = True  # the reply ends at one of the next tokens
        else:
            self._state.end_reply(request, FinishReason.CANCELLED)

    def fork(self, command: Fork) -> None:
        source = self._state.sessions.get(command.session_id)
        self._state.end_namesake(command.twin_id)
        if source is None:  # the first message of the copy will fail with the reason
            if command.session_id in self._state.session_errors:
                self._state.session_errors[command.twin_id] = self._state.session_errors[
                    command.session_id
                ]
            return
        self._state.add_session(
            replace(
                source,
                id=command.twin_id,
                kv=source.kv.fork(),
                one_shot=False,
                named=command.named,
                file=command.twin_id,
                history=[dict(m) for m in source.history],
                omitted=list(source.omitted),
                request=None,
                used_at=time.monotonic(),
            )
        )

    def close(self, command: CloseSession) -> None:
        state = self._state
        state.session_errors.pop(command.session_id, None)
        self._one_shot_errors.pop(command.session_id, None)
        session = state.sessions.get(command.session_id)
        if session is None:
            if command.forget:
                state.memory.erase(command.session_id)
            return
        message = "The chat was closed during the answer."
        state.end_session(session, SESSION_CLOSED, message, command.forget)
        state.release_later()

    def save(self, command: Keep) -> None:
        if self._state.leader is not None:
            return  # models that are spread over ranks keep no cache files
        session = self._state.sessions.get(command.session_id)
        if session is not None and session.named and session.request is None:
            self._state.memory.save(session, keeps_caches=True)

    def forget(self, command: Forget) -> None:
        if command.domain:
            self._workers.start(
                self._forget_domain(command.domain),
                lambda error: log.warning("cannot delete a client's caches: %s", error),
            )
        else:
            self._state.memory.erase(command.session_id)

    def _forget_domain(self, domain: str) -> Task:
        memory = self._state.memory
        names = yield Work("files", partial(memory.offload.names_of, domain))
        for name in names:
            memory.erase(name)

    def pause(self, command: Pause) -> None:
        request = self._find_request(command.session_id, command.reply_id)
        if request is not None:
            request.pause(command.paused)

    def prioritise(self, command: Prioritise) -> None:
        session = self._state.sessions.get(command.session_id)
        if session is not None:
            session.priority = command.priority
            session.program, session.share = command.program, command.share

    def count(self, command: CountTokens) -> None:
        model = self._state.models.get(command.model_id)
        if model is None:
            raise EngineError(UNKNOWN_MODEL, "The model is not loaded. Load it first.")
        slides, session = command.slides_in, self._state.sessions.get(command.session_id)
        job = PromptJob(
            codec=model.text,
            system=None,
            reasoning=command.reasoning,
            slides=slides is not None,
            context=slides or model.info.context_length,
            history=[],
            omitted=list(session.omitted) if session is not None else [],
            ledger=Ledger(),
            asked=command.prompt,
            params=SamplingParams(),
            template=command.template,
        )
        lane = "images" if session is None else session.image_lane
        self._workers.start(
            _count(command, job, lane), lambda error: refuse(command, as_engine_error(error))
        )

    def stats(self, command: GetStats) -> None:
        command.answer.set_result(report(self._state, self._scheduler.step_seconds))


def _count(command: CountTokens, job: PromptJob, image_lane: str) -> Task:
    if job.codec.preprocessor is not None:
        job = yield Work(image_lane, partial(with_images, job))
    tokens = yield Work(job.codec.info.id, partial(count, job))
    if command.only_template:
        bare = replace(job, template={})
        tokens -= yield Work(job.codec.info.id, partial(count, bare))
    command.answer.set_result(tokens)

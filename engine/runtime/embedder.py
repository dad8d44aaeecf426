"""Embedding of texts, between the steps of chats."""

from __future__ import annotations

import uuid
from collections import deque
from functools import partial
from typing import Any

from msgspec import Struct, field

from engine.cache.cache_objects import Caches
from engine.errors import (
    CONTEXT_OVERFLOW,
    INVALID_REQUEST,
    UNKNOWN_MODEL,
    EngineError,
    as_engine_error,
)
from engine.messages import Command, Embed, Embeddings, RawPrompt
from engine.model import backend, runner
from engine.model.loaded_model import TextCodec
from engine.runtime.mailbox import refuse
from engine.runtime.pacing import GAP_BUDGET, TILE, PrefillPacer, PrefillPause
from engine.runtime.plan import PendingEmbedding
from engine.runtime.state import State
from engine.runtime.workers import Task, Work, Workers
from engine.sandbox import bounds
from engine.text import prompt
from engine.text.rendering import TooLongError


class _EmbeddingJob(Struct, eq=False, weakref=True):
    command: Embed
    texts: list[list[int]]
    key: str = field(default_factory=lambda: uuid.uuid4().hex)
    begun: bool = False  # memory for the caches is reserved
    caches: Caches | None = None  # caches of the current text
    total: Any = None
    done: int = 0  # number of tokens processed in the current text
    vectors: list[bytes] = field(default_factory=list)


class Embedder:
    def __init__(self, state: State, workers: Workers) -> None:
        self._state = state
        self._workers = workers
        self.jobs: deque[_EmbeddingJob] = deque()
        self._pacing = PrefillPacer()
        self._pause = PrefillPause()

    def embed(self, command: Embed) -> None:
        model = self._state.models.get(command.model_id)
        if model is None:
            raise EngineError(UNKNOWN_MODEL, "The model is not loaded. Load it first.")
        if not model.info.embeds:
            raise EngineError(INVALID_REQUEST, f"{model.info.name} does not support embeddings.")
        if not command.texts:
            if not command.answer.cancelled():
                command.answer.set_result(Embeddings((), 0))
            return
        # Don't capture the model, which may be unloaded in the meantime.
        work = Work(model.info.id, partial(_tokens, model.text, command))
        self._workers.start(
            self._queue(command, work), lambda error: refuse(command, as_engine_error(error))
        )

    def _queue(self, command: Embed, work: Work) -> Task:
        self.jobs.append(_EmbeddingJob(command, (yield work)))

    def pending(self) -> PendingEmbedding | None:
        job = self.jobs[0] if self.jobs else None
        if job is None or job.begun or job.command.answer.cancelled():
            return None
        model = self._state.models.get(job.command.model_id)
        if model is None:
            return None  # `step` will end the job with an error
        return PendingEmbedding(job.key, model.abilities.estimate.bytes(max(map(len, job.texts))))

    def begin(self, admitted: PendingEmbedding) -> None:
        job = self._job(admitted.key)
        if job is not None:
            self._state.memory.reserve(job, admitted.nbytes)
            job.begun = True

    def refuse(self, key: str, error: EngineError) -> None:
        job = self._job(key)
        if job is not None:
            self._end(job)
            refuse(job.command, error)

    def _job(self, key: str) -> _EmbeddingJob | None:
        return next((job for job in self.jobs if job.key == key), None)

    def step(self, decoding: float) -> None:
        """Process the next chunk.

        Args:
            decoding: seconds that this iteration spent on decoding; 0 if it also read a prompt.
        """
        if not self.jobs or self.pending() is not None:
            return
        job = self.jobs[0]
        try:
            self._process_chunk(job, decoding)
        except BaseException as error:  # panics in native libraries aren't an Exception
            self._end(job)
            refuse(job.command, as_engine_error(error))

    def _process_chunk(self, job: _EmbeddingJob, decoding: float) -> None:
        if job.command.answer.cancelled():
            self._end(job)
            return
        key = job.command.model_id
        model = self._state.models.get(key)
        if model is None:
            raise EngineError(UNKNOWN_MODEL, "The model was unloaded. Load it again.")
        step = min(decoding, GAP_BUDGET) if self._state.requests else None
        if step is not None and self._pause.is_due:
            self._pause.add(-GAP_BUDGET)
            return
        tokens = job.texts[len(job.vectors)]
        job.caches = job.caches if job.caches is not None else model.new_caches()
        unread = len(tokens) - job.done
        # A partial tile takes about as long as a full tile.
        tile = 1 if model.info.exact else TILE
        count = min(unread, max(self._pacing.chunk(key, step, tile), tile))
        started_at = self._state.clock()
        piece = tokens[job.done : job.done + count]
        job.total = runner.add_hidden_states(model, job.caches, piece, job.total)
        spent_s = self._state.clock() - started_at
        self._pacing.observe(key, count, spent_s, step)
        self._pause.add(spent_s - GAP_BUDGET - (step or 0.0))
        self._state.meter.record(0, count)
        job.done += count
        if job.done == len(tokens):
            job.vectors.append(runner.embedding_vector(job.total))
            job.caches, job.total, job.done = None, None, 0
        if len(job.vectors) == len(job.texts):
            self._end(job)
            count = sum(map(len, job.texts))
            if not job.command.answer.cancelled():
                job.command.answer.set_result(Embeddings(tuple(job.vectors), count))

    def _end(self, job: _EmbeddingJob) -> None:
        if job not in self.jobs:
            return
        self.jobs.remove(job)
        job.caches = job.total = None
        self._state.memory.release(job)
        backend.release_memory()

    def take_unanswered(self) -> list[Command]:
        commands: list[Command] = [job.command for job in self.jobs]
        self.jobs.clear()
        return commands


def _tokens(model: TextCodec, command: Embed) -> list[list[int]]:
    token_lists, context = [], model.info.context_length
    for number, text in enumerate(command.texts, 1):
        text_prompt = RawPrompt(text) if isinstance(text, str) else RawPrompt(None, text)
        try:
            tokens = prompt.build_raw_prompt(
                model.tokenizer, text_prompt, model.reader, context, False
            ).tokens
        except TooLongError as error:
            raise EngineError(
                CONTEXT_OVERFLOW,
                f"Text {number} is {error.tokens:,} tokens long, but {model.info.name} takes at "
                f"most {context:,}.",
            ) from None
        if model.rows is not None:
            bounds.check_ids(model.rows, tokens)
        token_lists.append(tokens)
    return token_lists

"""Public API of the engine: thread-safe handles that post commands and collect events.

Nothing here uses MLX, or blocks on the engine thread unless its docstring says so.
"""

from __future__ import annotations

import contextlib
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, get_args

from engine.cache.estimate import Fit
from engine.cluster.hosts import Host, check_group, local_hosts
from engine.errors import ENGINE_STOPPED, INVALID_REQUEST, EngineError
from engine.messages import (
    Added,
    CloseSession,
    CountTokens,
    Embed,
    Embeddings,
    Estimate,
    Failed,
    Forget,
    Fork,
    GetStats,
    Keep,
    Load,
    Message,
    OpenSession,
    Overflow,
    Pin,
    Prioritise,
    RawPrompt,
    Relieve,
    Send,
    Stop,
    Unload,
    UnloadIdle,
)
from engine.model.info import Model
from engine.params import SamplingParams
from engine.reply import Listener, Reply
from engine.runtime import thread
from engine.runtime.thread import may_wait
from engine.runtime.workers import Answer, Mailbox
from engine.text.tools import Tool, ToolResult


class Session:
    """An isolated conversation with its own KV cache."""

    def __init__(self, session_id: str, model: Model, mailbox: Mailbox) -> None:
        self.id = session_id  # from `Engine.open_session`, or random
        self.model = model
        self._mailbox = mailbox

    def send(
        self,
        prompt: str | Sequence[Message | ToolResult] | RawPrompt,
        params: SamplingParams | None = None,
        on_event: Listener | None = None,
        template: Mapping[str, Any] | None = None,
    ) -> Reply:
        """Request a reply, without blocking.

        Errors are reported by the reply's `Failed` event, also if the engine has stopped.

        Args:
            prompt: text, added to the conversation as the user's message; or a list of messages,
                which replaces the conversation. Either way, the KV cache of the longest common
                beginning is reused. If a list ends with an assistant message, the reply continues
                that message, and `text()` returns only the continuation. A list with a `ToolResult`
                is added to the conversation like text. A `RawPrompt` is continued without a chat
                template and does not become part of the conversation.
            on_event: called on the engine thread with every event, in order. Must be fast.
            template: arguments of the chat template besides the messages: its own variables, and
                `tools` if it should not show all tools that may be called.

        Raises:
            EngineError: `invalid_request` if `prompt` has another type.
            TypeError: if `params` is not `SamplingParams`.
        """
        if params is not None and not isinstance(params, SamplingParams):
            raise TypeError(f"params must be SamplingParams, not {type(params).__name__}")
        asked = prompt if isinstance(prompt, (str, RawPrompt)) else _as_messages(prompt)
        params = params or SamplingParams()
        offered = {"tools": list(params.offered)} if params.offered else {}
        reply = Reply(self.id, self._mailbox, on_event)
        command = Send(
            self.id,
            reply.id,
            asked,
            params,
            reply.deliver,
            time.perf_counter(),
            {**offered, **(template or {})},
        )
        try:
            self._mailbox.post(command)
        except EngineError as error:
            reply.refuse(Failed(self.id, reply.id, error.code, error.message))
        return reply

    def prioritise(self, priority: int = 1, program: str = "", share: float = 0.0) -> None:
        """Set the priority of this session's prefill and of its waiting for memory; 0 is normal.

        Higher priorities come first. Decode steps are shared evenly regardless.

        Args:
            program: name of the client program, if there are several. Among prompts of the same
                priority, those of the program that has used the least time come first.
            share: percentage of the time for all sessions of the program together while others are
                active, including decode steps. 0 for no fixed share.

        Raises:
            TypeError: if `priority` is not an integer.
        """
        if isinstance(priority, bool) or not isinstance(priority, int):
            raise TypeError(f"priority must be a whole number, not {priority!r}")
        with contextlib.suppress(EngineError):
            self._mailbox.post(Prioritise(self.id, priority, program, share))

    def fork(self, session_id: str | None = None) -> Session:
        """Create a session with the same conversation. The KV cache is shared until either one
        writes.

        Args:
            session_id: id of the fork, see `Engine.open_session`; None for a random one.

        Raises:
            ValueError: if it is the session's own id.
            EngineError: `engine_stopped`.
        """
        twin = session_id or uuid.uuid4().hex
        if twin == self.id:
            raise ValueError("A fork needs an id of its own.")
        made = Session(twin, self.model, self._mailbox)
        self._mailbox.post(Fork(self.id, twin, session_id is not None))
        return made

    def keep(self) -> None:
        """Write the session's cache to disk, so that it survives a crash.

        Only sessions with an id from the caller have a file. Does nothing during a reply.
        """
        with contextlib.suppress(EngineError):
            self._mailbox.post(Keep(self.id))

    def close(self, forget: bool = False) -> None:
        """Free the session. A running reply ends with `session_closed`.

        Args:
            forget: also delete its cache on disk.
        """
        with contextlib.suppress(EngineError):  # a stopped engine has already freed it
            self._mailbox.post(CloseSession(self.id, forget))


class Engine:
    """Engine thread with its models and sessions.

    If the thread fails, all replies and calls end with `engine_stopped`, and the next call starts a
    new thread. Models must then be loaded and sessions opened again.

    Args:
        memory_budget: bytes for weights and KV caches together. The default is most of the GPU's
            recommended working set, or of the free RAM without a GPU.
        cache_dir: folder for KV caches of sessions that were closed or evicted. Sessions with an id
            from the caller find theirs again after a restart. None keeps nothing on disk.
        cache_bytes: size limit of the folder; the least recently used files are deleted first.
        ranks: number of processes on this machine that each model is split over, or their machines,
            this one first (`engine.cluster.hosts`). Models and sessions that do not support this
            fail with `unsupported_session`. If a process dies or hangs, all replies end with
            `engine_stopped`.
        ways_dir: folder for probe results, which make later loads faster. None stores nothing.
        niceness: how far the engine's threads give way to other threads, 0 to 19. Linux only.
    """

    def __init__(
        self,
        memory_budget: int | None = None,
        cache_dir: str | Path | None = None,
        cache_bytes: int = 4 * 2**30,
        ranks: int | Sequence[Host] = 1,
        ways_dir: str | Path | None = None,
        niceness: int = 0,
    ) -> None:
        if memory_budget is not None and memory_budget <= 0:
            raise ValueError(f"memory_budget must be a positive number of bytes: {memory_budget}")
        if cache_bytes < 0:
            raise ValueError(f"cache_bytes must not be negative: {cache_bytes}")
        if isinstance(ranks, bool) or (isinstance(ranks, int) and ranks < 1) or not ranks:
            raise ValueError(f"ranks must be 1 or more processes, not {ranks!r}")
        hosts = local_hosts(ranks) if isinstance(ranks, int) else tuple(ranks)
        check_group(hosts)
        folder = Path(cache_dir).expanduser() if cache_dir is not None else None
        ways = Path(ways_dir).expanduser() if ways_dir is not None else None
        self._settings = (memory_budget, folder, cache_bytes, hosts, ways, niceness)
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._mailbox = Mailbox()
        self._stopped = False

    def __enter__(self) -> Engine:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def is_running(self) -> bool:
        """True if the engine thread is alive."""
        running = self._thread
        return running is not None and running.is_alive()

    def start(self) -> None:
        """Start the engine thread, without blocking. The first call of another method does this
        too.

        Raises:
            EngineError: `engine_stopped` if this engine was stopped. Create a new one.
        """
        while (dying := self._start()) is not None:
            if dying is threading.current_thread():
                raise EngineError(ENGINE_STOPPED, "The engine is just breaking down.")
            dying.join()  # outside of the lock, which its last callbacks may need

    def _start(self) -> threading.Thread | None:
        """Start a thread if there is none. Return a thread that is failing, or None."""
        with self._lock:
            if self._stopped:
                raise EngineError(ENGINE_STOPPED, "This engine was stopped. Start a new one.")
            if self.is_running:
                return self._thread if self._mailbox.closed else None
            if self._thread is not None:  # the thread has failed
                thread.ended(self._mailbox, self._thread)
                self._mailbox = Mailbox()
            # Not a daemon: MLX must be shut down, or the process aborts at exit.
            started = threading.Thread(
                target=thread.run, args=(self._mailbox, *self._settings), name="stretto-engine"
            )
            started.start()
            self._thread = started
            thread.stop_at_exit(self._mailbox, started)
            return None

    def stop(self, timeout: float | None = None) -> None:
        """End all replies with `engine_stopped`, free everything, and join the engine thread.

        Args:
            timeout: seconds to wait for the thread, which continues to shut down; None for no
                limit.
        """
        with self._lock:
            self._stopped = True
            running = self._thread
        thread.ended(self._mailbox, running)
        with contextlib.suppress(EngineError):  # the thread has already ended
            self._mailbox.post(Stop())
        if running is None:
            self._mailbox.close()
        elif running is not threading.current_thread():
            running.join(timeout)

    def load(
        self,
        path: str | Path,
        adapter: str | Path | None = None,
        draft: str | Path | None = None,
    ) -> Model:
        """Load a model folder (Hugging Face/MLX layout), or a downloaded model by its hub id.
        Blocks.

        The same folder is only loaded once. A GGUF file is converted on first use, into the
        program's own folder of models.

        Args:
            adapter: folder with a LoRA or DoRA adapter in mlx-lm's layout. The result is a variant
                with its own id and sessions. It shares arrays with the model without an adapter and
                its other variants, which are in memory only once, until the last of them is
                unloaded.
            draft: folder or id of a smaller model with the same tokenizer, which is also loaded. It
                drafts for a chat that runs alone if that is faster; the text is the same. "lookup"
                needs no model: it drafts what followed the same tokens earlier in the chat, which
                helps if text is repeated with changes, and works for several chats concurrently.
                None does not change the drafting of a loaded model, and "" ends it.

        Raises:
            EngineError: `model_load_failed` or `out_of_memory`, with what to do;
                `unsupported_session` if the models cannot draft for each other.
        """
        may_wait()
        return self.load_later(path, adapter=adapter, draft=draft).result()

    def load_again(self, model: Model) -> Model:
        """Reload a model after a failure of the engine. Blocks.

        Raises:
            EngineError: see `load`.
        """
        adapter, draft = model.adapter or None, model.draft or None
        for _ in range(20):
            try:
                return self.load(model.path, adapter, draft)
            except EngineError as error:
                if error.code != ENGINE_STOPPED:
                    raise
                time.sleep(0.1)  # the old thread has not ended yet
        return self.load(model.path, adapter, draft)

    def load_later(
        self,
        path: str | Path,
        on_progress: Callable[[float], None] | None = None,
        adapter: str | Path | None = None,
        draft: str | Path | None = None,
    ) -> Future[Model]:
        """Start `load` without blocking. The future's callbacks run on the engine thread.

        Cancelling the future stops loading, unless another call loads the same folder.

        Args:
            on_progress: called on the engine thread about fifty times per second with the loaded
                share of the weights, above 0 and at most 1. Must be fast.
        """
        answer: Future[Model] = Answer(can_be_cancelled=True)
        added = None if adapter is None else str(adapter)
        small = None if draft is None else str(draft)
        self._post(Load(str(path), answer, on_progress, added, small))
        return answer

    def estimate(
        self,
        path: str | Path,
        context: int | None = None,
        chats: int = 1,
        kv_bits: int | None = None,
        adapter: str | Path | None = None,
    ) -> Fit:
        """Estimate the memory of a model before loading it, and find what would fit instead.
        Blocks.

        Only the config and the headers of weight files are read. For a model split over ranks, all
        figures are per rank, checked against the one with the least memory.

        Args:
            context: tokens of each chat; None for the model's limit, at most 8,192.
            kv_bits: see `open_session`.
            adapter: see `load`. Its arrays are included; those of a loaded base model are not
                (`Fit.shared`).

        Raises:
            EngineError: `model_load_failed` if the folder cannot be loaded; `unsupported_session`
                if the model cannot be split over this number of ranks.
            ValueError: if `context`, `chats` or `kv_bits` is out of range.
        """
        may_wait()
        return self.estimate_later(path, context, chats, kv_bits, adapter).result()

    def estimate_later(
        self,
        path: str | Path,
        context: int | None = None,
        chats: int = 1,
        kv_bits: int | None = None,
        adapter: str | Path | None = None,
    ) -> Future[Fit]:
        """Start `estimate` without blocking. The future's callbacks run on the engine thread.

        Raises:
            ValueError: see `estimate`; other errors are set in the future.
        """
        if kv_bits not in (None, 4, 8):
            raise ValueError(f"kv_bits must be 8, 4 or None, not {kv_bits!r}")
        if chats < 1 or (context is not None and context < 1):
            raise ValueError("context and chats must be at least 1")
        answer: Future[Fit] = Answer()
        added = None if adapter is None else str(adapter)
        self._post(Estimate(str(path), context, chats, kv_bits, answer, added))
        return answer

    def unload(self, model: Model) -> None:
        """Free a model, and close its sessions. Blocks."""
        may_wait()
        self.unload_later(model).result()

    def unload_later(self, model: Model) -> Future[None]:
        """Start `unload` without blocking. The future's callbacks run on the engine thread."""
        answer: Future[None] = Answer()
        self._post(Unload(model.id, answer))
        return answer

    def unload_idle(self, after: float | None, told: Callable[[str], None] | None = None) -> None:
        """Unload models that have been unused for `after` seconds; None, the default, never does.

        Messages to their sessions then fail with `unknown_model`. Caches of sessions with an id
        from the caller are written to disk; load the model and open the session again to use them.

        Args:
            told: called on the engine thread with the id of each unloaded model. Must be fast.

        Raises:
            ValueError: if `after` is negative.
        """
        if after is not None and not after >= 0:
            raise ValueError(f"after must be seconds or None, not {after!r}")
        self._post(UnloadIdle(after, told))

    def pin(self, model: Model, pinned: bool = True) -> None:
        """Exempt a model from `unload_idle`, or end the exemption."""
        self._post(Pin(model.id, pinned))

    def relieve_later(self) -> Future[int]:
        """Free all memory that can be recovered later: caches that no reply uses, and buffers.

        Call this if the system is short of memory (`engine.runtime.pressure`). Caches of sessions
        with an id from the caller are written to disk, and others are prefilled again when needed.
        The future's result is the number of freed cache bytes; its callbacks run on the engine
        thread.
        """
        answer: Future[int] = Answer()
        self._post(Relieve(answer))
        return answer

    def open_session(
        self,
        model: Model,
        session_id: str | None = None,
        system: str | None = None,
        reproducible: bool = False,
        reasoning: bool | None = None,
        on_overflow: Overflow = "refuse",
        kv_bits: int | None = None,
        context: int | None = None,
        domain: str = "",
        begins_as: str = "",
    ) -> Session:
        """Open a conversation, without blocking.

        Args:
            session_id: name under which the cache is found again after closing, also by a later run
                of the program (see `cache_dir`).
            system: system message for conversations that have none.
            reproducible: keep this session's logits bitwise equal next to any other chats. If the
                model is not `exact`, the session is stepped alone, which is slower next to other
                chats.
            reasoning: reason before the answer, if supported; None for the model's default.
            on_overflow: what to do if the conversation exceeds the context: `refuse` ends the reply
                with `context_overflow`; `slide` leaves out the oldest turns, and
                `ReplyStats.dropped_messages` has their number.
            kv_bits: quantize keys and values to 8 or 4 bits, which takes about a half or a quarter
                of the memory of 16 bits, rounds them, and is slower on a CPU. If the model does not
                support it, the first message fails with `unsupported_session`.
            context: limit of prompt and answer tokens together, if lower than the model's.
            domain: isolation domain, for an engine that serves several users. Prompts only reuse
                caches of sessions in the same domain, so that neither statistics nor timing reveal
                the prompts of others.
            begins_as: id of a closed session. If there is no cache on disk for `session_id`, the
                session starts from the common beginning with that session's cache.

        Raises:
            ValueError: if `on_overflow`, `kv_bits` or `context` is invalid.
        """
        if context is not None and context < 1:
            raise ValueError(f"context must be at least 1 or None, not {context!r}")
        if kv_bits not in (None, 4, 8):
            raise ValueError(f"kv_bits must be 8, 4 or None, not {kv_bits!r}")
        if on_overflow not in get_args(Overflow):
            raise ValueError(f"on_overflow must be 'refuse' or 'slide', not {on_overflow!r}")
        session = session_id or uuid.uuid4().hex
        opening = OpenSession(
            session,
            model.id,
            system,
            reproducible,
            reasoning,
            on_overflow,
            kv_bits,
            context,
            named=session_id is not None,
            domain=domain,
            begins_as=begins_as,
        )
        return self._open(opening, model)

    def forget(self, session_id: str) -> None:
        """Delete the KV cache on disk of a closed session.

        Args:
            session_id: id from the caller, see `open_session`. Unknown ids are ignored.
        """
        self._post(Forget(session_id))

    def ask(
        self,
        model: Model,
        prompt: str | Sequence[Message],
        params: SamplingParams | None = None,
        on_event: Listener | None = None,
        reasoning: bool | None = None,
    ) -> Reply:
        """Request a single answer without keeping a session, for titles, summaries or questions.

        Memory for one such request of about a thousand tokens is always reserved, so that it does
        not wait for chats. For arguments and errors, see `Session.send`.
        """
        session = uuid.uuid4().hex
        opening = OpenSession(session, model.id, None, False, reasoning, scratch=True)
        chat = self._open(opening, model)
        try:
            return chat.send(prompt, params, on_event)
        except BaseException:  # the caller has no session to close
            chat.close()
            raise

    def count_later(
        self,
        model: Model,
        prompt: str | Sequence[Message] | RawPrompt,
        reasoning: bool | None = None,
        template: Mapping[str, Any] | None = None,
        slides_in: int | None = None,
        session_id: str = "",
    ) -> Future[int]:
        """Count the tokens of a prompt. The future's callbacks run on the engine thread.

        Args:
            slides_in: count as a session with `on_overflow="slide"` and this context would send it.
                If the last message does not fit by itself, count only that message.
            session_id: session whose already omitted messages are not counted.
        """
        asked = prompt if isinstance(prompt, (str, RawPrompt)) else _as_messages(prompt)
        answer: Future[int] = Answer()
        given = dict(template or {})
        self._post(
            CountTokens(
                model.id,
                asked,
                reasoning,
                given,
                answer,
                slides_in=slides_in,
                session_id=session_id,
            )
        )
        return answer

    def count_tools_later(self, model: Model, tools: Sequence[Tool]) -> Future[int]:
        """Count the tokens that tools add to a prompt. Callbacks run on the engine thread.

        Args:
            tools: see `SamplingParams`.

        Raises:
            ValueError: if they are invalid.
        """
        offered = {"tools": list(SamplingParams(tools=tools).offered)} if tools else {}
        answer: Future[int] = Answer()
        asked = _as_messages([{"role": "user", "content": "a"}])
        self._post(CountTokens(model.id, asked, None, offered, answer, only_template=True))
        return answer

    def embed_later(self, model: Model, texts: Sequence[str | Sequence[int]]) -> Future[Embeddings]:
        """Compute the normalized mean hidden state of each text. Cancelling the future stops it.

        The texts are read in chunks between the steps of chats.

        Args:
            texts: each as text or token ids.
        """
        answer: Future[Embeddings] = Answer(can_be_cancelled=True)
        given = tuple(t if isinstance(t, str) else tuple(t) for t in texts)
        self._post(Embed(model.id, given, answer))
        return answer

    def stats(self) -> dict[str, Any]:
        """Return current statistics: backend, memory in bytes, models and sessions. Blocks.

        `phase_seconds` has the engine thread's time by phase, `tokens_per_s` the current speed of
        all chats together, and `queue` the sessions that wait for memory, in order. `process_bytes`
        is the memory of this process according to the system, and `children_bytes` that of its
        children. `faults` has, by model id, the passes that raised errors, and if its chats are
        stepped one by one for some time because of them (`unshared`).
        """
        may_wait()
        return self.stats_later().result()

    def stats_later(self) -> Future[dict[str, Any]]:
        """Start `stats` without blocking. The future's callbacks run on the engine thread."""
        answer: Future[dict[str, Any]] = Answer()
        self._post(GetStats(answer))
        return answer

    def _open(self, command: OpenSession, model: Model) -> Session:
        self.start()
        made = Session(command.session_id, model, self._mailbox)
        made._mailbox.post(command)  # last, as an error must not leave a session open
        return made

    def _post(self, command: Any) -> None:
        self.start()
        self._mailbox.post(command)


def _as_messages(prompt: object) -> tuple[Message, ...] | Added:
    if not isinstance(prompt, (list, tuple)):
        raise EngineError(INVALID_REQUEST, "Send a text or a list of messages.")
    # Copy: the caller may change its objects before the engine thread reads them.
    messages = tuple(
        m.as_message() if isinstance(m, ToolResult) else dict(m) if isinstance(m, dict) else m
        for m in prompt
    )
    return Added(messages) if any(isinstance(m, ToolResult) for m in prompt) else messages

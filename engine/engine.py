"""Public API of the engine: thread-safe handles that post commands and collect events.

Methods that wait for the engine thread say so.
"""

from __future__ import annotations

import contextlib
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Self, get_args

from engine.cache.estimate import Fit
from engine.cluster.hosts import Host, check_group, local_hosts
from engine.errors import ENGINE_STOPPED, INVALID_REQUEST, EngineError
from engine.messages import (
    AddedMessages,
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
    Prioritise,
    RawPrompt,
    Relieve,
    Send,
    Stop,
    Unload,
)
from engine.model.info import Model
from engine.params import SamplingParams
from engine.reply import Listener, Reply
from engine.runtime import thread
from engine.runtime.mailbox import CommandFuture, Mailbox, may_wait
from engine.runtime.thread import EngineOptions
from engine.text.tools import Tool, ToolResult


class Session:
    """Isolated conversation with its own KV cache."""

    def __init__(self, session_id: str, model: Model, mailbox: Mailbox) -> None:
        self.id = session_id  # passed to `Engine.open_session`, or random
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

        Errors are reported as a `Failed` event of the reply, even if the engine has stopped.

        Args:
            prompt: a string is appended to the conversation as a user message. A list of messages
                replaces the conversation. In both cases, the KV cache of the longest common prefix
                is reused. If the list ends with an assistant message, the reply continues that
                message, and `text()` returns only the continuation. A list that contains a
                `ToolResult` is appended like a string. A `RawPrompt` is completed without a chat
                template and isn't added to the conversation.
            on_event: called with every event, in order, on the engine thread. If the engine has
                stopped, a new thread calls it. Must return quickly.
            template: extra variables for the chat template. Can include `tools`, to show the model
                fewer tools than it may call.

        Raises:
            EngineError: `invalid_request` if `prompt` has another type.
            TypeError: if `params` is not `SamplingParams`.
        """
        if params is not None and not isinstance(params, SamplingParams):
            raise TypeError(f"params must be SamplingParams, not {type(params).__name__}")
        request = prompt if isinstance(prompt, (str, RawPrompt)) else _as_messages(prompt)
        params = params or SamplingParams()
        offered = {"tools": list(params.offered)} if params.offered else {}
        reply = Reply(self.id, self._mailbox, on_event)
        command = Send(
            self.id,
            reply.id,
            request,
            params,
            reply.deliver,
            self._mailbox.clock(),
            {**offered, **(template or {})},
        )
        try:
            self._mailbox.post(command)
        except EngineError as error:
            reply.refuse(Failed(self.id, reply.id, error.code, error.message))
        return reply

    def prioritise(self, priority: int = 1, program: str = "", share: float = 0.0) -> None:
        """Set this session's priority in the queues for prefill and memory. The default is 0.

        Decode steps are always shared evenly.

        Args:
            program: name of the client program, if there are several. Among prompts with equal
                priority, the program that has used the least time is served first.
            share: percentage of the compute time, including decode steps, that all sessions of the
                program get together while other programs are active. 0 for no fixed share.

        Raises:
            TypeError: if `priority` is not an integer.
        """
        if isinstance(priority, bool) or not isinstance(priority, int):
            raise TypeError(f"priority must be a whole number, not {priority!r}")
        with contextlib.suppress(EngineError):
            self._mailbox.post(Prioritise(self.id, priority, program, share))

    def fork(self, session_id: str | None = None) -> Session:
        """Create a session with the same conversation. The KV cache is copied on write.

        Args:
            session_id: id of the fork (see `Engine.open_session`); None for a random id.

        Raises:
            ValueError: if `session_id` is this session's own id.
            EngineError: `engine_stopped`.
        """
        twin = session_id or uuid.uuid4().hex
        if twin == self.id:
            raise ValueError("A fork needs its own id.")
        session = Session(twin, self.model, self._mailbox)
        self._mailbox.post(Fork(self.id, twin, session_id is not None))
        return session

    def keep(self) -> None:
        """Write the session's KV cache to disk so that it survives a crash.

        Does nothing during a reply, or if the session's id is random.
        """
        with contextlib.suppress(EngineError):
            self._mailbox.post(Keep(self.id))

    def close(self, forget: bool = False) -> None:
        """Free the session. A running reply ends with `session_closed`.

        Args:
            forget: also delete the session's cache on disk.
        """
        with contextlib.suppress(EngineError):  # stopping the engine already freed the session
            self._mailbox.post(CloseSession(self.id, forget))


class Engine:
    """Handle for the engine thread, which owns all models and sessions.

    If the thread crashes, all replies and calls fail with `engine_stopped`. The next call starts a
    new thread, but models have to be loaded and sessions opened again.

    Args:
        memory_budget: bytes for weights and KV caches together. Defaults to most of the GPU's
            recommended working set, or to most of the free RAM without a GPU.
        cache_dir: folder for the KV caches of closed and evicted sessions. Sessions whose id was
            set by the caller can be resumed from it, even after a restart. None disables it. Not
            used with several ranks.
        cache_bytes: size limit of the folder. The least recently used files are deleted first.
        ranks: number of local processes to split each model over, or a list of hosts that starts
            with this machine (`engine.cluster.hosts`). Models and sessions that can't be split fail
            with `unsupported_session`. If a process dies or hangs, all replies end with
            `engine_stopped`.
        ways_dir: folder for results of probes and tokenizer checks, so that later loads are faster.
            None disables it.
        niceness: niceness of the engine's threads, 0 to 19. Linux only.
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
        self._options = EngineOptions(memory_budget, folder, cache_bytes, hosts, ways, niceness)
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._mailbox = Mailbox()
        self._stopped = False

    def __enter__(self) -> Self:
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
        """Start the engine thread, without blocking. Other methods start it when needed.

        Raises:
            EngineError: `engine_stopped` after `stop`. An engine can't be restarted.
        """
        while (dying := self._start()) is not None:
            if dying is threading.current_thread():
                raise EngineError(ENGINE_STOPPED, "The engine has failed and is shutting down.")
            # Wait without holding the lock, because callbacks of the dying thread may need it.
            dying.join()

    def _start(self) -> threading.Thread | None:
        """Start a thread unless one is running. Return a thread that has crashed but not ended."""
        with self._lock:
            if self._stopped:
                raise EngineError(ENGINE_STOPPED, "This engine was stopped. Start a new one.")
            if self.is_running:
                return self._thread if self._mailbox.closed else None
            if self._thread is not None:  # the previous thread has crashed
                thread.unregister(self._mailbox, self._thread)
                self._mailbox = Mailbox()
            # Not a daemon thread, because MLX must be shut down or the process aborts at exit.
            started = threading.Thread(
                target=thread.run, args=(self._mailbox, self._options), name="stretto-engine"
            )
            started.start()
            self._thread = started
            thread.stop_at_exit(self._mailbox, started)
            return None

    def stop(self, timeout: float | None = None) -> None:
        """End all replies with `engine_stopped`, free everything, and join the engine thread.

        Args:
            timeout: seconds to wait for the thread; None to wait forever. The thread keeps shutting
                down after a timeout.
        """
        with self._lock:
            self._stopped = True
            running = self._thread
        thread.unregister(self._mailbox, running)
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
        """Load a model folder (Hugging Face/MLX layout) or a downloaded hub id. Blocks.

        Loading the same folder twice returns the same model. GGUF files are converted on first use,
        and the result is kept in the app's model folder.

        Args:
            adapter: folder with a LoRA or DoRA adapter in mlx-lm's layout. This creates a variant
                with its own id and sessions. All variants share the base model's weights, which
                stay in memory until the last variant is unloaded.
            draft: folder or hub id of a smaller model with the same tokenizer, for speculative
                decoding. Drafts are used for chats that run alone, if that is faster. They don't
                change the text. "lookup" is prompt lookup decoding: it needs no draft model, helps
                with edits of earlier text, and also works for several chats at a time. None leaves
                the setting of a loaded model unchanged, and "" turns drafting off.

        Raises:
            EngineError: `model_load_failed` or `out_of_memory`, with advice in the message;
                `unsupported_session` if the draft model doesn't match.
        """
        may_wait()
        return self.load_later(path, adapter=adapter, draft=draft).result()

    def load_again(self, model: Model) -> Model:
        """Reload a model after the engine crashed.

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
                time.sleep(0.1)  # the old thread hasn't ended yet
        return self.load(model.path, adapter, draft)

    def load_later(
        self,
        path: str | Path,
        on_progress: Callable[[float], None] | None = None,
        adapter: str | Path | None = None,
        draft: str | Path | None = None,
    ) -> Future[Model]:
        """Start `load` without blocking. The future's callbacks run on the engine thread.

        Cancelling the future aborts the load, unless another caller is waiting for it too.

        Args:
            on_progress: called on the engine thread about 50 times per second with the fraction of
                the weights loaded so far, above 0 and at most 1. Must return quickly.
        """
        answer: Future[Model] = CommandFuture(can_be_cancelled=True)
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
        """Estimate a model's memory before loading it, and suggest what would fit. Blocks.

        This only reads the config and the headers of the weight files. For models split over ranks,
        all numbers are per rank, and compared to the memory of the rank that has the least.

        Args:
            context: tokens per chat; None for the model's limit, at most 8,192.
            kv_bits: see `open_session`.
            adapter: see `load`. Its arrays are counted, but not the weights of a base model that is
                already loaded (`Fit.shared`).

        Raises:
            EngineError: `model_load_failed` if the folder can't be loaded; `unsupported_session` if
                the model can't be split over this number of ranks.
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
            ValueError: see `estimate`. All other errors are set on the future.
        """
        if kv_bits not in (None, 4, 8):
            raise ValueError(f"kv_bits must be 8, 4 or None, not {kv_bits!r}")
        if chats < 1 or (context is not None and context < 1):
            raise ValueError("context and chats must be at least 1")
        answer: Future[Fit] = CommandFuture()
        added = None if adapter is None else str(adapter)
        self._post(Estimate(str(path), context, chats, kv_bits, answer, added))
        return answer

    def unload(self, model: Model) -> None:
        """Unload a model and close its sessions. Blocks."""
        may_wait()
        self.unload_later(model).result()

    def unload_later(self, model: Model) -> Future[None]:
        """Start `unload` without blocking. The future's callbacks run on the engine thread."""
        answer: Future[None] = CommandFuture()
        self._post(Unload(model.id, answer))
        return answer

    def relieve_later(self) -> Future[int]:
        """Free all memory that can be rebuilt: buffers, and caches that no reply uses.

        This is for a system that is low on memory (see `engine.runtime.pressure`). Sessions with
        random ids prefill again afterwards, and other caches are written to disk. The future
        returns the number of cache bytes freed. Its callbacks run on the engine thread.
        """
        answer: Future[int] = CommandFuture()
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
    ) -> Session:
        """Open a conversation, without blocking.

        Args:
            session_id: id for reopening the session later with its KV cache, even after the
                program was restarted (see `cache_dir`). None for a random id. Ids that start with
                `clients/` are for API clients: such a session starts from the cache file in its
                domain that has the longest text in common with the first prompt.
            system: system message for conversations that don't have one.
            reproducible: make this session's logits independent of other chats, bit by bit. Unless
                the model is `exact`, this means stepping the session alone, which is slower while
                other chats are running.
            reasoning: turn reasoning on or off, if supported; None for the model's default.
            on_overflow: what to do when the conversation exceeds the context. `refuse` ends the
                reply with `context_overflow`. `slide` drops the oldest turns and counts them in
                `ReplyStats.dropped_messages`.
            kv_bits: quantize the KV cache to 8 or 4 bits. Compared to 16 bits, this takes about a
                half or a quarter of the memory, but it is lossy and slower on a CPU. If the model
                doesn't support it, the first message fails with `unsupported_session`.
            context: limit for prompt and answer tokens together, if lower than the model's limit.
            domain: isolation domain, for engines that serve several users. Prompts only reuse
                caches from their own domain, so neither statistics nor timing reveal the prompts of
                other users.

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
        )
        return self._open(opening, model)

    def forget(self, session_id: str = "", domain: str = "") -> None:
        """Delete a closed session's KV cache from disk.

        Args:
            session_id: id that was given to `open_session`. Unknown ids are ignored.
            domain: delete the caches of all API clients' sessions in this domain instead.
        """
        self._post(Forget(session_id, domain))

    def ask(
        self,
        model: Model,
        prompt: str | Sequence[Message],
        params: SamplingParams | None = None,
        on_event: Listener | None = None,
        reasoning: bool | None = None,
    ) -> Reply:
        """Request a single answer without a session, e.g. for titles and summaries.

        In the queue for memory, single requests are ahead of all chats. For arguments and errors,
        see `Session.send`.
        """
        session = uuid.uuid4().hex
        opening = OpenSession(session, model.id, None, False, reasoning, one_shot=True)
        chat = self._open(opening, model)
        try:
            return chat.send(prompt, params, on_event)
        except BaseException:  # close the session, because the caller doesn't have it
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
            slides_in: context limit in tokens. Count the prompt as `on_overflow="slide"` would
                shorten it, or only the last message if that alone exceeds the limit.
            session_id: don't count messages that this session has already dropped.
        """
        request = prompt if isinstance(prompt, (str, RawPrompt)) else _as_messages(prompt)
        answer: Future[int] = CommandFuture()
        options = dict(template or {})
        self._post(
            CountTokens(
                model.id,
                request,
                reasoning,
                options,
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
            ValueError: if a tool is invalid.
        """
        offered = {"tools": list(SamplingParams(tools=tools).offered)} if tools else {}
        answer: Future[int] = CommandFuture()
        messages = _as_messages([{"role": "user", "content": "a"}])
        self._post(CountTokens(model.id, messages, None, offered, answer, only_template=True))
        return answer

    def embed_later(self, model: Model, texts: Sequence[str | Sequence[int]]) -> Future[Embeddings]:
        """Compute embeddings: the mean hidden state of each text, normalized.

        The texts are processed in chunks between the steps of chats. Cancel the future to stop.

        Args:
            texts: strings or lists of token ids.
        """
        answer: Future[Embeddings] = CommandFuture(can_be_cancelled=True)
        inputs = tuple(t if isinstance(t, str) else tuple(t) for t in texts)
        self._post(Embed(model.id, inputs, answer))
        return answer

    def stats(self) -> dict[str, Any]:
        """Return statistics: backend, memory in bytes, models, and sessions by id. Blocks.

        `tokens_per_s` is the current throughput of all chats together, and `queue` lists the
        sessions waiting for memory, in order. `process_bytes` and `children_bytes` are the memory
        of this process and its children. The former includes `buffer_bytes`, which MLX has freed
        and keeps for reuse.

        These have an entry per model id: `drafts` describes the drafters, `images` counts encoded
        images and stored embeddings, and `faults` counts failed passes. In `faults`, `unshared` is
        True while the model's chats are stepped one by one.
        """
        may_wait()
        return self.stats_later().result()

    def stats_later(self) -> Future[dict[str, Any]]:
        """Start `stats` without blocking. The future's callbacks run on the engine thread."""
        answer: Future[dict[str, Any]] = CommandFuture()
        self._post(GetStats(answer))
        return answer

    def _open(self, command: OpenSession, model: Model) -> Session:
        self.start()
        session = Session(command.session_id, model, self._mailbox)
        session._mailbox.post(command)  # posted last, so that an error can't leave a session open
        return session

    def _post(self, command: Any) -> None:
        self.start()
        self._mailbox.post(command)


def _as_messages(prompt: object) -> tuple[Message, ...] | AddedMessages:
    if not isinstance(prompt, (list, tuple)):
        raise EngineError(INVALID_REQUEST, "Send a text or a list of messages.")
    # Copy the messages, because the caller may modify its objects before the engine thread reads
    # them.
    messages = tuple(
        m.as_message() if isinstance(m, ToolResult) else dict(m) if isinstance(m, dict) else m
        for m in prompt
    )
    return AddedMessages(messages) if any(isinstance(m, ToolResult) for m in prompt) else messages

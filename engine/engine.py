"""The engine's public face: thread-safe handles that post commands and gather events.

Nothing here touches MLX or waits for the engine thread unless its docstring says so.
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
    """One isolated conversation with its own KV cache."""

    def __init__(self, session_id: str, model: Model, mailbox: Mailbox) -> None:
        self.id = session_id  # as given to `Engine.open_session`, or made up
        self.model = model  # the model it talks to
        self._mailbox = mailbox

    def send(
        self,
        prompt: str | Sequence[Message | ToolResult] | RawPrompt,
        params: SamplingParams | None = None,
        on_event: Listener | None = None,
        template: Mapping[str, Any] | None = None,
    ) -> Reply:
        """Ask for an answer; returns at once.

        Args:
            prompt: a text, which goes after what was said so far; or a list of messages, which
                is the whole conversation to answer and replaces it. Either way the KV cache of
                the longest common beginning is reused. A list that ends with a message of the
                assistant asks for that message to be continued; `text()` is then what was added.
                A list with a `ToolResult` goes after what was said so far, as a text does.
                A `RawPrompt` is continued as it stands and is no part of the conversation.
            on_event: called on the engine thread with every event, in order. Be quick.
            template: what the chat template is given beside the messages: names of its own, and
                `tools` where it is not to show all that may be called.

        Errors come as the reply's `Failed` event, also when the engine has stopped.

        Raises:
            EngineError: `invalid_request` when `prompt` is neither.
            TypeError: when `params` are no `SamplingParams`.
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
        """Let this session's prompts and its waiting for memory come before those of less
        priority; 0 is usual. Tokens are shared out evenly all the same.

        Args:
            program: whose session it is, where several programs ask. Of prompts with the same
                priority those of the program come first that has used least of the time.
            share: of the time, in per cent, for all of the program's sessions together while
                others ask, too; tokens are shared out by it. 0 sets none.

        Raises:
            TypeError: `priority` is no whole number.
        """
        if isinstance(priority, bool) or not isinstance(priority, int):
            raise TypeError(f"priority must be a whole number, not {priority!r}")
        with contextlib.suppress(EngineError):
            self._mailbox.post(Prioritise(self.id, priority, program, share))

    def fork(self, session_id: str | None = None) -> Session:
        """A twin with the same conversation; its KV cache is shared until either side writes.

        Args:
            session_id: the twin's, as of `Engine.open_session`; None for one of the engine's own.

        Raises:
            ValueError: the twin would have the session's own id.
            EngineError: `engine_stopped`.
        """
        twin = session_id or uuid.uuid4().hex
        if twin == self.id:
            raise ValueError("A fork needs an id of its own.")
        made = Session(twin, self.model, self._mailbox)
        self._mailbox.post(Fork(self.id, twin, session_id is not None))
        return made

    def keep(self) -> None:
        """Have its cache written to disk as it is, so that nothing of it is lost with the process.

        Only where its id is the caller's; nothing happens while it answers.
        """
        with contextlib.suppress(EngineError):
            self._mailbox.post(Keep(self.id))

    def close(self, forget: bool = False) -> None:
        """Free the session. A reply that is running ends with `session_closed`.

        Args:
            forget: nothing of it stays on disk either.
        """
        with contextlib.suppress(EngineError):  # a stopped engine has freed it
            self._mailbox.post(CloseSession(self.id, forget))


class Engine:
    """An engine thread with its models and sessions.

    Should the thread break down, every reply and every call hears `engine_stopped`, and the next
    use starts a new one: models have to be loaded and sessions to be opened again.

    Args:
        memory_budget: bytes that weights and KV caches may take together; by default most of
            the GPU's recommended working set, or of the free RAM where there is no GPU.
        cache_dir: a folder for the KV caches of chats that had to make room or were closed. Of
            sessions whose id the caller gave, they are found again after a restart. None keeps
            nothing on disk.
        cache_bytes: what the folder may take; the least recently used go first.
        ranks: over how many processes on this machine each model is spread, a part in each; or
            their machines, this one first (`engine.cluster.hosts`). What a model or a session
            cannot do then ends with `unsupported_session`. Where a process dies or hangs, all
            replies end with `engine_stopped`.
        ways_dir: a folder for what each model was found to be able to do, so that later loads
            need not try it out again. None keeps nothing.
    """

    def __init__(
        self,
        memory_budget: int | None = None,
        cache_dir: str | Path | None = None,
        cache_bytes: int = 4 * 2**30,
        ranks: int | Sequence[Host] = 1,
        ways_dir: str | Path | None = None,
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
        self._settings = (memory_budget, folder, cache_bytes, hosts, ways)
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
        """Whether the engine thread is alive."""
        running = self._thread
        return running is not None and running.is_alive()

    def start(self) -> None:
        """Start the engine thread; the first use does it too. Returns at once.

        Raises:
            EngineError: `engine_stopped` when this engine was stopped. Make a new one.
        """
        while (dying := self._start()) is not None:
            if dying is threading.current_thread():
                raise EngineError(ENGINE_STOPPED, "The engine is just breaking down.")
            dying.join()  # without the lock: its last callbacks may need it

    def _start(self) -> threading.Thread | None:
        """Start a thread where there is none; returns one that is breaking down."""
        with self._lock:
            if self._stopped:
                raise EngineError(ENGINE_STOPPED, "This engine was stopped. Start a new one.")
            if self.is_running:
                return self._thread if self._mailbox.closed else None
            if self._thread is not None:  # it could not go on
                thread.ended(self._mailbox, self._thread)
                self._mailbox = Mailbox()
            # Not a daemon: MLX must be left in order, or the process aborts at exit.
            started = threading.Thread(
                target=thread.run, args=(self._mailbox, *self._settings), name="stretto-engine"
            )
            started.start()
            self._thread = started
            thread.stop_at_exit(self._mailbox, started)
            return None

    def stop(self, timeout: float | None = None) -> None:
        """End all replies with `engine_stopped`, free everything and join the engine thread.

        Args:
            timeout: seconds to wait for the thread, which goes on ending after them; None for all.
        """
        with self._lock:
            self._stopped = True
            running = self._thread
        thread.ended(self._mailbox, running)
        with contextlib.suppress(EngineError):  # its thread has ended already
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
        """Load a model folder (Hugging Face/MLX layout) or a hub id already downloaded. Waits.

        The same folder again gives the same weights. A GGUF file will do, too: it is converted
        the first time, into the program's own folder of models.

        Args:
            adapter: a folder with a LoRA or DoRA adapter in mlx-lm's layout. The model is then a
                variant, with an id and sessions of its own, that shares the arrays of the model
                without an adapter and of its other variants: memory holds them once, until the
                last of them is unloaded.
            draft: as `path`: a smaller model with the same tokenizer, which is loaded too. It
                drafts for a chat that runs alone, where that makes it faster; the chat says the
                same with and without. "lookup" needs none: what the chat's own text says after
                the same tokens is drafted, which helps where it is written again with changes,
                also for several chats at once.
                None leaves a model that is in memory as it is, and an empty text ends its drafting.

        Raises:
            EngineError: `model_load_failed` or `out_of_memory`, saying what to do;
                `unsupported_session` where the one cannot draft for the other.
        """
        may_wait()
        return self.load_later(path, adapter=adapter, draft=draft).result()

    def load_again(self, model: Model) -> Model:
        """Load a model that went when the engine broke down. Waits.

        Raises:
            EngineError: as `load`.
        """
        adapter, draft = model.adapter or None, model.draft or None
        for _ in range(20):
            try:
                return self.load(model.path, adapter, draft)
            except EngineError as error:
                if error.code != ENGINE_STOPPED:
                    raise
                time.sleep(0.1)  # it is still breaking down
        return self.load(model.path, adapter, draft)

    def load_later(
        self,
        path: str | Path,
        on_progress: Callable[[float], None] | None = None,
        adapter: str | Path | None = None,
        draft: str | Path | None = None,
    ) -> Future[Model]:
        """As `load`, without waiting. The future's callbacks run on the engine thread.

        Cancelling the future stops the reading, unless somebody else wants the same folder.

        Args:
            on_progress: called on the engine thread, some fifty times a second, with the share of
                the weights that has been read: more than 0, at most 1. Be quick.
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
        """What a model will take before it is loaded, and what would fit where it does not. Waits.

        Only the folder's config and the headers of its weights are read. Of a model that is spread
        over ranks all figures are those of each, judged by the one that has least memory.

        Args:
            context: tokens of each chat; None for the model's own limit, at most 8,192.
            kv_bits: as of `open_session`.
            adapter: as of `load`. Its arrays count; those of a base that is in memory already do
                not count again (`Fit.shared`).

        Raises:
            EngineError: `model_load_failed`: it is no folder that could be loaded;
                `unsupported_session`: it cannot be spread over so many ranks.
            ValueError: `context`, `chats` or `kv_bits` is out of range.
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
        """As `estimate`, without waiting. The future's callbacks run on the engine thread.

        Raises:
            ValueError: as `estimate`; its other errors are the future's.
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
        """Free a model; its sessions are closed. Waits until that is done."""
        may_wait()
        self.unload_later(model).result()

    def unload_later(self, model: Model) -> Future[None]:
        """As `unload`, without waiting. The future's callbacks run on the engine thread."""
        answer: Future[None] = Answer()
        self._post(Unload(model.id, answer))
        return answer

    def unload_idle(self, after: float | None, told: Callable[[str], None] | None = None) -> None:
        """Unload models that nobody has used for so many seconds; None, the default, never does.

        Their chats hear `unknown_model` when they send, and caches of sessions that have an id of
        the caller's go to disk: load the folder and open the session again.

        Args:
            told: called with the id of each model that went, on the engine thread. Be quick.

        Raises:
            ValueError: `after` is less than 0.
        """
        if after is not None and not after >= 0:
            raise ValueError(f"after must be seconds or None, not {after!r}")
        self._post(UnloadIdle(after, told))

    def pin(self, model: Model, pinned: bool = True) -> None:
        """Keep a model in memory however long nobody uses it, or no longer."""
        self._post(Pin(model.id, pinned))

    def relieve_later(self) -> Future[int]:
        """Give back all memory that can be had again: caches that no reply uses, and buffers.

        Caches of sessions that have an id of the caller's go to disk, the others are read anew
        when they are needed. The future has how many bytes of caches it was, and its callbacks run
        on the engine thread. For when the system is short of memory (`engine.runtime.pressure`).
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
        """Open a conversation; returns at once.

        Args:
            session_id: under this name the session's cache is found again after it was closed,
                also by another run of the program (see `cache_dir`).
            system: a system message, put before every conversation that brings none.
            reproducible: keep this session's logits the same bits next to any other chats. If
                the model is not `exact`, the session is stepped alone, which is slower when it
                does not run alone.
            reasoning: whether to think first, where the model can; None is the model's default.
            on_overflow: what happens when the conversation has outgrown the context:
                `refuse` ends the reply with `context_overflow`; `slide` leaves out the oldest
                turns, and `ReplyStats.dropped_messages` says how many messages.
            kv_bits: keep keys and values in 8 or 4 bits, which takes about half or a quarter of
                16-bit ones and rounds them; slower on a CPU. Where the model cannot, the first
                message is answered with `unsupported_session`.
            context: tokens that a prompt and its answer may have together, where that is to be
                fewer than the model takes.
            domain: whose conversation it is, where the engine serves several people: a prompt goes
                on from what sessions of the same domain have read, never from another's, so that
                nobody learns from figures or from the clock what another has asked.
            begins_as: the id of a session that is closed: where there is no cache on disk under
                this one's own id, it goes on from what its prompt has in common with that one's.

        Raises:
            ValueError: `on_overflow`, `kv_bits` or `context` is none of these.
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
        """Remove the KV cache that is kept on disk for a session that is closed.

        Args:
            session_id: the caller's own, as of `open_session`. One that is unknown does no harm.
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
        """One answer without a session to keep: for titles, summaries, single questions.

        Room for one such request of about a thousand tokens is always kept free, so that it need
        not wait for the chats. Arguments and errors are those of `Session.send`.
        """
        session = uuid.uuid4().hex
        opening = OpenSession(session, model.id, None, False, reasoning, scratch=True)
        chat = self._open(opening, model)
        try:
            return chat.send(prompt, params, on_event)
        except BaseException:  # nobody else could close it
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
        """How many tokens a prompt would have. Callbacks run on the engine thread.

        Args:
            slides_in: as a session that slides would send it, with a context of so many tokens: of
                a last message that does not fit even so, the tokens of that one alone.
            session_id: this session, which keeps out what it has left out before.
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
        """How many tokens these tools add to a prompt. Callbacks run on the engine thread.

        Args:
            tools: as of `SamplingParams`.

        Raises:
            ValueError: they are none.
        """
        offered = {"tools": list(SamplingParams(tools=tools).offered)} if tools else {}
        answer: Future[int] = Answer()
        asked = _as_messages([{"role": "user", "content": "a"}])
        self._post(CountTokens(model.id, asked, None, offered, answer, only_template=True))
        return answer

    def embed_later(self, model: Model, texts: Sequence[str | Sequence[int]]) -> Future[Embeddings]:
        """The direction of each text's mean hidden state; cancelling the future stops it.

        The texts are read in pieces between the steps of the chats.

        Args:
            texts: each a text, or the ids of its tokens.
        """
        answer: Future[Embeddings] = Answer(can_be_cancelled=True)
        given = tuple(t if isinstance(t, str) else tuple(t) for t in texts)
        self._post(Embed(model.id, given, answer))
        return answer

    def stats(self) -> dict[str, Any]:
        """Backend, memory in bytes, models and sessions as they are now. Waits for the answer.

        `phase_seconds` says where the engine thread's time went, `tokens_per_s` how fast all
        chats together are at the moment, `queue` which sessions wait for memory, the first first.
        `process_bytes` is all that the system counts for this process, `children_bytes` what its
        helper processes hold besides. `faults` has, by a
        model's id, the passes that raised, and whether its chats are stepped one by one for a
        while because of that (`unshared`).
        """
        may_wait()
        return self.stats_later().result()

    def stats_later(self) -> Future[dict[str, Any]]:
        """As `stats`, without waiting. The future's callbacks run on the engine thread."""
        answer: Future[dict[str, Any]] = Answer()
        self._post(GetStats(answer))
        return answer

    def _open(self, command: OpenSession, model: Model) -> Session:
        self.start()
        made = Session(command.session_id, model, self._mailbox)
        made._mailbox.post(command)  # last: whoever gets no session leaves none
        return made

    def _post(self, command: Any) -> None:
        self.start()
        self._mailbox.post(command)


def _as_messages(prompt: object) -> tuple[Message, ...] | Added:
    if not isinstance(prompt, (list, tuple)):
        raise EngineError(INVALID_REQUEST, "Send a text or a list of messages.")
    # Copies: the caller's own may change before the engine thread reads them.
    messages = tuple(
        m.as_message() if isinstance(m, ToolResult) else dict(m) if isinstance(m, dict) else m
        for m in prompt
    )
    return Added(messages) if any(isinstance(m, ToolResult) for m in prompt) else messages

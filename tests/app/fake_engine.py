"""Small real engine: a thread that answers with words and follows the contract, without a model.

The answer is in the question, so that a test can be read in one place:

- ``say one two three`` answers "one two three ", word by word,
- ``count 40`` answers "1 2 … 40 ",
- ``hold 5`` writes five numbers and waits until it is cancelled or ``release`` is called,
- ``think`` reasons before it answers,
- ``call NAME {…}`` calls a tool (several with `` & `` in between), then reports the result,
- ``loop 3 NAME {…}`` repeats the call after each result, three times,
- ``cut`` stops at the length limit; a continued answer gets "and more.",
- ``break`` ends as if the engine's thread had died,
- ``overflow`` fails unless the session drops its oldest turns,
- ``toolong`` in any turn makes the conversation fail; ``huge`` is too long on its own,
- ``fail`` ends with Failed; anything else is echoed.
"""

from __future__ import annotations

import itertools
import json
import queue
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from msgspec.structs import replace

from engine import (
    EngineError,
    Failed,
    Finished,
    FinishReason,
    Fit,
    Model,
    Offer,
    PromptProgress,
    ReplyStats,
    TextDelta,
    ToolCallFinished,
)
from engine.messages import text_of

_numbers = itertools.count(1)
T = TypeVar("T")


def resolved(value: T) -> Future[T]:
    future: Future[T] = Future()
    future.set_result(value)
    return future


def model_of(path: str, name: str, sees: bool = False) -> Model:
    ways, defaults = ("float32", "shared", True), {"temperature": 0.5}
    return Model(path, name, path, 2048, 1000, *ways, defaults, tool_format="json", sees=sees)


class FakeReply:
    def __init__(
        self, session: FakeSession, turns: Any, params: Any, post: Any, words: Iterator[Any]
    ) -> None:
        self.id = f"reply-{next(_numbers)}"
        self.session = session
        self.turns = turns
        self.params = params
        self.events: list[Any] = []
        self.post: Callable[[Any], None] = lambda event: (self.events.append(event), post(event))[1]
        self.cancelled = threading.Event()
        self.paused = threading.Event()
        self.calls: list[dict[str, Any]] = []
        self.words = words
        self.written = 0

    def __iter__(self) -> Iterator[Any]:
        return iter(self.events)

    def cancel(self, whole: bool = False) -> None:
        self.cancelled.set()

    def pause(self) -> None:
        self.paused.set()

    def resume(self) -> None:
        self.paused.clear()


@dataclass
class FakeSession:
    engine: FakeEngine
    model: Model
    options: dict[str, Any]
    id: str = field(default_factory=lambda: f"session-{next(_numbers)}")
    closed: bool = False
    ended: bool = False  # True if its model was unloaded
    priority: int = 0

    def send(
        self, prompt: Any, params: Any = None, on_event: Any = None, template: Any = None
    ) -> FakeReply:
        if isinstance(prompt, str):
            prompt = [{"role": "user", "content": prompt}]
        slides = self.options.get("on_overflow") == "slide"
        if self.ended:
            words = iter([("unknown_model", "The model was unloaded. Load it again.")])
        elif any("toolong" in text_of(turn["content"]) for turn in prompt):
            words = iter([("context_overflow", "It is too long for this model.")])
        elif slides and text_of(prompt[-1]["content"]).startswith("overflow"):
            words = iter([("answer", "Without the oldest.")])
        else:
            words = self.engine.words_of(prompt)
        reply = FakeReply(self, prompt, params, on_event, words)
        self.engine.sent.append(reply)
        self.engine.inbox.put(reply)
        return reply

    def fork(self, session_id: str | None = None) -> FakeSession:
        twin = FakeSession(self.engine, self.model, dict(self.options), priority=self.priority)
        twin.id = session_id or twin.id
        return twin

    def prioritise(self, priority: int = 1, program: str = "", share: float = 0.0) -> None:
        self.priority = priority

    def close(self, forget: bool = False) -> None:
        self.closed = True
        if forget:
            self.engine.forgotten.append(self.id)


class FakeEngine:
    """Runs all replies on one thread, one word per turn.

    Args:
        turn_s: seconds per turn.

    Attributes:
        sent: all requested replies.
        loads: number of requested models.
        unloaded: names of unloaded models.
        drafts: pairs of a model's name and its draft model's name ("" to remove the draft model).
        forgotten: ids of sessions whose cache on disk will be deleted.
        loading: loads wait while this is cleared, as with a slow model.
        progress: listeners to the progress of loads, by path.
        titles: answers to the next calls of `ask`; "" after the last one.
        asked: replies requested by `ask`.
        loaded: paths of the models that leave too little memory for "wide".
    """

    def __init__(self, turn_s: float = 0.001) -> None:
        self._turn_s = turn_s
        self.inbox: queue.Queue[Any] = queue.Queue()
        self.sent: list[FakeReply] = []
        self.asked: list[FakeReply] = []
        self.titles: list[str] = []
        self.forgotten: list[str] = []
        self.loads = 0
        self.unloaded: list[str] = []
        self.drafts: list[tuple[str, str]] = []
        self.relieved = 0
        self.loaded: list[str] = []
        self.progress: dict[str, Callable[[float], None]] = {}
        self.sessions: list[FakeSession] = []
        self.loading = threading.Event()
        self.loading.set()
        self.released = threading.Event()
        self._thread = threading.Thread(target=self._run, name="fake-engine")
        self._thread.start()

    def count_tools_later(self, model: Any, tools: list[dict[str, Any]]) -> Future[int]:
        return resolved(10 * len(tools))

    @property
    def is_running(self) -> bool:
        return self._thread.is_alive()

    def estimate_later(
        self,
        path: str,
        context: int | None = None,
        *,
        chats: int = 1,
        kv_bits: int | None = None,
        adapter: str | None = None,
    ) -> Future[Fit]:
        """Estimate whether a model fits.

        "wide" fits only with small, short or no other models, a "vast" adapter never.
        """
        fit = Fit(5_000_000_000, 1, 2_000_000_000, 100_000_000, 8192, 1, kv_bits, 9_000_000_000)
        if "wide" in path and kv_bits is None and (context or 8192) > 4096:
            smaller = Offer("kv_bits", 8, 5_600_000_000), Offer("context", 4096, 5_900_000_000)
            others = [Offer("unload", 0, 9_000_000_000, model) for model in self.loaded]
            fit = replace(fit, free=6_000_000_000, offers=(*smaller, *others))
            if not self.loaded:
                fit = replace(fit, free=9_000_000_000, offers=())
        if adapter is not None and "vast" in adapter:
            fit = replace(fit, free=1_000_000_000)
        return resolved(fit)

    def load_later(
        self,
        path: str,
        on_progress: Callable[[float], None] | None = None,
        adapter: str = "",
        draft: str | None = None,
    ) -> Future[Model]:
        """Load a model. A draft named "broken" or "foreign" is refused."""
        future: Future[Model] = Future()
        if on_progress is not None:
            self.progress[path] = on_progress
        if draft is not None:
            self.drafts.append((Path(path).name, Path(draft).name if draft else ""))
        self.inbox.put((path, adapter, draft, future))
        return future

    def relieve_later(self) -> Future[int]:
        self.relieved += 1
        return resolved(0)

    def unload_later(self, model: Model) -> Future[None]:
        self.unloaded.append(model.name)
        self.loaded = [path for path in self.loaded if path != model.id]
        for session in self.sessions:
            session.ended |= session.model.id == model.id
        return resolved(None)

    def open_session(
        self, model: Model, session_id: str | None = None, **options: Any
    ) -> FakeSession:
        session = FakeSession(self, model, options)
        self.sessions.append(session)
        session.id = session_id or session.id
        return session

    def ask(
        self,
        model: Model,
        prompt: str,
        params: Any = None,
        on_event: Any = None,
        reasoning: bool | None = None,
    ) -> FakeReply:
        """Answer with each of `titles` once. A title that starts with a verb of the script follows
        it."""
        session = FakeSession(self, model, {"reasoning": reasoning})
        said = self.titles.pop(0) if self.titles else ""
        known = said.partition(" ")[0] in {"hold", "think", "fail", "cut"}
        words = script(said) if known else iter([("answer", said)])
        turns = [{"role": "user", "content": prompt}]
        reply = FakeReply(session, turns, params, on_event, words)
        self.asked.append(reply)
        self.inbox.put(reply)
        return reply

    def forget(self, session_id: str = "", domain: str = "") -> None:
        self.forgotten.append(session_id)

    def count_later(
        self,
        model: Model,
        prompt: Any,
        reasoning: bool | None = None,
        template: Any = None,
        slides_in: int | None = None,
        session_id: str = "",
    ) -> Future[int]:
        sizes = [len(text_of(turn["content"]).split()) + 3 for turn in prompt]
        while slides_in is not None and sum(sizes) >= slides_in and len(sizes) > 1:
            del sizes[:2]  # a question and its answer
        return resolved(sum(sizes))

    def stats_later(self) -> Future[dict[str, Any]]:
        future: Future[dict[str, Any]] = Future()
        self.inbox.put(future)
        return future

    def release(self) -> None:
        self.released.set()

    def stop(self, timeout: float | None = None) -> None:
        self.loading.set()
        self.inbox.put(None)
        self._thread.join(timeout)

    def words_of(self, turns: Any) -> Iterator[tuple[str, str]]:
        if turns[-1]["role"] == "assistant":
            return iter([("answer", "and more.")])
        if turns[-1]["role"] == "tool":
            return after_results(turns)
        # The question follows the attached files.
        return script(text_of(turns[-1]["content"]).rpartition("</file>\n\n")[2])

    def model(self, path: str, name: str) -> Model:
        return model_of(path, name, "eyes" in Path(path).name)

    def _run(self) -> None:
        running: list[FakeReply] = []
        due = time.monotonic()
        while True:
            try:
                wait = max(0.0, due - time.monotonic())
                command = self.inbox.get(timeout=wait if running else None)
            except queue.Empty:
                command = ()
            if command is None:
                for reply in running:
                    self._finish(reply, FinishReason.CANCELLED)
                return
            if isinstance(command, FakeReply):
                running.append(command)
                reply = command
                for done in (0, 2, 4):
                    reply.post(PromptProgress(reply.session.id, reply.id, done, 4, 0, 0))
            elif isinstance(command, Future):
                command.set_result(self._figures(running))
            elif command:
                self._load(*command)
            now = time.monotonic()
            if now >= due:
                due = max(due + self._turn_s, now)
                running = [reply for reply in running if self._step(reply)]

    def _figures(self, running: list[FakeReply]) -> dict[str, Any]:
        at_work = {reply.session.id: reply for reply in running}
        sessions = {
            reply.session.id: {
                "model": reply.session.model.id,
                "kv_tokens": reply.written,
                "kv_bytes": 1_000_000,
                "status": "decoding" if reply.session.id in at_work else "idle",
                "paused": reply.session.id in at_work and reply.paused.is_set(),
                "reply": {"generated_tokens": reply.written},
            }
            for reply in self.sent
            if not reply.session.closed
        }
        return {
            "queue": [],
            "sessions": sessions,
            "tokens_per_s": 48.0,
            "kv_bytes": 1_000_000 * len(sessions),
            "prefix_bytes": 0,
            "weights_bytes": 1000,
            "memory_budget": 1_000_000_000,
            "process_bytes": 500_000_000,
            "children_bytes": 40_000_000,
            "buffer_bytes": 200_000_000,
        }

    def _load(self, path: str, adapter: str, draft: str | None, future: Future[Model]) -> None:
        self.loads += 1
        self.loading.wait()
        if not future.set_running_or_notify_cancel():
            return
        folder = Path(path)
        if "broken" in folder.name:
            message = f"{folder.name} holds no config.json. Choose a model's folder."
            future.set_exception(EngineError("model_load_failed", message))
            return
        if "huge" in folder.name:
            message = f"{folder.name} needs 90 GB for its weights. Unload another model."
            future.set_exception(EngineError("out_of_memory", message))
            return
        if adapter and not Path(adapter).is_dir():
            message = (
                f"Adapter folder {adapter!r} does not exist. Use the model without an adapter."
            )
            future.set_exception(EngineError("model_load_failed", message))
            return
        name = "Guide" if folder.name == "guide" else folder.name
        model = self.model(path, name)
        if adapter:
            name, one = f"{name} + {Path(adapter).name}", f"{path} + {adapter}"
            model = replace(model, id=one, name=name, adapter=adapter, base=path)
        if draft and "broken" in Path(draft).name:
            message = f"{Path(draft).name} holds no config.json. Choose a model's folder."
            future.set_exception(EngineError("model_load_failed", message))
            return
        if draft and "foreign" in Path(draft).name:
            message = f"{Path(draft).name} cannot draft for {name}: their tokenizers differ."
            future.set_exception(EngineError("unsupported_session", message))
            return
        model = replace(model, draft=draft or "")
        future.set_result(model)

    def _step(self, reply: FakeReply) -> bool:
        """Write one word. Return False after the last one."""
        if reply.paused.is_set() and not reply.cancelled.is_set():
            return True
        if reply.cancelled.is_set():
            self._finish(reply, FinishReason.CANCELLED)
            return False
        try:
            kind, word = next(reply.words)
        except StopIteration:
            self._finish(reply, FinishReason.STOP)
            return False
        if kind == "hold":
            if not self.released.is_set():
                reply.words = itertools.chain([("hold", "")], reply.words)
            return True
        if kind == "cut":
            self._finish(reply, FinishReason.LENGTH)
            return False
        if kind == "message_too_long":
            reply.post(Failed(reply.session.id, reply.id, "context_overflow", word, kind))
            return False
        if kind in {"out_of_memory", "context_overflow", "engine_stopped", "unknown_model"}:
            reply.post(Failed(reply.session.id, reply.id, kind, word))
            return False
        if kind == "call":
            name, _, text = word.partition(" ")
            key = f"call{next(_numbers)}"
            # Unanswered questions in a row are one turn. The first one is answered.
            text = text.partition("\n\n")[0] or "{}"
            function = {"name": name, "arguments": json.loads(text)}
            reply.calls.append({"id": key, "type": "function", "function": function})
            reply.post(ToolCallFinished(reply.session.id, reply.id, key, name, text))
            return True
        reply.written += 1
        reply.post(TextDelta(reply.session.id, reply.id, word, kind))
        return True

    def _finish(self, reply: FakeReply, reason: FinishReason) -> None:
        stats = ReplyStats(4, 2, reply.written, 0.2, 1.0, 48.0)
        turn: Any = {"role": "assistant", "content": "", "tool_calls": reply.calls}
        message = turn if reply.calls else None
        reply.post(Finished(reply.session.id, reply.id, reason, stats, message=message))


def after_results(turns: Any) -> Iterator[tuple[str, str]]:
    at = max(n for n, turn in enumerate(turns) if turn["role"] == "user")
    results = [turn["content"] for turn in turns[at:] if turn["role"] == "tool"]
    verb, _, rest = text_of(turns[at]["content"]).strip().partition(" ")
    if verb == "loop" and len(results) < int(rest.partition(" ")[0]):
        return script(text_of(turns[at]["content"]))
    return iter([("answer", f"The tool said: {results[-1]}")])


def script(question: str) -> Iterator[tuple[str, str]]:
    verb, _, rest = question.strip().partition(" ")
    if verb == "say":
        words = [("answer", f"{word} ") for word in rest.split(" ")]
    elif verb == "count":
        words = [("answer", f"{n} ") for n in range(1, int(rest) + 1)]
    elif verb == "hold":
        words = [("answer", f"{n} ") for n in range(1, int(rest) + 1)]
        words += [("hold", ""), ("answer", "end")]
    elif verb == "think":
        words = [("reasoning", "Let me see. "), ("reasoning", "Yes."), ("answer", "Thought.")]
    elif verb == "fail":
        words = [("answer", "So far "), ("out_of_memory", "Not enough memory.")]
    elif verb == "overflow":
        words = [("context_overflow", "The conversation is too long for this model.")]
    elif verb == "huge":
        words = [("message_too_long", "Your message is too long for this model even alone.")]
    elif verb == "call":
        words = [("call", call) for call in rest.split(" & ")]
    elif verb == "loop":
        words = [("call", rest.partition(" ")[2])]
    elif verb == "cut":
        words = [("answer", "So far "), ("cut", "")]
    elif verb == "break":
        words = [("answer", "So far "), ("engine_stopped", "The engine cannot continue.")]
    elif verb == "paste":
        words = [("answer", rest)]
    else:
        words = [("answer", f"You said: {question}")]
    return iter(words)

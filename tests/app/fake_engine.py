"""Fake engine: answers with words and follows the contract, without a model.

The answer is in the question, so that a test can be read in one place:

- ``say one two three`` answers "one two three ", word by word; ``paste TEXT`` answers TEXT at once,
- ``count 40`` answers "1 2 … 40 ",
- ``hold 5`` writes five numbers and waits until it is cancelled or ``release`` is called,
- ``think`` reasons before it answers,
- ``call NAME {…}`` calls a tool (several with `` & `` in between), then reports the result,
- ``loop 3 NAME {…}`` repeats the call after each result, three times,
- ``cut`` stops at the length limit; a continued answer gets "and more.",
- ``break`` lets the engine fail: all replies end, and all sessions and models are gone,
- ``overflow`` fails unless the session drops its oldest turns,
- ``toolong`` in any turn makes the conversation fail; ``huge`` is too long on its own,
- ``fail`` ends with Failed; anything else is echoed.

A model named "broken" or "huge" cannot be loaded; one named "eyes" accepts images.

The engine runs on its own thread. With ``turn_s=None`` it has none: commands wait until `hear`, and
replies until `turn`. Such a test can also load one model (`load_now`) and write a reply itself
(``engine.sent[-1].post``).
"""

from __future__ import annotations

import itertools
import json
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
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

STOPPED = "engine_stopped"
FAILURES = {"out_of_memory", "context_overflow"}
T = TypeVar("T")


def resolved(value: T) -> Future[T]:
    future: Future[T] = Future()
    future.set_result(value)
    return future


def model_of(path: str, name: str, sees: bool = False) -> Model:
    ways, defaults = ("float32", "shared", True), {"temperature": 0.5}
    return Model(path, name, path, 2048, 1000, *ways, defaults, tool_format="json", sees=sees)


@dataclass
class PendingLoad:
    path: str
    adapter: str
    draft: str
    future: Future[Model]


class FakeReply:
    """Reply that follows ``words``: pairs of a type and a text.

    Attributes:
        told: calls by the window: "cancel", "steer", "pause" and "resume".
        written: number of words so far.
    """

    def __init__(
        self,
        session: FakeSession,
        turns: Any,
        params: Any,
        post: Callable[[Any], None],
        words: Iterator[tuple[str, str]],
    ) -> None:
        self.id = f"reply-{next(session.engine.numbers)}"
        self.session = session
        self.turns = turns
        self.params = params
        self.post = post
        self.told: list[str] = []
        self.paused = False
        self.ended = False
        self.written = 0
        self._words = words
        self._calls: list[dict[str, Any]] = []
        self._is_begun = self._is_read = False

    def cancel(self, whole: bool = False) -> None:
        self.told.append("steer" if whole else "cancel")
        self.paused = False
        self.session.command(lambda: self._finish(FinishReason.CANCELLED))

    def pause(self) -> None:
        self.told.append("pause")
        self.paused = True

    def resume(self) -> None:
        self.told.append("resume")
        self.paused = False

    def begin(self) -> None:
        self._is_begun = True

    def step(self) -> None:
        """Process the prompt, or write one word."""
        if self.ended or self.paused or not self._is_begun:
            return
        if not self._is_read:
            self._is_read = True
            for done in (0, 2, 4):
                self.post(PromptProgress(self.session.id, self.id, done, 4, 0, 0))
            return
        kind, word = next(self._words, ("stop", ""))
        if kind == "stop":
            self._finish(FinishReason.STOP)
        elif kind == "cut":
            self._finish(FinishReason.LENGTH)
        elif kind == "hold":
            if not self.session.engine.is_released:
                self._words = itertools.chain([("hold", "")], self._words)
        elif kind == "message_too_long":
            self.fail("context_overflow", word, kind)
        elif kind in FAILURES:
            self.fail(kind, word)
        elif kind == STOPPED:
            self.session.engine.break_down()
        elif kind == "call":
            name, _, text = word.partition(" ")
            # Unanswered questions in a row are one turn. The first one is answered.
            text = text.partition("\n\n")[0] or "{}"
            key = f"call{next(self.session.engine.numbers)}"
            with suppress(ValueError):  # more text was written after the arguments
                function = {"name": name, "arguments": json.loads(text)}
                self._calls.append({"id": key, "type": "function", "function": function})
                self.post(ToolCallFinished(self.session.id, self.id, key, name, text))
        else:
            self.written += 1
            self.post(TextDelta(self.session.id, self.id, word, kind))

    def fail(self, code: str, message: str, reason: str = "") -> None:
        if not self.ended:
            self._end()
            self.post(Failed(self.session.id, self.id, code, message, reason))

    def _finish(self, reason: FinishReason) -> None:
        if not self.ended:
            self._end()
            stats = ReplyStats(4, 2, self.written, 0.2, 1.0, 48.0)
            turn: Any = {"role": "assistant", "content": "", "tool_calls": self._calls}
            message = turn if self._calls else None
            self.post(Finished(self.session.id, self.id, reason, stats, message=message))

    def _end(self) -> None:
        self.ended = True
        if self.session.reply is self:
            self.session.reply = None


@dataclass(eq=False)
class FakeSession:
    engine: FakeEngine
    model: Model
    options: dict[str, Any]
    id: str
    life: int
    reply: FakeReply | None = None
    error: tuple[str, str] | None = None
    closed: bool = False
    priority: int = 0

    def send(
        self, prompt: Any, params: Any = None, on_event: Any = None, template: Any = None
    ) -> FakeReply:
        if isinstance(prompt, str):
            prompt = [{"role": "user", "content": prompt}]
        slides = self.options.get("on_overflow") == "slide"
        if any("toolong" in text_of(turn["content"]) for turn in prompt):
            words = iter([("context_overflow", "It is too long for this model.")])
        elif slides and text_of(prompt[-1]["content"]).startswith("overflow"):
            words = iter([("answer", "Without the oldest.")])
        else:
            words = self.engine.words_of(prompt)
        reply = FakeReply(self, prompt, params, on_event, words)
        self.engine.sent.append(reply)
        if self._is_gone:
            reply.fail(STOPPED, "The engine is not running.")
        else:
            self.command(lambda: self._begin(reply))
        return reply

    def fork(self, session_id: str | None = None) -> FakeSession:
        if self._is_gone:
            raise EngineError(STOPPED, "The engine is not running.")
        twin = self.engine.open_session(self.model, session_id, **self.options)
        twin.priority = self.priority
        return twin

    def prioritise(self, priority: int = 1, program: str = "", share: float = 0.0) -> None:
        self.priority = priority

    def close(self, forget: bool = False) -> None:
        self.closed = True
        if forget and self.engine.is_running:
            self.engine.forget(self.id)
        self.command(self._close)

    def command(self, command: Callable[[], object]) -> None:
        if self.life == self.engine.life:
            self.engine.inbox.put(command)

    @property
    def _is_gone(self) -> bool:
        return self.life != self.engine.life or not self.engine.is_running

    def _begin(self, reply: FakeReply) -> None:
        if self.engine.sessions.get(self.id) is not self:
            reply.fail("session_closed", "This chat's session is closed.")
        elif self.error is not None:
            reply.fail(*self.error)
        elif self.reply is not None:
            self.engine.wrongs.append(f"two replies in session {self.id}")
            reply.fail("session_busy", "This chat is still answering.")
        else:
            self.reply = reply
            reply.begin()

    def _close(self) -> None:
        if self.engine.sessions.get(self.id) is self:
            del self.engine.sessions[self.id]
        if self.reply is not None:
            self.reply.fail("session_closed", "The chat was closed during the answer.")


class FakeEngine:
    """Replacement for the engine with the methods that the window uses.

    Args:
        turn_s: seconds per turn, in which each reply writes one word; None for no thread.

    Attributes:
        sent: all requested replies.
        sessions: open sessions by id.
        pending: requested models that are not loaded yet.
        loads: number of requested models.
        unloaded: names of unloaded models.
        drafts: pairs of a model's name and its draft model's name ("" to remove the draft model).
        forgotten: ids of sessions whose cache on disk will be deleted.
        loading: loads wait while this is cleared, as with a slow model.
        progress: listeners to the progress of loads, by path.
        titles: answers to the next calls of `ask`; "" after the last one.
        writes_titles: False if `ask` is refused.
        asked: replies requested by `ask`.
        loaded: paths of the models that leave too little memory for "wide".
        wrongs: invalid calls by the window.
    """

    def __init__(self, turn_s: float | None = 0.001) -> None:
        self._turn_s = turn_s
        self.numbers = itertools.count(1)
        self.inbox: queue.Queue[Callable[[], object]] = queue.Queue()
        self.sent: list[FakeReply] = []
        self.asked: list[FakeReply] = []
        self.titles: list[str] = []
        self.writes_titles = True
        self.forgotten: list[str] = []
        self.loads = 0
        self.pending: deque[PendingLoad] = deque()
        self.unloaded: list[str] = []
        self.drafts: list[tuple[str, str]] = []
        self.relieved = 0
        self.loaded: list[str] = []
        self.progress: dict[str, Callable[[float], None]] = {}
        self.sessions: dict[str, FakeSession] = {}
        self.loading = threading.Event()
        self.loading.set()
        self.life = 0
        self.wrongs: list[str] = []
        self.is_released = False
        self.is_running = True
        self._models: dict[str, Model] = {}
        self._thread: threading.Thread | None = None
        if turn_s is not None:
            self._thread = threading.Thread(target=self._run, args=(turn_s,), name="fake-engine")
            self._thread.start()

    def count_tools_later(self, model: Any, tools: list[dict[str, Any]]) -> Future[int]:
        return resolved(10 * len(tools))

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
        self._refuse_if_stopped()
        future: Future[Model] = Future()
        if on_progress is not None:
            self.progress[path] = on_progress
        if draft is not None:
            self.drafts.append((Path(path).name, Path(draft).name if draft else ""))
        self.loads += 1
        self.pending.append(PendingLoad(path, adapter, draft or "", future))
        self.inbox.put(lambda: None)  # wakes the thread
        return future

    def relieve_later(self) -> Future[int]:
        self.relieved += 1
        return resolved(0)

    def unload_later(self, model: Model) -> Future[None]:
        future: Future[None] = Future()
        self.unloaded.append(model.name)
        self.loaded = [path for path in self.loaded if path != model.id]
        self.inbox.put(lambda: (self._unload(model), future.set_result(None)))
        return future

    def open_session(
        self, model: Model, session_id: str | None = None, **options: Any
    ) -> FakeSession:
        self._refuse_if_stopped()
        name = session_id or f"session-{next(self.numbers)}"
        session = FakeSession(self, model, options, name, self.life)
        session.command(lambda: self._open(session))
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
        if not self.writes_titles:
            raise EngineError("capacity_exhausted", "There is no room for a title.")
        name = f"session-{next(self.numbers)}"
        session = FakeSession(self, model, {"reasoning": reasoning}, name, self.life)
        said = self.titles.pop(0) if self.titles else ""
        known = said.partition(" ")[0] in {"hold", "think", "fail", "cut"}
        words = script(said) if known else iter([("answer", said)])
        turns = [{"role": "user", "content": prompt}]
        reply = FakeReply(session, turns, params, on_event, words)
        self.asked.append(reply)
        session.command(reply.begin)
        return reply

    def forget(self, session_id: str = "", domain: str = "") -> None:
        self._refuse_if_stopped()
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
        self._refuse_if_stopped()
        if self._thread is None:
            return resolved(self._figures())
        future: Future[dict[str, Any]] = Future()
        self.inbox.put(lambda: future.set_result(self._figures()))
        return future

    def release(self) -> None:
        self.is_released = True

    def stop(self, timeout: float | None = None) -> None:
        self.inbox.put(self._stop)
        if self._thread is None:
            self.hear()
        else:
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

    def running(self) -> list[FakeReply]:
        return [reply for reply in (*self.sent, *self.asked) if not reply.ended]

    def hear(self) -> None:
        """Process all commands. A stopped reply can write another word before."""
        with suppress(queue.Empty):
            while True:
                self.inbox.get_nowait()()

    def load_now(self, path: str) -> bool:
        """Load a requested model. Returns False if it was not requested."""
        found = [each for each in self.pending if each.path == path]
        for each in found:
            self.pending.remove(each)
            self._load(each)
        return bool(found)

    def turn(self) -> None:
        """Process all commands, load models and write a word of each reply."""
        self.hear()
        self._step()

    def break_down(self) -> None:
        """Let the thread die of a fault. The next use starts another one without any state."""
        self.hear()  # handle pending commands first, so that they are refused, too
        self.sessions, self._models = {}, {}
        self.life += 1
        self._refuse_all("The engine cannot continue.")

    def _run(self, turn_s: float) -> None:
        due = time.monotonic()
        while self.is_running:
            wait = max(0.0, due - time.monotonic())
            with suppress(queue.Empty):
                self.inbox.get(timeout=wait if self.pending or self.running() else None)()
            if (now := time.monotonic()) >= due:
                due = max(due + turn_s, now)
                self._step()

    def _step(self) -> None:
        while self.pending and self.loading.is_set():
            self._load(self.pending.popleft())
        for reply in self.running():
            reply.step()

    def _stop(self) -> None:
        self.is_running = False
        self._refuse_all("The engine was stopped.")

    def _refuse_all(self, message: str) -> None:
        for reply in self.running():
            reply.fail(STOPPED, message)
        while self.pending:
            future = self.pending.popleft().future
            if future.set_running_or_notify_cancel():
                future.set_exception(EngineError(STOPPED, message))

    def _refuse_if_stopped(self) -> None:
        if not self.is_running:
            raise EngineError(STOPPED, "This engine was stopped. Start a new one.")

    def _open(self, session: FakeSession) -> None:
        namesake = self.sessions.get(session.id)
        if namesake is not None and namesake.reply is not None:
            namesake.reply.fail("session_closed", "Another session has this name.")
        if session.model.id not in self._models:
            session.error = ("unknown_model", "The model of this chat is not loaded.")
        self.sessions[session.id] = session

    def _unload(self, model: Model) -> None:
        self._models.pop(model.id, None)
        for session in self.sessions.values():
            if session.model.id == model.id:
                session.error = ("unknown_model", "The model was unloaded. Load it again.")

    def _figures(self) -> dict[str, Any]:
        used = {reply.session.id: reply for reply in self.sent if not reply.session.closed}
        sessions = {
            key: {
                "model": reply.session.model.id,
                "kv_tokens": reply.written,
                "kv_bytes": 1_000_000,
                "status": "idle" if reply.ended else "decoding",
                "paused": reply.paused and not reply.ended,
                "reply": {"generated_tokens": reply.written},
            }
            for key, reply in used.items()
        }
        return {
            "queue": [],
            "sessions": sessions,
            "tokens_per_s": 48.0,
            "kv_bytes": 1_000_000 * len(sessions),
            "prefix_bytes": 0,
            "weights_bytes": 1000,
            "backend": {"device": "cpu"},
            "memory_budget": 1_000_000_000,
            "process_bytes": 500_000_000,
            "children_bytes": 40_000_000,
            "buffer_bytes": 200_000_000,
        }

    def _load(self, load: PendingLoad) -> None:
        if load.future.set_running_or_notify_cancel():
            try:
                load.future.set_result(self._loaded(load.path, load.adapter, load.draft))
            except EngineError as error:
                load.future.set_exception(error)

    def _loaded(self, path: str, adapter: str, draft: str) -> Model:
        folder, draft_name = Path(path), Path(draft).name
        for name in (folder.name, draft_name):
            if "broken" in name:
                message = f"{name} holds no config.json. Choose a model's folder."
                raise EngineError("model_load_failed", message)
        if "huge" in folder.name:
            message = f"{folder.name} needs 90 GB for its weights. Unload another model."
            raise EngineError("out_of_memory", message)
        if adapter and not Path(adapter).is_dir():
            message = f"Adapter folder {adapter!r} does not exist."
            raise EngineError("model_load_failed", message)
        name = "Guide" if folder.name == "guide" else folder.name
        if "foreign" in draft_name:
            message = f"{draft_name} cannot draft for {name}: their tokenizers differ."
            raise EngineError("unsupported_session", message)
        model = replace(self.model(path, name), draft=draft)
        if adapter:
            name, one = f"{name} + {Path(adapter).name}", f"{path} + {adapter}"
            model = replace(model, id=one, name=name, adapter=adapter, base=path)
        self._models[model.id] = model
        return model


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

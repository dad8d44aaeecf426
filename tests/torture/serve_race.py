"""Run schedules of `serve_schedule` against a server and report problems.

In any order of events, each request gets one response with a status that fits what happened,
replies match the model running alone, and nothing is left over at the end.
"""

from __future__ import annotations

import asyncio
import http.client
import io
import json
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine import Engine, SamplingParams
from engine.runtime.executor import Executor
from engine.serve.auth import Keys, Settings
from engine.serve.server import Server
from tests.engine.serving import CHAT, NEVER_ENDS, Answer, ask, body, user
from tests.torture.serve_schedule import TEXTS, Step
from tests.waiting import until

PATHS = {"chat": CHAT, "responses": "/v1/responses", "messages": "/v1/messages"}
SHORT, LONG = 6, 100
REST_SECONDS = 60.0
"""Seconds until everything must be idle."""


class Broken:
    """Causes engine failures on command. Enter it before anything else."""

    def __init__(self) -> None:
        self._before: Any = None
        self._broken: list[Executor] = []
        self._wanted = False

    def __enter__(self) -> Broken:
        step = self._before = Executor.run

        def execute(execution: Executor, plan: Any) -> Any:
            if self._wanted:
                self._wanted = False
                self._broken.append(execution)
            if execution in self._broken:  # a single failure would be survived
                raise RuntimeError("broken on purpose")
            return step(execution, plan)

        Executor.run = execute  # type: ignore[method-assign]
        return self

    def __exit__(self, *_: object) -> None:
        Executor.run = self._before  # type: ignore[method-assign]

    def now(self) -> None:
        self._wanted = True

    def no_more(self) -> None:
        self._wanted = False


@dataclass
class Asked:
    step: Step
    task: asyncio.Task[None] | None = None
    writer: asyncio.StreamWriter | None = None
    left: bool = False
    stopped: bool = False
    got: bytes = b""
    begun: asyncio.Event = field(default_factory=asyncio.Event)


class Race:
    """A server with two models, and the clients of one schedule.

    Args:
        folders: model folders. The first model is loaded.
        expected: cache of undisturbed replies, filled on demand.
    """

    def __init__(
        self,
        engine: Engine,
        folders: Sequence[Path],
        keys_file: Path,
        broken: Broken,
        expected: dict[tuple[int, int, bool], str],
        **settings: Any,
    ) -> None:
        self._engine, self._folders, self._broken = engine, folders, broken
        self._expected = expected
        self._keys = Keys(keys_file)
        self._secrets = [self._keys.make("one"), self._keys.make("two")]
        usual = {"sessions": 3, "at_once": 3, "queue": 12, "policy": "evict"}
        first = engine.load(folders[0])
        self.server = Server(
            engine,
            [first],
            0,
            settings=Settings(**{**usual, **settings}),
            folders=[str(folders[1])],
            keys=self._keys,
        )
        self._asked: dict[int, Asked] = {}
        self._others: list[asyncio.Task[None]] = []
        self._steps: list[Step] = []
        self.problems: list[str] = []

    def play(self, steps: Sequence[Step]) -> list[str]:
        self._steps = list(steps)
        for model, text, long in _wanted(steps):
            self._alone(model, text, long)
        self.server.start()
        try:
            asyncio.run(self._play())
            if not any(step.act == "end" for step in steps):
                self._at_rest()
        except Exception as error:
            self.problems.append(f"{type(error).__name__}: {error}")
        finally:
            began = time.monotonic()
            self.server.stop()
            if self.server._thread.is_alive():
                self.problems.append(f"did not end within {time.monotonic() - began:.1f} s")
        self._after_the_end()
        return self.problems

    def _alone(self, model: int, text: int, long: bool) -> None:
        if (model, text, long) in self._expected:
            return
        loaded = self._engine.load(self._folders[model])
        session = self._engine.open_session(loaded)
        bias = {2: -100.0} if long else {}
        params = SamplingParams(max_tokens=LONG if long else SHORT, temperature=0, logit_bias=bias)
        told = session.send([user(TEXTS[text])], params).text(60)
        self._expected[model, text, long] = told
        session.close()
        if model:
            self._engine.unload(loaded)

    async def _play(self) -> None:
        try:
            for step in self._steps:
                await self._do(step)
                await asyncio.sleep(0)
        finally:
            self._broken.no_more()
            tasks = [a.task for a in self._asked.values() if a.task] + self._others
            if tasks:
                _, late = await asyncio.wait(tasks, timeout=REST_SECONDS)
                for asked in self._asked.values():
                    if asked.task in late:
                        self.problems.append(f"no end: {asked.step} got {asked.got[-300:]!r}")
                for task in late:
                    task.cancel()
        for asked in self._asked.values():
            self._judge(asked)

    async def _do(self, step: Step) -> None:
        server = self.server
        if step.act == "ask":
            asked = self._asked[step.number] = Asked(step)
            asked.task = asyncio.create_task(self._ask(asked))
        elif step.act == "leave":
            one = self._asked.get(step.number)
            if one is not None and one.writer is not None:
                one.left = True
                one.writer.transport.abort()
        elif step.act == "see":
            one = self._asked.get(step.number)
            if one is not None:
                with suppress(TimeoutError):
                    await asyncio.wait_for(one.begun.wait(), step.moment / 1000)
        elif step.act == "wait":
            await asyncio.sleep(step.moment / 1000)
        elif step.act in ("fork", "make", "delete", "read", "load", "unload"):
            self._others.append(asyncio.create_task(self._call(step)))
        elif step.act == "gone":
            await asyncio.to_thread(self._gone, step.model)
        elif step.act in ("pause", "stop one"):
            for visit in list(server.requests.running):
                if step.act == "pause":
                    visit.pause(True)
                    visit.pause(False)
                else:
                    visit.stop()
        elif step.act == "revoke":
            self._keys.revoke("two" if step.key else "one")
        elif step.act == "break":
            self._broken.now()
        elif step.act == "end":
            await asyncio.to_thread(server.stop)

    def _gone(self, model: int) -> None:
        wanted = str(self._folders[model])
        for entry in self.server.served.entries:
            known = entry.model
            if entry.folder == wanted and known is not None:
                self._engine.unload(known)
                self.server.note_unloaded(known.id)

    async def _ask(self, asked: Asked) -> None:
        step = asked.step
        tokens, bias = (LONG, NEVER_ENDS) if step.long else (SHORT, {})
        sent: dict[str, Any] = {"temperature": 0, "stream": step.stream}
        if step.door == "responses":
            sent |= {"input": TEXTS[step.text], "max_output_tokens": tokens}
        else:
            sent |= {"messages": [user(TEXTS[step.text])], "max_tokens": tokens}
        if bias and step.door != "messages":
            sent["logit_bias"] = bias
        if step.several > 1:
            sent["n"] = step.several
        if step.kv_bits:
            sent["kv_bits"] = step.kv_bits
        if step.name:
            sent["session_id"] = step.name
        if step.model >= 0:
            sent["model"] = str(self._folders[step.model])
        elif step.door == "messages":
            sent["model"] = str(self._folders[0])
        with suppress(OSError):
            await self._exchange(asked, "POST", PATHS[step.door], sent)

    async def _exchange(self, asked: Asked, method: str, path: str, sent: Any = None) -> None:
        data = b"" if sent is None else json.dumps(sent).encode()
        head = [
            f"{method} {path} HTTP/1.1",
            "Host: localhost",
            "Connection: close",
            f"Authorization: Bearer {self._secrets[asked.step.key]}",
            f"Content-Length: {len(data)}",
        ]
        reader, asked.writer = await asyncio.open_connection("127.0.0.1", self.server.port)
        try:
            asked.writer.write("\r\n".join([*head, "", ""]).encode() + data)
            while piece := await reader.read(65536):
                asked.got += piece
                if b"\r\n\r\n" in asked.got:
                    asked.begun.set()
        finally:
            asked.begun.set()
            asked.writer.close()

    async def _call(self, step: Step) -> None:
        one = f"/v1/sessions/{step.name}"
        name = (self.server.served.entries[step.model].name) if step.model >= 0 else ""
        method, path, sent = {
            "fork": ("POST", f"{one}/fork", {"session_id": step.twin} if step.twin else None),
            "make": ("POST", "/v1/sessions", {"session_id": step.name}),
            "delete": ("DELETE", one, None),
            "read": ("GET", one, None),
            "load": ("POST", f"/v1/models/{name}/load", None),
            "unload": ("POST", f"/v1/models/{name}/unload", None),
        }[step.act]
        asked = Asked(step)
        with suppress(OSError):
            await self._exchange(asked, method, path, sent)
        answer = _parsed(asked.got)
        if answer is None:
            if not self._may("end"):
                self.problems.append(f"no answer: {step}: {asked.got!r}")
        elif answer.status not in (200, 201):
            self._judge_error(step, answer.status, answer.code)

    def _may(self, *acts: str) -> bool:
        return any(step.act in acts for step in self._steps)

    def _judge(self, asked: Asked) -> None:
        step = asked.step
        answer = _parsed(asked.got)
        if asked.left:
            return
        if not asked.got and self._may("end"):
            return  # the client had already disconnected
        if answer is None:
            self.problems.append(f"no whole answer: {step}: {asked.got[-300:]!r}")
        elif answer.status != 200:
            code = answer.json["error"].get("code") or answer.json["error"]["type"]
            self._judge_error(step, answer.status, code)
        else:
            self._judge_texts(step, answer)

    def _judge_texts(self, step: Step, answer: Answer) -> None:
        texts, failed, whole = _told(step, answer.body)
        if failed:
            self._judge_error(step, 0, failed)
        elif not whole:
            self.problems.append(f"a stream without an end: {step}: {answer.body[-300:]!r}")
        models = [step.model] if step.model >= 0 else [0, 1]
        long = step.long and step.door != "messages"
        known = [self._expected[model, step.text, long] for model in models]
        if step.long and step.door == "messages":
            known += [self._expected[model, step.text, True] for model in models]
            failed = failed or "may be cut"
        stopped = self._may("stop one")
        for text in texts:
            begun = text.rstrip("\ufffd")  # a character that the cut has split
            if not any(k.startswith(begun) if failed or stopped else k == text for k in known):
                self.problems.append(f"another text: {step}: {text!r}, not {known!r}")

    def _judge_error(self, step: Step, status: int, code: str) -> None:
        """Check that an error can result from the actions of this schedule."""
        anthropic = step.door == "messages"
        allowed = {
            "capacity_exhausted": True,
            "session_exists": step.act in ("fork", "make"),
            "session_not_found": step.act in ("fork", "delete", "read"),
            "session_closed": self._may("delete", "revoke"),
            "unsupported_session": step.kv_bits > 0,
            "model_busy": step.act == "unload",
            "model_kept": step.act == "unload",
            # The session uses the other model. Messages always name a model.
            "invalid_request": step.model >= 0 or anthropic,
            "engine_stopped": self._may("break", "end"),
            "model_unloaded": self._may("gone", "break"),
            "invalid_api_key": self._may("revoke"),
            "agent_stopped": self._may("stop one"),
            "rate_limit_error": anthropic,
            "overloaded_error": anthropic and self._may("break", "end"),
            "api_error": anthropic and self._may("break", "end", "gone") and status != 500,
            "authentication_error": anthropic and self._may("revoke"),
            "invalid_request_error": anthropic and status != 500,
        }
        if status == 500 or not allowed.get(code, False):
            self.problems.append(f"refused by {status} {code}: {step}")

    # Leftovers at the end

    def _at_rest(self) -> None:
        server = self.server
        secret = self._keys.make("three")

        def called(method: str, path: str, sent: Any = None) -> Answer:
            return ask(server, method, path, sent, Authorization=f"Bearer {secret}")

        self._until("connections", lambda: server.connections == 0)
        places = server.slots
        self._until("places", lambda: not places.queue.busy and not places.waiting)
        self._until("lines", lambda: not any(n.queue.busy for n in server.sessions.all()))
        self._until("users", lambda: not any(e.users for e in server.served.entries))
        self._until("visits", lambda: not server.requests.running)
        self._until("health", lambda: called("GET", "/health").status == 200)
        for entry in server.served.entries:
            answer = called("POST", CHAT, body(model=entry.folder))
            if answer.status != 200:
                self.problems.append(f"the next request: {answer.status} {answer.body!r}")
        for owner, secret_ in enumerate(self._secrets):
            for named in server.sessions.all():
                if named.owner.name == ("one", "two")[owner]:
                    sent = body(session_id=named.name)
                    got = ask(server, "POST", CHAT, sent, Authorization=f"Bearer {secret_}")
                    if got.status not in (200, 401) or (got.status == 401) > self._may("revoke"):
                        self.problems.append(f"session {named.name}: {got.status} {got.body!r}")
        self._until("connections", lambda: server.connections == 0)
        self._until("replies", lambda: not any(self._statuses()))
        self._until("engine's sessions", lambda: self._sessions() == self._known_sessions())
        self._until("models", lambda: self._models() == {m.id for m in server.served.models})

    def _until(self, what: str, holds: Callable[[], bool]) -> None:
        try:
            until(holds, 20)
        except AssertionError:
            self.problems.append(f"left behind: {what}")

    def _after_the_end(self) -> None:
        self._until("sessions after the end", lambda: not self._sessions())
        self._until("models after the end", lambda: len(self._models()) <= 1)

    def _statuses(self) -> list[bool]:
        sessions = self._engine.stats()["sessions"].values()
        return [s["status"] not in ("idle", None) for s in sessions]

    def _sessions(self) -> set[str]:
        return set(self._engine.stats()["sessions"])

    def _models(self) -> set[str]:
        return {model.id for model in self._engine.stats()["models"]}

    def _known_sessions(self) -> set[str]:
        named = {n.session.id for n in self.server.sessions.all() if n.session is not None}
        return named | {c.session.id for c in self.server.conversations._idle}


def _wanted(steps: Sequence[Step]) -> set[tuple[int, int, bool]]:
    asks = [step for step in steps if step.act == "ask"]
    return {(m, s.text, long) for s in asks for m in (0, 1) for long in (s.long, False)}


def _parsed(got: bytes) -> Answer | None:
    """Return the response, or None if it is incomplete or followed by something else."""

    class Received(io.BytesIO):
        def makefile(self, _: str) -> Received:
            return self

        def close(self) -> None: ...

    received = Received(got)
    response = http.client.HTTPResponse(received)  # type: ignore[arg-type]
    try:
        response.begin()
        content = response.read()
    except (http.client.HTTPException, ConnectionError):
        return None
    if received.read():
        return None
    headers = {name.lower(): value for name, value in response.getheaders()}
    return Answer(response.status, headers, content)


def _told(step: Step, content: bytes) -> tuple[list[str], str, bool]:
    """Return the texts of a response, its error code, and True if it is complete."""
    if not step.stream:
        found = json.loads(content)
        if step.door == "chat":
            return [c["message"]["content"] for c in found["choices"]], "", True
        if step.door == "messages":
            return ["".join(b.get("text", "") for b in found["content"])], "", True
        said = [item for item in found["output"] if item["type"] == "message"]
        parts = [part["text"] for item in said for part in item["content"]]
        return ["".join(parts)], "", True
    texts, failed, whole = [""] * step.several, "", False
    for line in content.decode("utf-8").split("\n"):
        if not line.startswith("data: "):
            continue
        if line == "data: [DONE]":
            whole = True
            continue
        told = json.loads(line.removeprefix("data: "))
        kind = told.get("type")
        if told.get("error"):
            failed = told["error"].get("code") or told["error"]["type"]
        elif kind == "error":
            failed = told["code"]
        elif kind == "response.failed":
            failed = told["response"]["error"]["code"]
        elif kind in ("response.completed", "response.incomplete", "message_stop"):
            whole = True
        elif kind == "response.output_text.delta":
            texts[0] += told["delta"]
        elif kind == "content_block_delta":
            texts[0] += told["delta"].get("text", "")
        for choice in told.get("choices", ()):
            texts[choice["index"]] += choice["delta"].get("content") or ""
    return texts, failed, whole

"""Registry of requests, and of the agents of other programs across their requests.

A coding agent sends one request per turn and runs its tools in between. Its sub-agents send
requests at the same time. Headers and the beginnings of conversations show which requests belong
together.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import threading
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from msgspec import Struct, field
from starlette.datastructures import Headers
from starlette.types import Scope

from engine.hub.names import clean_name
from engine.messages import Message
from engine.serve.auth import owner_of
from engine.serve.requests import ModelRequest, agent_stopped_error

MAX_IDLE_AGENTS = 256
"""Idle agents kept per key. If there are more, the program with the most agents loses its
oldest.
"""
MAX_STOPPED_AGENTS = 4096  # stopped agents whose keys are kept after the agents are forgotten
AGENT_TTL_S = 600.0
"""Seconds after its last request until an agent is forgotten. Paused agents are kept."""
MAX_PROGRAM_CHARACTERS = 40
MAX_TASK_CHARACTERS = 120
MAX_STORED_REQUEST_BYTES = 2**20  # larger requests can't be exported to a chat
MAX_STORED_BYTES = 32 * 2**20

PROGRAMS = {
    "claude-cli": "Claude Code",
    "codex": "Codex",
    "opencode": "opencode",
    "qwencode": "Qwen Code",
    "qwen-code": "Qwen Code",
    "copilot": "Copilot CLI",
    "pi/": "pi",
    "pi-coding-agent": "pi",
    "cline": "Cline",
    "aider": "aider",
    "continue": "Continue",
}
_AGENT = ("x-claude-code-agent-id", "thread-id", "x-agent-id")
_SESSION = (
    "x-claude-code-session-id",
    "session-id",
    "session_id",
    "x-session-id",
    "x-session-affinity",
    "x-opencode-session",
    "x-stretto-session-id",
)
_PARENT = (
    "x-claude-code-parent-agent-id",
    "x-codex-parent-thread-id",
    "x-parent-session-id",
    "x-parent-agent-id",
)
_TASK_TAGS = {"task", "user_query", "user_request", "prompt", "question", "objective"}
"""Tags that wrap the user's own words. Text in any other tag was written by the program."""
_PROGRAM_TEXTS = (
    *("# AGENTS.md instructions", "This is the Qwen Code", "This is the Gemini CLI"),
    *("I am not sharing any files", "I have *added these files", "Here are summaries of some"),
)
_AIDER_EXAMPLES_END = "I switched to a new code base."  # aider ends its examples with this sentence
_TAG = re.compile(r"<([A-Za-z][\w-]{0,60})(?: [^<>]{0,200})?>")
_MAX_SEARCHED_CHARACTERS = 200_000  # characters searched for the first line of a text
_MAX_TAGS = 32
_MAX_ID_CHARACTERS = 200
_MAX_SEARCHED_MESSAGES = 24  # messages searched for the user's first message


class AgentIdentity(Struct, frozen=True):
    owner_id: str  # id of the agent's key
    program: str  # display name
    # Digests of the ids of the agent, its group and its parent, unique per program and key.
    own: str
    group: str
    parent: str
    task: str  # first line of the first user message, or ""
    named: bool  # identified by an explicit id rather than by the start of its conversation
    # Ids of the calls whose results end the conversation (no user message follows).
    brings: tuple[str, ...]
    calls_tools: bool  # the request offers tools
    lasting: bool  # more requests may follow; False for a one-off question


def program_of(agent: str) -> str:
    lowered = agent[:200].lower().lstrip()
    for begin, name in PROGRAMS.items():
        if lowered.startswith(begin):
            return name
    words = agent[:200].split("/", 1)[0].split()
    return clean_name(words[0] if words else "", MAX_PROGRAM_CHARACTERS) or "A program"


def _program(headers: Mapping[str, str]) -> str:
    """Return the display name of the requesting program.

    Many agents only send the user agent of their HTTP library. If the server doesn't require a
    key, `launch` passes the agent's name as the key.
    """
    program = program_of(headers.get("user-agent", ""))
    key_program = program_of(f"{headers.get('authorization', '').removeprefix('Bearer ')}/")
    names = PROGRAMS.values()
    return key_program if key_program in names and program not in names else program


def identify(scope: Scope, body: Mapping[str, Any], session: str | None) -> AgentIdentity:
    headers = Headers(scope=scope)
    owner = owner_of(scope)
    program = _program(headers)
    is_known_program = program in PROGRAMS.values()
    messages = _messages(body)
    agent = _first_header(headers, _AGENT)
    session_id = _first_header(headers, _SESSION) or session or _session_in(body)
    parent = _first_header(headers, _PARENT)
    if agent and session_id and not parent and agent != session_id:
        parent = session_id
    task = _task(messages)
    tools = bool(body.get("tools"))

    def digest(kind: str, name: str) -> str:
        parts = "\0".join((owner.id, program, kind, name)).encode(errors="replace")
        return hashlib.sha256(parts).hexdigest()

    by_words = digest("words", task)
    agent_id = agent or session_id
    return AgentIdentity(
        owner.id,
        owner.name if owner.name and not is_known_program else program,
        digest("id", agent_id) if agent_id else by_words,
        digest("id", session_id or agent_id) if agent_id else digest("group", ""),
        digest("id", parent) if parent else "",
        task,
        bool(agent_id),
        _result_ids(messages),
        tools,
        bool(agent_id) or tools or is_known_program,
    )


def _first_header(headers: Mapping[str, str], names: Sequence[str]) -> str:
    return next((headers[name] for name in names if headers.get(name)), "")


def _session_in(body: Mapping[str, Any]) -> str:
    metadata = body.get("metadata")
    if isinstance(metadata, dict):
        for name in ("session_id", "sessionId", "user_id"):
            value = metadata.get(name)
            if isinstance(value, str) and value:
                return value
    value = body.get("prompt_cache_key")
    return value if isinstance(value, str) else ""


def _messages(body: Mapping[str, Any]) -> list[Any]:
    messages = body.get("messages", body.get("input", body.get("prompt")))
    if isinstance(messages, str):
        return [{"role": "user", "content": messages}]
    return messages if isinstance(messages, list) else []


def _result_ids(messages: Sequence[Any]) -> tuple[str, ...]:
    ids = []
    for message in reversed(messages[-_MAX_SEARCHED_MESSAGES:]):
        if not isinstance(message, dict):
            break
        if message.get("role") == "tool" or str(message.get("type")).endswith("_output"):
            ids.append(message.get("tool_call_id") or message.get("call_id"))
        elif message.get("role") not in ("system", "developer"):
            content = message.get("content")
            parts = (
                content[-_MAX_SEARCHED_MESSAGES:] if isinstance(content, list) and not ids else []
            )
            results = [p for p in parts if isinstance(p, dict) and p.get("type") == "tool_result"]
            ids += [part.get("tool_use_id") for part in results]
            break
    return tuple(name[:_MAX_ID_CHARACTERS] if isinstance(name, str) else "" for name in ids)


def _task(messages: Sequence[Any]) -> str:
    otherwise = ""
    users = [
        m
        for m in messages[:_MAX_SEARCHED_MESSAGES]
        if isinstance(m, dict) and m.get("role") == "user"
    ]
    start = 0
    for number, message in enumerate(users, 1):
        if next(_texts(message.get("content")), "").startswith(_AIDER_EXAMPLES_END):
            start = number
    for text in (text for message in users[start:] for text in _texts(message.get("content"))):
        if line := _first_line(_after_tags(text)):
            return line
        otherwise = otherwise or _first_line(text)
    return otherwise


def _texts(content: object) -> Iterator[str]:
    if isinstance(content, str):
        yield content[:_MAX_SEARCHED_CHARACTERS]
    elif isinstance(content, list):
        for part in content[:_MAX_SEARCHED_MESSAGES]:
            if isinstance(part, dict) and isinstance(part.get("text"), str):
                yield part["text"][:_MAX_SEARCHED_CHARACTERS]


def _after_tags(text: str) -> str:
    for _ in range(_MAX_TAGS):
        text = text.lstrip()
        tag = _TAG.match(text)
        if tag is None:
            break
        end = text.find(f"</{tag[1]}>")
        if end < 0 or tag[1] in _TASK_TAGS:
            text = text[tag.end() : end if end >= 0 else None]
        else:
            text = text[end + len(tag[1]) + 3 :]
    return "" if text.startswith(_PROGRAM_TEXTS) else text


def _first_line(text: str) -> str:
    lines = text.lstrip()[: 20 * MAX_TASK_CHARACTERS].splitlines()
    return clean_name(lines[0], MAX_TASK_CHARACTERS) if lines else ""


class AgentSnapshot(Struct, frozen=True):
    id: int  # unique per server
    group: int  # id of the agent that started its session
    parent: int  # id of the parent agent if this is a sub-agent, else 0
    program: str
    task: str  # first line of the agent's task
    model: str = ""  # name of the agent's model, or "" until loaded
    # "waiting", "reading", "answering", "paused", "tool" (running its own tools), "idle", "ended"
    # (finished sub-agent) or "stopped".
    state: str = "waiting"
    loads: bool = False  # the agent is waiting for its model to load, not in the queue
    seconds: int = 0  # seconds since the request arrived, or since the tools started
    # Prompt tokens of the latest request: prefilled, total, and found in a cache.
    done: int = 0
    total: int = 0
    known: int = 0
    pieces: int = 0  # number of chunks in the current reply, about one per token
    written: int = 0  # number of tokens in all replies together
    rate: float = 0.0  # current tokens per second
    room: int = 0  # context length of the agent's model, or 0 if unknown
    # Ids of the engine sessions of running requests.
    engine_sessions: tuple[str, ...] = ()
    keeps: bool = False  # the conversation can be exported to a chat

    @property
    def is_active(self) -> bool:
        return self.state in ("waiting", "reading", "answering") or bool(self.engine_sessions)

    @property
    def context(self) -> int:
        return self.total + self.pieces


class AgentConversation(Struct, frozen=True):
    model: str
    messages: tuple[Message, ...]
    reply: str


class Agent(Struct, eq=False):
    """Agent and its requests.

    Changed only on the server thread. Any thread may read, pause or stop it.
    """

    number: int
    who: AgentIdentity
    group: int
    parent: int
    _displayed: ModelRequest
    paused: bool = False
    stopped: bool = False
    written: int = 0
    task: str = ""
    last_seen: float = field(default_factory=time.monotonic)
    requests: list[ModelRequest] = field(default_factory=list)
    _task_of_tools: bool = False

    def begin(self, request: ModelRequest, identity: AgentIdentity) -> None:
        self.last_seen = time.monotonic()
        if not self.task or (identity.calls_tools and not self._task_of_tools):
            # Agents also request titles, but those prompts say less about the task.
            self.task, self._task_of_tools = identity.task or self.task, identity.calls_tools
        self.requests = [*self.requests, request]
        if self._displayed not in self.requests or identity.calls_tools:
            self._displayed = request
        if self.paused:
            request.pause(True)

    def end(self, request: ModelRequest) -> None:
        """Remove a request that was answered or whose client disconnected, and count its tokens."""
        self.last_seen = time.monotonic()
        self.written += request.pieces
        self.requests = [active for active in self.requests if active is not request]
        if self._displayed is request and self.requests:
            self._displayed = self.requests[-1]

    def pause(self, on: bool) -> None:
        self.paused = on and not self.stopped
        for request in self.requests:
            request.pause(on)

    def stop(self) -> None:
        self.stopped, self.paused = True, False
        for request in self.requests:
            request.stop()

    @property
    def last_call_id(self) -> str:
        return self._displayed.last_call_id

    @property
    def text(self) -> str:
        return self._displayed.text

    @property
    def conversation(self) -> AgentConversation | None:
        """Latest conversation, or None if it was too long to keep."""
        displayed = self._displayed
        if not displayed.messages:
            return None
        return AgentConversation(displayed.model, displayed.messages, displayed.answer_text)

    @property
    def size(self) -> int:
        return self._displayed.size

    def forget(self) -> None:
        self._displayed.messages, self._displayed.size = (), 0

    def snapshot(self) -> AgentSnapshot:
        displayed, active = self._displayed, self.requests
        pieces = displayed.pieces
        state, seconds = displayed.state, 0
        if not active:
            state = "tool" if displayed.last_call_id else "ended" if self.parent else "idle"
            state = "stopped" if self.stopped else "paused" if self.paused else state
        elif self.paused or displayed.paused:
            state = "paused"
        if active or state == "tool":
            seconds = int(time.monotonic() - (displayed.started_at if active else self.last_seen))
        return AgentSnapshot(
            self.number,
            self.group,
            self.parent,
            self.who.program,
            self.task,
            displayed.model,
            state,
            not displayed.model,
            seconds,
            *displayed.progress,
            pieces,
            self.written + (pieces if active else 0),
            displayed.rate if state == "answering" else 0.0,
            displayed.context_length,
            tuple(session for request in active for session in request.engine_sessions),
            bool(displayed.messages),
        )


class RequestRegistry:
    """Registry of requests and of the agents that send them.

    All methods are thread-safe, except `register`, `begin`, `end` and `cancel`.
    """

    def __init__(self) -> None:
        self.running: dict[ModelRequest, Agent | None] = {}
        self._lock = threading.Lock()
        self._agents: dict[str, Agent] = {}
        # Keys of agents that were stopped and then forgotten. If such an agent sends another tool
        # result, its request is still rejected.
        self._stopped: dict[str, None] = {}

    @contextmanager
    def register(
        self, scope: Scope, body: Mapping[str, Any] | None = None, session: str | None = None
    ) -> Iterator[ModelRequest]:
        """Register a request until the block ends. Raises RequestError if its agent was stopped."""
        request, agent = ModelRequest(scope), None
        if body is not None:
            identity = identify(scope, body, session)
            request.program = identity.program
            agent = self.begin(request, identity)
        self.running[request] = agent
        try:
            yield request
        finally:
            del self.running[request]
            request.release_replies()
            if agent is not None:
                self.end(agent, request)

    def cancel(self, error: Exception, owner_ids: Collection[str] | None = None) -> None:
        for request in list(self.running):
            if owner_ids is None or request.owner.id in owner_ids:
                request.end(error)

    def begin(self, request: ModelRequest, identity: AgentIdentity) -> Agent:
        with self._lock:
            self._forget_old()
            self._make_room(identity.owner_id)
            agent = self._agents.get(identity.own) if identity.lasting else None
            if agent is None and not identity.named:
                agent = self._find_compacted(identity)
            if agent is None:
                if identity.brings and identity.own in self._stopped:
                    raise agent_stopped_error()
                self._stopped.pop(identity.own, None)
                agent = self._new(request, identity)
            elif agent.stopped and identity.brings:
                agent.last_seen = time.monotonic()
                raise agent_stopped_error()
            agent.stopped = False
            agent.begin(request, identity)
            return agent

    def _find_compacted(self, identity: AgentIdentity) -> Agent | None:
        """Return the agent of a compacted conversation, or None.

        Its first request after compaction starts differently, but still answers its last tool call.
        """
        for key, agent in self._agents.items():
            same = agent.who.lasting and (agent.who.owner_id, agent.who.program) == (
                identity.owner_id,
                identity.program,
            )
            last_call = agent.last_call_id
            if same and not agent.requests and last_call and last_call in identity.brings:
                self._agents = {identity.own if k == key else k: a for k, a in self._agents.items()}
                return agent
        return None

    def _new(self, request: ModelRequest, identity: AgentIdentity) -> Agent:
        # Consecutive numbers would reveal to each key the number of agents with other keys.
        numbers = {agent.number for agent in self._agents.values()}
        number = 0
        while number in numbers or not number:
            number = secrets.randbelow(2**31)
        parent = self._agents.get(identity.parent) if identity.parent != identity.own else None
        lasting_agents = [a for a in self._agents.values() if a.who.lasting and identity.lasting]
        group = parent.group if parent is not None else 0
        family = [a for a in lasting_agents if a.who.group == identity.group or a.group == group]
        agent = Agent(
            number,
            identity,
            family[0].group if family else number,
            parent.number if parent is not None else 0,
            request,
            # An agent that joins a paused group is paused as well.
            paused={a.paused for a in family if not a.stopped} == {True},
        )
        self._agents[identity.own if identity.lasting else f"once {number}"] = agent
        return agent

    def store_conversation(
        self, request: ModelRequest, messages: Sequence[Message], size: int
    ) -> None:
        if size > MAX_STORED_REQUEST_BYTES:
            return
        request.messages, request.size = tuple(messages), size
        with self._lock:
            stored_agents = sorted(
                (a for a in self._agents.values() if a.size), key=lambda a: a.last_seen
            )
            stored_bytes = Counter[str]()
            for stored in stored_agents:
                stored_bytes[stored.who.owner_id] += stored.size
            while stored_bytes.total() > MAX_STORED_BYTES:
                largest_owner = max(stored_bytes, key=lambda owner_id: stored_bytes[owner_id])
                oldest = next(
                    a for a in stored_agents if a.size and a.who.owner_id == largest_owner
                )
                stored_bytes[largest_owner] -= oldest.size
                oldest.forget()

    def end(self, agent: Agent, request: ModelRequest) -> None:
        with self._lock:
            agent.end(request)
            if not agent.who.lasting:
                del self._agents[f"once {agent.number}"]

    def _forget_old(self) -> None:
        now = time.monotonic()
        for key, agent in list(self._agents.items()):
            idle = not agent.requests and not agent.paused
            if idle and now - agent.last_seen > AGENT_TTL_S:
                self._drop(key)

    def _make_room(self, owner_id: str) -> None:
        idle = {
            k: a for k, a in self._agents.items() if not a.requests and a.who.owner_id == owner_id
        }
        if len(idle) >= MAX_IDLE_AGENTS:
            crowd = Counter(a.who.program for a in idle.values()).most_common(1)[0][0]
            candidates = [(k, a) for k, a in idle.items() if a.who.program == crowd]
            self._drop(min(candidates, key=lambda item: (item[1].paused, item[1].last_seen))[0])

    def _drop(self, key: str) -> None:
        if self._agents.pop(key).stopped:
            self._stopped[key] = None
            if len(self._stopped) > MAX_STOPPED_AGENTS:
                del self._stopped[next(iter(self._stopped))]

    def agents(self, owner_id: str | None = None) -> list[AgentSnapshot]:
        with self._lock:
            self._forget_old()
            all_agents = self._agents.values()
            return [a.snapshot() for a in all_agents if owner_id in (None, a.who.owner_id)]

    def agent(self, number: int) -> Agent | None:
        with self._lock:
            return next((a for a in self._agents.values() if a.number == number), None)

    def group(self, number: int) -> list[Agent]:
        with self._lock:
            return [a for a in self._agents.values() if a.group == number]

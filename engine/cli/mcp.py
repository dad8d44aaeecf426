"""`python -m engine mcp`: the engine's chats as tools for other programs, over stdio.

The protocol (https://modelcontextprotocol.io) is the official package's.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import re
import sys
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, cast

import anyio
from msgspec import Struct, field

from engine.cli.arguments import GUIDE
from engine.engine import Engine, Session
from engine.errors import EngineError
from engine.messages import Event, Failed, Finished, TextDelta
from engine.model.info import Model
from engine.params import SamplingParams

try:
    from mcp.server import MCPServer
    from mcp.server.mcpserver import Context
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.server.stdio import stdio_server
except ModuleNotFoundError as missing:
    if (missing.name or "").partition(".")[0] != "mcp":
        raise
    MISSING = "mcp: the package `mcp` is not installed. Run `make` again, or `pip install mcp`."
else:
    MISSING = ""

MOST_COMPARED = 16  # answers to one `compare`

INSTRUCTIONS = (
    "Local language models. Ask one, go on in a named session, or compare several answers to one "
    "prompt, which are written at the same time. Nothing leaves this machine."
)
_PIECES = 16  # of text, after which a client hears how far an answer is

Progress = Callable[[float], Awaitable[None]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "models",
        nargs="*",
        help="model folders, GGUF files or downloaded hub ids; the bundled model if none is named",
    )
    parser.add_argument("--max-tokens", type=int, default=1024, help="of an answer, at most")


def main(options: argparse.Namespace) -> int:
    try:
        limit = SamplingParams(max_tokens=options.max_tokens).max_tokens
    except ValueError as error:
        print(f"mcp: {error}", file=sys.stderr)
        return 2
    if MISSING:
        print(MISSING, file=sys.stderr)
        return 2
    with Engine() as engine:
        chats = Chats(engine, options.models or [str(GUIDE)], limit)
        anyio.run(_serve_stdio, server(chats))
    return 0


async def _serve_stdio(made: MCPServer[Any]) -> None:
    """As `MCPServer.run_stdio_async`, for clients that send half a surrogate pair, too."""
    # Not closed: at a signal, a thread may still read it.
    received = os.fdopen(_diverted_stdin(), encoding="utf-8", errors="replace", closefd=False)
    lines = anyio.wrap_file(received)
    async with stdio_server(stdin=cast(Any, _repaired(lines))) as (messages, answers):
        lowlevel = made._lowlevel_server
        await lowlevel.run(messages, answers, lowlevel.create_initialization_options())


def _diverted_stdin() -> int:
    """Return another descriptor of the standard input, which itself is empty from now on.

    Child processes would take messages from it. `stdio_server` does the same with one of its own.
    """
    private, empty = os.dup(0), os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    return private


async def _repaired(lines: AsyncIterable[str]) -> AsyncIterator[str]:
    """Yield lines of JSON with U+FFFD for halves of surrogate pairs.

    The package cannot read such a line, so its request would never be answered.
    """
    async for line in lines:
        yield _ESCAPE.sub(_whole, line) if r"\ud" in line.lower() else line


_ESCAPE = re.compile(
    r"\\u(?:d[89ab][0-9a-f]{2})\\ud[c-f][0-9a-f]{2}|\\u(?P<lone>d[89a-f][0-9a-f]{2})|\\.",
    re.IGNORECASE,
)


def _whole(escape: re.Match[str]) -> str:
    return r"\ufffd" if escape["lone"] else escape[0]


class _Open(Struct, eq=False):
    """A session that a client has named."""

    session: Session
    model: Model
    turns: int = 0
    tokens: int = 0


class Chats(Struct, eq=False):
    """The models and named sessions behind the tools. Lives on one event loop."""

    engine: Engine
    paths: Sequence[str]  # of the models; they are loaded when they are first asked
    limit: int | None = 1024  # the most tokens of an answer
    _open: dict[str, _Open] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """What the models are called here."""
        return [Path(path).name for path in self.paths]

    async def model(self, name: str) -> Model:
        """The model of that name, loaded; the first one where none is named.

        Raises:
            EngineError: it cannot be loaded.
            ValueError: there is none of that name.
        """
        if name and name not in (*self.names, *self.paths):
            raise ValueError(f"There is no model {name!r} here. Ask {' or '.join(self.names)}.")
        known = [*zip(self.names, self.paths, strict=True), *((p, p) for p in self.paths)]
        path = dict(known)[name] if name else self.paths[0]
        return await asyncio.wrap_future(self.engine.load_later(path))

    async def ask(
        self, prompt: str, model: str, session: str, system: str, seed: int | None, told: Progress
    ) -> str:
        """An answer; in a session where one is named, which is opened if it is not there."""
        if not session:
            chosen = await self.model(model)
            chat = self.engine.open_session(chosen, system=system or None)
            try:
                return (await self._answer(chat, prompt, seed, told))[0]
            finally:
                chat.close()
        at = self._open.get(session)
        if at is None:
            chosen = await self.model(model)
            at = self._open.get(session) or _Open(
                self.engine.open_session(chosen, system=system or None), chosen
            )
            self._open[session] = at
        elif model and model not in (at.model.name, at.model.path):
            raise ValueError(f"The session {session!r} is with {at.model.name}. Name another one.")
        text, last = await self._answer(at.session, prompt, seed, told)
        at.turns += 1
        at.tokens = last.stats.prompt_tokens + last.stats.generated_tokens
        return text

    async def compare(
        self, prompt: str, models: list[str], seeds: list[int], system: str, told: Progress
    ) -> list[dict[str, Any]]:
        """Answers of several models, or of several seeds, which are written at the same time."""
        several: list[int | None] = [*seeds] or [None]
        ways = [(model, seed) for model in models or self.names for seed in several]
        if len(ways) > MOST_COMPARED:
            raise ValueError(f"{len(ways)} answers are too many; {MOST_COMPARED} are the most.")

        async def one(name: str, seed: int | None) -> dict[str, Any]:
            chosen = await self.model(name)
            said: dict[str, Any] = {"model": chosen.name, "seed": seed}
            chat = self.engine.open_session(chosen, system=system or None)
            try:
                text, last = await self._answer(chat, prompt, seed, told)
            except EngineError as error:
                return {**said, "error": error.message}
            finally:
                chat.close()
            return {**said, "answer": text, "tokens_per_s": round(last.stats.tokens_per_s, 1)}

        return list(await asyncio.gather(*(one(name, seed) for name, seed in ways)))

    def sessions(self, close: str) -> list[dict[str, Any]]:
        """The named sessions, after one was closed where one is named."""
        if close:
            gone = self._open.pop(close, None)
            if gone is None:
                raise ValueError(f"There is no session {close!r}.")
            gone.session.close()
        return [
            {"session": name, "model": at.model.name, "turns": at.turns, "tokens": at.tokens}
            for name, at in self._open.items()
        ]

    async def _answer(
        self, chat: Session, prompt: str, seed: int | None, told: Progress
    ) -> tuple[str, Finished]:
        """The answer's text, and how it ended. Ends the reply where the client gives up."""
        events: asyncio.Queue[Event] = asyncio.Queue()
        loop = asyncio.get_running_loop()
        usual = {**chat.model.defaults, "max_tokens": self.limit, "seed": seed}
        reply = chat.send(prompt, SamplingParams(**usual), partial(_hand_over, loop, events))
        text: list[str] = []
        try:
            while True:
                event = await events.get()
                if isinstance(event, Finished):
                    return "".join(text), event
                if isinstance(event, Failed):
                    raise EngineError(event.code, event.message)
                if isinstance(event, TextDelta) and event.kind == "answer":
                    text.append(event.text)
                    if len(text) % _PIECES == 0:
                        await told(len(text))
        finally:
            reply.cancel()


def server(chats: Chats) -> MCPServer[Any]:
    """The MCP server with the tools `ask`, `compare` and `sessions`."""
    made: MCPServer[Any] = MCPServer("stretto", instructions=INSTRUCTIONS, log_level="ERROR")
    names = ", ".join(chats.names)

    async def ask(
        context: Context[Any, Any],
        prompt: str,
        model: str = "",
        session: str = "",
        system: str = "",
        seed: int | None = None,
    ) -> str:
        with _tool_errors():
            return await chats.ask(prompt, model, session, system, seed, context.report_progress)

    async def compare(
        context: Context[Any, Any],
        prompt: str,
        models: list[str] | None = None,
        seeds: list[int] | None = None,
        system: str = "",
    ) -> list[dict[str, Any]]:
        with _tool_errors():
            told = context.report_progress
            return await chats.compare(prompt, models or [], seeds or [], system, told)

    async def sessions(close: str = "") -> list[dict[str, Any]]:
        with _tool_errors():
            return chats.sessions(close)

    made.add_tool(
        ask,
        description=f"Ask a local model. Models: {names}; the first one where none is named. With "
        "a session the next question goes on from this one; `system` counts when it is opened.",
    )
    made.add_tool(
        compare,
        description="Ask several local models, or one with several seeds, the same at the same "
        f"time. Models: {names}; all of them where none is named.",
    )
    made.add_tool(
        sessions, description="The open sessions with their models and lengths. `close` ends one."
    )
    return made


@contextlib.contextmanager
def _tool_errors() -> Iterator[None]:
    """Errors of the engine, and of what was asked, are the tool's answer."""
    try:
        yield
    except (EngineError, ValueError) as error:
        raise ToolError(str(error)) from None


def _hand_over(loop: asyncio.AbstractEventLoop, events: asyncio.Queue[Event], event: Event) -> None:
    """Called on the engine thread."""
    with contextlib.suppress(RuntimeError):  # the server has ended meanwhile
        loop.call_soon_threadsafe(events.put_nowait, event)

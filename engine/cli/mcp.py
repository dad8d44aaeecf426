"""`python -m engine mcp`: offer the engine's chats as MCP tools over stdio.

The official package implements the protocol (https://modelcontextprotocol.io).
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
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.stdio import stdio_server
from msgspec import Struct, field

from engine.cli.arguments import GUIDE
from engine.engine import Engine, Session
from engine.errors import EngineError
from engine.messages import Event, Failed, Finished, TextDelta
from engine.model.info import Model
from engine.params import SamplingParams

MAX_COMPARED_ANSWERS = 16

INSTRUCTIONS = (
    "Local language models. Ask one, continue a named session, or compare several answers to one "
    "prompt, generated concurrently. Nothing leaves this machine."
)
_PROGRESS_INTERVAL = 16  # number of text chunks between progress reports

ProgressCallback = Callable[[float], Awaitable[None]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "models",
        nargs="*",
        help="model folders, GGUF files or downloaded hub ids (default: the bundled model)",
    )
    parser.add_argument(
        "--max-tokens", type=int, default=1024, help="token limit of an answer (default: 1024)"
    )


def main(options: argparse.Namespace) -> int:
    try:
        limit = SamplingParams(max_tokens=options.max_tokens).max_tokens
    except ValueError as error:
        print(f"mcp: {error}", file=sys.stderr)
        return 2
    with Engine() as engine:
        chats = ToolChats(engine, options.models or [str(GUIDE)], limit)
        anyio.run(_serve_stdio, build_server(chats))
    return 0


async def _serve_stdio(server: MCPServer[Any]) -> None:
    # Keep the file open, because a thread may still read from it after a signal.
    received = os.fdopen(_take_stdin(), encoding="utf-8", errors="replace", closefd=False)
    lines = anyio.wrap_file(received)
    async with stdio_server(stdin=cast(Any, _repair_lines(lines))) as (messages, answers):
        lowlevel = server._lowlevel_server
        await lowlevel.run(messages, answers, lowlevel.create_initialization_options())


def _take_stdin() -> int:
    """Duplicate stdin, then replace it with an empty file. Return the duplicate.

    This keeps child processes from reading messages. `stdio_server` only does this if it opens
    stdin itself.
    """
    private, empty = os.dup(0), os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    return private


async def _repair_lines(lines: AsyncIterable[str]) -> AsyncIterator[str]:
    """Replace unpaired surrogates in JSON lines with U+FFFD. The package can't decode them."""
    async for line in lines:
        yield _ESCAPE.sub(_replace_lone_surrogate, line) if r"\ud" in line.lower() else line


_ESCAPE = re.compile(
    r"\\u(?:d[89ab][0-9a-f]{2})\\ud[c-f][0-9a-f]{2}|\\u(?P<lone>d[89a-f][0-9a-f]{2})|\\.",
    re.IGNORECASE,
)


def _replace_lone_surrogate(escape: re.Match[str]) -> str:
    return r"\ufffd" if escape["lone"] else escape[0]


class NamedSession(Struct, eq=False):
    session: Session
    model: Model
    turns: int = 0
    tokens: int = 0


class ToolChats(Struct, eq=False):
    """Models and named sessions behind the tools, on one event loop."""

    engine: Engine
    paths: Sequence[str]
    limit: int | None = 1024
    _open: dict[str, NamedSession] = field(default_factory=dict)

    @property
    def model_names(self) -> list[str]:
        return [Path(path).name for path in self.paths]

    async def load_model(self, name: str) -> Model:
        """Load a model by name. An empty name means the first model."""
        if name and name not in (*self.model_names, *self.paths):
            raise ValueError(f"Unknown model {name!r}. Available: {', '.join(self.model_names)}.")
        paths_by_name = [
            *zip(self.model_names, self.paths, strict=True),
            *((p, p) for p in self.paths),
        ]
        path = dict(paths_by_name)[name] if name else self.paths[0]
        return await asyncio.wrap_future(self.engine.load_later(path))

    async def ask(
        self,
        prompt: str,
        model: str,
        session: str,
        system: str,
        seed: int | None,
        on_progress: ProgressCallback,
    ) -> str:
        if not session:
            loaded_model = await self.load_model(model)
            chat = self.engine.open_session(loaded_model, system=system or None)
            try:
                return (await self._answer(chat, prompt, seed, on_progress))[0]
            finally:
                chat.close()
        at = self._open.get(session)
        if at is None:
            loaded_model = await self.load_model(model)
            at = self._open.get(session) or NamedSession(
                self.engine.open_session(loaded_model, system=system or None), loaded_model
            )
            self._open[session] = at
        elif model and model not in (at.model.name, at.model.path):
            raise ValueError(
                f"Session {session!r} uses {at.model.name}. Choose another session name."
            )
        text, last = await self._answer(at.session, prompt, seed, on_progress)
        at.turns += 1
        at.tokens = last.stats.prompt_tokens + last.stats.generated_tokens
        return text

    async def compare(
        self,
        prompt: str,
        models: list[str],
        seeds: list[int],
        system: str,
        on_progress: ProgressCallback,
    ) -> list[dict[str, Any]]:
        several: list[int | None] = [*seeds] or [None]
        ways = [(model, seed) for model in models or self.model_names for seed in several]
        if len(ways) > MAX_COMPARED_ANSWERS:
            raise ValueError(f"Too many answers ({len(ways)}, limit {MAX_COMPARED_ANSWERS}).")

        async def ask_model(name: str, seed: int | None) -> dict[str, Any]:
            loaded_model = await self.load_model(name)
            result: dict[str, Any] = {"model": loaded_model.name, "seed": seed}
            chat = self.engine.open_session(loaded_model, system=system or None)
            try:
                text, last = await self._answer(chat, prompt, seed, on_progress)
            except EngineError as error:
                return {**result, "error": error.message}
            finally:
                chat.close()
            return {**result, "answer": text, "tokens_per_s": round(last.stats.tokens_per_s, 1)}

        return list(await asyncio.gather(*(ask_model(name, seed) for name, seed in ways)))

    def list_sessions(self, close: str) -> list[dict[str, Any]]:
        if close:
            closed = self._open.pop(close, None)
            if closed is None:
                raise ValueError(f"Unknown session {close!r}.")
            closed.session.close()
        return [
            {"session": name, "model": at.model.name, "turns": at.turns, "tokens": at.tokens}
            for name, at in self._open.items()
        ]

    async def _answer(
        self, chat: Session, prompt: str, seed: int | None, on_progress: ProgressCallback
    ) -> tuple[str, Finished]:
        events: asyncio.Queue[Event] = asyncio.Queue()
        loop = asyncio.get_running_loop()
        settings = {**chat.model.defaults, "max_tokens": self.limit, "seed": seed}
        reply = chat.send(prompt, SamplingParams(**settings), partial(_post_event, loop, events))
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
                    if len(text) % _PROGRESS_INTERVAL == 0:
                        await on_progress(len(text))
        finally:
            reply.cancel()


def build_server(chats: ToolChats) -> MCPServer[Any]:
    server: MCPServer[Any] = MCPServer("stretto", instructions=INSTRUCTIONS, log_level="ERROR")
    names = ", ".join(chats.model_names)

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
            report_progress = context.report_progress
            return await chats.compare(prompt, models or [], seeds or [], system, report_progress)

    async def sessions(close: str = "") -> list[dict[str, Any]]:
        with _tool_errors():
            return chats.list_sessions(close)

    server.add_tool(
        ask,
        description=f"Ask a local model. Models: {names} (default: the first). With a session, "
        "later questions continue the conversation; `system` applies when it is opened.",
    )
    server.add_tool(
        compare,
        description="Ask several local models, or one model with several seeds, the same "
        f"question. Models: {names} (default: all).",
    )
    server.add_tool(
        sessions, description="List open sessions with models and lengths. `close` ends one."
    )
    return server


@contextlib.contextmanager
def _tool_errors() -> Iterator[None]:
    try:
        yield
    except (EngineError, ValueError) as error:
        raise ToolError(str(error)) from None


def _post_event(
    loop: asyncio.AbstractEventLoop, events: asyncio.Queue[Event], event: Event
) -> None:
    with contextlib.suppress(RuntimeError):  # the server has already stopped
        loop.call_soon_threadsafe(events.put_nowait, event)

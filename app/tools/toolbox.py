"""Tools available to chats, including runs and previews of tool calls."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from functools import partial
from time import monotonic
from typing import Any

from msgspec.structs import replace

from app.settings.language import tr
from app.tools import granted_folders
from app.tools.builtin import (
    ABSENT,
    PYTHON,
    STANDARD,
    Arguments,
    BuiltinTool,
    CallContext,
    Obstacle,
)
from app.tools.consent import ConsentRows, Consents, SeenTools
from app.tools.granted_folders import Difference
from app.tools.host import ToolHost
from app.tools.questions import Ask
from app.tools.tool import (
    BUILT_IN,
    Outcome,
    Tool,
    ToolError,
    ToolResult,
    clean_result,
    failed_result,
    unique_names,
)
from engine.sandbox.python_cell import is_available


class BuiltinTools:
    def __init__(self, tools: Sequence[BuiltinTool] | None = None) -> None:
        """``tools``: defaults to the tools available on this system."""
        self._absent: tuple[str, ...] = ()
        if tools is None:
            with_python = is_available()
            self._absent = () if with_python else (ABSENT,)
            tools = [*STANDARD, *([PYTHON] if with_python else [])]
        self._tools = {tool.tool.name: tool for tool in tools}
        self._threads: list[threading.Thread] = []

    @property
    def tools(self) -> list[Tool]:
        return [tool.tool for tool in self._tools.values()]

    @property
    def unavailable_messages(self) -> tuple[str, ...]:
        return tuple(map(tr, self._absent))

    def get(self, name: str) -> Tool | None:
        builtin = self._tools.get(name)
        return builtin.tool if builtin is not None else None

    def is_previewed(self, name: str) -> bool:
        """Return True if a tool's effect is shown before it runs."""
        builtin = self._tools.get(name)
        return builtin is not None and builtin.preview is not None

    def run(self, name: str, arguments: Arguments, context: CallContext) -> Future[ToolResult]:
        """Run a tool. Every tool limits its own run time, and exceptions become results."""
        work = self._tools[name].work
        assert work is not None, f"{name} is run by the chat"
        return self._start(partial(work, arguments, context), _to_result, failed_result)

    def preview(
        self, name: str, arguments: Arguments, context: CallContext
    ) -> Future[Difference | Obstacle | None] | None:
        """Start to preview or check a call. Return None if the tool supports neither.

        The future resolves to the effect to show, or the reason why the call can't work.
        """
        builtin = self._tools[name]
        look = builtin.preview or builtin.check
        if look is None:
            return None
        work = partial(look, arguments, context)
        return self._start(work, lambda result: result, _to_obstacle)

    def _start(
        self,
        work: Callable[[], Any],
        convert: Callable[[Any], Any],
        on_error: Callable[[BaseException], Any],
    ) -> Future[Any]:
        """Run ``work`` in a thread. The future gets its converted result, or ``on_error``'s."""
        future: Future[Any] = Future()

        def run() -> None:
            try:
                result = convert(work())
            except BaseException as error:  # an invalid path, or a Rust panic
                result = on_error(error)
            if future.set_running_or_notify_cancel():
                future.set_result(result)

        thread = threading.Thread(target=run, name="tool", daemon=True)
        self._threads = [started for started in self._threads if started.is_alive()]
        self._threads.append(thread)
        thread.start()
        return future

    def shut_down(self, seconds: float = 2.0) -> None:
        give_up = monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, give_up - monotonic()))


def _to_result(answer: str | Outcome) -> ToolResult:
    if isinstance(answer, Outcome):
        return replace(clean_result(answer.text), outcome=answer)
    return clean_result(answer)


def _to_obstacle(error: BaseException) -> Obstacle:
    if not isinstance(error, ToolError):
        result = failed_result(error)
        return Obstacle(result.shown, result.text)
    return Obstacle(
        str(error),
        error.model_text,
        error.folder if isinstance(error, granted_folders.ReadOnlyError) else None,
        outside=isinstance(error, granted_folders.OutsideError),
    )


class Toolbox:
    def __init__(
        self, host: ToolHost, rows: ConsentRows, builtin: BuiltinTools | None = None
    ) -> None:
        self.host = host
        self.consents = Consents(rows)
        self.pins = SeenTools(rows)  # tools as last seen by the user
        self.builtin = builtin or BuiltinTools()

    def tool(self, key: str) -> Tool | None:
        server, _, name = key.partition("/")
        if server == BUILT_IN:
            return self.builtin.get(name)
        config = self.host.config(server)
        return self.pins.get(key) if config is not None and config.enabled else None

    def enabled_tools(self, keys: Iterable[str]) -> dict[str, Tool]:
        """Return a chat's enabled tools, keyed by the name that the model sees.

        Their order is fixed, because they're at the start of the prompt, which should stay cached.
        """
        tools = (self.tool(key) for key in sorted(set(keys)))
        return unique_names(tool for tool in tools if tool is not None)

    def run(
        self,
        chat_id: str,
        tool: Tool,
        arguments: dict[str, Any],
        digest: str = "",
        ask: Ask | None = None,
    ) -> Future[ToolResult]:
        """Run a tool in a chat with the user's consent. The future may fail with ToolError.

        ``digest`` is the digest of the diff the user has seen, see `preview`. ``ask`` passes the
        server's questions to the user; without it, they're declined.
        """
        if tool.server == BUILT_IN:
            context = CallContext(self.consents.folders(chat_id), digest)
            return self.builtin.run(tool.name, arguments, context)
        return self.host.call(tool, arguments, chat_id, ask)

    def preview(
        self, chat_id: str, tool: Tool, arguments: dict[str, Any]
    ) -> Future[Difference | Obstacle | None] | None:
        """Start the preview of a call. Return None if the arguments say enough.

        The future resolves to the effect to show, None, or the reason why the call can't work.
        """
        if tool.server != BUILT_IN:
            return None
        context = CallContext(self.consents.folders(chat_id))
        return self.builtin.preview(tool.name, arguments, context)

    def is_previewed(self, tool: Tool) -> bool:
        return tool.server == BUILT_IN and self.builtin.is_previewed(tool.name)

    def shut_down(self, timeout_s: float | None = None) -> None:
        """Wait for tools and servers to end, up to ``timeout_s`` (default: 2 s and 4 s)."""
        start = monotonic()
        self.host.begin_shut_down()
        self.builtin.shut_down(2.0 if timeout_s is None else min(2.0, timeout_s))
        timeout_s = self.host.STOP_S if timeout_s is None else timeout_s
        self.host.shut_down(max(0.0, start + timeout_s - monotonic()))

"""The tools that come with the program."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from app.tools.calculator import calculate
from app.tools.clock import now
from app.tools.consent import Grant
from app.tools.results import ToolResult, harmless
from app.tools.tool import BUILT_IN, Tool, ToolError


@dataclass(frozen=True)
class Own:
    """One of them: what the model is told, and what runs it on a thread of its own."""

    tool: Tool
    work: Callable[[dict[str, Any], Sequence[Grant]], str]


def own(name: str, description: str, work: Callable[..., str], **properties: Any) -> Own:
    """A tool whose arguments are these properties; those without a default must be given."""
    required = [key for key, value in properties.items() if "default" not in value]
    schema: dict[str, Any] = {"type": "object", "properties": properties, "required": required}
    schema["additionalProperties"] = False
    return Own(Tool(BUILT_IN, name, description, schema), work)


BASIC = (
    own("date", "The current date, time and time zone.", lambda arguments, grants: now()),
    own(
        "calculate",
        "Evaluates arithmetic, e.g. (2 + 3) * 4 ** 0.5. Knows sqrt, log, sin, pi and the like.",
        lambda arguments, grants: calculate(str(arguments.get("expression", ""))),
        expression={"type": "string"},
    ),
)


class BuiltIn:
    """Runs them, each call on a thread of its own: none can hold up another."""

    def __init__(self, more: Sequence[Own] = (), absent: Sequence[str] = ()) -> None:
        self._absent = tuple(absent)
        self._own = {each.tool.name: each for each in (*BASIC, *more)}
        self._threads: list[threading.Thread] = []

    @property
    def tools(self) -> list[Tool]:
        return [each.tool for each in self._own.values()]

    @property
    def absent(self) -> tuple[str, ...]:
        """What there is not on this system, and why, as sentences."""
        return self._absent

    def get(self, name: str) -> Tool | None:
        found = self._own.get(name)
        return found.tool if found is not None else None

    def run(
        self, name: str, arguments: dict[str, Any], grants: Sequence[Grant]
    ) -> Future[ToolResult]:
        """Run one. Fails with ToolError. Each ends by itself: all have limits of their own."""
        future: Future[ToolResult] = Future()
        found = self._own[name]

        def work() -> None:
            try:
                result = harmless(found.work(arguments, grants))
            except ToolError as error:
                result = ToolResult(str(error), True, len(str(error)))
            except Exception as error:
                words = f"The tool failed: {type(error).__name__}."
                result = ToolResult(words, True, len(words))
            if future.set_running_or_notify_cancel():
                future.set_result(result)

        thread = threading.Thread(target=work, name="tool", daemon=True)
        self._threads = [each for each in self._threads if each.is_alive()]
        self._threads.append(thread)
        thread.start()
        return future

    def shut_down(self, seconds: float = 2.0) -> None:
        """The program ends: wait for what runs, but not long."""
        for thread in self._threads:
            thread.join(seconds)

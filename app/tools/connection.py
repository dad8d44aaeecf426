"""Connection to a server, opened on demand and reopened if the server ends.

With protocol version 2026-07-28, servers ask questions in the response to a call (over HTTP, in
that call's stream). Older servers over stdio don't say which call a question belongs to. If such a
server runs calls from several chats, its questions are refused, so that no chat answers for
another.
"""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import time
from collections import Counter, deque
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from contextvars import ContextVar
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct

from app.settings.language import mark
from app.tools import loop_thread
from app.tools.questions import (
    Ask,
    Question,
    QuestionAction,
    Response,
    make_address_question,
    make_form_question,
)
from app.tools.servers import ServerConfig
from app.tools.tool import (
    LONGEST_DESCRIPTION,
    LONGEST_SCHEMA,
    LONGEST_TITLE,
    Tool,
    ToolError,
    ToolResult,
    clean,
    one_line,
    result_from_blocks,
    to_canonical_json,
)

if TYPE_CHECKING:
    from mcp import Client
    from mcp.client.session import ClientRequestContext
    from mcp_types import ElicitRequestParams, ElicitResult, ErrorData


_LOG_LINES, _LOG_WIDTH = 500, 1000


class ConnectionState(Enum):
    OFF = "off"
    CONNECTING = "connecting"
    READY = "ready"
    ENDED = "ended"


class ConnectionStatus(Struct, frozen=True):
    state: ConnectionState
    words: str = ""


class ServerLog:
    """Last lines of a server's stderr, mixed with connection events."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=_LOG_LINES)

    def note(self, line: str) -> None:
        text = " ".join(clean(line, _LOG_WIDTH).splitlines())
        if text:
            self._lines.append(f"{time.strftime('%H:%M:%S')}  {text}")

    @property
    def text(self) -> str:
        return "\n".join(tuple(self._lines))


MOST_OPEN = 4  # open questions per call; any more are declined
UNCLEAR = "Several calls run, and the request does not tell which of them it is about. Call again."


class _OneCall:
    """Running call. Its timeout is suspended while the user is being asked."""

    def __init__(self, chat_id: str, ask: Ask | None, limit: asyncio.Timeout) -> None:
        self.chat_id = chat_id
        self.ask = ask
        self.open = 0  # number of open questions
        self.over = False  # the call has ended, although questions may still be open
        self._limit = limit
        self._remaining = 0.0

    def pause(self) -> None:
        self.open += 1
        if self.open == 1 and not self._limit.expired():
            when = self._limit.when()
            self._remaining = (when or 0.0) - asyncio.get_running_loop().time()
            self._limit.reschedule(None)

    def resume(self) -> None:
        self.open -= 1
        if not self.open and not self.over and not self._limit.expired():
            self._limit.reschedule(asyncio.get_running_loop().time() + self._remaining)


_CALL: ContextVar[_OneCall | None] = ContextVar("call", default=None)


class Elicitation:
    """Handler of a server's questions, on the loop's thread."""

    def __init__(self, server: str, note: Callable[[str], None]) -> None:
        self._server = server
        self._note = note
        self._calls: list[_OneCall] = []

    @asynccontextmanager
    async def limit_call(
        self, chat_id: str, ask: Ask | None, seconds: float
    ) -> AsyncGenerator[None, None]:
        """Run a call. Raises TimeoutError after ``seconds``, excluding time spent on questions."""
        async with asyncio.timeout(seconds) as limit:
            call = _OneCall(chat_id, ask, limit)
            token = _CALL.set(call)
            self._calls.append(call)
            try:
                yield
            finally:
                call.over = True
                self._calls.remove(call)
                _CALL.reset(token)

    async def __call__(
        self, context: ClientRequestContext, params: ElicitRequestParams
    ) -> ElicitResult | ErrorData:
        """Answer a question, as the mcp package requires."""
        from mcp_types import INVALID_REQUEST, ElicitResult, ErrorData

        call = self._find_call()
        if call is None:
            self._note(UNCLEAR if self._calls else "It asked while nothing was called.")
            return ErrorData(code=INVALID_REQUEST, message=UNCLEAR)
        if call.ask is None or call.open >= MOST_OPEN:
            self._note("It asked what nobody can be asked now. That was declined.")
            return ElicitResult(action="decline")
        try:
            question = self._question(params)
        except ToolError as error:
            self._note(f"{error.model_text} That was declined.")
            return ElicitResult(action="decline")
        call.pause()
        try:
            response = await asyncio.wrap_future(call.ask(question))
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            response = Response(QuestionAction.CANCEL)  # the chat canceled the question
        finally:
            call.resume()
        return ElicitResult(action=response.action.value, content=response.content)

    def _find_call(self) -> _OneCall | None:
        own = _CALL.get()
        if own is not None and own in self._calls:
            return own
        return self._calls[-1] if len({call.chat_id for call in self._calls}) == 1 else None

    def _question(self, params: ElicitRequestParams) -> Question:
        if params.mode == "url":
            return make_address_question(self._server, params.message, params.url)
        return make_form_question(self._server, params.message, params.requested_schema)


def urls_to_visit(data: object) -> str:
    """Return the URLs a server wants the user to visit before a call, or ""."""
    listed = data.get("elicitations") if isinstance(data, dict) else None
    urls = [str(e.get("url", "")) for e in listed if isinstance(e, dict)] if listed else []
    return ", ".join(one_line(url, 500) for url in urls[:5])


log = logging.getLogger(__name__)

T = TypeVar("T")

CONNECT_S = 60.0  # startup timeout, which includes the download for `npx`
REST_S = (0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 60.0)
"""Pause before reconnecting, by the number of failures in a row."""
STEADY_S = 30.0  # if a server has run this long, its exit doesn't count as a failure
MOST_TOOLS = 500
MOST_PAGES = 100  # a page may be empty, so limit their number as well
_GO_THERE_FIRST = -32042  # error code for calls that require the user to visit a page first


def find_program(command: str) -> tuple[str, str]:
    """Return the path of a server's program, looked up as in a terminal, and the PATH used.

    Blocks for up to 5 s. Raises ToolError if the program isn't found.
    """
    with loop_thread.importing:  # takes half a second and isn't needed by the window
        from app.tools import transports

    path = transports.login_path()
    program = shutil.which(os.path.expanduser(command), path=path)
    if program is None:
        words = mark("The program “{program}” wasn’t found. Install it, or enter its full path.")
        raise ToolError(words, program=command)
    return program, path


class Connection:
    """Connection to a server. Runs on the loop's thread, except for `log` and `status`."""

    def __init__(self, config: ServerConfig, on_change: Callable[[], None] = lambda: None) -> None:
        """``on_change`` is called on the loop's thread when the status changes."""
        self.config = config
        self.log = ServerLog()
        self.status = ConnectionStatus(ConnectionState.OFF)
        self._why: ToolError | None = None
        self.elicitation = Elicitation(config.name, self.log.note)
        self._on_change = on_change
        self._client: Client | None = None
        self._task: asyncio.Task[None] | None = None
        self._ready: asyncio.Future[None] | None = None
        self._leave = asyncio.Event()
        self._closed = False
        self._listing: asyncio.Lock = asyncio.Lock()
        self._tools: list[Tool] | None = None
        self._failures = 0
        self._failed_at = 0.0

    async def tools(self) -> list[Tool]:
        client = await self._wait_for_client()
        async with self._listing:
            if self._tools is None:
                self._tools = await self._list(client)
            return self._tools

    async def call(
        self,
        name: str,
        arguments: dict[str, Any],
        expected: str,
        chat_id: str = "",
        ask: Ask | None = None,
    ) -> ToolResult:
        """Run a tool. An error that the tool itself reports is returned as a result.

        ``expected`` is the fingerprint of the tool description the user has seen. ``ask`` passes
        the server's questions to the user, which suspends the timeout. Raises ToolError for an
        unknown tool, a changed description or a timeout, or if the server ended.
        """
        from mcp import MCPError

        tool = next((offered for offered in await self.tools() if offered.name == name), None)
        if tool is None:
            raise self._error(mark("{server} no longer has the tool “{tool}”."), tool=name)
        if tool.fingerprint != expected:
            raise self._error(mark("{server} has changed this tool. Refresh its tools first."))
        client = await self._wait_for_client()
        try:
            async with self.elicitation.limit_call(chat_id, ask, self.config.timeout):
                result = await client.call_tool(name, arguments)
        except TimeoutError as error:
            seconds = f"{self.config.timeout:g}"
            words = mark("No response within {seconds} s. The call was stopped.")
            raise ToolError(words, seconds=seconds) from error
        except MCPError as error:
            if self._client is not client:
                raise self._error(mark("{server} quit during the call.")) from error
            if error.code == _GO_THERE_FIRST and (pages := urls_to_visit(error.data)):
                first = mark("Before this call, {server} wants you to visit {pages}")
                raise self._error(first, pages=pages) from error
            raise self._error(mark("{server} refused: {why}"), why=_error_message(error)) from error
        except asyncio.CancelledError:
            raise
        except Exception as error:
            raise self._error(
                mark("{server} didn’t respond: {why}"), why=_error_message(error)
            ) from error
        blocks = [block.model_dump(by_alias=True, exclude_none=True) for block in result.content]
        return result_from_blocks(blocks, result.structured_content, result.is_error)

    async def send_request(self, work: Callable[[Client], Coroutine[Any, Any, T]]) -> T:
        """Send a request that isn't a tool call to the server. Raises ToolError."""
        client = await self._wait_for_client()
        try:
            async with asyncio.timeout(self.config.timeout):
                return await work(client)
        except ToolError:
            raise
        except TimeoutError as error:
            seconds = f"{self.config.timeout:g}"
            words = mark("{server} didn’t respond within {seconds} s.")
            raise self._error(words, seconds=seconds) from error
        except Exception as error:
            raise self._error(
                mark("{server} didn’t respond: {why}"), why=_error_message(error)
            ) from error

    async def close(self) -> None:
        """Stop the server and its child processes. The connection can't be used afterwards."""
        self._closed = True
        self._leave.set()
        if self._task is not None:
            if self.status.state is ConnectionState.CONNECTING:
                self._task.cancel()
            await asyncio.wait([self._task])

    # Connection.

    async def _wait_for_client(self) -> Client:
        if self._task is not None and self._leave.is_set():
            # The connection is closing, so use the next connection for this request.
            await asyncio.wait([self._task])
        if self._closed:
            raise self._error(mark("{server} has quit."))
        if self._task is None or self._task.done():
            rest = self._wait_before_retry()
            if rest > 0:
                words = mark("{why} It restarts in {seconds} s.")
                raise ToolError(words, why=self._end_error(), seconds=f"{rest:.0f}")
            self._leave.clear()
            self._ready = asyncio.get_running_loop().create_future()
            self._task = asyncio.create_task(self._run_connection(self._ready))
        assert self._ready is not None
        await asyncio.shield(self._ready)
        if self._client is None:
            raise self._end_error().with_traceback(None)
        return self._client

    def _error(self, text: str, /, **values: Any) -> ToolError:
        """Create an error. Its text may contain the server's name as ``{server}``."""
        return ToolError(text, server=self.config.name, **values)

    def _end_error(self) -> ToolError:
        return self._why or self._error(mark("{server} has quit."))

    def _wait_before_retry(self) -> float:
        wait = REST_S[min(self._failures, len(REST_S) - 1)]
        return self._failed_at + wait - time.monotonic()

    async def _run_connection(self, ready: asyncio.Future[None]) -> None:
        """Connect, wait until the connection ends, and store the reason. Never raises."""
        with loop_thread.importing:
            from mcp import Client

        # The package logs a traceback for each invalid message, so a server could flood the log.
        logging.getLogger("mcp").setLevel(logging.CRITICAL)
        logging.getLogger("client").setLevel(logging.CRITICAL)
        self._set_state(ConnectionState.CONNECTING)
        started_at, reason = time.monotonic(), None
        try:
            transport = await self._transport()
            async with asyncio.timeout(CONNECT_S) as limit:
                async with Client(
                    transport,
                    message_handler=self._on_notification,
                    elicitation_callback=self.elicitation,
                ) as client:
                    limit.reschedule(None)
                    # The package would validate results against the server's schema, where a
                    # pattern could hold the GIL forever. Validation isn't needed, because a result
                    # is only text for a model.
                    client.session.validate_tool_result = _skip_check  # type: ignore[method-assign]
                    self._client, self._tools = client, None
                    self._set_state(ConnectionState.READY)
                    ready.set_result(None)
                    await self._leave.wait()
        except ToolError as error:
            reason = error.with_traceback(None)
        except TimeoutError:
            seconds = f"{CONNECT_S:.0f}"
            reason = self._error(mark("{server} didn’t start within {seconds} s."), seconds=seconds)
        except (Exception, asyncio.CancelledError) as error:
            log.info("tool server ended: %s", type(error).__name__)
            reason = self._error(
                mark("{server} couldn’t be reached: {why}"), why=_error_message(error)
            )
        self._client = self._tools = None
        if self._over or reason is not None:
            lived = time.monotonic() - started_at
            self._failures = 1 if lived > STEADY_S else self._failures + 1
            self._failed_at = time.monotonic()
            self._set_state(ConnectionState.ENDED, reason or self._end_error())
        else:
            self._set_state(ConnectionState.OFF)
        if not ready.done():
            ready.set_result(None)

    _over = False

    def _ended(self) -> None:
        if not self._leave.is_set():
            self._over = True
            self._client = None
            self._leave.set()

    async def _transport(self) -> AbstractAsyncContextManager[Any]:
        with loop_thread.importing:  # takes half a second and isn't needed by the window
            from app.tools import transports

        config = self.config
        self._over = False
        if config.url:
            return transports.open_http(config)
        program, path = await asyncio.to_thread(find_program, config.command)
        command = [program, *config.args]
        env = transports.child_environment(path, dict(config.env))
        self.log.note(f"started: {config.display_text}")
        cwd = config.cwd or env.get("HOME") or None
        return transports.open_stdio(command, env, cwd, self.log.note, self._ended)

    async def _on_notification(self, message: Any) -> None:
        if isinstance(message, Exception):
            self.log.note(str(message))
        elif getattr(message, "method", "") == "notifications/tools/list_changed":
            self._tools = None

    async def _list(self, client: Client) -> list[Tool]:
        tools: list[Tool] = []
        cursor: str | None = None
        try:
            async with asyncio.timeout(CONNECT_S):
                for _ in range(MOST_PAGES):
                    page = await client.list_tools(cursor=cursor, cache_mode="bypass")
                    for listed in page.tools:
                        tools += self._to_tool(listed)
                    cursor = page.next_cursor
                    if not cursor or len(tools) >= MOST_TOOLS:
                        break
        except TimeoutError as error:
            raise self._error(mark("{server} didn’t list its tools in time.")) from error
        except ToolError:
            raise
        except Exception as error:
            words = mark("{server} couldn’t list its tools: {why}")
            raise self._error(words, why=_error_message(error)) from error
        names = Counter(tool.name for tool in tools)
        return [tool for tool in tools[:MOST_TOOLS] if names[tool.name] == 1]

    def _to_tool(self, listed: Any) -> list[Tool]:
        """Return a listed tool, or [] with a note in the server's log if it's too large or
        invalid.
        """
        if not listed.name.strip():  # a consent without a tool name would apply to all tools
            self.log.note("left out: a tool without a name")
            return []
        if len(listed.name) > 200 or len(to_canonical_json(listed.input_schema)) > LONGEST_SCHEMA:
            self.log.note(f"left out, too large: {listed.name[:80]}")
            return []
        description = clean(listed.description or listed.title or "", LONGEST_DESCRIPTION)
        title = listed.title or (listed.annotations.title if listed.annotations else None) or ""
        title = one_line(title, LONGEST_TITLE)
        return [Tool(self.config.name, listed.name, description, listed.input_schema, title)]

    def _set_state(self, state: ConnectionState, reason: ToolError | None = None) -> None:
        self._why = reason
        self.status = ConnectionStatus(state, str(reason or ""))
        if reason is not None:
            self.log.note(str(reason))
        self._on_change()


async def _skip_check(name: str, result: object) -> None:
    pass


def _error_message(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    return one_line(str(error) or type(error).__name__, 300)

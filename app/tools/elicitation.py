"""The questions of one server: which call each belongs to, and the wait for the person's answer.

A server of the protocol's version 2026-07-28 asks within the answer to a call, and over HTTP within
the stream that belongs to it. An older one over stdio just asks: while it works on calls of several
chats nobody can tell which of them it means, and it is not told what one chat's person says in
another's place.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from app.tools.questions import Action, Ask, Question, Response, address, form
from app.tools.tool import ToolError, clean

if TYPE_CHECKING:
    from mcp.client.session import ClientRequestContext
    from mcp_types import ElicitRequestParams, ElicitResult, ErrorData

MOST_OPEN = 4
"""Questions that one call may have open at once; more are declined."""
UNCLEAR = "Several calls run, and the request does not tell which of them it is about. Call again."


class _OneCall:
    """One call, whose time stands still while the person is asked.

    Attributes:
        open: how many of its questions wait for the person.
        over: it has ended, perhaps before they have answered.
    """

    def __init__(self, chat_id: str, ask: Ask | None, limit: asyncio.Timeout) -> None:
        self.chat_id = chat_id
        self.ask = ask
        self.open = 0
        self.over = False
        self._limit = limit
        self._left = 0.0

    def pause(self) -> None:
        self.open += 1
        if self.open == 1 and not self._limit.expired():
            when = self._limit.when()
            self._left = (when or 0.0) - asyncio.get_running_loop().time()
            self._limit.reschedule(None)

    def resume(self) -> None:
        self.open -= 1
        if not self.open and not self.over and not self._limit.expired():
            self._limit.reschedule(asyncio.get_running_loop().time() + self._left)


_CALL: ContextVar[_OneCall | None] = ContextVar("call", default=None)


class Elicitation:
    """What one connection's server asks. On the loop's thread.

    Attributes:
        unclear: it has asked without telling for which of several chats' calls.
    """

    def __init__(self, server: str, note: Callable[[str], None]) -> None:
        """``note`` gets a sentence for the server's log."""
        self._server = server
        self._note = note
        self._calls: list[_OneCall] = []
        self.unclear = False

    def free_for(self, chat_id: str) -> bool:
        """Whether a call of this chat may run beside those that run."""
        return not self.unclear or all(call.chat_id == chat_id for call in self._calls)

    @property
    def idle(self) -> bool:
        return not self._calls

    @asynccontextmanager
    async def during(
        self, chat_id: str, ask: Ask | None, seconds: float
    ) -> AsyncGenerator[None, None]:
        """While a call runs. Raises TimeoutError once it took so long without the person."""
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
        """What the package calls when the server asks."""
        from mcp_types import INVALID_REQUEST, ElicitResult, ErrorData

        call = self._of_call()
        if call is None:
            self._note(UNCLEAR if self._calls else "It asked while nothing was called.")
            return ErrorData(code=INVALID_REQUEST, message=UNCLEAR)
        if call.ask is None or call.open >= MOST_OPEN:
            self._note("It asked what nobody can be asked now. That was declined.")
            return ElicitResult(action="decline")
        try:
            question = self._question(params)
        except ToolError as error:
            self._note(f"{error.told} That was declined.")
            return ElicitResult(action="decline")
        call.pause()
        try:
            response = await asyncio.wrap_future(call.ask(question))
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            response = Response(Action.CANCEL)  # the chat has dropped the question
        finally:
            call.resume()
        return ElicitResult(action=response.action.value, content=response.content)

    def _of_call(self) -> _OneCall | None:
        """The call that asks; None where that cannot be told."""
        own = _CALL.get()
        if own is not None and own in self._calls:
            return own
        if len({call.chat_id for call in self._calls}) == 1:
            return self._calls[-1]
        self.unclear = self.unclear or bool(self._calls)
        return None

    def _question(self, params: ElicitRequestParams) -> Question:
        if params.mode == "url":
            return address(self._server, params.message, params.url)
        return form(self._server, params.message, params.requested_schema)


def addresses(data: object) -> str:
    """The pages that a server wants visited before a call, of its error; "" for none."""
    listed = data.get("elicitations") if isinstance(data, dict) else None
    urls = [str(e.get("url", "")) for e in listed if isinstance(e, dict)] if listed else []
    return ", ".join(clean(url, lines=False, most=500) for url in urls[:5])

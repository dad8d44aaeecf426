"""The engine's replies to one request: the first in its place, others in forks of it.

A prompt is read once, however many answers to it are wanted: the others are forks of the first
one's session, made when that has read the prompt.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace
from functools import partial

from engine.engine import Engine, Session
from engine.errors import EngineError
from engine.messages import Event, Failed, Finished, PromptProgress, RawPrompt
from engine.openai.parsing import line_seed
from engine.params import SamplingParams
from engine.reply import Reply
from engine.serve.doors.choice import Choice
from engine.serve.doors.door import Asked
from engine.serve.guests import Guest
from engine.serve.places import Place

log = logging.getLogger(__name__)

END_SECONDS = 60.0
"""How long a stopped reply may take to end before its session is given up."""


@dataclass(frozen=True)
class Gone:
    """The client has closed its connection, or the server ends."""

    failed: Failed | None = None


Events = asyncio.Queue[tuple[Choice, Event] | Gone]


@dataclass(eq=False)
class _Part:
    """One choice on its way."""

    choice: Choice
    session: Session
    reply: Reply
    home: Place | None = None  # where it is answered in the request's own place
    ended: bool = False


class Replies:
    """The replies to one request. Lives on the server's event loop.

    Args:
        choices: as many as the request wants, those to one prompt beside each other.
        events: where the replies' events go.
        guest: whose request it is.
    """

    def __init__(
        self, engine: Engine, asked: Asked, choices: list[Choice], events: Events, guest: Guest
    ) -> None:
        self._engine = engine
        self._guest = guest
        self._asked = asked
        self._choices = choices
        self._events = events
        self._parts: dict[Choice, _Part] = {}
        self._forked: set[int] = set()  # prompts

    def start(self, place: Place) -> None:
        """Have all prompts read, the first one in that place.

        Raises:
            EngineError: the engine was stopped.
        """
        for number in range(len(self._asked.prompts)):
            choice = self._choices[number * self._asked.n]
            if number == 0:
                self._send(choice, place.session, place)
            else:
                manner, model = self._asked.manner, self._asked.model
                self._send(choice, manner.open(self._engine, model, self._guest))

    def note(self, choice: Choice, event: Event) -> None:
        """Take note of an event before its client hears of it.

        The session is free before the client hears of an end and asks again.
        """
        read = not isinstance(event, PromptProgress) or event.done >= event.total
        if read and not isinstance(event, Failed) and choice.prompt not in self._forked:
            self._forked.add(choice.prompt)
            self._fork(choice)
        if isinstance(event, (Finished, Failed)):
            part = self._parts.get(choice)
            if part is not None and part.reply.done and not part.ended:
                self._end(part, event)

    @property
    def sessions(self) -> tuple[str, ...]:
        """The engine's sessions in which there are answers. May be read from any thread."""
        return tuple(part.session.id for part in list(self._parts.values()) if not part.ended)

    def pause(self, on: bool) -> None:
        """Let all replies stand still, or go on. May be called from any thread."""
        for part in list(self._parts.values()):
            (part.reply.pause if on else part.reply.resume)()

    def cancel(self) -> None:
        """End all replies; their clients get what there is. May be called from any thread."""
        for part in list(self._parts.values()):
            part.reply.cancel()

    def stop(self) -> None:
        """Stop all replies. `later` waits for the end of the one in the request's place.

        Whoever has begun them ends the place afterwards, if it has not been.
        """
        self._close_others()
        for part in self._parts.values():
            if not part.ended:
                part.reply.cancel()

    async def later(self) -> None:
        """Wait for the end of a reply that was stopped. Nobody else gets its session before."""
        part = next((p for p in self._parts.values() if p.home is not None), None)
        if part is None or part.ended:
            return  # it was not begun, or ending it failed
        assert part.home is not None
        part.ended = True
        last: Event | None = None
        if part.reply.done and self._events.empty():  # nothing more comes
            return
        try:
            async with asyncio.timeout(END_SECONDS):
                while not isinstance(last, Finished):
                    if isinstance(last, Failed) and part.reply.done:
                        break
                    told = await self._events.get()
                    if isinstance(told, tuple) and told[0] is part.choice:
                        last = told[1]
        except TimeoutError:
            log.error("a reply that was stopped has not ended after %g seconds", END_SECONDS)
        if isinstance(last, Finished) and self._asked.messages:
            # The client may have read less than was said, so the answer is no part of what is
            # known. The next turn goes on from the question.
            part.home.keep()

    def _send(self, choice: Choice, session: Session, home: Place | None = None) -> None:
        asked = self._asked
        deliver = partial(_hand_over, asyncio.get_running_loop(), self._events, choice)
        prompt = asked.prompts[choice.prompt]
        params = _params(asked.params, choice.index - choice.prompt * asked.n)
        try:
            reply = session.send(prompt, params, deliver, asked.template)
        except BaseException:
            if home is None:
                session.close()
            raise
        self._parts[choice] = _Part(choice, session, reply, home)

    def _fork(self, lead: Choice) -> None:
        session = self._parts[lead].session
        for choice in self._choices[lead.index + 1 : lead.index + self._asked.n]:
            try:
                self._send(choice, session.fork())
            except EngineError as error:
                failed = Failed(session.id, "", error.code, error.message)
                self._events.put_nowait((choice, failed))

    def _end(self, part: _Part, last: Finished | Failed) -> None:
        part.ended = True
        if part.home is None:
            part.session.close()
        elif isinstance(last, Failed):
            part.home.failed(last.code)
        elif isinstance(self._asked.prompts[0], RawPrompt):
            part.home.drop()  # it is no conversation to go on from
        else:
            part.choice.last = last
            part.home.keep(part.choice.said)

    def _close_others(self) -> None:
        for part in self._parts.values():
            if part.home is None and not part.ended:
                part.ended = True
                part.session.close()


def _params(params: SamplingParams, number: int) -> SamplingParams:
    """The settings of one of several answers: the first one is as if it were alone."""
    if params.seed is None or not number:
        return params
    return replace(params, seed=line_seed(params.seed, number))


def _hand_over(
    loop: asyncio.AbstractEventLoop, events: Events, choice: Choice, event: Event
) -> None:
    """Called on the engine thread."""
    try:
        loop.call_soon_threadsafe(events.put_nowait, (choice, event))
    except RuntimeError:
        log.debug("the server has ended meanwhile")

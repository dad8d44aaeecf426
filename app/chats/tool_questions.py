"""What servers ask in the middle of a chat's calls, until the person has answered."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import CancelledError, Future

from PySide6.QtCore import QObject

from app import flows
from app.bridge import Bridge
from app.chats.tool_call import Asked, Call
from app.tools.questions import Action, Ask, Question, Response


class ToolQuestions:
    """The questions of one chat's calls. On the GUI thread."""

    def __init__(self, owner: QObject, bridge: Bridge, changed: Callable[[Call], object]) -> None:
        """``changed`` is called when a call has a question more or less."""
        self._owner, self._bridge = owner, bridge
        self._changed = changed
        self._channels: dict[str, int] = {}

    def asker(self, call: Call) -> Ask:
        """What the tools ask with while this call runs; it may be called on any thread."""
        number, post = self._bridge.channel(lambda asked: self._take(call, asked))
        self._channels[call.message_id] = number

        def ask(question: Question) -> Future[Response]:
            asked = Asked(question, Future())
            post(asked)
            return asked.future

        return ask

    def answer(self, call: Call, response: Response) -> bool:
        """Answer the question that is shown; False if there is none."""
        if not call.questions:
            return False
        asked = call.questions.pop(0)
        call.asked.append((asked.question.message, response.action.value))
        if asked.future.set_running_or_notify_cancel():
            asked.future.set_result(response)
        self._changed(call)
        return True

    def drop(self, call: Call) -> None:
        """The call is over: nobody waits for what is still asked."""
        number = self._channels.pop(call.message_id, None)
        if number is not None:
            self._bridge.close(number)
        questions, call.questions = call.questions, []
        for asked in questions:
            if asked.future.set_running_or_notify_cancel():
                asked.future.set_result(Response(Action.CANCEL))

    def _take(self, call: Call, asked: Asked) -> None:
        if asked.future.cancelled():
            return
        call.questions.append(asked)
        flows.start(self._owner, self._watch(call, asked))
        self._changed(call)

    async def _watch(self, call: Call, asked: Asked) -> None:
        """Until it is answered, or the server takes the question back."""
        try:
            await flows.arrived(asked.future)
        except CancelledError:
            if asked in call.questions:
                call.questions.remove(asked)
                self._changed(call)

"""What every route has: how it is described, what it reads a body into, and how it answers."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from starlette.routing import Route

from engine.messages import Message, RawPrompt
from engine.model.info import Model
from engine.params import SamplingParams
from engine.serve.auth import LOCAL, Guest
from engine.serve.errors import openai_error
from engine.serve.routes.choice import Choice, Piece
from engine.serve.routes.fields import Table
from engine.serve.sessions import Manner


class Operation(Route):
    """A route, and what clients are told of it.

    Args:
        endpoint: a function of Starlette's, or an ASGI application.

    Attributes:
        method: of HTTP.
        about: a sentence.
        table: the fields of its body; None where it has none.
        must: whether there has to be a body.
        names_session: whether its request may name a session.
        kind: of what it answers, where that is no JSON.
        status: of a request that could be answered.
    """

    def __init__(
        self,
        method: str,
        path: str,
        endpoint: Callable[..., Any],
        about: str,
        *,
        table: Table | None = None,
        must: bool = False,
        names_session: bool = False,
        kind: str = "application/json",
        status: int = 200,
    ) -> None:
        super().__init__(path, endpoint, methods=[method])
        self.method = method
        self.about = about
        self.table = table
        self.must = must
        self.names_session = names_session
        self.kind = kind
        self.status = status


Body = dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """A request as it was understood.

    Attributes:
        prompts: conversations, or texts to be continued. All are of the same kind.
        n: answers to each prompt.
        stream: tell of each piece as it comes, and not of the whole answer at its end.
        template: what the chat template is given beside the messages.
        figures: a stream's end has the figures.
        extra: what the door itself wants to know again.
    """

    model: Model
    prompts: Sequence[list[Message] | RawPrompt]
    params: SamplingParams
    manner: Manner = field(default_factory=Manner)
    n: int = 1
    stream: bool = False
    template: Mapping[str, Any] = field(default_factory=dict)
    figures: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def messages(self) -> list[Message]:
        """The conversation; empty where something is to be continued."""
        first = self.prompts[0]
        return [] if isinstance(first, RawPrompt) else first


class Telling(ABC):
    """One answer on its way to its client, in one API's shape.

    Args:
        choices: the answers that are gathered, in their order.
    """

    def __init__(self, asked: Asked, choices: list[Choice]) -> None:
        self.asked = asked
        self.choices = choices

    @abstractmethod
    def begin(self) -> bytes:
        """What a stream begins with, once the length of the prompt is known."""

    @abstractmethod
    def piece(self, choice: Choice, piece: Piece) -> bytes:
        """What a stream says of a piece, which the choice has taken already."""

    @abstractmethod
    def ended(self, choice: Choice) -> bytes:
        """What a stream says of a choice's end."""

    @abstractmethod
    def end(self) -> bytes:
        """What a stream ends with."""

    @abstractmethod
    def failed(self, told: Body) -> bytes:
        """How a stream tells that the answer has failed; `told` is the door's error."""

    @abstractmethod
    def whole(self) -> Body:
        """The answer in one piece."""


class Door(Protocol):
    """One shape of asking and answering.

    Attributes:
        path: where it is.
        about: a sentence about it.
        table: the fields of its bodies.
    """

    path: str
    about: str
    table: Table

    def read(self, body: Body, model: Model, guest: Guest = LOCAL) -> Asked:
        """The body in our own terms. `guest` is whose request it is.

        Raises:
            ValueError: says what is wrong with it, or what cannot be done.
            RefusedError: where the status is not 400.
        """

    def telling(self, asked: Asked, choices: list[Choice]) -> Telling:
        """Who tells the client."""

    def error(self, status: int, code: str, message: str) -> Body:
        """An error in the door's shape."""


class OpenAIErrors:
    """The errors of OpenAI's doors."""

    def error(self, status: int, code: str, message: str) -> Body:
        """An error in the door's shape."""
        return openai_error(status, code, message)


def encoded(content: Any) -> bytes:
    """JSON as it goes over the line."""
    return json.dumps(content, ensure_ascii=False).encode("utf-8", "replace")


def event(content: Any, name: str | None = None) -> bytes:
    """A server-sent event."""
    head = b"" if name is None else f"event: {name}\n".encode()
    return head + b"data: " + encoded(content) + b"\n\n"

"""What routes have in common: their description, what a body is read into, how answers go out."""

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
from engine.serve.routes.choice import Choice, Piece
from engine.serve.routes.schema import JSON, Body
from engine.serve.sessions import SessionConfig


class Operation(Route):
    """A route, and what `/openapi.json` says of it.

    Args:
        endpoint: a function of Starlette's, or an ASGI application.

    Attributes:
        method: of HTTP.
        summary: a sentence.
        body: the model of its body; None where it has none.
        body_required: whether there has to be a body.
        media_type: of its answer.
        status: of an answer that is no error.
    """

    def __init__(
        self,
        method: str,
        path: str,
        endpoint: Callable[..., Any],
        summary: str,
        *,
        body: type[Body] | None = None,
        body_required: bool = False,
        media_type: str = "application/json",
        status: int = 200,
    ) -> None:
        super().__init__(path, endpoint, methods=[method])
        self.method = method
        self.summary = summary
        self.body = body
        self.body_required = body_required
        self.media_type = media_type
        self.status = status


@dataclass(frozen=True)
class Generation:
    """What a request wants to be generated.

    Attributes:
        prompts: conversations, or texts to be continued. All are of the same kind.
        n: answers to each prompt.
        stream: send each piece as it comes, and not the whole answer at its end.
        template: what the chat template is given beside the messages.
        usage: a stream ends with the figures.
        extra: what the API's writer needs to know beside that.
    """

    model: Model
    prompts: Sequence[list[Message] | RawPrompt]
    params: SamplingParams
    config: SessionConfig = field(default_factory=SessionConfig)
    n: int = 1
    stream: bool = False
    template: Mapping[str, Any] = field(default_factory=dict)
    usage: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def messages(self) -> list[Message]:
        """The conversation; empty where something is to be continued."""
        first = self.prompts[0]
        return [] if isinstance(first, RawPrompt) else first


class Writer(ABC):
    """Writes one answer in the shape of an API.

    Args:
        choices: the answers as they are gathered, in their order.
    """

    def __init__(self, generation: Generation, choices: list[Choice]) -> None:
        self.generation = generation
        self.choices = choices

    @property
    def all_ended(self) -> bool:
        return all(choice.last is not None for choice in self.choices)

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
    def failed(self, error: JSON) -> bytes:
        """What a stream says of a failure; `error` has the API's shape."""

    @abstractmethod
    def whole(self) -> JSON:
        """The answer in one piece."""


class GenerationAPI(Protocol):
    """An API whose answers a model generates. It knows nothing of sockets and sessions."""

    path: str
    summary: str

    @property
    def body(self) -> type[Body]:
        """The model of its bodies."""

    def read(self, body: Mapping[str, Any], model: Model, guest: Guest = LOCAL) -> Generation:
        """What a body of the guest's asks for.

        Raises:
            ValueError: says what is wrong with it, or what cannot be done.
            RefusedError: where the status is not 400.
        """

    def writer(self, generation: Generation, choices: list[Choice]) -> Writer:
        """Who writes the answer."""


def encoded(content: Any) -> bytes:
    """JSON as it is sent."""
    return json.dumps(content, ensure_ascii=False).encode("utf-8", "replace")


def event(content: Any, name: str | None = None) -> bytes:
    """A server-sent event."""
    head = b"" if name is None else f"event: {name}\n".encode()
    return head + b"data: " + encoded(content) + b"\n\n"

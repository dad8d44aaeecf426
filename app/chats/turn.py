"""The states of a chat's turn, as values: what is being composed and what is being answered."""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from app.store import Attachments, Message


class Handle(Protocol):
    """What a turn needs of the engine's Reply."""

    def cancel(self, whole: bool = False) -> object: ...

    def pause(self) -> object: ...

    def resume(self) -> object: ...


# What is being composed.


class Writing(Struct, frozen=True):
    """A new message is being written, with the files that go with it."""

    draft: str = ""
    attachments: Attachments = ()

    @property
    def text(self) -> str:
        """What stands in the composer."""
        return self.draft

    def written(self, text: str) -> Writing:
        """The same with other text in the composer."""
        return replace(self, draft=text)


class Editing(Struct, frozen=True):
    """A message is being asked in other words."""

    message: str  # its id
    text: str  # the new words so far
    draft: str = ""  # what stood in the composer before, and comes back afterwards
    # attachments, draft_attachments: the files that go with each of these
    attachments: Attachments = ()
    draft_attachments: Attachments = ()

    @classmethod
    def of(cls, message: Message, before: Compose) -> Editing:
        """A message as it is; ``before`` is what is being composed."""
        kept = before.before if isinstance(before, Editing) else before
        files = message.attachments
        return cls(message.id, message.content, kept.draft, files, kept.attachments)

    @property
    def before(self) -> Writing:
        """What stood in the composer before."""
        return Writing(self.draft, self.draft_attachments)

    def written(self, text: str) -> Editing:
        """The same with other text in the composer."""
        return replace(self, text=text)


Compose = Writing | Editing


# What is being answered; None while nothing is.


class Waiting(Struct, frozen=True):
    """The reply waits until its model is loaded. ``model`` is the model's reference."""

    model: str


class Running(Struct, frozen=True):
    """The engine has the reply. ``stopping``: it was told to end at its next token."""

    handle: Handle
    stopping: bool = False


class Paused(Struct, frozen=True):
    """The engine keeps the reply, which stands still."""

    handle: Handle


class Calling(Struct, frozen=True):
    """The model has called tools: they run, or wait for the person. ``paused``: it is not asked
    again when they have ended."""

    paused: bool = False


Reply = Waiting | Running | Paused | Calling

"""Session of a chat in the engine, opened on demand and replaced for another model or mode."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from app.chats.options import ChatOptions
from app.models.loading import ModelLoader
from app.remote.remote_session import RemoteModel, RemoteSession
from app.store import ChatRecord
from engine import EngineError

if TYPE_CHECKING:
    from engine import Model, Session

BACKGROUND = (-1, "background", 20.0)
"""Arguments of `Session.prioritise` for helpers: their prompts are read last, and they share a
fifth of the time while other chats reply."""


def context_of(chat: ChatRecord, loader: ModelLoader, ref: str = "") -> int:
    """Return a chat's context size with its model or another one, or 0 if unknown."""
    model = loader.get(ref or chat.model).model
    if model is None or not model.context_length:
        return 0
    return ChatOptions.from_params(chat.params).context_of(model.context_length)


class ChatSession:
    """Owner of at most one engine session, whose KV cache serves the next turn."""

    def __init__(self, loader: ModelLoader, chat_id: str) -> None:
        self._loader = loader
        self._chat_id = chat_id
        self._session: Session | RemoteSession | None = None
        self._front = self._background = False
        self._made_for: tuple[object, ...] | None = None

    @property
    def id(self) -> str | None:
        """Return the engine's id of the session, or None."""
        if self._session is None or isinstance(self._session, RemoteSession):
            return None
        return self._session.id

    def open(self, model: Model, options: ChatOptions) -> Session | RemoteSession:
        """Return the session for this model and mode. Raises EngineError after the engine's end."""
        if isinstance(model, RemoteModel):
            return self._open_remote(model, options)
        wanted = (
            self._loader.generation(model),
            model.id,
            options.reasoning,
            options.reproducible,
            options.slide,
            options.kv_bits,
            options.context,
        )
        if self._session is None or self._made_for != wanted:
            self.close()
            engine = self._loader.engine
            if engine is None:
                raise EngineError("engine_stopped", "The engine has been stopped.")
            # Without a system prompt: it may change between turns, so it is part of the messages.
            # The chat's own id finds its KV cache after a restart.
            self._session = engine.open_session(
                model,
                session_id=self._chat_id,
                reproducible=options.reproducible,
                reasoning=options.reasoning,
                on_overflow="slide" if options.slide else "refuse",
                kv_bits=options.kv_bits,
                context=options.context,
            )
            self._made_for = wanted
            self._prioritise()
        return self._session

    def _open_remote(self, model: RemoteModel, options: ChatOptions) -> RemoteSession:
        session, chosen = self._session, options.to_params()
        if isinstance(session, RemoteSession) and session.is_for(model.remote):
            session.choose(chosen)
            return session
        self.close()
        self._session = session = self._loader.remotes.session(model, self._chat_id, chosen)
        self._made_for = None
        return session

    def leave(self, ref: str) -> None:
        """Close the session on another machine after a change of the model."""
        if isinstance(self._session, RemoteSession) and self._session.remote.ref != ref:
            self.close()

    def set_front(self, front: bool) -> None:
        """Give its prompts priority over those of other chats, or end that."""
        if front != self._front:
            self._front = front
            self._prioritise()

    def set_background(self, background: bool) -> None:
        """Give its replies low priority unless it is in front, or end that."""
        if background != self._background:
            self._background = background
            self._prioritise()

    def _prioritise(self) -> None:
        if self._session is not None:
            behind = self._background and not self._front
            self._session.prioritise(*(BACKGROUND if behind else (int(self._front), "", 0.0)))

    def twin_of(self, other: ChatSession) -> None:
        """Start as a copy of another chat's session."""
        self.close()
        if other._session is not None:
            with suppress(EngineError):  # the engine was stopped; the first reply reads everything
                self._session = other._session.fork(self._chat_id)
                self._made_for = other._made_for

    def close(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None

    def forget(self) -> None:
        """Close the session and delete its cache on disk."""
        if isinstance(self._session, RemoteSession):  # an engine session may have existed before it
            self.close()
        if self._session is not None:
            self._session.close(forget=True)
            self._session = None
        elif self._loader.engine is not None:
            with suppress(EngineError):  # a stopped engine deletes nothing
                self._loader.engine.forget(self._chat_id)

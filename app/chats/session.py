"""A chat's session in the engine or on a server."""

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
"""`Session.prioritise` arguments for helpers.

Their prompts are prefilled last, and they get a fifth of the time while other chats are replying.
"""


def context_of(chat: ChatRecord, loader: ModelLoader, ref: str = "") -> int:
    model = loader.get(ref or chat.model).model
    if model is None or not model.context_length:
        return 0
    return ChatOptions.from_params(chat.params).context_of(model.context_length)


class ChatSession:
    """Owner of at most one engine session, whose KV cache is reused for the next turn."""

    def __init__(self, loader: ModelLoader, chat_id: str) -> None:
        self._loader = loader
        self._chat_id = chat_id
        self._session: Session | RemoteSession | None = None
        self._front = self._background = False
        self._made_for: tuple[object, ...] | None = None

    @property
    def id(self) -> str | None:
        if self._session is None or isinstance(self._session, RemoteSession):
            return None
        return self._session.id

    def open(self, model: Model, options: ChatOptions) -> Session | RemoteSession:
        """Return the session for this model and mode. Raises EngineError if the engine has
        stopped.
        """
        if isinstance(model, RemoteModel):
            return self._open_remote(model, options)
        key = (
            self._loader.generation(model),
            model.id,
            options.reasoning,
            options.reproducible,
            options.slide,
            options.kv_bits,
            options.context,
        )
        if self._session is None or self._made_for != key:
            self.close()
            engine = self._loader.engine
            if engine is None:
                raise EngineError("engine_stopped", "The engine has been stopped.")
            # The system prompt is a message, because it may change between turns. After a restart,
            # the engine finds the KV cache by the chat's ID.
            self._session = engine.open_session(
                model,
                session_id=self._chat_id,
                reproducible=options.reproducible,
                reasoning=options.reasoning,
                on_overflow="slide" if options.slide else "refuse",
                kv_bits=options.kv_bits,
                context=options.context,
            )
            self._made_for = key
            self._prioritise()
        return self._session

    def _open_remote(self, model: RemoteModel, options: ChatOptions) -> RemoteSession:
        self.close()
        params, remotes = options.to_params(), self._loader.remotes
        self._session = session = RemoteSession(self._chat_id, model.remote, remotes, params)
        self._made_for = None
        return session

    def set_front(self, front: bool) -> None:
        if front != self._front:
            self._front = front
            self._prioritise()

    def set_background(self, background: bool) -> None:
        """Set whether replies have low priority. Has no effect while the chat is in front."""
        if background != self._background:
            self._background = background
            self._prioritise()

    def _prioritise(self) -> None:
        if self._session is not None:
            behind = self._background and not self._front
            self._session.prioritise(*(BACKGROUND if behind else (int(self._front), "", 0.0)))

    def fork_from(self, source: ChatSession) -> None:
        self.close()
        if source._session is not None:
            # if the engine has stopped, the first reply prefills everything
            with suppress(EngineError):
                self._session = source._session.fork(self._chat_id)
                self._made_for = source._made_for
                self._prioritise()  # the engine's fork has the priority of its source

    def close(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None

    def forget(self) -> None:
        if isinstance(self._session, RemoteSession):  # there may be an older engine session
            self.close()
        if self._session is not None:
            self._session.close(forget=True)
            self._session = None
        elif self._loader.engine is not None:
            with suppress(EngineError):
                self._loader.engine.forget(self._chat_id)

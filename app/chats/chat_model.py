"""Model of a chat: its status, what it can take, and its loading."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from app.chats.chat_reply import ChatReply
from app.chats.saved_chat import SavedChat
from app.chats.session import context_of
from app.chats.transcript import tokens_of_last_turn
from app.models.loading import LoadState, ModelLoader, ModelStatus
from app.remote.address import Remote, named
from app.remote.remote_session import RemoteModel
from app.store import Attachments, has_images, has_sounds


class ChatModel(QObject):
    """The model that a chat's record refers to."""

    # see `Chat`
    chat_changed = Signal()
    phase_changed = Signal()

    def __init__(
        self, saved: SavedChat, loader: ModelLoader, reply: ChatReply, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._saved, self._reply = saved, reply
        self.loader = loader
        self.alias = ""  # shown while the model's name is hidden
        loader.changed.connect(self._on_known)

    @property
    def status(self) -> ModelStatus:
        """Return the model and the state of its loading."""
        return self.loader.get(self._saved.record.model)

    @property
    def name(self) -> str:
        return self.alias or self.status.name

    @property
    def remote(self) -> Remote | None:
        """Return the server of the model, if it is not loaded in this program."""
        return named(self._saved.record.model)

    @property
    def remote_now(self) -> Remote | None:
        """Return `remote` with what the server has reported about itself."""
        model = self.status.model
        return model.remote if isinstance(model, RemoteModel) else self.remote

    @property
    def context(self) -> tuple[int, int, int]:
        """Return the tokens of the last turn, how many were reused, and the context size; 0 if
        unknown."""
        limit = context_of(self._saved.record, self.loader)
        return *tokens_of_last_turn(self._saved.transcript), limit

    def cannot_see(self, files: Attachments) -> str:
        """Return the model's name if the files contain images and it certainly cannot see.

        Else "", also while the model's folder is being examined.
        """
        if not has_images(files) or self.loader.sees(self._saved.record.model) is not False:
            return ""
        return self.name

    def cannot_hear(self, files: Attachments) -> str:
        """Return the same for recordings, once the model is loaded."""
        model = self.status.model
        hears = model is None or model.hears
        return "" if hears or not has_sounds(files) else self.name

    @property
    def unseen_images(self) -> str:
        """Return `cannot_see` for the files in the composer."""
        return self.cannot_see(self._saved.compose.attachments)

    def load(self) -> None:
        """Load the model, also after a failure. An unloaded one is loaded by the next message."""
        if self.status.state is not LoadState.UNLOADED:
            self._want(self._saved.record.model)

    def start(self) -> None:
        """Load the model, also if it is spread over machines: only this starts it."""
        if not self.loader.spread.start(self._saved.record.model):
            self.load()

    def leave(self) -> None:
        """Cancel loading that only this chat waits for."""
        self.loader.leave(self._saved.record.model, self._saved.record.id)

    def set(self, ref: str) -> None:
        """Use another model for the next reply, and for one that waits for its model."""
        before = self._saved.record.model
        if ref != before:
            self._saved.update(model=ref)
            self.chat_changed.emit()
            if not self._reply.is_active:
                self._reply.answering.session.leave(ref)
        self._want(ref)
        self._reply.answering.move_to(ref)
        if before not in {ref, *self._reply.waits_for}:
            self.loader.leave(before, self._saved.record.id)
        self.phase_changed.emit()

    def _want(self, ref: str) -> None:
        options = self._reply.answering.options
        self.loader.want(ref, options.kv_bits, options.context, self._saved.record.id)

    @Slot()
    def _on_known(self) -> None:
        """Update the notice: more may be known about which models can see."""
        if self.unseen_images:
            self.phase_changed.emit()

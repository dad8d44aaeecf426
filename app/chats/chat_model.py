from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from app.chats.chat_part import ChatPart
from app.chats.chat_reply import ChatReply
from app.chats.saved_chat import SavedChat
from app.chats.session import context_of
from app.chats.transcript import tokens_of_last_turn
from app.models.loading import LoadState, ModelLoader, ModelStatus
from app.remote.address import Remote, parse_ref
from app.remote.remote_session import RemoteModel
from app.store import Attachments, has_images, has_sounds


class ChatModel(ChatPart):
    """Model of a chat: its state, what it supports, and switching to another."""

    def __init__(
        self, saved: SavedChat, loader: ModelLoader, reply: ChatReply, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._saved, self._reply = saved, reply
        self.loader = loader
        loader.changed.connect(self._on_known)

    @property
    def status(self) -> ModelStatus:
        return self.loader.get(self._saved.record.model)

    @property
    def remote(self) -> Remote | None:
        return parse_ref(self._saved.record.model)

    @property
    def remote_with_details(self) -> Remote | None:
        model = self.status.model
        return model.remote if isinstance(model, RemoteModel) else self.remote

    @property
    def context(self) -> tuple[int, int, int]:
        """Return the tokens of the last turn, the reused tokens, and the context size (0 if
        unknown).
        """
        limit = context_of(self._saved.record, self.loader)
        return *tokens_of_last_turn(self._saved.transcript), limit

    def model_without_vision(self, files: Attachments) -> str:
        """Return the model's name if the model can't see the images among the files, or "".

        Returns "" until the model's folder has been inspected.
        """
        if not has_images(files) or self.loader.has_vision(self._saved.record.model) is not False:
            return ""
        return self.status.name

    def model_without_audio(self, files: Attachments) -> str:
        """Return the model's name if the model can't hear the recordings among the files, or "".

        Returns "" until the model is loaded.
        """
        model = self.status.model
        hears = model is None or model.hears
        return "" if hears or not has_sounds(files) else self.status.name

    @property
    def model_missing_images(self) -> str:
        return self.model_without_vision(self._saved.compose.attachments)

    def load(self) -> None:
        """Load the model or retry. An unloaded model isn't loaded until the next message."""
        if self.status.state is not LoadState.UNLOADED:
            self._request(self._saved.record.model)

    def start(self) -> None:
        """Load the model, even if it is distributed over several machines."""
        if not self.loader.spread.start(self._saved.record.model):
            self.load()

    def cancel_load_if_unused(self) -> None:
        self.loader.withdraw_request(self._saved.record.model, self._saved.record.id)

    def set(self, ref: str) -> None:
        """Switch models for the next reply, and for a reply that is still waiting for its model."""
        before = self._saved.record.model
        if ref != before:
            self._saved.save_fields(model=ref)
            self.chat_changed.emit()
        self._request(ref)
        self._reply.generator.on_chat_model_changed()
        if before not in {ref, *self._reply.awaited_models}:
            self.loader.withdraw_request(before, self._saved.record.id)
        self.phase_changed.emit()

    def _request(self, ref: str) -> None:
        options = self._reply.generator.options
        self.loader.request(ref, options.kv_bits, options.context, self._saved.record.id)

    @Slot()
    def _on_known(self) -> None:
        """Update the notice, because `has_vision` may have an answer now."""
        if self.model_missing_images:
            self.phase_changed.emit()

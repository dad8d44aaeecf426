"""One chat on screen: header, conversation, composer. It shows; the controller does."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from app.chats.controller import ChatController
from app.chats.model_choice import LoadState
from app.ui.composer.composer import Composer
from app.ui.pane.empty import EmptyChat
from app.ui.pane.find_bar import FindBar
from app.ui.pane.header import PaneHeader
from app.ui.pane.notice import Notice
from app.ui.transcript.transcript_layout import column_in
from app.ui.transcript.transcript_view import TranscriptView


class ChatPane(QWidget):
    """Shows one controller.

    Signals:
        models_asked(pane), options_asked(pane), open_model_asked(): what the window does for it.
        spoken(pane, text): a message of the person went to this chat.
        broadcast_asked(pane): it is to leave the broadcast's group, or join it.
        branch_asked(pane, message id): a new chat is to begin there.
        deleted(chat id, removal): messages were deleted and may come back.
        said(text): a short word for the person, shown as a toast.
    """

    models_asked = Signal(object)
    options_asked = Signal(object)
    open_model_asked = Signal()
    said = Signal(str)
    spoken = Signal(object, str)
    broadcast_asked = Signal(object)
    branch_asked = Signal(object, str)
    deleted = Signal(str, object)

    def __init__(self, controller: ChatController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.controller = controller
        self._editing: str | None = None
        self._kept_draft = ""
        self._active = False
        self._broadcast = 0
        self.header = PaneHeader(controller, self)
        self.transcript = TranscriptView(controller, self)
        self.find_bar = FindBar(controller, self.transcript, self)
        self.empty = EmptyChat(controller, self)
        self.notice = Notice(("Try Again", "Open Model Folder…"), self)
        self.composer = Composer(self)
        self._pages = QStackedWidget(self)
        self._pages.addWidget(self.empty)
        self._pages.addWidget(self.transcript)
        self._foot = QVBoxLayout()
        self._foot.setSpacing(8)
        self._foot.addWidget(self.notice)
        self._foot.addWidget(self.composer)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.header)
        layout.addWidget(self.find_bar)
        layout.addWidget(self._pages, 1)
        layout.addLayout(self._foot)
        self.setMinimumSize(260, 200)
        self.setFocusProxy(self.composer.field)
        self.composer.set_text(controller.chat.draft)
        self._connect()
        self._refresh()

    def _connect(self) -> None:
        controller, composer = self.controller, self.composer
        composer.sent.connect(self._on_send)
        composer.stopped.connect(controller.stop)
        composer.changed.connect(self._on_draft)
        composer.recalled.connect(self.edit_last)
        composer.edit_cancelled.connect(self.cancel_edit)
        composer.paged.connect(self.transcript.scroll_pages)
        self.transcript.asked.connect(self._on_asked)
        self.transcript.left.connect(self._on_left)
        self.find_bar.closed.connect(self.focus_composer)
        self.empty.chosen.connect(self._on_suggestion)
        composer.broadcast_toggled.connect(lambda: self.broadcast_asked.emit(self))
        self.header.models_asked.connect(lambda: self.models_asked.emit(self))
        self.header.options_asked.connect(lambda: self.options_asked.emit(self))
        self.notice.buttons[0].clicked.connect(controller.load_model)
        self.notice.buttons[1].clicked.connect(self.open_model_asked)
        controller.phase_changed.connect(self._refresh)
        controller.chat_changed.connect(self._refresh)
        controller.path_changed.connect(self._refresh)
        controller.message_added.connect(self._refresh)

    @property
    def active(self) -> bool:
        """Whether the keys go to this pane."""
        return self._active

    def set_active(self, active: bool) -> None:
        self._active = active
        self.controller.set_front(active)
        self.composer.set_active(active)

    def set_broadcast(self, on: bool, receivers: int) -> None:
        """Say that a message from here goes to that many chats; 0 for this one only."""
        self._broadcast = receivers
        self.composer.set_broadcast(on, receivers > 0)
        self._refresh()

    def focus_composer(self) -> None:
        self.composer.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    @Slot()
    def edit_last(self) -> None:
        """Take the last message of the person into the composer to ask it in other words."""
        message = self.controller.transcript.last("user")
        if message is not None:
            self._edit(message.id)

    @Slot()
    def cancel_edit(self) -> None:
        """Leave the message as it was and bring the draft back."""
        if self._editing is not None:
            self._editing = None
            self.composer.set_editing("")
            self.composer.set_text(self._kept_draft)
            self.focus_composer()

    def same_again(self) -> None:
        """Have the last answer once more, with its own model, seed and settings."""
        last = self.controller.transcript.last("assistant")
        if not self.controller.same_again() and last is not None and not self.controller.answering:
            self.said.emit("The seed of the last answer is not known")

    def copy_last(self) -> None:
        """Put the last answer on the clipboard."""
        message = self.controller.transcript.last("assistant")
        if message is not None:
            self._copy(message.id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() != Qt.Key.Key_Escape:
            self._type(event)
        elif self._editing is not None:
            self.cancel_edit()
        elif self.controller.answering:
            self.controller.stop()
        else:
            self.focus_composer()

    def _type(self, event: QKeyEvent) -> None:
        """Words that are typed anywhere in the pane belong into the composer."""
        commands = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
        if event.text().strip() and event.text().isprintable() and not event.modifiers() & commands:
            self.focus_composer()
            self.composer.field.insertPlainText(event.text())
        else:
            super().keyPressEvent(event)

    @Slot(bool)
    def _on_left(self, forward: bool) -> None:
        """The keys leave the conversation."""
        if forward:
            self.focus_composer()
        else:
            self.header.options_button.setFocus(Qt.FocusReason.BacktabFocusReason)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        left, _ = column_in(self.width())
        # The composer's text, not its edge, stands in line with the conversation's.
        edge = max(10, left - 16)
        self._foot.setContentsMargins(edge, 4, edge, 12 if self.width() < 420 else 16)
        self.composer.set_limit(round(self.height() * 0.4))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.controller.mark_seen()

    @Slot()
    def _refresh(self) -> None:
        controller = self.controller
        self._pages.setCurrentWidget(
            self.transcript if controller.transcript.leaf_id is not None else self.empty
        )
        shelved = controller.shelved
        failed = shelved.state is LoadState.FAILED
        # Once the failure stands in the conversation itself, saying it twice would be noise.
        last = controller.transcript.path[-1:] if failed else []
        told = bool(last) and last[0].status == "error" and last[0].error == shelved.error
        self.notice.setVisible(failed and not told)
        if failed:
            self.notice.set_text(f"{shelved.name} could not be loaded. {shelved.error}")
        self.composer.set_placeholder(
            f"Message {self._broadcast} chats…"
            if self._broadcast > 1
            else f"Message {shelved.name}…"
        )
        self.composer.set_answering(controller.answering)
        if self.isVisible() and controller.unseen:
            controller.mark_seen()

    @Slot(str)
    def _on_send(self, text: str) -> None:
        if self._editing is not None:
            editing, self._editing = self._editing, None
            if self.controller.edit(editing, text):
                self.composer.set_editing("")
                self.composer.set_text(self._kept_draft)
            else:
                self._editing = editing
        elif self.controller.send(text):
            self.composer.set_text("")
            self.spoken.emit(self, text)
        self.focus_composer()

    @Slot(str)
    def _on_suggestion(self, text: str) -> None:
        if self.controller.send(text):
            self.spoken.emit(self, text)
        self.focus_composer()

    @Slot(str)
    def _on_draft(self, text: str) -> None:
        if self._editing is None:
            self.controller.set_draft(text)

    @Slot(str, str)
    def _on_asked(self, action: str, message_id: str) -> None:
        """One of a message's buttons was pressed."""
        if action == "copy":
            self._copy(message_id)
        elif action == "copied":
            self.said.emit("Copied")
        elif action == "edit":
            self._edit(message_id)
        elif action in {"regenerate", "retry"}:
            self.controller.regenerate(message_id)
        elif action == "same":
            self.controller.same_again(message_id)
        elif action == "continue":
            self.controller.continue_answer(message_id)
        elif action == "branch":
            self.branch_asked.emit(self, message_id)
        elif action == "delete":
            removal = self.controller.delete_message(message_id)
            if removal is not None:
                self.deleted.emit(self.controller.id, removal)
        elif action in {"previous", "next"}:
            self.controller.show_alternative(message_id, 1 if action == "next" else -1)

    def _copy(self, message_id: str) -> None:
        QGuiApplication.clipboard().setText(self.controller.message(message_id).content)
        self.said.emit("Copied")

    def _edit(self, message_id: str) -> None:
        if self.controller.answering:
            return
        if self._editing is None:
            self._kept_draft = self.composer.text
        self._editing = message_id
        self.composer.set_editing("Editing your message. The first version stays.")
        self.composer.set_text(self.controller.message(message_id).content)
        self.focus_composer()

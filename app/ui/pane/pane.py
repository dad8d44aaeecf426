"""One chat on screen: header, conversation, composer. It reports and draws; the chat does."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from app.chats.actions import Action
from app.chats.chat import Chat
from app.chats.model_choice import LoadState
from app.chats.turn import Editing
from app.language import tr
from app.paths import base_of
from app.remote.address import Remote
from app.store import Attachments
from app.ui.composer.composer import Composer
from app.ui.pane import leaving
from app.ui.pane.empty import EmptyChat
from app.ui.pane.find_bar import FindBar
from app.ui.pane.header import PaneHeader
from app.ui.pane.notice import LoadNotice
from app.ui.transcript.error_block import BASE, MODELS, UNLOAD
from app.ui.transcript.transcript_layout import column_in
from app.ui.transcript.transcript_view import TranscriptView


class ChatPane(QWidget):
    """Shows one chat.

    Signals:
        models_asked(pane), options_asked(pane), open_model_asked(): what the window does for it.
        cancel_load_asked(pane): the same.
        unload_asked(pane, button): the same; a model is to make room for the pane's.
        spoken(pane, text): a message of the person went to this chat.
        broadcast_asked(pane): it is to leave the broadcast's group, or join it.
        branch_asked(pane, message id): a new chat is to begin there.
        deleted(chat id, removal): messages were deleted and may come back.
        escaped(pane): Esc was pressed in the composer, and there was nothing to end by it.
        said(text): a short word for the person, shown as a toast.
    """

    models_asked = Signal(object)
    options_asked = Signal(object)
    tools_asked = Signal(object)
    open_model_asked = Signal()
    cancel_load_asked = Signal(object)
    unload_asked = Signal(object, object)
    said = Signal(str)
    escaped = Signal(object)
    spoken = Signal(object, str)
    broadcast_asked = Signal(object)
    branch_asked = Signal(object, str)
    deleted = Signal(str, object)

    def __init__(self, chat: Chat, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.chat = chat
        self._active = False
        self._broadcast = 0
        self._heard_at: tuple[Remote, ...] = ()
        self.spoken_files: Attachments = ()  # of the message that `spoken` tells
        self.header = PaneHeader(chat, self)
        self.transcript = TranscriptView(chat, self)
        self.find_bar = FindBar(chat, self.transcript, self)
        self.empty = EmptyChat(chat, self)
        self.notice = LoadNotice(self)
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
        self.composer.show_compose(chat.compose)
        self._acts: dict[Action, Callable[[str], object]] = {
            Action.SEND: lambda _: self._send(),
            Action.STOP: lambda _: chat.stop(),
            Action.PAUSE: lambda _: chat.toggle_pause(),
            Action.CANCEL_EDIT: lambda _: chat.cancel_edit(),
            Action.EDIT: chat.start_edit,
            Action.REGENERATE: chat.regenerate,
            Action.SAME_AGAIN: chat.same_again,
            Action.CONTINUE: chat.continue_answer,
            Action.GO_ON: lambda _: chat.go_on(),
            Action.FORGET_OLDEST: self._forget_oldest,
            Action.COPY: self._copy,
            Action.BRANCH: lambda message_id: self.branch_asked.emit(self, message_id),
            Action.DELETE: self._delete,
            Action.EARLIER: lambda message_id: chat.show_version(-1, message_id),
            Action.LATER: lambda message_id: chat.show_version(1, message_id),
        }
        self._connect()
        self._refresh()

    def _connect(self) -> None:
        chat, composer = self.chat, self.composer
        composer.submitted.connect(lambda: self.act(Action.SEND))
        composer.stopped.connect(lambda: self.act(Action.STOP))
        composer.changed.connect(self._on_written)
        composer.recalled.connect(lambda: self.act(Action.EDIT))
        composer.edit_cancelled.connect(lambda: self.act(Action.CANCEL_EDIT))
        composer.said.connect(self.said)
        composer.paged.connect(self.transcript.scroll_pages)
        self.transcript.asked.connect(self._on_asked)
        self.transcript.left.connect(self._on_left)
        self.find_bar.closed.connect(self.focus_composer)
        self.empty.chosen.connect(self._on_suggestion)
        self.empty.model_asked.connect(chat.set_model)
        composer.broadcast_toggled.connect(lambda: self.broadcast_asked.emit(self))
        self.header.models_asked.connect(lambda: self.models_asked.emit(self))
        self.header.options_asked.connect(lambda: self.options_asked.emit(self))
        self.header.tools_asked.connect(lambda: self.tools_asked.emit(self))
        self.header.cancel_asked.connect(lambda: self.cancel_load_asked.emit(self))
        self.notice.buttons[0].clicked.connect(chat.start_model)
        self.notice.buttons[1].clicked.connect(self.open_model_asked)
        self.notice.buttons[3].clicked.connect(self._leave_adapter)
        unload = self.notice.buttons[2]
        unload.clicked.connect(lambda: self.unload_asked.emit(self, unload))
        chat.compose_changed.connect(self._on_compose)
        chat.turn_changed.connect(self._show_turn)
        chat.phase_changed.connect(self._refresh)
        chat.chat_changed.connect(self._refresh)
        chat.path_changed.connect(self._refresh)
        chat.message_added.connect(self._refresh)
        # Both ends outlive this pane, and the chat may get another one.
        once = Qt.ConnectionType.UniqueConnection
        for changed in (chat.compose_changed, chat.path_changed, chat.chat_changed):
            changed.connect(chat.count.count_soon, once)
        chat.message_added.connect(chat.count.count_soon, once)
        chat.count.counted.connect(composer.show_count)

    @property
    def active(self) -> bool:
        """Whether the keys go to this pane."""
        return self._active

    def set_active(self, active: bool) -> None:
        self._active = active
        self.chat.set_front(active)
        self.composer.set_active(active)

    def set_broadcast(self, on: bool, receivers: int, remotes: Sequence[Remote] = ()) -> None:
        """Say that a message from here goes to that many chats; 0 for this one only."""
        self._broadcast, self._heard_at = receivers, tuple(remotes)
        self.composer.set_broadcast(on, receivers > 0)
        self._refresh()

    def focus_composer(self) -> None:
        self.composer.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def act(self, action: Action, message_id: str = "") -> bool:
        """Do what a button, a menu or a key asks for, or say why it cannot be done now.

        Without an id it is about the last message that fits.
        """
        reason = self.chat.can(action, message_id)
        if reason is not None:
            self.said.emit(reason)
            return False
        self._acts[action](message_id)
        if action in {Action.SEND, Action.EDIT, Action.CANCEL_EDIT}:
            self.focus_composer()
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() != Qt.Key.Key_Escape:
            self._type(event)
        elif isinstance(self.chat.compose, Editing):
            self.act(Action.CANCEL_EDIT)
        elif self.chat.answering:
            self.act(Action.STOP)
        elif not self.transcript.forget_found():
            at_rest = self.window().focusWidget() is self.composer.field
            self.focus_composer()
            if at_rest:
                self.escaped.emit(self)

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
            self.header.last_button.setFocus(Qt.FocusReason.BacktabFocusReason)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        left, _ = column_in(self.width())
        # The composer's text, not its edge, stands in line with the conversation's.
        edge = max(10, left - 16)
        self._foot.setContentsMargins(edge, 4, edge, 12 if self.width() < 420 else 16)
        self.composer.set_limit(round(self.height() * 0.4))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.chat.mark_seen()

    @Slot()
    def _refresh(self) -> None:
        chat = self.chat
        self._pages.setCurrentWidget(
            self.transcript if chat.transcript.leaf_id is not None else self.empty
        )
        model_status = chat.model_status
        failed = model_status.state is LoadState.FAILED
        # Once the failure stands in the conversation itself, saying it twice would be noise.
        last = chat.transcript.path[-1:] if failed else []
        told = bool(last) and last[0].status == "error" and last[0].error == model_status.error
        self.notice.setVisible(failed and not told)
        self.notice.show_status(model_status, chat.alias or model_status.name)
        self.composer.set_words(*leaving.words(chat, self._broadcast, self._heard_at))
        self._show_turn()
        if self.isVisible() and chat.unseen:
            chat.mark_seen()

    @Slot()
    def _show_turn(self) -> None:
        stops = self.chat.answering
        refusal = self.chat.can(Action.STOP if stops else Action.SEND)
        self.composer.show_turn(stops=stops, refusal=refusal)

    @Slot()
    def _on_compose(self) -> None:
        """Something else is being composed."""
        self.composer.show_compose(self.chat.compose)
        self._show_turn()

    @Slot(str)
    def _on_written(self, text: str) -> None:
        self.chat.write(text)
        self.chat.count.count_soon()
        self.transcript.forget_found()
        self._show_turn()

    def _send(self) -> None:
        compose = self.chat.compose
        self.spoken_files = compose.attachments
        if self.chat.submit() and not isinstance(compose, Editing):
            self.spoken.emit(self, compose.text)

    @Slot(str)
    def _on_suggestion(self, text: str) -> None:
        self.spoken_files = ()
        if self.chat.send(text):
            self.spoken.emit(self, text)
        self.focus_composer()

    @Slot(str, str)
    def _on_asked(self, action: str, message_id: str) -> None:
        """One of a message's buttons was pressed."""
        if action == "copied":
            self.said.emit(tr("Copied"))
        elif action == MODELS:
            self.models_asked.emit(self)
        elif action == BASE:
            self._leave_adapter()
            self.act(Action.REGENERATE, message_id)
        elif action == UNLOAD:
            self.unload_asked.emit(self, self.transcript.row(message_id))
        else:
            self.act(Action(action), message_id)

    def _leave_adapter(self) -> None:
        self.chat.set_model(base_of(self.chat.record.model))

    def _forget_oldest(self, message_id: str) -> None:
        if self.chat.forget_oldest(message_id):
            self.said.emit(tr("From now on this chat forgets its oldest turns"))

    def _copy(self, message_id: str) -> None:
        last = self.chat.transcript.last("assistant")
        message_id = message_id or (last.id if last is not None else "")
        QGuiApplication.clipboard().setText(self.chat.message(message_id).content)
        self.said.emit(tr("Copied"))

    def _delete(self, message_id: str) -> None:
        removal = self.chat.delete_message(message_id)
        if removal is not None:
            self.deleted.emit(self.chat.id, removal)

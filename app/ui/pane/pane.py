from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial

from msgspec import Struct
from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import (
    QGuiApplication,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QStackedWidget, QWidget

from app.chats import panel
from app.chats.actions import BLIND, EVENTS, Action
from app.chats.chat import Chat
from app.chats.turn import Content, Effect, Event, QueueState, Refusal
from app.models.loading import LoadState
from app.models.names import base_model
from app.remote.address import Remote
from app.settings.language import mark, tr
from app.settings.settings import Settings
from app.store import Attachments
from app.ui.composer.composer import Composer
from app.ui.pane import header
from app.ui.pane.branches import BranchTree
from app.ui.pane.comparison_view import ComparisonRequest, ComparisonView
from app.ui.pane.empty import EmptyChat
from app.ui.pane.find_bar import FindBar
from app.ui.pane.header import PaneHeader, ReadLine
from app.ui.pane.notice import Notice
from app.ui.pane.queue_view import QueueView
from app.ui.style.theme import scaled, theme
from app.ui.transcript.message_row import PaneRequest, RowAction, ShowColumn
from app.ui.transcript.selection import reply_data
from app.ui.transcript.transcript_view import TranscriptView, text_column_for
from app.ui.widgets.layout_helpers import make_column_layout
from app.ui.widgets.widget_behavior import announce, is_typed_text, show_if

LEAST = (272, 220)  # minimum width and height at normal text size


class _Broadcast(Struct, frozen=True):
    """Arguments of `ChatPane.set_broadcast`."""

    on: bool = False
    receivers: int = 0
    remotes: tuple[Remote, ...] = ()
    offered: bool = False


class ChatPane(QWidget):
    """View of a chat. Its signals are requests to the controllers in `app.ui.window`."""

    # (pane, `PaneRequest`, button): open a menu or popover, next to the button if possible.
    menu_requested = Signal(object, object, object)
    download_requested = Signal()
    four_replies_requested = Signal(str, str)  # (ref, text): see `EmptyChat.four_replies_requested`
    notice_posted = Signal(str)  # (text)
    file_rejected = Signal(str)  # (message)
    # (pane): Escape was pressed with nothing left to cancel
    escape_pressed = Signal(object)
    # (pane, text, files)
    text_sent = Signal(object, str, object)
    # (pane, message ID)
    branch_requested = Signal(object, str)
    comparison_requested = Signal(object, object, str)  # (pane, `ComparisonRequest`, message ID)
    # (pane, message ID, message ID)
    compare_branches_requested = Signal(object, str, str)
    messages_deleted = Signal(str, object)  # (chat ID, removal)
    # (chat ID, message, index)
    queued_removed = Signal(str, object, int)

    def __init__(self, chat: Chat, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.chat = chat
        self.active = False  # the pane has focus
        self._broadcast = _Broadcast()
        chat.turn.several = False  # an earlier pane of the chat may have left it on
        self.header = PaneHeader(chat, self)
        self.transcript = TranscriptView(chat, self)
        self.composer = Composer(settings, self)
        self.pages = QStackedWidget(self)  # the conversation, or a page shown in its place
        self.pages.addWidget(self.transcript)
        self._foot = make_column_layout(self.composer)
        self._rows = make_column_layout(
            self.header, (self.pages, 1), self._foot, of=self, spacing=0
        )
        self._progress_line = ReadLine(self.header, chat, self)
        self._on_theme()
        theme().changed.connect(self._on_theme)
        self.setFocusProxy(self.composer.field)
        # Clicking anywhere in a pane makes it active.
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._show_compose()
        self._acts: dict[Action, Callable[[str], object]] = {
            Action.EDIT: chat.start_edit,
            Action.REGENERATE: chat.regenerate,
            Action.SAME_AGAIN: chat.repeat_answer,
            Action.COMPARE: partial(self.comparison_requested.emit, self, ComparisonRequest.ASK),
            Action.SHOW_COMPARISON: self.show_comparison,
            Action.CONTINUE: chat.continue_answer,
            Action.GO_ON: lambda _: chat.continue_turn(),
            Action.FORGET_OLDEST: self._forget_oldest,
            Action.COPY: self._copy,
            Action.BRANCH: lambda message_id: self.branch_requested.emit(
                self, message_id or chat.transcript.leaf_id
            ),
            Action.DELETE: self._delete,
            Action.EARLIER: lambda message_id: chat.show_version(-1, message_id),
            Action.LATER: lambda message_id: chat.show_version(1, message_id),
        }
        self._connect()
        self._refresh()
        leaf = chat.transcript.leaf
        if leaf is not None and panel.is_open(leaf):
            self.show_comparison(leaf.id)

    def _connect(self) -> None:
        chat, composer, field = self.chat, self.composer, self.composer.field
        field.submitted.connect(lambda: self.act(Action.SEND))
        field.interrupt_requested.connect(lambda: self._on_enter(Event.STEER))
        composer.stop_requested.connect(lambda: self.act(Action.STOP))
        composer.changed.connect(self._on_written)
        field.edit_last_requested.connect(self._on_recalled)
        composer.cancel_edit.clicked.connect(lambda: self.act(Action.CANCEL_EDIT))
        field.text_rejected.connect(self.notice_posted)
        field.page_scrolled.connect(self.transcript.scroll_pages)
        self.transcript.action_requested.connect(self._on_action_requested)
        self.transcript.focus_left.connect(self._on_left)
        for button, request in (
            (self.header.model_button, PaneRequest.CHOOSE_MODEL),
            (self.header.options_button, PaneRequest.OPEN_OPTIONS),
            (self.header.tools_button, PaneRequest.OPEN_TOOLS),
        ):
            button.clicked.connect(partial(self._request_menu, request, button))
        chat.compose_changed.connect(self._on_compose)
        chat.turn_changed.connect(self._show_turn)
        chat.phase_changed.connect(self._refresh)
        chat.chat_changed.connect(self._refresh)
        chat.path_changed.connect(self._refresh)
        chat.message_added.connect(self._show_page)
        chat.message_added.connect(self.hide_comparison)  # show the new message
        chat.turn.text_sent.connect(self._on_sent)
        # The chat and its counter outlive this pane and may get a new pane later.
        once = Qt.ConnectionType.UniqueConnection
        for changed in (chat.compose_changed, chat.path_changed, chat.chat_changed):
            changed.connect(chat.count.request_count_soon, once)
        chat.message_added.connect(chat.count.request_count_soon, once)
        chat.count.count_changed.connect(composer.show_count)

    @cached_property
    def empty(self) -> EmptyChat:
        view = EmptyChat(self.chat, self.pages)
        self._insert_in_tab_order(self.transcript, view)
        self.pages.addWidget(view)
        view.suggestion_chosen.connect(self._on_suggestion)
        view.model_requested.connect(self._on_model_asked)
        view.get.clicked.connect(self.download_requested)
        view.four_replies_requested.connect(self.four_replies_requested)
        return view

    @cached_property
    def tree(self) -> BranchTree:
        view = BranchTree(self.chat, self.pages)
        self._insert_in_tab_order(self.transcript, view)
        self.pages.addWidget(view)
        view.branch_chosen.connect(self._go_to_branch)
        view.comparison_requested.connect(partial(self.compare_branches_requested.emit, self))
        view.prune_requested.connect(partial(self.act, Action.DELETE))
        view.notice_posted.connect(self.notice_posted)
        view.closed.connect(partial(self.show_tree, False))
        return view

    @property
    def is_tree_shown(self) -> bool:
        return "tree" in vars(self) and self.pages.currentWidget() is self.tree

    def show_tree(self, is_shown: bool) -> None:
        if is_shown and self.chat.transcript.leaf_id is not None:
            self.pages.setCurrentWidget(self.tree)
            self.tree.open_tree()
        elif self.is_tree_shown:
            self.pages.setCurrentWidget(self.transcript)
            self.focus_composer()

    @Slot(str)
    def _go_to_branch(self, message_id: str) -> None:
        if self.chat.show_branch_of(message_id):
            self.show_tree(False)
            self.transcript.show_message(message_id)

    @cached_property
    def comparison(self) -> ComparisonView:
        view = ComparisonView(self.chat, self.pages)
        self.pages.addWidget(view)
        self._insert_in_tab_order(self.transcript, view)
        view.action_requested.connect(self._on_action_requested)
        view.requested.connect(partial(self.comparison_requested.emit, self))
        view.hide_requested.connect(self.hide_comparison)
        return view

    @property
    def is_comparison_shown(self) -> bool:
        return "comparison" in vars(self) and self.pages.currentWidget() is self.comparison

    def show_comparison(self, message_id: str) -> None:
        message_id = message_id or self.chat.transcript.leaf_id or ""
        if self.chat.panel_runner.columns(message_id):
            self.comparison.show_columns(message_id)
            self.pages.setCurrentWidget(self.comparison)
            self.comparison.focus_column()

    @Slot()
    def hide_comparison(self) -> None:
        if self.is_comparison_shown:
            has_focus = self.isAncestorOf(self.window().focusWidget())
            self.pages.setCurrentWidget(self.transcript)
            if has_focus:  # a message may have been added while the user is somewhere else
                self.focus_composer()

    @cached_property
    def find_bar(self) -> FindBar:
        bar = FindBar(self.chat, self.transcript, self)
        self._insert_in_tab_order(self.transcript, bar)
        self._rows.insertWidget(self._rows.indexOf(self.pages), bar)
        bar.closed.connect(self.focus_composer)
        return bar

    @cached_property
    def notice(self) -> Notice:
        line, chat = Notice(self), self.chat
        line.hide()
        self._insert_in_tab_order(self.composer.previousInFocusChain() or self.transcript, line)
        self._foot.insertWidget(0, line)
        line.retry.clicked.connect(chat.model.start)
        line.choose.clicked.connect(partial(self._request_menu, PaneRequest.CHOOSE_MODEL, line))
        line.without_adapter.clicked.connect(self._leave_adapter)
        line.other.clicked.connect(self._use_seeing)
        line.get.clicked.connect(self.download_requested)
        line.ocr.clicked.connect(self._read_texts)
        free_memory = partial(self._request_menu, PaneRequest.FREE_MEMORY, line.unload)
        line.unload.clicked.connect(free_memory)
        return line

    @cached_property
    def queue(self) -> QueueView:
        view, chat = QueueView(self), self.chat
        view.hide()
        self._insert_in_tab_order(self.composer.previousInFocusChain() or self.transcript, view)
        self._foot.insertWidget(self._foot.indexOf(self.composer), view)
        view.send.clicked.connect(lambda: chat.turn.handle(Event.SEND_QUEUE))
        view.edit_requested.connect(self._edit_queued)
        view.message_removed.connect(self._remove_queued)
        view.focus_left.connect(self.focus_composer)
        return view

    def _insert_in_tab_order(self, last: QWidget, widget: QWidget) -> None:
        for part in widget.findChildren(QWidget):
            if part.focusPolicy() & Qt.FocusPolicy.TabFocus:
                self.setTabOrder(last, part)
                last = part

    def set_active(self, active: bool) -> None:
        self.active = active
        # Shade inactive panes.
        self.transcript.ground = "background" if active else "back"
        self.transcript.viewport().update()
        self.chat.reply.set_front(active)
        self.update()

    def set_broadcast(
        self, on: bool, receivers: int, remotes: Sequence[Remote] = (), *, offered: bool = False
    ) -> None:
        """Set how many chats receive a message sent from here (0: only this chat).

        ``offered`` is False if there's no other chat to broadcast to.
        """
        broadcast = _Broadcast(on, receivers, tuple(remotes), offered)
        if broadcast == self._broadcast:  # called for every pane whenever a pane moves
            return
        self._broadcast = broadcast
        self.chat.turn.several = receivers > 1
        self.composer.set_broadcast(on, receivers > 0, offered=offered)
        self._refresh()

    @property
    def is_quick_question(self) -> bool:
        return self.composer.is_quick_question

    def set_quick_question(self, on: bool) -> None:
        if on != self.is_quick_question:
            self.composer.set_quick_question(on)
            self.empty.is_quick_question = on
            self.empty.refresh()

    def take_header(self) -> None:
        if self.header.in_row:
            self._rows.insertWidget(0, self.header)
            self.header.set_in_row(False)
            self.header.setMinimumWidth(0)
            self.header.show()
            self._progress_line.refresh()  # the header paints the progress now

    @Slot()
    def _on_theme(self) -> None:
        # Even with large text, a pane must fit in a window of minimum size.
        self.setMinimumSize(min(scaled(LEAST[0]), 500), min(scaled(LEAST[1]), 330))

    def focus_composer(self) -> None:
        self.composer.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def act(self, action: Action, message_id: str = "") -> bool:
        """Perform an action on a message, or tell the user why that's not possible.

        Without an ID, the action applies to the last suitable message.
        """
        if action is Action.SEND:
            return self._on_enter(Event.ENTER)
        if reason := self.chat.why_not(action, message_id):
            self.notice_posted.emit(reason)
            return False
        if action in EVENTS:
            self.chat.turn.handle(EVENTS[action])
        else:
            self._acts[action](message_id)
        if action in {Action.EDIT, Action.CANCEL_EDIT}:
            self.focus_composer()
        return True

    def _on_enter(self, event: Event) -> bool:
        turn = self.chat.turn
        next_step = turn.handle(event)
        if next_step.refusal is not None:
            if not turn.draft_state.is_waiting:  # otherwise, Enter's reason is shown below the text
                self.notice_posted.emit(turn.describe(next_step.refusal))
            return False
        # Not on `message_added`, because a queued message may be sent while the tree is in use.
        self.show_tree(False)
        if Effect.SUBMIT in next_step.effects:
            self.focus_composer()
        else:
            announce(self, turn.hint or self._queue_words)
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() != Qt.Key.Key_Escape:
            self._type(event)
        elif (refusal := self.chat.turn.handle(Event.ESCAPE).refusal) is Refusal.STOPPING:
            self.notice_posted.emit(self.chat.turn.describe(refusal))
        elif refusal is None:
            pass
        elif self.is_comparison_shown:
            self.hide_comparison()
        elif not self.transcript.forget_found():
            at_rest = self.window().focusWidget() is self.composer.field
            self.focus_composer()
            if at_rest:
                self.escape_pressed.emit(self)

    def _type(self, event: QKeyEvent) -> None:
        if is_typed_text(event):
            self.focus_composer()
            self.composer.field.insertPlainText(event.text())
        else:
            super().keyPressEvent(event)

    @Slot(bool)
    def _on_left(self, forward: bool) -> None:
        if forward:
            self.focus_composer()
        else:
            self.header.last_button.setFocus(Qt.FocusReason.BacktabFocusReason)

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(event.rect(), theme().color(self.transcript.ground))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._progress_line.setGeometry(0, 0, self.width(), 2)
        margin, _ = text_column_for(self.width())
        # Align the text of the composer, rather than its frame, with the conversation.
        edge = max(10, margin - 16)
        self._foot.setContentsMargins(edge, 4, edge, 12 if self.width() < 420 else 16)
        self.composer.set_limit(round(self.height() * 0.4))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.chat.reply.mark_read()

    @Slot()
    def _show_page(self) -> None:
        if self.chat.transcript.leaf_id is None:
            self.pages.setCurrentWidget(self.empty)
        elif not (self.is_tree_shown or self.is_comparison_shown):
            self.pages.setCurrentWidget(self.transcript)

    @Slot()
    def _refresh(self) -> None:
        chat = self.chat
        if self.isVisible() and chat.reply.is_unread:
            chat.reply.mark_read()  # this calls `_refresh` again
            return
        self._show_page()
        model_status = chat.model.status
        failed = model_status.state is LoadState.FAILED
        # the conversation already shows the error
        last = chat.transcript.path[-1:] if failed else []
        is_shown = bool(last) and last[0].status == "error" and last[0].error == model_status.error
        blind = "" if failed else chat.model.model_missing_images
        show_if(self, "notice", (failed and not is_shown) or bool(blind))
        if failed and not is_shown:
            self.notice.show_failure(model_status, model_status.name)
        elif blind:
            seeing = chat.model.loader.find_vision_model()
            name = seeing.name if seeing is not None else ""
            reads = chat.attacher.is_recognizing_text
            self.notice.show_blind(tr(BLIND, model=blind), name, reads=reads)
        self.composer.set_words(
            *header.placeholder_and_note(chat, self._broadcast.receivers, self._broadcast.remotes)
        )
        self._show_turn()

    @Slot()
    def _show_turn(self) -> None:
        turn, queue = self.chat.turn, self.chat.queue
        stops = self.chat.reply.is_active
        reason = turn.why_not(Event.STOP if stops else Event.ENTER)
        self.composer.show_turn(stops=stops, why_not=reason, hint=turn.hint)
        show_if(self, "queue", bool(queue.messages))
        if queue.messages:
            is_held = queue.state is QueueState.HELD
            self.queue.show_queue(queue.messages, self._queue_words, is_held=is_held)

    @property
    def _queue_words(self) -> str:
        if reason := self.chat.queue.hold_reason:
            return reason
        if self.chat.queue.state is QueueState.STEERING:
            return tr("Interrupts the reply as soon as possible.")
        turn = self.chat.turn
        if turn.content() is not Content.NOTHING or not turn.preview(Event.STEER):
            # Ctrl+Enter would send the draft, or is refused.
            return tr("Queued until the reply ends.")
        words = mark("Queued until the reply ends. {keys} sends the first one now.")
        return tr(words, keys=self.composer.field.steering_keys)

    @Slot()
    def _on_recalled(self) -> None:
        if queued := self.chat.queue.messages:
            self._edit_queued(queued[-1].id)
        else:
            self.act(Action.EDIT)

    @Slot(str)
    def _edit_queued(self, message_id: str) -> None:
        self.chat.turn.edit_queued(message_id)
        self.focus_composer()

    @Slot(str)
    def _remove_queued(self, message_id: str) -> None:
        queue = self.chat.queue
        if (message := queue.get(message_id)) is not None:
            at = queue.messages.index(message)
            self.chat.turn.remove_queued(message_id)
            self.queued_removed.emit(self.chat.id, message, at)

    @Slot(str, object)
    def _on_sent(self, text: str, files: Attachments) -> None:
        self.text_sent.emit(self, text, files)

    @Slot()
    def _on_compose(self) -> None:
        self._show_compose()
        self._show_turn()

    def _show_compose(self) -> None:
        self.composer.show_compose(
            self.chat.compose, queued=self.chat.turn.content() is Content.REWORDING
        )

    @Slot(str)
    def _on_written(self, text: str) -> None:
        self.chat.turn.write(text)
        self.chat.count.request_count_soon()
        self.transcript.forget_found()
        self._show_turn()

    @Slot(str)
    def _on_model_asked(self, ref: str) -> None:
        """Change the model. Focus the message first because the button is about to disappear."""
        self.focus_composer()
        self.chat.model.set(ref)

    @Slot(str)
    def _on_suggestion(self, text: str) -> None:
        if self.chat.turn.send(text):
            self.text_sent.emit(self, text, ())
        self.focus_composer()

    @Slot(object, str)
    def _on_action_requested(self, action: RowAction, message_id: str) -> None:
        match action:
            case Action():
                self.act(action, message_id)
            case ShowColumn(letter):
                if self.act(
                    Action.SHOW_COMPARISON, message_id
                ) and not self.comparison.focus_column(letter):
                    self.notice_posted.emit(tr("This reply was deleted."))
            case PaneRequest.SAY_COPIED:
                self.notice_posted.emit(tr("Copied"))
            case PaneRequest.USE_BASE_MODEL:
                self._leave_adapter()
                self.act(Action.REGENERATE, message_id)
            case _:
                self._request_menu(action, self.transcript.row(message_id))

    def _request_menu(self, request: PaneRequest, button: QWidget | None, *_: object) -> None:
        self.menu_requested.emit(self, request, button)

    def _leave_adapter(self) -> None:
        self.chat.model.set(base_model(self.chat.record.model))

    @Slot()
    def _use_seeing(self) -> None:
        if (seeing := self.chat.model.loader.find_vision_model()) is not None:
            self._on_model_asked(seeing.ref)

    @Slot()
    def _read_texts(self) -> None:
        self.chat.attacher.read_texts()
        self.focus_composer()  # the focused button is about to disappear

    def _forget_oldest(self, message_id: str) -> None:
        if self.chat.forget_oldest(message_id):
            self.notice_posted.emit(tr("This chat now leaves out its oldest messages"))

    def _copy(self, message_id: str) -> None:
        last = self.chat.transcript.last("assistant")
        message_id = message_id or (last.id if last is not None else "")
        message, clipboard = self.chat.reply.message(message_id), QGuiApplication.clipboard()
        if message.role == "assistant":
            clipboard.setMimeData(reply_data(message))
        else:
            clipboard.setText(message.content)
        self.notice_posted.emit(tr("Copied"))

    def _delete(self, message_id: str) -> None:
        removal = self.chat.delete_message(message_id)
        if removal is not None:
            self.messages_deleted.emit(self.chat.id, removal)

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QPoint, Qt, Signal, Slot
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QMenu, QWidget

from app.chats.chat import Chat
from app.chats.turn import Draft, Effect, Event, QueueState, Refusal, Step
from app.settings.language import counted, mark, tr
from app.store import Attachments
from app.ui.pane.pane import ChatPane
from app.ui.widgets.menus import add_action
from app.ui.widgets.widget_behavior import announce, current_shortcut, to_native_keys
from app.ui.window.commands import command, pane_command
from app.ui.window.context import WindowController, WindowParts


class TickMenu(QMenu):
    """Menu that doesn't close when a checkable entry is clicked."""

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        action = self.actionAt(event.position().toPoint())
        if action is not None and action.isCheckable():
            action.trigger()
        else:
            super().mouseReleaseEvent(event)


class Broadcast(WindowController):
    """Sends messages to several panes, whose chats otherwise stay independent.

    Broadcast turns itself off after each message unless the user wants to keep it on.
    """

    changed = Signal(bool)  # (on)
    pin_changed = Signal(bool)  # (on)

    def __init__(self, parts: WindowParts) -> None:
        super().__init__(parts)
        self.on = False
        self.pinned = False  # stay on after a message is sent
        # by chat ID: True if the user included the chat, False if excluded
        self._overrides: dict[str, bool] = {}
        self._workspace.pane_made.connect(self._on_pane_made)
        self._workspace.layout_changed.connect(self._show)
        self._workspace.layout_changed.connect(self._name_tabs)
        self._library.list_changed.connect(self._name_tabs)

    @property
    def group(self) -> list[ChatPane]:
        """Return the panes that receive the message, by default all visible panes with a local
        model. The user can include others.
        """
        return [p for p in self._workspace.panes() if self._receives(p)]

    def _receives(self, pane: ChatPane) -> bool:
        default = (
            self._is_visible(pane) and pane.chat.model.remote is None and not pane.is_quick_question
        )
        return self._overrides.get(pane.chat.id, default)

    def _is_visible(self, pane: ChatPane) -> bool:
        return bool(self._workspace.dock(pane.chat.id).isCurrentTab())

    @command("broadcast", mark("Broadcast"), "Ctrl+Shift+B", checkable=True)
    @Slot()
    def toggle(self) -> None:
        """Turn broadcast on or off. Turning it on includes all visible local chats."""
        self._switch(not self.on)
        count, active = len(self.group), self._workspace.active
        left_out = [
            pane
            for pane in self._workspace.panes()
            if pane.chat.model.remote is not None
            and self._is_visible(pane)
            and not self._receives(pane)
        ]
        if not self.on:
            self._toast.show_text(tr("Broadcast is off"))
        elif count > 1 and active not in left_out:  # otherwise, it's obvious from the composers
            words = counted(
                "The next message goes to %n chat", "The next message goes to %n chats", count
            )
            announce(self._workspace, words)
        elif left_out:
            keys = to_native_keys(current_shortcut("Ctrl+Alt+B"))
            words = mark("Broadcast is on. To include a remote chat, press {keys} in it.")
            if not keys:
                words = mark("Broadcast is on. To include a remote chat, choose “{command}” in it.")
            self._toast.show_text(tr(words, keys=keys, command=tr("Join Broadcast")))
        else:
            self._toast.show_text(tr("Broadcast is on. Open another chat next to this one."))

    def _switch(self, on: bool) -> None:
        self.on = on
        self._overrides.clear()
        if self.pinned:
            self.pinned = False
            self.pin_changed.emit(False)
        self._show()
        self.changed.emit(on)

    def _why_off(self) -> str:
        return "" if self.on else tr("Broadcast is off")

    @command("broadcast_keep", mark("Keep Broadcast On"), why_not=_why_off, checkable=True)
    @Slot()
    def toggle_kept(self) -> None:
        self.pinned = not self.pinned
        self._show()
        self.pin_changed.emit(self.pinned)

    def _pane_words(self, pane: ChatPane) -> str:
        if not self.on:
            return mark("Join/Leave Broadcast")
        return mark("Leave Broadcast") if self._receives(pane) else mark("Join Broadcast")

    @pane_command(
        "broadcast_one",
        mark("Join/Leave Broadcast"),
        "Ctrl+Alt+B",
        why_not=lambda self, pane: self._why_off(),
        words=_pane_words,
    )
    @Slot(object)
    def toggle_pane(self, pane: ChatPane) -> None:
        self._overrides[pane.chat.id] = not self._receives(pane)
        self._show()

    @Slot(object)
    def _on_escaped(self, pane: ChatPane) -> None:
        if self.on and not pane.is_quick_question:
            self.toggle()

    @Slot(object)
    def _on_pane_made(self, pane: ChatPane) -> None:
        pane.text_sent.connect(self._on_sent)
        pane.escape_pressed.connect(self._on_escaped)
        pane.composer.broadcast_button.clicked.connect(partial(self._on_button, pane))
        pane.composer.recipients_requested.connect(partial(self._pop_menu, pane))
        pane.composer.broadcast_pin_changed.connect(self.toggle_kept)
        # Recipients change if a chat's model becomes remote. The chat outlives its pane, so it may
        # already be connected.
        pane.chat.chat_changed.connect(self._on_chat_changed, Qt.ConnectionType.UniqueConnection)

    def _on_button(self, pane: ChatPane) -> None:
        """If broadcast is on without this chat, include the chat. Otherwise, toggle broadcast."""
        if self.on and not self._receives(pane):
            self.toggle_pane(pane)
        else:
            self.toggle()

    def _pop_menu(self, pane: ChatPane) -> None:
        menu = self.menu(pane)
        whom = pane.composer.broadcast_line.whom
        menu.popup(whom.mapToGlobal(QPoint(0, -menu.sizeHint().height() - 4)))

    def menu(self, parent: QWidget) -> QMenu:
        menu = TickMenu(parent)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for pane in self._workspace.panes():
            words = _chat_name(pane)
            if not self._is_visible(pane):
                words = tr("{chat} (hidden tab)", chat=words)
            add_action(menu, words, partial(self.toggle_pane, pane), checked=self._receives(pane))
        menu.addSeparator()
        add_action(menu, tr("Keep Broadcast On"), self.toggle_kept, checked=self.pinned)
        add_action(menu, tr("Turn Off"), self.toggle)
        return menu

    @Slot()
    def _on_chat_changed(self) -> None:
        if self.on:
            self._show()

    @Slot()
    def _show(self) -> None:
        """Update the composers: tint those of recipients and list all recipients in each."""
        panes, group = self._workspace.panes(), self.group
        remotes = [pane.chat.model.remote for pane in group if pane.chat.model.remote is not None]
        hidden = sum(not self._is_visible(pane) for pane in group)
        words = (
            counted(
                "To %n chat ({hidden} in hidden tabs)",
                "To %n chats ({hidden} in hidden tabs)",
                len(group),
                hidden=hidden,
            )
            if hidden
            else counted("To %n chat", "To %n chats", len(group))
        )
        names = "\n".join(map(_chat_name, group))
        offered = sum(map(self._is_visible, panes)) > 1
        for pane in panes:
            receives = self.on and pane in group
            if receives:
                pane.composer.broadcast_line.show_audience(words, names, is_kept=self.pinned)
            count = len(group) if receives else 0
            pane.set_broadcast(self.on, count, remotes if receives else (), offered=offered)

    @Slot(object, str, object)
    def _on_sent(self, speaker: ChatPane, text: str, files: Attachments) -> None:
        """Send a message that was just sent or queued in a pane to the other recipients."""
        group = self.group
        if not self.on or speaker not in group or len(group) < 2:
            return
        recipients = [pane for pane in group if pane is not speaker]
        new = [p for p in recipients if p.chat.transcript.leaf_id is None]
        steers = speaker.chat.queue.state is QueueState.STEERING
        waits = speaker.chat.queue.next is not None and not steers
        if not waits and len(speaker.chat.transcript.path) <= 2:  # only the message and its reply
            new = [p for p in group if p is speaker or p in new]
        message = Draft(text, files)
        steps = {p: p.chat.turn.handle(Event.BROADCAST, message) for p in recipients}
        sent = sum(Effect.SEND_NOW in each.effects for each in steps.values()) + (not waits)
        later = sum(Effect.ENQUEUE in each.effects for each in steps.values()) + waits
        if len(new) > 1:
            self._library.order.group(_variants([pane.chat for pane in new]))
        summary = []
        if not self.pinned:
            self._switch(False)
            if sent:
                summary.append(counted("Sent to %n chat", "Sent to %n chats", sent))
        if later:
            summary.append(
                counted(
                    "%n chat gets it when its reply ends",
                    "%n chats get it when their replies end",
                    later,
                )
            )
        reasons = Counter(_why_not_sent(pane, step, message) for pane, step in steps.items())
        del reasons[""]
        for reason, number in reasons.items():
            summary.append(
                counted(
                    "%n chat didn’t get this message: {why}",
                    "%n chats didn’t get this message: {why}",
                    number,
                    why=reason,
                )
            )
        if summary:
            self._toast.show_text(". ".join(summary))

    @Slot()
    def _name_tabs(self) -> None:
        """Shorten tab titles in a group to the part in which they differ.

        Narrow tabs can't fit the common part.
        """
        panes = self._workspace.panes()
        times = Counter(pane.chat.record.group_id for pane in panes)
        for pane in panes:
            record = pane.chat.record
            several = record.group_id is not None and times[record.group_id] > 1
            pane.chat.set_short(record.variant if several else "")


def _why_not_sent(pane: ChatPane, step: Step, message: Draft) -> str:
    """Return why a chat neither sends nor queues the message, or "" if it does."""
    if Effect.SEND_NOW in step.effects or Effect.ENQUEUE in step.effects:
        return ""
    turn, refusal = pane.chat.turn, step.refusal or Refusal.UNSENDABLE
    return turn.why_not_send(message, ignore_sounds=True) or turn.describe(refusal)


def _variants(chats: Sequence[Chat]) -> dict[str, str]:
    names = [chat.model.status.name for chat in chats]
    seeds = [chat.options.seed for chat in chats]
    if len(set(names)) == 1 and None not in seeds and len(set(seeds)) == len(seeds):
        return {chat.id: tr("Seed {n}", n=chat.options.seed) for chat in chats}
    times, numbers = Counter(names), Counter[str]()
    variants = {}
    for chat, name in zip(chats, names, strict=True):
        numbers[name] += 1
        variants[chat.id] = f"{name} {numbers[name]}" if times[name] > 1 else name
    return variants


def _chat_name(pane: ChatPane) -> str:
    """Return the chat's title, with the model unless that's part of the title."""
    title, model = pane.chat.title, pane.chat.model.status.name
    return title if model in title else tr("{title} – {model}", title=title, model=model)

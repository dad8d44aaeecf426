"""What a chat tells the widgets that show it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal


class ChatSignals(QObject):
    """The signals of one chat. `Chat` and the helpers it owns emit them.

    Signals:
        chat_changed(): title, model or options are others.
        compose_changed(): other text is to stand in the composer, or a message is edited or not.
        turn_changed(): a reply began, stands still, goes on or ended: `Chat.can` answers anew.
        path_changed(): another branch is shown, or the transcript was loaded.
        message_added(id), message_changed(id): one message of the shown path.
        text_added(id, text, kind): more text at the end of a streaming message.
        phase_changed(): what the chat is doing, or how far it is.
        reply_ended(id): a reply has ended, however it did.
        sent_later(compose): what waited in the composer was submitted.
    """

    chat_changed = Signal()
    compose_changed = Signal()
    turn_changed = Signal()
    path_changed = Signal()
    message_added = Signal(str)
    message_changed = Signal(str)
    text_added = Signal(str, str, str)
    phase_changed = Signal()
    reply_ended = Signal(str)
    sent_later = Signal(object)

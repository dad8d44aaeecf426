"""What a chat tells the widgets that show it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal


class ChatSignals(QObject):
    """The signals of one chat. `Chat` and the helpers it owns emit them."""

    chat_changed = Signal()  # title, model or options are others
    # other text is to stand in the composer, or a message is edited or not
    compose_changed = Signal()
    # a reply began, stands still, goes on or ended: `Chat.can` answers anew
    turn_changed = Signal()
    path_changed = Signal()  # another branch is shown, or the transcript was loaded
    # message_added(id), message_changed(id): one message of the shown path
    message_added = Signal(str)
    message_changed = Signal(str)
    # (id, text, kind): more text at the end of a streaming message
    text_added = Signal(str, str, str)
    phase_changed = Signal()  # what the chat is doing, or how far it is
    reply_ended = Signal(str)  # (id): a reply has ended, however it did
    # (text, files): a message from the composer was sent, was queued, or interrupts the reply
    spoken = Signal(str, object)

"""Base class of a chat and its components."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal


class ChatPart(QObject):
    """Component of a chat.

    The chat re-emits the signals of its components, so views connect only to the chat. To
    find the sources of a signal, search for its name in this package, because some connect it to
    another signal or emit it in a loop.
    """

    chat_changed = Signal()  # title, model or options changed
    compose_changed = Signal()  # also when an edit starts or ends
    # Results of `Chat.why_not` may have changed: emitted when a reply starts, pauses, resumes or
    # ends, a tool call starts, asks or ends, a file was read or counted, or the queue changed.
    turn_changed = Signal()
    path_changed = Signal()  # also when the transcript was loaded
    # for messages on the selected branch
    message_added = Signal(str)
    message_changed = Signal(str)
    # (message ID, text, kind)
    text_added = Signal(str, str, str)
    phase_changed = Signal()  # `ChatReply.phase` changed
    reply_ended = Signal(str)  # with or without an error

    def relay(self, *parts: ChatPart) -> None:
        for part in parts:
            part.chat_changed.connect(self.chat_changed)
            part.compose_changed.connect(self.compose_changed)
            part.turn_changed.connect(self.turn_changed)
            part.path_changed.connect(self.path_changed)
            part.message_added.connect(self.message_added)
            part.message_changed.connect(self.message_changed)
            part.text_added.connect(self.text_added)
            part.phase_changed.connect(self.phase_changed)
            part.reply_ended.connect(self.reply_ended)

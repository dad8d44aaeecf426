"""User actions on a chat, and the reasons why they may be unavailable.

Buttons, menus and shortcuts call `Chat.why_not` and show the sentence it returns. Throughout the
app, functions called ``why_not`` return "" if the action is possible.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from itertools import islice

from msgspec import Struct

from app.chats import panel
from app.chats.options import ChatOptions, options_of_answer
from app.chats.transcript import Transcript, is_context_exceeded
from app.chats.turn import ComposerContent, Draft, Event, Refusal, Stage
from app.remote.address import KINDS, Remote
from app.settings.language import mark, tr
from app.store import Message
from engine.errors import MESSAGE_TOO_LONG


class Action(Enum):
    SEND = auto()
    STOP = auto()
    PAUSE = auto()
    CANCEL_EDIT = auto()
    RETRY = auto()
    GO_ON = auto()
    RENAME = auto()

    EDIT = auto()
    REGENERATE = auto()
    SAME_AGAIN = auto()
    COMPARE = auto()
    SHOW_COMPARISON = auto()
    CONTINUE = auto()
    FORGET_OLDEST = auto()
    COPY = auto()
    BRANCH = auto()
    GO_TO = auto()
    DELETE = auto()
    RESTORE = auto()
    EARLIER = auto()
    LATER = auto()


BUSY, ASKED = Refusal.BUSY.value, Refusal.ASKED.value
BLIND = mark("{model} can’t see images. Remove them, or choose a model that can.")
DEAF = mark("{model} can’t hear recordings. Remove them, or choose a model that can.")
GONE = mark("This message is no longer in the chat.")

_DURING_REPLY = frozenset({Action.RENAME, Action.SHOW_COMPARISON, Action.COPY, Action.BRANCH})
"""Actions that don't change the branch a running reply is writing to."""


EVENTS = {
    Action.SEND: Event.ENTER,
    Action.STOP: Event.STOP,
    Action.PAUSE: Event.PAUSE,
    Action.RETRY: Event.RETRY,
    Action.CANCEL_EDIT: Event.CANCEL_EDIT,
}


class ActionContext(Struct, frozen=True):
    """State of a chat that decides which actions are possible."""

    compose: ComposerContent
    stage: Stage
    transcript: Transcript
    generating: str | None = None  # ID of the message being generated
    stored: bool = True  # False until the chat appears in the chat list
    remote: Remote | None = None

    def subject(self, action: Action, message_id: str) -> Message | None:
        tree = self.transcript
        if message_id:
            return tree.get(message_id)
        if action in {Action.EDIT, Action.REGENERATE}:
            return tree.last("user")
        if action in {Action.SAME_AGAIN, Action.COPY}:
            return tree.last("assistant")
        if action in {Action.EARLIER, Action.LATER}:
            several = (m for m in tree.iterate_back() if len(tree.alternatives(m.id)) > 1)
            return next(several, None)
        return tree[tree.leaf_id] if tree.leaf_id is not None else None


def is_cut_off(message: Message) -> bool:
    """Return True if a reply ended early but has text, so it can be continued."""
    stopped = message.status in {"cancelled", "interrupted"}
    return bool(message.content) and (stopped or _has_cut_reason(message))


def _has_cut_reason(message: Message) -> bool:
    # no set, because a stored reason may be unhashable
    return message.stats.get("reason") in ("length", "memory", "unstated")


def is_repetitive(message: Message) -> bool:
    return message.status == "complete" and bool(message.stats.get("repeated_tokens"))


_ENDINGS = {
    "cancelled": mark("Stopped", "a reply"),
    "interrupted": mark("Interrupted when Stretto quit", "a reply"),
    "repeated": mark("Stopped because it repeated itself", "a reply"),
    "length": mark("Length limit reached", "a reply"),
    "memory": mark("Memory full", "a reply"),
    "unstated": mark("The server didn’t say if it’s complete", "a reply"),
}


def ending_note(message: Message) -> str:
    """Return the note below a reply that ended early, or "" if the reply ended normally."""
    ending: str = message.status
    if is_repetitive(message):
        ending = "repeated"
    elif ending == "complete" and _has_cut_reason(message):
        ending = message.stats["reason"]
    words = _ENDINGS.get(ending)
    return tr(words, "a reply") if words else ""


def why_not(
    action: Action, chat: ActionContext, message_id: str = "", *, at_rest: bool = False
) -> str:
    """Explain why an action isn't possible, or return "" if it is.

    Args:
        message_id: message to act on, by default the last suitable one. For `Action.RESTORE`,
            the message that preceded the deleted ones, or "" if they started the chat.
        at_rest: assume that the running reply has ended.
    """
    if not (at_rest or chat.stage is Stage.IDLE or action in _DURING_REPLY):
        return tr(ASKED if chat.stage is Stage.ASKING else BUSY)
    if action in _ON_CHAT:
        return _ON_CHAT[action](chat)
    if action is Action.RESTORE:
        lost = message_id and message_id not in chat.transcript
        return tr("The message before it is deleted too. Restore that one first.") if lost else ""
    message, (nothing, find) = chat.subject(action, message_id), _ON_MESSAGE[action]
    if message is None:
        return tr(GONE if message_id else nothing)
    return find(chat, message)


def _why_not_go_on(chat: ActionContext) -> str:
    leaf = chat.transcript.leaf
    return "" if leaf is not None and leaf.role == "tool" else tr("There is nothing to continue.")


def _why_not_rename(chat: ActionContext) -> str:
    return "" if chat.stored else tr("Send a message first. The chat is named after it.")


_ON_CHAT = {Action.RENAME: _why_not_rename, Action.GO_ON: _why_not_go_on}


def _why_not_edit(chat: ActionContext, message: Message) -> str:
    return "" if message.role == "user" else tr("Only your own messages can be edited.")


def _why_not_regenerate(chat: ActionContext, message: Message) -> str:
    if kind := panel.kind_of(message):
        return panel.why_not(kind, panel.columns(chat.transcript, message.id))
    if message.role == "user" or message.parent_id is not None:
        return ""
    return tr("This reply has no message before it.")


def _why_not_repeat(chat: ActionContext, message: Message) -> str:
    if message.role != "assistant" or message.parent_id is None:
        return tr("This isn’t a reply.")
    if panel.kind_of(message):
        return tr("This reply came from a comparison. Open the comparison to regenerate it.")
    if options_of_answer(message.stats, ChatOptions()) is None:
        return tr("The seed of this reply is unknown")
    return ""


def _why_not_compare(chat: ActionContext, message: Message) -> str:
    if panel.question(chat.transcript, message.id) is None:
        return tr("This reply has no message before it.")
    return "" if isinstance(chat.compose, Draft) else tr("Finish editing the message first.")


def _why_not_show_comparison(chat: ActionContext, message: Message) -> str:
    columns = panel.columns(chat.transcript, message.id)
    return "" if columns else tr("The columns of this comparison aren’t in this chat.")


def _why_not_continue(chat: ActionContext, message: Message) -> str:
    if message.role != "assistant":
        return tr("This isn’t a reply.")
    if message.id != chat.transcript.leaf_id:
        return tr("Only the last reply can be continued.")
    if not message.content:
        return tr("There’s nothing to continue. Regenerate the reply instead.")
    if chat.remote is not None and not KINDS[chat.remote.kind].continues:
        words = mark("{host} can’t continue a reply that was cut off. Regenerate it.")
        return tr(words, host=chat.remote.host)
    return "" if is_cut_off(message) else tr("The reply is complete.")


def _why_not_forget_oldest(chat: ActionContext, message: Message) -> str:
    if not is_context_exceeded(message):
        return tr("This reply didn’t fail because of its length.")
    if chat.remote is not None:
        return tr("What fits is unknown. Shorten the message or start a new chat.")
    slides = ChatOptions.from_params(message.stats.get("options", {})).slide
    if slides or message.stats.get("reason") == MESSAGE_TOO_LONG:
        return tr("The chat doesn’t fit without its oldest messages either. Shorten the message.")
    before = islice(chat.transcript.iterate_back_from(message.parent_id), 1, None)
    if not any(m.role == "assistant" and m.content for m in before):
        return tr("There are no older messages to leave out. Shorten the message.")
    return ""


def _why_not_copy(chat: ActionContext, message: Message) -> str:
    if message.content or message.id == chat.generating:
        return ""
    return tr("There’s no text to copy.")


def _why_not_branch(chat: ActionContext, message: Message) -> str:
    unfinished = message.id == chat.generating or message.status == "streaming"
    return tr("This reply isn’t finished yet.") if unfinished else ""


def _why_not_earlier(chat: ActionContext, message: Message) -> str:
    first = chat.transcript.alternatives(message.id)[0]
    return tr("This is the first version.") if message.id == first else ""


def _why_not_later(chat: ActionContext, message: Message) -> str:
    last = chat.transcript.alternatives(message.id)[-1]
    return tr("This is the last version.") if message.id == last else ""


_NO_REPLY = mark("There’s no reply yet.")
_EMPTY = mark("This chat is empty.")
_NO_VERSIONS = mark("No message here has other versions.")

_ON_MESSAGE: dict[Action, tuple[str, Callable[[ActionContext, Message], str]]] = {
    Action.EDIT: (mark("You haven’t sent a message yet."), _why_not_edit),
    Action.REGENERATE: (mark("There’s no message to reply to yet."), _why_not_regenerate),
    Action.SAME_AGAIN: (_NO_REPLY, _why_not_repeat),
    Action.COMPARE: (mark("Write a message first."), _why_not_compare),
    Action.SHOW_COMPARISON: (_NO_REPLY, _why_not_show_comparison),
    Action.CONTINUE: (_NO_REPLY, _why_not_continue),
    Action.FORGET_OLDEST: (_NO_REPLY, _why_not_forget_oldest),
    Action.COPY: (_NO_REPLY, _why_not_copy),
    Action.BRANCH: (_EMPTY, _why_not_branch),
    Action.GO_TO: (_EMPTY, lambda chat, message: ""),
    Action.DELETE: (_EMPTY, lambda chat, message: ""),
    Action.EARLIER: (_NO_VERSIONS, _why_not_earlier),
    Action.LATER: (_NO_VERSIONS, _why_not_later),
}
"""Text for the user if there is no suitable message, and the `why_not` function for a message."""

"""Taking a model out of memory, and not letting it in: neither costs a chat its answer."""

from __future__ import annotations

from app.chats.library import ChatLibrary
from app.chats.turn import Waiting
from app.language import counted, mark, tr


def why_not(library: ChatLibrary, ref: str) -> str:
    """Why a model cannot be unloaded now, as a sentence; "" if it can."""
    loader = library.loader
    model = loader.get(ref).model
    if model is None:
        return tr("It is not loaded.")
    using = []
    for chat in library.running():
        other = loader.get(chat.answering_with).model
        if other is not None and other.id == model.id:
            using.append(chat.title)
    if not using:
        return ""
    if len(using) == 1:
        words = mark("The chat “{chat}” is answering with it. Stop the reply first.")
        return tr(words, chat=using[0])
    return counted(
        "%n chat is answering with it. Stop its reply first.",
        "%n chats are answering with it. Stop their replies first.",
        len(using),
    )


def unload(library: ChatLibrary, ref: str) -> str:
    """Unload a model. What cannot be done now is not, and the sentence says why; else "".

    What its chats have read is kept on disk, and they load it again when they send.
    """
    return why_not(library, ref) or ("" if library.loader.unload(ref) else tr("It is not loaded."))


def cancel_load(library: ChatLibrary, ref: str, chat_id: str = "") -> str:
    """Stop loading a model, with the reply of the chat from which that is asked, if it waits.

    Where other chats wait for the model it goes on loading, and the sentence says so; else "".
    """
    own = library.find(chat_id)
    if own is not None and isinstance(own.reply, Waiting) and own.reply.model == ref:
        own.stop()
    waiting = [c.reply.model == ref for c in library.running() if isinstance(c.reply, Waiting)]
    if any(waiting):
        count = sum(waiting)
        return counted(
            "Another chat waits for {model}: it goes on loading.",
            "%n other chats wait for {model}: it goes on loading.",
            count,
            model=library.loader.get(ref).name,
        )
    library.loader.cancel(ref)
    return ""

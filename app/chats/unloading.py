"""Taking a model out of memory, which no chat may be answering with."""

from __future__ import annotations

from app.chats.library import ChatLibrary


def why_not(library: ChatLibrary, ref: str) -> str:
    """Why a model cannot be unloaded now, as a sentence; "" if it can."""
    loader = library.loader
    model = loader.get(ref).model
    if model is None:
        return "It is not loaded."
    using = []
    for chat in library.running():
        other = loader.get(chat.answering_with).model
        if other is not None and other.id == model.id:
            using.append(chat.title)
    if not using:
        return ""
    if len(using) == 1:
        return f"The chat “{using[0]}” is answering with it. Stop the reply first."
    return f"{len(using)} chats are answering with it. Stop their replies first."


def unload(library: ChatLibrary, ref: str) -> str:
    """Unload a model. What cannot be done now is not, and the sentence says why; else "".

    What its chats have read is kept on disk, and they load it again when they send.
    """
    return why_not(library, ref) or ("" if library.loader.unload(ref) else "It is not loaded.")

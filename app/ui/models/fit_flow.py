"""From a model that does not fit to one that does: asks what to do, and does it."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.chats import unloading
from app.chats.chat import Chat
from app.chats.fitting import DOES_NOT_FIT, arithmetic
from app.chats.library import ChatLibrary
from app.installed import InstalledModels
from app.language import tr
from app.ui.models.fit_choices import Choice, Way, choices, search_words
from app.ui.models.fit_dialog import FitDialog
from app.ui.widgets.closing import open_dialog


class FitFlow(QObject):
    """Opens the dialog over ``window``.

    Signals:
        get_asked(words): the person wants a model from the hub, and would look for these words.
        convert_asked(model): the person wants a smaller copy of that `Installed`.
        said(words): why something was not done.
    """

    get_asked = Signal(str)
    convert_asked = Signal(object)
    said = Signal(str)

    def __init__(self, library: ChatLibrary, installed: InstalledModels, window: QWidget) -> None:
        super().__init__(window)
        self._library, self._installed, self._window = library, installed, window
        self._loader = library.loader
        self._loader.changed.connect(self._on_model)

    @Slot(str)
    def _on_model(self, ref: str) -> None:
        """By the time that it is asked what would fit, it is known what else is installed."""
        installed = self._installed
        if self._loader.get(ref).fit is not None and not (installed.models or installed.looking):
            installed.look()

    def open(self, ref: str, chat: Chat | None, over: QWidget | None = None) -> FitDialog | None:
        """Offer what would fit in a model's place; None where it is not known to be too large.

        Args:
            chat: that wants it, and goes on with what is chosen.
            over: the window that the dialog is for; by default the main one.
        """
        status = self._loader.get(ref)
        if status.fit is None:
            return None
        offers = choices(status.fit, ref, self._library, self._installed, for_chat=chat is not None)
        words = arithmetic(status.fit)
        dialog = FitDialog(status.name, words, offers, over or self._window)
        chat_id = chat.id if chat is not None else ""
        dialog.taken.connect(lambda choice: self._take(choice, ref, chat_id))
        open_dialog(dialog)
        return dialog

    def _take(self, choice: Choice, ref: str, chat_id: str) -> None:
        chat = self._library.find(chat_id)  # it may have been closed since
        if choice.way is Way.FIND:
            self.get_asked.emit(search_words(self._loader.get(ref).name))
            return
        if choice.way is Way.CONVERT:
            self.convert_asked.emit(choice.model)
            return
        if choice.way is Way.UNLOAD:
            for other in choice.refs:
                if why := unloading.why_not(self._library, other):  # it has begun to answer
                    name = self._loader.get(other).name
                    self.said.emit(tr("{name} stays. {why}", name=name, why=why))
                    return
            for other in choice.refs:
                unloading.unload(self._library, other)
        elif choice.way is Way.SHORTER and chat is not None:
            options = replace(chat.options, context=choice.tokens)
            chat.set_options(options, chat.record.system)
        elif choice.way in {Way.SHORTER, Way.ANYWAY}:
            self._loader.allow(ref)
        elif choice.way is Way.KV_BITS and chat is not None:
            options = replace(chat.options, kv_bits=choice.bits)
            chat.set_options(options, chat.record.system)
        elif choice.way is Way.VARIANT:
            ref = choice.refs[0]
        self._go_on(ref, chat)

    def _go_on(self, ref: str, chat: Chat | None) -> None:
        if chat is None:
            self._loader.want(ref)
            return
        chat.set_model(ref)
        last = chat.transcript.path[-1:]
        if last and last[0].status == "error" and last[0].stats.get("code") == DOES_NOT_FIT:
            chat.regenerate(last[0].id)

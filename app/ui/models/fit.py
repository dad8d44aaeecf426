from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum

from msgspec import Struct
from msgspec.structs import replace
from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from app.chats.chat import Chat
from app.chats.library import ChatLibrary
from app.models import residency
from app.models.downloads import RECIPES, why_not_convert
from app.models.engine_errors import DOES_NOT_FIT, memory_sentences
from app.models.installed import InstalledModels
from app.models.names import adapter_of
from app.settings.language import counted, tr
from app.ui.style import tokens as t
from app.ui.style.figures import bytes_line
from app.ui.style.theme import scaled, ui_font
from app.ui.widgets.labels import make_button, make_label
from app.ui.widgets.layout_helpers import make_column_layout
from app.ui.widgets.sheet import Sheet
from engine import Fit
from engine.hub.inventory import InstalledModel


class FitAction(Enum):
    KV_BITS = "kv_bits"
    SHORTER = "shorter"
    UNLOAD = "unload"
    VARIANT = "variant"
    CONVERT = "convert"
    FIND = "find"
    ANYWAY = "anyway"


class Choice(Struct, frozen=True):
    way: FitAction
    words: str
    detail: str
    bits: int = 0  # new precision, for `FitAction.KV_BITS`
    tokens: int = 0  # context length of the chat, for `FitAction.SHORTER`
    refs: tuple[str, ...] = ()  # models to unload, or a model to use instead
    model: InstalledModel | None = None  # model to convert to lower precision


# part of a model's name that states its precision
_PRECISION_SUFFIX = re.compile(
    r"[-_. ](mlx|dwq|awq|gptq|mixed|bf16|fp16|fp8|mxfp4|nvfp4|q\d\w*|int[48]|\d+(\.\d+)?-?bits?)+"
)


def choices(
    fit: Fit, ref: str, library: ChatLibrary, installed: InstalledModels, *, for_chat: bool
) -> list[Choice]:
    """Return possible alternatives, from small to large changes.

    With ``for_chat``, they include changes of the chat's options.
    """
    options = []
    for offer in fit.offers:
        value, size = offer.value, bytes_line(offer.total)
        if offer.what == "kv_bits" and for_chat:
            words = counted(
                "Use %n-bit KV cache for this chat", "Use %n-bit KV cache for this chat", value
            )
            detail = tr("Needs {size}. Slightly less accurate.", size=size)
            options.append(Choice(FitAction.KV_BITS, words, detail, bits=value))
        elif offer.what == "context" and for_chat:
            words = counted("Limit this chat to %Ln token", "Limit this chat to %Ln tokens", value)
            detail = tr("Needs {size}. You can change this in the chat’s settings.", size=size)
            options.append(Choice(FitAction.SHORTER, words, detail, tokens=value))
        elif offer.what == "context":
            words = counted(
                "Load it for chats of up to %Ln token",
                "Load it for chats of up to %Ln tokens",
                value,
            )
            detail = tr("Needs {size}. Longer chats may run out of memory.", size=size)
            options.append(Choice(FitAction.SHORTER, words, detail, tokens=value))
    options += _unload_choice(fit, library, installed)
    options += [
        Choice(
            FitAction.VARIANT,
            tr("Use {name} instead", name=model.name),
            tr(
                "Its weights need {size}. Already on this computer.",
                size=bytes_line(model.facts.nbytes),
            ),
            refs=(model.ref,),
        )
        for model in _smaller_variants(fit, ref, installed)[:2]
    ]
    options += _conversion_choices(fit, _installed(ref, installed))
    words, detail = (tr("Find a smaller model…"), tr("Searches Hugging Face."))
    options.append(Choice(FitAction.FIND, words, detail))
    if fit.weights <= fit.free and not any(c.way is FitAction.SHORTER for c in options):
        detail = tr("Its weights fit. Chats may run out of memory.")
        options.append(Choice(FitAction.ANYWAY, tr("Load anyway"), detail))
    return options


def _unload_choice(fit: Fit, library: ChatLibrary, installed: InstalledModels) -> list[Choice]:
    """Return the choice to unload the models that the engine suggests, if none is pinned or in
    use.
    """
    ids = {offer.model for offer in fit.offers if offer.what == "unload"}
    loaded = [
        s for s in library.loader.loaded_statuses() if s.model is not None and s.model.id in ids
    ]
    is_needed = any(installed.pins(s) or residency.why_not_unload(library, s.ref) for s in loaded)
    # models of other apps aren't listed and can't be unloaded
    if not ids or is_needed or len(loaded) < len(ids):
        return []
    names = [status.name for status in loaded]
    frees = bytes_line(sum(s.model.nbytes for s in loaded if s.model is not None))
    words = tr("Unload {name}", name=names[0])
    detail = tr("Frees {size}. It loads again when you send.", size=frees)
    if len(names) > 1:
        words = tr("Unload {names} and {last}", names=", ".join(names[:-1]), last=names[-1])
        detail = tr("Frees {size}. They load again when you send.", size=frees)
    return [Choice(FitAction.UNLOAD, words, detail, refs=tuple(s.ref for s in loaded))]


def _installed(ref: str, installed: InstalledModels) -> InstalledModel | None:
    return next((m for m in installed.models.values() if ref in {m.ref, str(m.folder)}), None)


def _conversion_choices(fit: Fit, model: InstalledModel | None) -> list[Choice]:
    if model is None or why_not_convert(model):
        return []
    max_bytes = fit.free - fit.caches - fit.working
    recipes = sorted((r for r in RECIPES if not r.mixed), key=lambda recipe: -recipe.bits)
    recipe = next((r for r in recipes if r.size(model) <= max_bytes), None)
    if recipe is None:
        return []
    size = tr("about {size}", size=bytes_line(recipe.size(model)))
    words = tr("Convert to a smaller copy")
    return [Choice(FitAction.CONVERT, words, f"{tr(recipe.words)} ({size})", model=model)]


def _smaller_variants(fit: Fit, ref: str, installed: InstalledModels) -> list[InstalledModel]:
    current = _installed(ref, installed)
    name = _family_name(current.name if current is not None else ref.rstrip("/").rpartition("/")[2])
    max_bytes = fit.free - fit.caches - fit.working
    variants = [
        model
        for model in installed.models.values()
        if model is not current
        and not (model.facts.problem or adapter_of(model.ref))
        and _family_name(model.name) == name
        and model.facts.nbytes <= max_bytes
    ]
    return sorted(variants, key=lambda model: -model.facts.nbytes)


# model size and the rest of the name
_SIZE = re.compile(r"[-_. ]\d+(\.\d+)?(x\d+(\.\d+)?)?[bm]\b.*")


def search_words(name: str) -> str:
    return _SIZE.sub("", _family_name(name))


def _family_name(name: str) -> str:
    return _PRECISION_SUFFIX.sub("", name.casefold()).partition("@")[0].strip(" -_.")


class FitDialog(Sheet):
    WIDTH = 480

    choice_confirmed = Signal(object)

    def __init__(self, name: str, words: str, choices: Sequence[Choice], parent: QWidget) -> None:
        super().__init__("fit-dialog", tr("Memory"), parent, spacing=8)
        self.words = self.make_label(words)
        self.buttons = [self._make_choice_button(choice) for choice in choices]
        self.add_rows(self.make_heading(tr("{name} doesn’t fit in memory", name=name)), self.words)
        self.rows.addSpacing(6)
        self.add_rows(*self.buttons)
        self.add_buttons(cancel_text=tr("Cancel"))
        self.set_scaled_width(self.WIDTH)

    def _make_choice_button(self, choice: Choice) -> QPushButton:
        """Return a button with two lines. Its labels ignore the mouse so that clicks reach the
        button.
        """
        button = make_button(self, pressed=lambda: self._apply_choice(choice))
        button.setObjectName("suggestion")
        button.setAccessibleName(choice.words)
        button.setAccessibleDescription(choice.detail)
        inner = make_column_layout(of=button, margins=(14, 9, 14, 9), spacing=2)
        for text, quiet in ((choice.words, False), (choice.detail, True)):
            label = make_label(button, text, muted=quiet)
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            label.setFont(ui_font(t.UI_PX if quiet else t.LEAD_PX, QFont.Weight.Normal))
            inner.addWidget(label)
        wide = scaled(self.WIDTH) - 48 - 28
        lines = [button.findChildren(QLabel)[i].heightForWidth(wide) for i in range(2)]
        button.setFixedHeight(sum(lines) + 20)
        return button

    def _apply_choice(self, choice: Choice) -> None:
        self.accept()
        self.choice_confirmed.emit(choice)


class FitFlow(QObject):
    """Opens the dialog over ``window`` and applies the user's choice."""

    # (words): search the hub
    download_requested = Signal(str)
    conversion_requested = Signal(object)  # (InstalledModel)
    notice_posted = Signal(str)  # (reason)

    def __init__(self, library: ChatLibrary, installed: InstalledModels, window: QWidget) -> None:
        super().__init__(window)
        self._library, self._installed, self._window = library, installed, window
        self._loader = library.loader
        self._loader.changed.connect(self._on_model)

    @Slot(str)
    def _on_model(self, ref: str) -> None:
        """Start scanning installed models, so that alternatives are ready when the dialog opens."""
        installed = self._installed
        if self._loader.get(ref).fit is not None and not (installed.models or installed.looking):
            installed.rescan()

    def open(self, ref: str, chat: Chat | None, over: QWidget | None = None) -> FitDialog | None:
        """Open the dialog for a model. Return None unless the model is known to be too large.

        ``chat`` is the chat that needs the model, and that gets the model chosen here. ``over`` is
        the parent widget (default: the window).
        """
        status = self._loader.get(ref)
        if status.fit is None:
            return None
        offers = choices(status.fit, ref, self._library, self._installed, for_chat=chat is not None)
        words = memory_sentences(status.fit)
        dialog = FitDialog(status.name, words, offers, over or self._window)
        chat_id = chat.id if chat is not None else ""
        dialog.choice_confirmed.connect(lambda choice: self._apply_choice(choice, ref, chat_id))
        dialog.open()
        return dialog

    def _apply_choice(self, choice: Choice, ref: str, chat_id: str) -> None:
        chat = self._library.find(chat_id)  # the chat may be closed by now
        if choice.way is FitAction.FIND:
            self.download_requested.emit(search_words(self._loader.get(ref).name))
            return
        if choice.way is FitAction.CONVERT:
            self.conversion_requested.emit(choice.model)
            return
        if choice.way is FitAction.UNLOAD:
            for in_use in choice.refs:
                if reason := residency.why_not_unload(self._library, in_use):  # now in use
                    name = self._loader.get(in_use).name
                    self.notice_posted.emit(tr("{name} stays loaded. {why}", name=name, why=reason))
                    return
            for in_use in choice.refs:
                residency.unload(self._library, in_use)
        elif choice.way is FitAction.SHORTER and chat is not None:
            options = replace(chat.options, context=choice.tokens)
            chat.set_options(options, chat.record.system)
        elif choice.way in {FitAction.SHORTER, FitAction.ANYWAY}:
            self._loader.allow_oversize(ref)
        elif choice.way is FitAction.KV_BITS and chat is not None:
            options = replace(chat.options, kv_bits=choice.bits)
            chat.set_options(options, chat.record.system)
        elif choice.way is FitAction.VARIANT:
            ref = choice.refs[0]
        self._continue(ref, chat)

    def _continue(self, ref: str, chat: Chat | None) -> None:
        if chat is None:
            self._loader.request(ref)
            return
        chat.model.set(ref)
        last = chat.transcript.path[-1:]
        if last and last[0].status == "error" and last[0].stats.get("code") == DOES_NOT_FIT:
            chat.regenerate(last[0].id)

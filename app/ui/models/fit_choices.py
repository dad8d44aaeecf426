"""What can be done where a model does not fit: the engine's offers, and what the window knows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from app.chats import unloading
from app.chats.library import ChatLibrary
from app.conversion import RECIPES, why_not
from app.installed import InstalledModels
from app.language import counted, tr
from app.paths import adapter_of
from app.ui.style.figures import bytes_line
from engine import Fit
from engine.hub.inventory import Installed


class Way(Enum):
    """What a choice does."""

    KV_BITS = "kv_bits"
    SHORTER = "shorter"
    UNLOAD = "unload"
    VARIANT = "variant"
    CONVERT = "convert"
    FIND = "find"
    ANYWAY = "anyway"


@dataclass(frozen=True)
class Choice:
    """One way on.

    Attributes:
        words: what is done;  detail: what comes of it.
        bits: of the KV cache, for `Way.KV_BITS`.
        tokens: of the chat, for `Way.SHORTER`.
        refs: the models to unload, or the one to take instead.
        model: of which a smaller copy is to be made.
    """

    way: Way
    words: str
    detail: str
    bits: int = 0
    tokens: int = 0
    refs: tuple[str, ...] = ()
    model: Installed | None = None


# The end of a name that says how its weights are kept.
_PRECISION = re.compile(
    r"[-_. ](mlx|dwq|awq|gptq|mixed|bf16|fp16|fp8|mxfp4|nvfp4|q\d\w*|int[48]|\d+(\.\d+)?-?bits?)+"
)


def choices(
    fit: Fit, ref: str, library: ChatLibrary, installed: InstalledModels, *, for_chat: bool
) -> list[Choice]:
    """The ways on, the least change first. `for_chat`: there is a chat whose settings can change.

    What cannot be done is left out: unloading a model that answers, or one that is pinned.
    """
    found = []
    for offer in fit.offers:
        value, size = offer.value, bytes_line(offer.total)
        if offer.what == "kv_bits" and for_chat:
            words = counted(
                "Keep this chat’s KV cache in %n bit", "Keep this chat’s KV cache in %n bits", value
            )
            detail = tr("Takes {size}. What it has read is rounded a little.", size=size)
            found.append(Choice(Way.KV_BITS, words, detail, bits=value))
        elif offer.what == "context" and for_chat:
            words = counted(
                "Let this chat have at most %Ln token",
                "Let this chat have at most %Ln tokens",
                value,
            )
            detail = tr("Takes {size}. Its settings can change that.", size=size)
            found.append(Choice(Way.SHORTER, words, detail, tokens=value))
        elif offer.what == "context":
            words = counted(
                "Load it for chats of up to %Ln token",
                "Load it for chats of up to %Ln tokens",
                value,
            )
            detail = tr("Takes {size}. Longer ones may find no memory.", size=size)
            found.append(Choice(Way.SHORTER, words, detail, tokens=value))
    found += _unloading(fit, library, installed)
    found += [
        Choice(
            Way.VARIANT,
            tr("Use {name} instead", name=model.name),
            tr(
                "Its weights take {size}, and it is on this machine.",
                size=bytes_line(model.facts.nbytes),
            ),
            refs=(model.ref,),
        )
        for model in _variants(fit, ref, installed)[:2]
    ]
    found += _smaller_copy(fit, _installed(ref, installed))
    words, detail = (
        tr("Look for a smaller one…"),
        tr("Searches the hub, once you have typed what for."),
    )
    found.append(Choice(Way.FIND, words, detail))
    if fit.weights <= fit.free and not any(c.way is Way.SHORTER for c in found):
        detail = tr("Its weights fit. Chats may find no memory.")
        found.append(Choice(Way.ANYWAY, tr("Load it all the same"), detail))
    return found


def _unloading(fit: Fit, library: ChatLibrary, installed: InstalledModels) -> list[Choice]:
    """The models that the engine would have unloaded, together, if each of them may be."""
    wanted = {offer.model for offer in fit.offers if offer.what == "unload"}
    loaded = [s for s in library.loader.loaded() if s.model is not None and s.model.id in wanted]
    held = any(installed.is_kept(s) or unloading.why_not(library, s.ref) for s in loaded)
    if not wanted or held or len(loaded) < len(wanted):  # another program's is not ours to unload
        return []
    names = [status.name for status in loaded]
    frees = bytes_line(sum(s.model.nbytes for s in loaded if s.model is not None))
    words = tr("Unload {name}", name=names[0])
    detail = tr("Frees {size}. Its chats load it when they send.", size=frees)
    if len(names) > 1:
        words = tr("Unload {names} and {last}", names=", ".join(names[:-1]), last=names[-1])
        detail = tr("Frees {size}. Their chats load them when they send.", size=frees)
    return [Choice(Way.UNLOAD, words, detail, refs=tuple(s.ref for s in loaded))]


def _installed(ref: str, installed: InstalledModels) -> Installed | None:
    return next((m for m in installed.models.values() if ref in {m.ref, str(m.folder)}), None)


def _smaller_copy(fit: Fit, model: Installed | None) -> list[Choice]:
    """A copy in as many bits as fit, where one can be made."""
    if model is None or why_not(model):
        return []
    most = fit.free - fit.caches - fit.working
    usual = sorted((r for r in RECIPES if not r.mixed), key=lambda recipe: -recipe.bits)
    recipe = next((r for r in usual if r.size(model) <= most), None)
    if recipe is None:
        return []
    size = tr("about {size}", size=bytes_line(recipe.size(model)))
    words = tr("Make a smaller copy of it")
    return [Choice(Way.CONVERT, words, f"{tr(recipe.words)} ({size})", model=model)]


def _variants(fit: Fit, ref: str, installed: InstalledModels) -> list[Installed]:
    """The same model in fewer bits, where it is installed and would fit; the largest first."""
    own = _installed(ref, installed)
    name = _base(own.name if own is not None else ref.rstrip("/").rpartition("/")[2])
    most = fit.free - fit.caches - fit.working
    found = [
        model
        for model in installed.models.values()
        if model is not own
        and not (model.facts.problem or adapter_of(model.ref))
        and _base(model.name) == name
        and model.facts.nbytes <= most
    ]
    return sorted(found, key=lambda model: -model.facts.nbytes)


# A size as names tell it, and what comes after it.
_SIZE = re.compile(r"[-_. ]\d+(\.\d+)?(x\d+(\.\d+)?)?[bm]\b.*")


def search_words(name: str) -> str:
    """What to look for on the hub to find smaller ones of a model's kind: "qwen3"."""
    return _SIZE.sub("", _base(name))


def _base(name: str) -> str:
    """A model's name without how its weights are kept."""
    return _PRECISION.sub("", name.casefold()).partition("@")[0].strip(" -_.")

"""Whether a model fits, in words: one for a row, a sentence with the sum for the detail. Pure."""

from __future__ import annotations

from app.language import counted, number, tr
from app.suggestions import Suggestion
from app.ui.models.found_list import ModelEntry
from app.ui.style.figures import bytes_line
from engine import hub
from engine.hub import Fit, Found, HubModel

_NAME = 60  # characters
_LEAST_ROOM = 1 / 16  # of the memory, beside the weights of a model that is suggested


def fit_sentence(fit: Fit) -> str:
    """ "Fits: 4.0 GB of weights + 2.1 GB for 2 chats of 8,192 tokens + … = 6.4 of 10.2 GB." """
    caches, total = bytes_line(fit.caches), bytes_line(fit.total)
    if not fit.exact:
        caches, total = tr("about {size}", size=caches), tr("about {size}", size=total)
    words = tr(
        "{verdict}: {weights} of weights + {caches} for {chats} of {tokens} + {working} to work "
        "in = {total} of {free} that models and chats may take.",
        verdict=verdict(fit.verdict)[0],
        weights=bytes_line(fit.weights),
        caches=caches,
        chats=chats_line(fit.chats),
        tokens=tokens_line(fit.context),
        working=bytes_line(fit.working),
        total=total,
        free=bytes_line(fit.free),
    )
    return f"{words} {_advice(fit)}" if fit.verdict == "no" else words


def _advice(fit: Fit) -> str:
    for offer in fit.offers:
        if offer.what == "context":
            return counted(
                "Chats of %Ln token would fit.",
                "Chats of %Ln tokens would fit.",
                offer.value,
            )
        if offer.what == "kv_bits":
            return counted(
                "It would fit with keys and values in %n bit.",
                "It would fit with keys and values in %n bits.",
                offer.value,
            )
        if offer.what == "chats":
            return tr("One chat would fit.")
    return tr("Choose a smaller one, or one in fewer bits.")


def verdict(fits: str) -> tuple[str, str]:
    """The word for a verdict of the engine's ("yes", "tight", "no"), and its colour."""
    return {
        "yes": (tr("Fits"), "success"),
        "tight": (tr("Tight", "the memory"), "text"),
        "no": (tr("Too large"), "danger"),
    }[fits]


def tokens_line(count: int) -> str:
    """ "8,192 tokens"."""
    return counted("%Ln token", "%Ln tokens", count)


def chats_line(count: int) -> str:
    """ "2 chats"."""
    return counted("%n chat", "%n chats", count)


def has_room(model: Suggestion, room: int) -> bool:
    """Whether there is room for a suggested model and a chat; its config is not known."""
    return model.size + room * _LEAST_ROOM <= room


def room_sentence(model: Suggestion, room: int) -> str:
    """The same in words; "" where it is not known how much memory there is."""
    if not room:
        return ""
    return tr(
        "{verdict}: {weights} of weights, of {room} that models and chats may take. Its chats "
        "come on top.",
        verdict=verdict("yes" if has_room(model, room) else "no")[0],
        weights=bytes_line(model.size),
        room=bytes_line(room),
    )


def count_line(count: int) -> str:
    """ "950", "12K", "1.2M"."""
    if count < 1000:
        return str(count)
    if count < 999_500:
        return f"{count / 1000:.0f}K"
    shown = number(count / 1e6, 1)
    return f"{shown}M"


def context_line(tokens: int) -> str:
    """ "128K context"; "" where it is not known."""
    if not tokens:
        return ""
    if tokens < 1024:
        return tr("{tokens} context", tokens=tokens)
    size = 1024 if tokens % 1024 == 0 else 1000
    return tr("{tokens} context", tokens=f"{tokens / size:.0f}K")


def shown_name(ref: str) -> str:
    """The model's name without its owner, short enough to be shown."""
    return hub.clean_name(ref.rpartition("/")[2], _NAME)


def by(ref: str) -> str:
    """ "by somebody"; "" for those of mlx-community, which are most."""
    owner = ref.partition("/")[0]
    if owner == "mlx-community":
        return ""
    return tr("by {owner}", owner=hub.clean_name(owner, _NAME))


def suggested_entry(model: Suggestion, mark: tuple[str, str]) -> ModelEntry:
    """A model of `resources/models.toml` as a row."""
    about = f"{bytes_line(model.size)} · {tr(model.good_at)}"
    return ModelEntry(model.repo, shown_name(model.repo), about, *mark)


def found_entry(found: Found, model: HubModel | None, mark: tuple[str, str]) -> ModelEntry:
    """A result of a search as a row, with what a look at it has told."""
    facts = model.facts if model is not None else found.facts
    if model is not None:
        size, context = bytes_line(model.size), context_line(model.context)
    else:
        size = tr("about {size}", size=bytes_line(found.size)) if found.size else ""
        context = ""
    count = facts.downloads
    downloads = counted("{count} download", "{count} downloads", count, count=count_line(count))
    parts = (size, found.precision, context, downloads if count > 1 else "", by(found.repo))
    about = " · ".join(part for part in parts if part)
    return ModelEntry(found.repo, shown_name(found.repo), about, *mark)


def facts_line(model: HubModel) -> str:
    """Context, capabilities, licence, date and downloads of a model that was looked at."""
    facts = model.facts
    alone = not (facts.reasoning or facts.images)
    made_for = (
        tr("Reasoning") if facts.reasoning else "",
        (tr("Tools") if alone else tr("tools", "after another word")) if facts.tools else "",
        tr("images (Stretto gives it text only)") if facts.images else "",
    )
    count = facts.downloads
    downloads = counted("%Ln download last month", "%Ln downloads last month", count)
    parts = (
        by(model.repo),
        context_line(model.context),
        ", ".join(filter(None, made_for)),
        facts.licence,
        tr("updated {date}", date=facts.updated) if facts.updated else "",
        downloads if count > 1 else "",
        tr("gated") if facts.gated else "",
    )
    return " · ".join(part for part in parts if part)

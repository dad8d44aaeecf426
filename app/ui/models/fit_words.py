"""Whether a model fits, in words: one for a row, a sentence with the sum for the detail. Pure."""

from __future__ import annotations

from app.suggestions import Suggestion
from app.ui.models.found_list import ModelEntry
from app.ui.style.figures import bytes_line
from engine import hub
from engine.hub import Fit, Found, HubModel

_NAME = 60  # characters
MARKS = {
    "yes": ("Fits", "success"),
    "tight": ("Tight", "text"),
    "no": ("Too large", "danger"),
}
_LEAST_ROOM = 1 / 16  # of the memory, beside the weights of a model that is suggested


def fit_sentence(fit: Fit) -> str:
    """ "Fits: 4.0 GB of weights + 2.1 GB for 2 chats of 8,192 tokens + … = 6.4 of 10.2 GB." """
    about = "" if fit.exact else "about "
    chats = "1 chat" if fit.chats == 1 else f"{fit.chats} chats"
    return (
        f"{MARKS[fit.verdict][0]}: {bytes_line(fit.weights)} of weights + "
        f"{about}{bytes_line(fit.caches)} for {chats} of {fit.context:,} tokens + "
        f"{bytes_line(fit.working)} to work in = {about}{bytes_line(fit.total)} of "
        f"{bytes_line(fit.free)} that models and chats may take.{_advice(fit)}"
    )


def _advice(fit: Fit) -> str:
    if fit.verdict != "no":
        return ""
    for offer in fit.offers:
        if offer.what == "context":
            return f" Chats of {offer.value:,} tokens would fit."
        if offer.what == "kv_bits":
            return f" It would fit with keys and values in {offer.value} bits."
        if offer.what == "chats":
            return " One chat would fit."
    return " Choose a smaller one, or one in fewer bits."


def has_room(model: Suggestion, room: int) -> bool:
    """Whether there is room for a suggested model and a chat; its config is not known."""
    return model.size + room * _LEAST_ROOM <= room


def room_sentence(model: Suggestion, room: int) -> str:
    """The same in words; "" where it is not known how much memory there is."""
    if not room:
        return ""
    word = MARKS["yes" if has_room(model, room) else "no"][0]
    return (
        f"{word}: {bytes_line(model.size)} of weights, of {bytes_line(room)} that models and chats "
        "may take. Its chats come on top."
    )


def count_line(count: int) -> str:
    """ "950", "12K", "1.2M"."""
    if count < 1000:
        return str(count)
    if count < 999_500:
        return f"{count / 1000:.0f}K"
    return f"{count / 1e6:.1f}M"


def context_line(tokens: int) -> str:
    """ "128K context"; "" where it is not known."""
    if not tokens:
        return ""
    if tokens < 1024:
        return f"{tokens} context"
    size = 1024 if tokens % 1024 == 0 else 1000
    return f"{tokens / size:.0f}K context"


def shown_name(ref: str) -> str:
    """The model's name without its owner, short enough to be shown."""
    return hub.clean_name(ref.rpartition("/")[2], _NAME)


def by(ref: str) -> str:
    """ "by somebody"; "" for those of mlx-community, which are most."""
    owner = ref.partition("/")[0]
    return "" if owner == "mlx-community" else f"by {hub.clean_name(owner, _NAME)}"


def suggested_entry(model: Suggestion, mark: tuple[str, str]) -> ModelEntry:
    """A model of `resources/models.toml` as a row."""
    about = f"{bytes_line(model.size)} · {model.good_at}"
    return ModelEntry(model.repo, shown_name(model.repo), about, *mark)


def found_entry(found: Found, model: HubModel | None, mark: tuple[str, str]) -> ModelEntry:
    """A result of a search as a row, with what a look at it has told."""
    facts = model.facts if model is not None else found.facts
    if model is not None:
        size, context = bytes_line(model.size), context_line(model.context)
    else:
        size, context = f"about {bytes_line(found.size)}" if found.size else "", ""
    downloads = f"{count_line(facts.downloads)} downloads" if facts.downloads > 1 else ""
    parts = (size, found.precision, context, downloads, by(found.repo))
    about = " · ".join(part for part in parts if part)
    return ModelEntry(found.repo, shown_name(found.repo), about, *mark)


def facts_line(model: HubModel) -> str:
    """Context, capabilities, licence, date and downloads of a model that was looked at."""
    facts = model.facts
    made_for = [
        word for word, there in (("Reasoning", facts.reasoning), ("tools", facts.tools)) if there
    ]
    if facts.images:
        made_for.append("images (Stretto gives it text only)")
    parts = (
        by(model.repo),
        context_line(model.context),
        ", ".join(made_for).capitalize() if made_for == ["tools"] else ", ".join(made_for),
        facts.licence,
        f"updated {facts.updated}" if facts.updated else "",
        f"{facts.downloads:,} downloads last month" if facts.downloads > 1 else "",
        "gated" if facts.gated else "",
    )
    return " · ".join(part for part in parts if part)

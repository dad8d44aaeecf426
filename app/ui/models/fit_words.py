"""Whether a model fits, in words: one for a row, a sentence with the sum for the detail. Pure."""

from __future__ import annotations

from app.suggestions import Suggestion
from app.ui.models.found_list import ModelEntry
from app.ui.style.figures import bytes_line
from engine import hub
from engine.hub import Fit, Found, HubModel, Verdict

_NAME = 60  # characters
MARKS = {
    Verdict.YES: ("Fits", "success"),
    Verdict.TIGHT: ("Tight", "text"),
    Verdict.NO: ("Too large", "danger"),
}
_ADVICE = {
    Verdict.YES: "",
    Verdict.TIGHT: " One short chat has room; have fewer or shorter ones.",
    Verdict.NO: " Choose a smaller one, or one in fewer bits.",
}


def fit_sentence(fit: Fit) -> str:
    """ "Fits: 4.0 GB of weights + 2.1 GB for 2 chats of 8,192 tokens + … = 6.4 of 10.2 GB." """
    chats = "1 chat" if fit.chats == 1 else f"{fit.chats} chats"
    parts = [f"{bytes_line(fit.weights)} of weights"]
    if fit.kv is not None:
        parts.append(f"{bytes_line(fit.kv)} for {chats} of {fit.tokens:,} tokens")
    parts.append(f"{bytes_line(fit.headroom)} to spare")
    more = "" if fit.kv is not None else " Its chats come on top."
    word = MARKS[fit.verdict][0]
    return (
        f"{word}: {' + '.join(parts)} = {bytes_line(fit.needed)} of "
        f"{bytes_line(fit.budget)} that models and chats may take.{more}{_ADVICE[fit.verdict]}"
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
    downloads = f"{count_line(facts.downloads)} downloads" if facts.downloads else ""
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

"""What the Models window writes of a model."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from app.chats.model_choice import LoadState, ModelStatus
from app.language import counted, mark, number, tr
from app.ui.style.dates import date_line
from app.ui.style.figures import bytes_line, percent
from engine.hub.inventory import IMAGES, REASONING, TOOLS, FolderFacts, Installed, Source

NOTHING = "–"
_DAY = 86_400
_CAN = {REASONING: mark("Reasoning"), TOOLS: mark("Tools"), IMAGES: mark("Images")}
_WHOSE = {
    Source.BUNDLED: mark("Comes with Stretto"),
    Source.OWN: mark("Stretto's models"),
    Source.ADDED: mark("Added by hand"),
}
"""The other places are called by the names of programs."""


def precision(facts: FolderFacts) -> str:
    """ "4-bit", "4-bit, mixed", "bfloat16"."""
    if facts.bits:
        bits = facts.bits
        return tr("{bits}-bit, mixed", bits=bits) if facts.mixed else tr("{bits}-bit", bits=bits)
    return facts.dtype or NOTHING


def precision_tip(facts: FolderFacts) -> str:
    if not facts.bits:
        known = tr("Its weights are not quantized")
        return known if facts.dtype else tr("Its config does not say")
    words = counted("Weights in %n bit", "Weights in %n bits", facts.bits)
    if facts.group_size:
        words = counted(
            "{weights}, %n of them share a scale",
            "{weights}, %n of them share a scale",
            facts.group_size,
            weights=words,
        )
    return tr("{weights}; some layers have other bits", weights=words) if facts.mixed else words


def context(facts: FolderFacts) -> str:
    """ "128K", "1M", "4,000"."""
    count = facts.context
    if not count:
        return NOTHING
    if count % 2**20 == 0:
        return f"{count // 2**20}M"
    if count >= 1_000_000:
        return f"{number(count / 1e6, 1)}M"
    return f"{count // 1024}K" if count % 1024 == 0 else number(count)


def capabilities(facts: FolderFacts) -> str:
    return " · ".join(tr(words) for name, words in _CAN.items() if name in facts.capabilities)


def capabilities_tip(facts: FolderFacts) -> str:
    if IMAGES in facts.capabilities:
        return tr("By its template and config. Stretto shows models no images yet.")
    return tr("By its template and config")


def used(when: float, now: float) -> str:
    """ "Today", "Yesterday", "5 days ago", "12 March", "12 March 2024"."""
    if when <= 0:
        return NOTHING
    day, today = time.localtime(when), time.localtime(now)
    midnight = time.mktime((today.tm_year, today.tm_mon, today.tm_mday, 0, 0, 0, 0, 0, -1))
    if when >= midnight:
        return tr("Today")
    days = int((midnight - when) // _DAY) + 1
    if days < 7:
        return tr("Yesterday") if days == 1 else counted("%n day ago", "%n days ago", days)
    if day.tm_year == today.tm_year:
        return date_line(when, tr("d MMMM", "Qt's form of a date"))
    return date_line(when, tr("d MMMM yyyy", "Qt's form of a date"))


def memory(status: ModelStatus, nbytes: int) -> str:
    """What it takes of memory now, or how far it is. ``nbytes``: with its chats' caches."""
    if status.state is LoadState.LOADING:
        if status.share < 0.01:
            return tr("Loading…")
        return tr("Loading {share}", share=percent(min(0.99, status.share)))
    if status.model is not None:
        return bytes_line(max(nbytes, status.model.nbytes))
    return tr("Not loaded") if status.state is LoadState.FAILED else ""


def count(models: Sequence[Installed], looking: bool) -> str:
    """ "12 models · 48 GB on disk"."""
    # Revisions of one repository share files: it counts once.
    nbytes = sum({m.removes: m.facts.nbytes for m in models}.values())
    if not models:
        return ""
    parts = [
        counted("%Ln model", "%Ln models", len(models)),
        tr("{size} on disk", size=bytes_line(nbytes)),
        tr("looking for more…") if looking else "",
    ]
    return " · ".join(filter(None, parts))


def below(model: Installed, draft: str = "") -> str:
    """The quieter line below its name: what it is and whose. `draft`: what drafts for it."""
    drafted = tr("draft model {name}", name=draft) if draft else ""
    return " · ".join(filter(None, (model.facts.architecture, drafted, whose(model))))


def drafted(figures: Mapping[str, Any] | None) -> str:
    """How much of what was drafted for a model has held; "" where nothing drafts for it.

    `figures`: as `Engine.stats` tells them.
    """
    if figures is None:
        return ""
    name, count = figures["name"], figures["drafted_tokens"]
    if not count:
        return tr("{name} has drafted nothing yet.", name=name)
    share = percent(figures["accepted_tokens"] / count)
    return counted(
        "{name} has drafted %Ln token; {share} of that held.",
        "{name} has drafted %Ln tokens; {share} of them held.",
        count,
        name=name,
        share=share,
    )


def whose(model: Installed) -> str:
    return tr(_WHOSE[model.source]) if model.source in _WHOSE else model.source.value


def sentence(
    model: Installed, status: ModelStatus, when: float, now: float, pinned: bool, draft: str = ""
) -> str:
    """All that is known of it, as a screen reader says it."""
    facts, takes = model.facts, memory(status, 0)
    tokens = counted("context %Ln token", "context %Ln tokens", facts.context)
    parts = [
        model.name,
        tr("pinned") if pinned else "",
        facts.problem.rstrip("."),
        tr("in memory, {size}", size=takes) if status.model is not None else takes,
        below(model, draft),
        bytes_line(facts.nbytes) if facts.nbytes else "",
        precision(facts) if precision(facts) != NOTHING else "",
        tokens if facts.context else "",
        capabilities(facts).replace(" · ", ", "),
        tr("licence {name}", name=facts.licence) if facts.licence else "",
        tr("used {when}", when=used(when, now)) if when > 0 else "",
    ]
    return ", ".join(filter(None, parts))

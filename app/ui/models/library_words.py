"""What the Models window writes of a model."""

from __future__ import annotations

import time
from collections.abc import Sequence

from app.chats.model_choice import LoadState, ModelStatus
from app.ui.style.figures import bytes_line
from engine.hub.folder_facts import IMAGES, REASONING, TOOLS, FolderFacts
from engine.hub.inventory import Installed
from engine.hub.places import Source

NOTHING = "–"
_DAY = 86_400
_CAN = {REASONING: "Reasoning", TOOLS: "Tools", IMAGES: "Images"}


def precision(facts: FolderFacts) -> str:
    """ "4-bit", "4-bit, mixed", "bfloat16"."""
    if facts.bits:
        return f"{facts.bits}-bit" + (", mixed" if facts.mixed else "")
    return facts.dtype or NOTHING


def precision_tip(facts: FolderFacts) -> str:
    if not facts.bits:
        return "Its weights are not quantized" if facts.dtype else "Its config does not say"
    words = f"Weights in {facts.bits} bits"
    if facts.group_size:
        words += f", {facts.group_size} of them share a scale"
    return words + ("; some layers have other bits" if facts.mixed else "")


def context(facts: FolderFacts) -> str:
    """ "128K", "1M", "4,000"."""
    count = facts.context
    if not count:
        return NOTHING
    if count % 2**20 == 0:
        return f"{count // 2**20}M"
    if count >= 1_000_000:
        return f"{count / 1e6:.1f}M"
    return f"{count // 1024}K" if count % 1024 == 0 else f"{count:,}"


def capabilities(facts: FolderFacts) -> str:
    return " · ".join(words for name, words in _CAN.items() if name in facts.capabilities)


def capabilities_tip(facts: FolderFacts) -> str:
    if IMAGES in facts.capabilities:
        return "By its template and config. Stretto shows models no images yet."
    return "By its template and config"


def used(when: float, now: float) -> str:
    """ "Today", "Yesterday", "5 days ago", "12 March", "12 March 2024"."""
    if when <= 0:
        return NOTHING
    day, today = time.localtime(when), time.localtime(now)
    midnight = time.mktime((today.tm_year, today.tm_mon, today.tm_mday, 0, 0, 0, 0, 0, -1))
    if when >= midnight:
        return "Today"
    days = int((midnight - when) // _DAY) + 1
    if days < 7:
        return "Yesterday" if days == 1 else f"{days} days ago"
    words = f"{day.tm_mday} {time.strftime('%B', day)}"
    return words if day.tm_year == today.tm_year else f"{words} {day.tm_year}"


def memory(status: ModelStatus, nbytes: int) -> str:
    """What it takes of memory now, or how far it is. ``nbytes``: with its chats' caches."""
    if status.state is LoadState.LOADING:
        return f"Loading {min(0.99, status.share):.0%}" if status.share >= 0.01 else "Loading…"
    if status.model is not None:
        return bytes_line(max(nbytes, status.model.nbytes))
    return "Not loaded" if status.state is LoadState.FAILED else ""


def count(models: Sequence[Installed], looking: bool) -> str:
    """ "12 models · 48 GB on disk"."""
    # Revisions of one repository share files: it counts once.
    nbytes = sum({m.removes: m.facts.nbytes for m in models}.values())
    words = "1 model" if len(models) == 1 else f"{len(models):,} models"
    more = " · looking for more…" if looking else ""
    return f"{words} · {bytes_line(nbytes)} on disk{more}" if models else ""


def below(model: Installed) -> str:
    """The quieter line below its name: what it is and whose."""
    return " · ".join(filter(None, (model.facts.architecture, whose(model))))


def whose(model: Installed) -> str:
    return "Comes with Stretto" if model.source is Source.BUNDLED else model.source.value


def sentence(model: Installed, status: ModelStatus, when: float, now: float, pinned: bool) -> str:
    """All that is known of it, as a screen reader says it."""
    facts = model.facts
    parts = [
        model.name,
        "pinned" if pinned else "",
        facts.problem.rstrip("."),
        f"in memory, {memory(status, 0)}" if status.model is not None else memory(status, 0),
        below(model),
        bytes_line(facts.nbytes) if facts.nbytes else "",
        precision(facts) if precision(facts) != NOTHING else "",
        f"context {facts.context:,} tokens" if facts.context else "",
        capabilities(facts).replace(" · ", ", "),
        f"licence {facts.licence}" if facts.licence else "",
        f"used {used(when, now)}" if when > 0 else "",
    ]
    return ", ".join(filter(None, parts))

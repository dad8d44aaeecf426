"""Which of the models on this machine may draft for another."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass

from app.paths import adapter_of, base_of
from engine.hub.inventory import Installed
from engine.hub.vocabulary import may_share, vocabulary_of


@dataclass(frozen=True)
class Candidate:
    """A smaller model.

    Attributes:
        fits: whether its tokenizer may be the same, as far as the files tell.
    """

    model: Installed
    fits: bool


def smaller(model: Installed, installed: Iterable[Installed]) -> tuple[Installed, list[Installed]]:
    """The model, or its base where it is a variant, and those that take less; the smallest first.

    What cannot be loaded is not among them, nor is a variant.
    """
    listed = list(installed)
    names = {base_of(model.ref)} if adapter_of(model.ref) else {model.ref}
    base = next((m for m in listed if names & {m.ref, str(m.folder)}), model)
    usable = [m for m in listed if not (m.facts.problem or adapter_of(m.ref) or m is base)]
    return base, sorted(
        (m for m in usable if m.facts.nbytes < base.facts.nbytes), key=lambda m: m.facts.nbytes
    )


def candidates(
    base: Installed, others: Iterable[Installed], stop: threading.Event
) -> list[Candidate]:
    """Those with the same tokenizer first. Reads files: for a worker."""
    own, found = vocabulary_of(base.folder, stop.is_set), []
    for model in others:
        if stop.is_set():
            break
        found.append(Candidate(model, may_share(own, vocabulary_of(model.folder, stop.is_set))))
    return sorted(found, key=lambda one: not one.fits)

"""What was measured on this machine of each loaded model, as lines that can be copied."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from app.bridge import Bridge
from app.chats.asked import asked
from app.chats.library import ChatLibrary
from app.language import counted, number, tr
from app.ui.style.theme import scaled
from app.ui.widgets.width import keep_high
from engine.model.choices import EVERY

WIDTH, HEIGHT = 420, 240
"""Pixels of the lines at usual text: at least, and at most."""


def lines_of(choices: Mapping[str, Any]) -> list[str]:
    """The ways of one model, as `ways` of `Engine.stats` has them, by the number of chats."""
    below, shared, mixed = (choices[name] for name in ("below", "shared_from", "mixed_most"))
    kernels, lines = choices["kernels"], []
    for chats in sorted({*below, *shared, *mixed, *kernels}):
        ways = []
        if chats in below:
            ways.append(_slots(below[chats]))
        if chats in shared:
            tokens = number(shared[chats])
            ways.append(tr("beginnings shared from {tokens} tokens", tokens=tokens))
        if chats in mixed:
            ways.append(_prompts(mixed[chats]))
        if chats in kernels:
            ways.append(
                tr("own attention kernels") if kernels[chats] else tr("no attention kernels")
            )
        words = counted("%n chat: {ways}", "%n chats: {ways}", chats, ways=", ".join(ways))
        lines.append(words)
    if choices["chunk_most"] < EVERY:
        tokens = number(choices["chunk_most"])
        lines.append(tr("Prompts are read at most {tokens} tokens at a time", tokens=tokens))
    return lines


def _slots(below: int | None) -> str:
    if below is None:
        return tr("slots at any length", "chats that share one buffer")
    if not below:
        return tr("no slots", "chats that share one buffer")
    return tr("slots below {tokens} tokens", "chats that share one buffer", tokens=number(below))


def _prompts(most: int) -> str:
    if not most:
        return tr("prompts read between answers’ tokens")
    if most < EVERY:
        return tr("small pieces of prompts read along with answers’ tokens")
    return tr("prompts read along with answers’ tokens")


class MeasuredWays(QWidget):
    """Asks the engine once. Without one it says that nothing was measured."""

    def __init__(self, library: ChatLibrary, parent: QWidget) -> None:
        super().__init__(parent)
        title = QLabel(tr("Measured on this machine"), self)
        self.text = QLabel(self)
        self.text.setTextFormat(Qt.TextFormat.PlainText)
        self.text.setWordWrap(True)
        self.text.setProperty("muted", True)
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._area = QScrollArea(self)
        self._area.setWidgetResizable(True)
        self._area.setAccessibleName(tr("Measured on this machine"))
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setMinimumWidth(scaled(WIDTH))
        self._area.setWidget(self.text)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(title)
        layout.addWidget(self._area)
        self._show({})
        engine, bridge = library.loader.engine, library.bridge
        if engine is not None:
            self._ask(bridge, asked(engine.stats_later))

    def _ask(self, bridge: Bridge, future: Future[dict[str, Any]]) -> None:
        channel = bridge.when_done(future, self._on_figures)
        self.destroyed.connect(lambda: bridge.close(channel))

    def _on_figures(self, future: Future[dict[str, Any]]) -> None:
        if not future.cancelled() and future.exception() is None:
            self._show(future.result())
            self.updateGeometry()
            keep_high(self.window())

    def _show(self, figures: Mapping[str, Any]) -> None:
        names = {model.id: model.name for model in figures.get("models", ())}
        parts = [
            "\n".join([names[model_id], *lines])
            for model_id, choices in figures.get("ways", {}).items()
            if model_id in names and (lines := lines_of(choices))
        ]
        nothing = tr(
            "Nothing yet. After a model was loaded, and while no chat answers, it is measured for "
            "a few seconds which ways of computing are the fastest. That stays here."
        )
        self.text.setText("\n\n".join(parts) or nothing)
        self.text.ensurePolished()
        needed = self.text.heightForWidth(scaled(WIDTH))
        self._area.setFixedHeight(min(needed, scaled(HEIGHT)))

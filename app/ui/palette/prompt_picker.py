"""The prompts, opened by "/" at the start of an empty message, above its field."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QTextEdit, QWidget

from app.language import tr
from app.ui.palette.entries import Entry, Kind
from app.ui.palette.field_picker import LONGEST, FieldPicker


class PromptPicker(FieldPicker):
    """A list over the pane while what stands in the field looks for a prompt.

    Signals:
        chosen(name): this prompt is to stand in the field.
        manage_asked(): the person wants to write prompts.
    """

    chosen = Signal(str)
    manage_asked = Signal()

    def __init__(
        self,
        field: QTextEdit,
        composer: QWidget,
        prompts: Callable[[], Mapping[str, str]],
        more: Callable[[], list[Entry]],
        parent: QWidget,
    ) -> None:
        """``more``: prompts from elsewhere, listed after the person's own."""
        super().__init__(tr("Prompts"), field, composer, parent)
        self._prompts = prompts
        self._more = more

    def wanted(self) -> str | None:
        text = self._field.toPlainText()
        looks = text.startswith("/") and "\n" not in text and len(text) <= LONGEST
        return text[1:] if looks else None

    def found(self, typed: str) -> list[Entry]:
        prompts = self._prompts()
        entries = [
            Entry(
                Kind.PROMPT,
                f"prompt:{name}",
                name,
                lambda name=name: self.chosen.emit(name),  # type: ignore[misc]
                beside=" ".join(text.split())[:200],
            )
            for name, text in prompts.items()
        ]
        found = self._best([*entries, *self._more()], typed)
        if not typed.strip():
            words = tr("Edit Prompts…") if prompts else tr("Write a Prompt…")
            found.append(Entry(Kind.COMMAND, "prompts", words, self.manage_asked.emit))
        return found

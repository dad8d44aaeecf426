"""Prompts that are continued as they stand, without a chat template."""

from __future__ import annotations

from typing import Any

from engine.errors import INVALID_REQUEST, EngineError
from engine.messages import RawPrompt
from engine.text import contents, gaps
from engine.text.prompt import Prompt
from engine.text.rendering import InProcess, Reader, TooLongError


def build(
    tokenizer: Any, raw: RawPrompt, reader: Reader | None, most: int, marks: bool = True
) -> Prompt:
    """The prompt of a text or of token ids.

    Args:
        marks: special tokens in the text are such. Whoever writes a prompt as it stands writes the
            template's part, too; a text that is only looked at has none.

    Raises:
        EngineError: `invalid_request`, there is nothing in it.
        TooLongError: it has more tokens than `most`.
    """
    if raw.text is None:
        tokens = list(raw.tokens)
    else:
        text = gaps.itself(raw.text) if marks else contents.of(tokenizer).text(raw.text)
        (ids,) = (reader or InProcess(tokenizer)).encode([text], most)
        tokens = [*opening(tokenizer), *ids]
    if not tokens:
        raise EngineError(INVALID_REQUEST, "The prompt is empty. Send some text to continue.")
    if len(tokens) > most:
        raise TooLongError(len(tokens))
    return Prompt(tokens, raw.text or "", (), len(tokens) - 1)


def opening(tokenizer: Any) -> list[int]:
    """The ids that a tokenizer puts before every text, if any."""
    whole, bare = tokenizer.encode("a"), tokenizer.encode("a", add_special_tokens=False)
    for start in range(len(whole) - len(bare) + 1):
        if bare and whole[start : start + len(bare)] == bare:
            return list(whole[:start])
    return []

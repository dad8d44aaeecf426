"""Ballots: replies that can be compared as numbers, short choices, or JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

from msgspec import Struct


class Ballot(Struct, frozen=True):
    value: str  # normalized for comparison
    text: str  # as the model wrote it


_FENCE = re.compile(r"```\w*[^\S\n]*\n(.*?)```", re.DOTALL)
_ANSWER = re.compile(
    r"^[^\w\n]*(?:final |the )?(?:answer|result|antwort|ergebnis|respuesta|réponse|答え|答案)"
    r"[^\w\n]{0,9}(?:is\b|=|:|：)[\s*]*(.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_NUMBER = re.compile(
    r"(?<![\w.,])[-+−]?\d{1,40}(?:[.,\u00a0\u202f ’']\d{3})*(?:[.,]\d{1,40})?(?![\w])"
)
_LINE, _CHOICE, _WORDS = 200, 40, 3
"""Maximum characters of a sentence with a number, characters of a choice, and words of a choice."""


def _parse_number(text: str) -> Ballot | None:
    text = _final_answer(text)
    numbers = _NUMBER.findall(text) if len(text) <= _LINE and "\n" not in text else []
    values = {value for answer in numbers if (value := _parse_decimal(answer)) is not None}
    if len(values) != 1 or len(numbers) != len(re.findall(r"\d[\d.,\u00a0\u202f ’']*", text)):
        return None
    return Ballot(f"{values.pop():f}", numbers[0].strip())


def _parse_decimal(text: str) -> Decimal | None:
    """Parse "1,234.5", "1.234,5" or "0,5". A single dot is a decimal point."""
    text = re.sub(r"[\u00a0\u202f ’']", "", text).replace("−", "-")
    commas, dots = text.count(","), text.count(".")
    if commas and dots:
        last = max(text.rfind(","), text.rfind("."))
        text = re.sub(r"[.,]", "", text[:last]) + "." + text[last + 1 :]
    elif commas == 1 and not re.fullmatch(r"[-+]?[1-9]\d{0,2},\d{3}", text):
        text = text.replace(",", ".")
    elif commas or dots > 1:
        text = re.sub(r"[.,]", "", text)
    try:
        return Decimal(text).normalize()
    except InvalidOperation:
        return None


def _parse_choice(text: str) -> Ballot | None:
    text = _final_answer(text)
    value = re.sub(r"[\s.!。*_`\"“”()]+", " ", text).strip().casefold()
    if not value or len(text) > _CHOICE or len(value.split()) > _WORDS or value[0] in "{[":
        return None
    return Ballot(value, text)


def _parse_form(text: str) -> Ballot | None:
    fenced = _FENCE.search(text)
    try:
        data = json.loads(fenced[1] if fenced else text)
        if isinstance(data, dict | list):
            value = json.dumps(data, sort_keys=True, ensure_ascii=False)
            return Ballot(value, value)
    except (ValueError, RecursionError):
        pass
    return None


def _final_answer(text: str) -> str:
    candidates = (
        answer for words in reversed(_ANSWER.findall(text)) if (answer := words.strip("* \t\r"))
    )
    return next(candidates, text.strip())


def parse_ballots(texts: Sequence[str]) -> list[Ballot]:
    """Return a ballot per text, or [] unless all texts are of the same kind."""
    for parse in (_parse_form, _parse_number, _parse_choice):
        ballots = [ballot for text in texts if (ballot := parse(text)) is not None]
        if len(ballots) == len(texts):
            return ballots
    return []

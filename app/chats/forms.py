"""The form that a chat's answers are to have: as the engine takes it, and what is wrong with it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Protocol

from app.language import counted, number, tr
from engine import SamplingParams
from engine.sandbox import bounds
from engine.text.forms import refusal

FORMS = ("json", "schema", "choices", "pattern")
"""What ``ChatOptions.answer_as`` may be, besides None: free text."""

# What people mean by JSON: not a bare number or a text in quotes, which are JSON too.
_ANY_JSON = {"type": ["object", "array"]}
_MOST_PARTS = 200


class Form(Protocol):
    """What says of a chat's options which form its answers have; see `ChatOptions`."""

    @property
    def answer_as(self) -> str | None: ...
    @property
    def schema(self) -> str: ...
    @property
    def choices(self) -> tuple[str, ...]: ...
    @property
    def pattern(self) -> str: ...


def bound_to(options: Form) -> dict[str, Any]:
    """The engine's parameters for the form; none for free text.

    Raises ValueError, saying what is wrong with the form, and where.
    """
    if options.answer_as is None:
        return {}
    if wrong := fault(options):
        raise ValueError(
            tr(
                "The form that answers are to have cannot be used. {wrong} "
                "It stands in the chat's settings, under “Answer as”.",
                wrong=wrong,
            )
        )
    if options.answer_as == "json":
        return {"json_schema": _ANY_JSON}
    if options.answer_as == "schema":
        return {"json_schema": options.schema}
    if options.answer_as == "choices":
        return {"choices": options.choices}
    return {"regex": options.pattern}


def fault(options: Form) -> str:
    """What is wrong with the form, as a sentence with its place; empty when nothing is."""
    if options.answer_as == "schema":
        return _of_schema(options.schema)
    if options.answer_as == "choices":
        return _of_choices(options.choices)
    if options.answer_as == "pattern":
        return _of_pattern(options.pattern)
    return ""


def _of_choices(choices: tuple[str, ...]) -> str:
    if not choices:
        return tr("The list is empty.")
    return bounds.form_refusal(SamplingParams(choices=choices))


def _of_schema(text: str) -> str:
    if not text.strip():
        return tr("The schema is empty.")
    if len(text) > bounds.MOST_FORM:
        return _too_long(text)
    try:
        schema = json.loads(text, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        line = tr("Line {line}, column {column}", line=error.lineno, column=error.colno)
        return _sentence(line, error.msg)
    except ValueError as error:
        return str(error)
    except RecursionError:
        return tr("The schema is nested too deeply.")
    if not isinstance(schema, dict):
        return tr("A schema is a JSON object, in curly brackets.")
    # By its size first: llguidance crashes over what is too deep, and takes a while otherwise.
    try:
        if too_large := bounds.form_refusal(SamplingParams(json_schema=schema)):
            return too_large
    except ValueError as error:
        return str(error)
    reason = _schema_refusal(schema)
    if not reason:
        return ""
    # The reason has no place. The innermost part that is refused for it is where it lies.
    place: tuple[str, ...] = ()
    for path, part in _parts(schema):
        inside = len(path) > len(place) and path[: len(place)] == place
        if inside and _schema_refusal(part) == reason:
            place = path
    pattern = _REGEX_ERROR.search(reason)
    what = f"pattern: {pattern[3]}" if pattern is not None else reason
    return _sentence(tr("In {place}", place=" › ".join(place)) if place else "", what)


def _too_long(text: str) -> str:
    return counted(
        "It is {count} character long; {most} are the most.",
        "It is {count} characters long; {most} are the most.",
        len(text),
        count=number(len(text)),
        most=number(bounds.MOST_FORM),
    )


def _no_number(name: str) -> float:
    raise ValueError(tr("{name} is no number in JSON.", name=name))


def _schema_refusal(schema: dict[str, Any]) -> str:
    try:
        return refusal(SamplingParams(json_schema=schema))
    except ValueError as error:
        return str(error)


def _parts(schema: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The objects inside a schema with the names that lead there, outer ones first."""
    waiting, given = [(path, schema)], 0
    while waiting and given < _MOST_PARTS:
        path, part = waiting.pop(0)
        inner = part.items() if isinstance(part, dict) else enumerate(part, 1)
        for name, value in inner:
            if isinstance(value, (dict, list)):
                waiting.append(((*path, str(name)), value))
        if path and isinstance(part, dict):
            given += 1
            yield path, part


_REGEX_ERROR = re.compile(r"regex parse error:\n    (.*)\n    ( *)\^+\nerror: (.*)")


def _of_pattern(pattern: str) -> str:
    if not pattern:
        return tr("The pattern is empty.")
    if (len(pattern) - len(pattern.rstrip("\\"))) % 2:
        return tr("At character {n}: a backslash with nothing after it.", n=len(pattern))
    params = SamplingParams(regex=pattern)
    if too_large := bounds.form_refusal(params):
        return too_large
    reason = refusal(params)
    if not reason:
        return ""
    error = _REGEX_ERROR.search(reason)
    if error is None:
        inner = re.search(r"\(in regex\): (.*)", reason)
        return _sentence("", (inner[1] if inner is not None else reason).partition(" in regex ")[0])
    before = error[1][: len(error[2])]
    at = next((n for n in range(len(pattern)) if _shown(pattern[:n]) == before), len(error[2]))
    return _sentence(tr("At character {n}", n=at + 1), error[3])


def _shown(pattern: str) -> str:
    """A pattern as it stands in what llguidance says: its slashes are escaped there."""
    return re.sub(r"\\.|/", lambda found: "\\/" if found[0] == "/" else found[0], pattern)


def _sentence(place: str, what: str) -> str:
    """The engine's English words with their place before them, which begins in upper case."""
    what = " ".join(what.split()).rstrip(".")
    what = what[:1].lower() + what[1:] if place and what[1:2].islower() else what
    return f"{place}: {what}." if place else f"{what[:1].upper()}{what[1:]}."

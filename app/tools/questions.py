"""Questions a server asks the user during a call: either a form or a URL to visit."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from datetime import date, datetime
from enum import Enum
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from app.settings.language import mark, tr
from app.tools.tool import ToolError, clean, one_line
from engine.text.invisible import is_visible

MOST_FIELDS = 40
MOST_CHOICES = 200
LONGEST_MESSAGE = 4000
_LONGEST_TITLE = 120
_LONGEST_NAME = 1000
_LONGEST_ADDRESS = 4000
LONGEST_TEXT = 100_000

_TOO_MANY = mark("{field}: choose at most {most}.")
_TOO_LONG = mark("{field}: at most {most} characters.")
_FORMATS = {
    "email": mark("not an email address."),
    "uri": mark("not an address such as https://example.org."),
    "date": mark("enter the date as 2026-05-31."),
    "date-time": mark("enter date and time as 2026-05-31T14:30:00Z."),
}
_LONGEST_EMAIL = 320
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_SECRET = re.compile(
    r"pass.?(?:word|phrase|wd)|secret|api.?key|access.?key|private.?key|\btoken|credential"
    r"|\bpin\b|\bcvv\b|credit.?card|kennwort|passwort",
    re.IGNORECASE,
)

Value = str | int | float | bool | list[str]


class FieldKind(Enum):
    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    CHOICE = "choice"
    CHOICES = "choices"


class QuestionAction(Enum):
    """The user's action on a question. The values are those of the protocol."""

    SEND = "accept"
    DECLINE = "decline"
    CANCEL = "cancel"


class Response(Struct, frozen=True):
    """Answer to a question. ``content`` has values by field name for `QuestionAction.SEND`."""

    action: QuestionAction
    content: dict[str, Value | None] | None = None


class Field(Struct, frozen=True):
    name: str
    # Text for display, without control characters.
    title: str
    kind: FieldKind
    about: str = ""
    required: bool = False
    default: Value | None = None  # None means no default
    format: str = ""  # "email", "uri", "date", "date-time" or ""
    # Range of a number, a text length, or the number of choices.
    least: float | None = None
    most: float | None = None
    choices: tuple[tuple[str, str], ...] = ()  # (value, title) pairs

    @property
    def is_secret(self) -> bool:
        """Return True if this seems to ask for a secret, which users shouldn't enter here."""
        return bool(_SECRET.search(f"{self.name} {self.title}"))

    def convert(self, answer: Value | None) -> Value | None:
        """Return an answer as a value for the server, or None if the answer is empty.

        The text of number fields is parsed. Raises ValueError with a message for the user.
        """
        if answer is None or answer in ("", []):
            if self.required:
                raise ValueError(tr("{field} is required.", field=self.title))
            return None
        if self.kind is FieldKind.TEXT:
            return self._text(str(answer))
        if self.kind in (FieldKind.NUMBER, FieldKind.INTEGER):
            return self._number(str(answer))
        if self.kind is FieldKind.BOOLEAN:
            return bool(answer)
        values = {value for value, _ in self.choices}
        selection = answer if isinstance(answer, list) else [str(answer)]
        if not set(selection) <= values:
            raise ValueError(tr("{field}: choose from the list.", field=self.title))
        if self.kind is FieldKind.CHOICE:
            return selection[0]
        self._check_bounds(len(selection), tr("{field}: choose at least {least}."), tr(_TOO_MANY))
        return selection

    def _text(self, text: str) -> str:
        self._check_bounds(len(text), tr("{field}: at least {least} characters."), tr(_TOO_LONG))
        try:
            # The regular expression is quadratic in the length.
            if self.format == "email" and (
                len(text) > _LONGEST_EMAIL or not _EMAIL.fullmatch(text)
            ):
                raise ValueError
            if self.format == "uri" and not urlsplit(text).scheme:
                raise ValueError
            if self.format == "date":
                date.fromisoformat(text)
            if self.format == "date-time" and datetime.fromisoformat(text).tzinfo is None:
                raise ValueError
        except ValueError:
            raise ValueError(f"{self.title}: {tr(_FORMATS[self.format])}") from None
        return text

    def _number(self, text: str) -> int | float:
        text = text.strip().replace("\u2212", "-")
        try:
            number = int(text) if self.kind is FieldKind.INTEGER else float(text)
        except ValueError:
            is_integer = self.kind is FieldKind.INTEGER
            words = tr("{field}: a whole number.") if is_integer else tr("{field}: a number.")
            raise ValueError(words.format(field=self.title)) from None
        if number in (float("inf"), float("-inf")) or number != number:
            raise ValueError(tr("{field}: a number.", field=self.title))
        self._check_bounds(number, tr("{field}: at least {least}."), tr("{field}: at most {most}."))
        return number

    def _check_bounds(self, size: float, low: str, high: str) -> None:
        if self.least is not None and size < self.least:
            raise ValueError(low.format(field=self.title, least=f"{self.least:g}"))
        if self.most is not None and size > self.most:
            raise ValueError(high.format(field=self.title, most=f"{self.most:g}"))


class Question(Struct, frozen=True):
    server: str
    message: str  # text without control characters
    fields: tuple[Field, ...] = ()
    url: str = ""  # URL to visit, "" for a form

    def content(self, values: Mapping[str, Value | None]) -> dict[str, Value | None]:
        """Return all values for the server. Raises `FieldError` for the first invalid value."""
        answers: dict[str, Value | None] = {}
        for field in self.fields:
            try:
                value = field.convert(values.get(field.name))
            except ValueError as error:
                raise FieldError(field.name, str(error)) from None
            if value is not None:
                answers[field.name] = value
        return answers


class FieldError(ValueError):
    def __init__(self, name: str, words: str) -> None:
        super().__init__(words)
        self.name = name


Ask = Callable[[Question], "Future[Response]"]
"""Asks the user in the chat of a call. Thread-safe. Canceling the future withdraws the question."""


def make_form_question(server: str, message: str, schema: Mapping[str, Any]) -> Question:
    """Return a form for a flat JSON schema. Raises ToolError if the schema isn't supported."""
    properties, required = schema.get("properties"), schema.get("required", [])
    if schema.get("type", "object") != "object" or not isinstance(properties, Mapping):
        raise ToolError(mark("{server} asked with a form that isn’t valid."), server=server)
    if len(properties) > MOST_FIELDS:
        words = mark("{server} asked for more than {most} values at once.")
        raise ToolError(words, server=server, most=MOST_FIELDS)
    required_names = required if isinstance(required, list) else []
    try:
        fields = tuple(_field(n, part, n in required_names) for n, part in properties.items())
    except (ValueError, TypeError, KeyError) as error:
        words = mark("{server} asked with a form that can’t be shown: {why}.")
        raise ToolError(words, server=server, why=error) from error
    return Question(server, clean(message, LONGEST_MESSAGE), fields)


def make_address_question(server: str, message: str, url: str) -> Question:
    parts = urlsplit(url) if is_visible(url) and len(url) <= _LONGEST_ADDRESS else None
    if parts is None or parts.scheme not in ("https", "http") or not parts.hostname:
        raise ToolError(
            mark("{server} asked to open something that isn’t a web address."), server=server
        )
    return Question(server, clean(message, LONGEST_MESSAGE), url=url)


def _field(name: str, part: Mapping[str, Any], required: bool) -> Field:
    if not isinstance(part, Mapping) or len(name) > _LONGEST_NAME:
        raise ValueError(f"“{one_line(name, _LONGEST_TITLE)}”")
    clean_name = one_line(name, _LONGEST_TITLE)
    title = one_line(str(part.get("title") or ""), _LONGEST_TITLE) or clean_name
    description = clean(str(part.get("description") or ""), LONGEST_MESSAGE)
    kind, choices = _kind(part), _choices(part)
    if kind is None:
        raise ValueError(f"“{clean_name}”")
    if kind in (FieldKind.CHOICE, FieldKind.CHOICES) and not 0 < len(choices) <= MOST_CHOICES:
        raise ValueError(f"“{clean_name}”")
    sizes = {
        FieldKind.TEXT: ("minLength", "maxLength"),
        FieldKind.CHOICES: ("minItems", "maxItems"),
    }
    low, high = sizes.get(kind, ("minimum", "maximum"))
    minimum, maximum = _size(part.get(low)), _size(part.get(high))
    if kind is FieldKind.TEXT:
        maximum = min(maximum or LONGEST_TEXT, LONGEST_TEXT)
    form = str(part.get("format") or "") if kind is FieldKind.TEXT else ""
    form = form if form in _FORMATS else ""
    field = Field(name, title, kind, description, required, None, form, minimum, maximum, choices)
    default = part.get("default")
    try:  # ignore invalid defaults
        default_value = (
            field.convert(default) if isinstance(default, str | int | float | list) else None
        )
    except (ValueError, TypeError):
        default_value = None
    return replace(field, default=default_value)


def _kind(part: Mapping[str, Any]) -> FieldKind | None:
    kind = part.get("type")
    if kind == "array":
        return FieldKind.CHOICES
    if "enum" in part or "oneOf" in part:
        return FieldKind.CHOICE if kind in ("string", None) else None
    kinds = {"string": FieldKind.TEXT, "integer": FieldKind.INTEGER, "number": FieldKind.NUMBER}
    return FieldKind.BOOLEAN if kind == "boolean" else kinds.get(str(kind))


def _choices(part: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    schema = part.get("items") if part.get("type") == "array" else part
    if not isinstance(schema, Mapping):
        return ()
    listed = schema.get("oneOf") or schema.get("anyOf")
    if isinstance(listed, list):
        some = listed[: MOST_CHOICES + 1]  # one more than allowed, to refuse longer lists later
        pairs = [(str(entry["const"]), str(entry.get("title") or entry["const"])) for entry in some]
    else:
        values, names = schema.get("enum"), schema.get("enumNames")
        values = [str(v) for v in values] if isinstance(values, list) else []
        titles = names if isinstance(names, list) and len(names) == len(values) else values
        pairs = list(zip(values, map(str, titles), strict=True))
    return tuple((value, one_line(title, _LONGEST_TITLE)) for value, title in pairs)


def _size(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if -_LARGEST <= value <= _LARGEST else None


_LARGEST = 1e300  # larger integers can't be displayed

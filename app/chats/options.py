"""Options of a chat, and their conversion to the engine's parameters."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict, replace

from app.settings.language import counted, number, tr
from app.store import Message
from engine import SamplingParams
from engine.params import is_valid
from engine.sandbox import bounds
from engine.text.forms import refusal_reason

FORMS = ("json", "schema", "choices", "pattern")
"""Values of ``ChatOptions.answer_as``, in addition to None for free text."""

# JSON also allows bare numbers and strings, which users don't expect.
_ANY_JSON = {"type": ["object", "array"]}
_MOST_PARTS = 200


def engine_format_params(options: ChatOptions) -> dict[str, Any]:
    """Return the engine's parameters for the reply format, or {} for free text.

    Raises ValueError with a message for the user if the format is invalid.
    """
    if options.answer_as is None:
        return {}
    if wrong := find_format_error(options):
        raise ValueError(
            tr(
                "The reply format can’t be used. {wrong} Change it in the chat’s settings.",
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


def find_format_error(options: ChatOptions) -> str:
    """Return an error message for an invalid reply format, or ""."""
    if options.answer_as == "schema":
        return _schema_error(options.schema)
    if options.answer_as == "choices":
        return _choices_error(options.choices)
    if options.answer_as == "pattern":
        return _pattern_error(options.pattern)
    return ""


def _choices_error(choices: tuple[str, ...]) -> str:
    if not choices:
        return tr("The list is empty.")
    return bounds.form_refusal(SamplingParams(choices=choices))


def _schema_error(text: str) -> str:
    if not text.strip():
        return tr("Paste a JSON schema.")
    if len(text) > bounds.MAX_FORM_CHARACTERS:
        return _length_text(text)
    try:
        schema = json.loads(text, parse_constant=_reject_constant)
    except json.JSONDecodeError as error:
        line = tr("Line {line}, column {column}", line=error.lineno, column=error.colno)
        return _format_error(line, error.msg)
    except ValueError as error:
        return str(error)
    except RecursionError:
        return tr("The schema is nested too deeply.")
    if not isinstance(schema, dict):
        return tr("A schema is a JSON object: { … }.")
    # check the size first, because llguidance crashes on deep nesting
    try:
        if too_large := bounds.form_refusal(SamplingParams(json_schema=schema)):
            return too_large
    except ValueError as error:
        return str(error)
    reason = _schema_refusal(schema)
    if not reason:
        return ""
    # llguidance doesn't report the position, so find the innermost part with the error
    prefix: tuple[str, ...] = ()
    for path, part in _objects_in(schema):
        inside = len(path) > len(prefix) and path[: len(prefix)] == prefix
        if inside and _schema_refusal(part) == reason:
            prefix = path
    pattern = _REGEX_ERROR.search(reason)
    fault = f"pattern: {pattern[3]}" if pattern is not None else reason
    return _format_error(tr("In {place}", place=" › ".join(prefix)) if prefix else "", fault)


def _length_text(text: str) -> str:
    return counted(
        "%Ln character. The limit is {most}.",
        "%Ln characters. The limit is {most}.",
        len(text),
        most=number(bounds.MAX_FORM_CHARACTERS),
    )


def _reject_constant(name: str) -> float:
    raise ValueError(tr("{name} isn’t a number in JSON.", name=name))


def _schema_refusal(schema: dict[str, Any]) -> str:
    try:
        return refusal_reason(SamplingParams(json_schema=schema))
    except ValueError as error:
        return str(error)


def _objects_in(schema: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the objects in a schema with their paths, breadth-first."""
    waiting, parts_seen = [(path, schema)], 0
    while waiting and parts_seen < _MOST_PARTS:
        path, part = waiting.pop(0)
        inner = part.items() if isinstance(part, dict) else enumerate(part, 1)
        for name, value in inner:
            if isinstance(value, (dict, list)):
                waiting.append(((*path, str(name)), value))
        if path and isinstance(part, dict):
            parts_seen += 1
            yield path, part


_REGEX_ERROR = re.compile(r"regex parse error:\n    (.*)\n    ( *)\^+\nerror: (.*)")


def _pattern_error(pattern: str) -> str:
    if not pattern:
        return tr("The pattern is empty.")
    if (len(pattern) - len(pattern.rstrip("\\"))) % 2:
        return tr("At character {n}: a backslash with nothing after it.", n=len(pattern))
    params = SamplingParams(regex=pattern)
    if too_large := bounds.form_refusal(params):
        return too_large
    reason = refusal_reason(params)
    if not reason:
        return ""
    error = _REGEX_ERROR.search(reason)
    if error is None:
        inner = re.search(r"\(in regex\): (.*)", reason)
        return _format_error(
            "", (inner[1] if inner is not None else reason).partition(" in regex ")[0]
        )
    before = error[1][: len(error[2])]
    at = next(
        (n for n in range(len(pattern)) if _escape_slashes(pattern[:n]) == before), len(error[2])
    )
    return _format_error(tr("At character {n}", n=at + 1), error[3])


def _escape_slashes(pattern: str) -> str:
    """Escape slashes, as llguidance does in its messages."""
    return re.sub(r"\\.|/", lambda match: "\\/" if match[0] == "/" else match[0], pattern)


def _format_error(path: str, fault: str) -> str:
    fault = " ".join(fault.split()).rstrip(".")
    fault = fault[:1].lower() + fault[1:] if path and fault[1:2].islower() else fault
    return f"{path}: {fault}." if path else f"{fault[:1].upper()}{fault[1:]}."


CONTEXT = (256, 16_777_216)
"""Bounds of a chat's context size, in tokens."""

HELPER_BOUNDS = {
    "helper_tokens": (16, 32_768),
    "helper_seconds": (5, 3_600),
    "helpers_at_once": (1, 8),
}


_BOUNDED = {
    **HELPER_BOUNDS,
    "context": CONTEXT,
    "seed": (0, 2**31 - 1),  # the engine accepts more than the UI can display
}


def _is_valid(option: str, value: Any) -> bool:
    if option in ("schema", "pattern"):
        return isinstance(value, str)
    if option in ("reasoning", "reproducible", "slide"):
        return isinstance(value, bool)
    if option == "answer_as":
        return value in FORMS
    if option == "kv_bits":
        return type(value) is int and value in (4, 8)
    if option in _BOUNDED:
        least, most = _BOUNDED[option]
        return type(value) is int and least <= value <= most
    return is_valid(option, value)


class ChatOptions(Struct, frozen=True):
    """The user's options for a chat. None means the model's default."""

    # For the parameters up to frequency_penalty, see `engine.SamplingParams`.
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    min_p: float | None = None
    typical_p: float | None = None
    xtc_probability: float | None = None
    xtc_threshold: float | None = None
    repetition_penalty: float | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    seed: int | None = None  # the same seed and question give the same answer
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    # None for models without reasoning
    reasoning: bool | None = None
    reproducible: bool = False  # don't batch this chat, so that its replies are bit-identical
    slide: bool = False  # drop the oldest turns if the context is full
    kv_bits: int | None = None  # 8 or 4
    # in tokens
    context: int | None = None
    # one of `FORMS`, or None for free text
    answer_as: str | None = None
    schema: str = ""  # JSON schema as typed by the user, may be invalid
    choices: tuple[str, ...] = ()
    pattern: str = ""  # regular expression that must match the whole reply
    # see `app.tools.tool.Tool.key`
    tools: tuple[str, ...] = ()
    helper_tokens: int = 1_024  # limit per helper
    helper_seconds: int = 120  # limit for all helpers of a call
    helpers_at_once: int = 4

    @classmethod
    def from_params(cls, params: Mapping[str, Any]) -> ChatOptions:
        """Load stored options. Unknown options and invalid values are ignored."""
        fields: dict[str, Any] = {}
        for option in params.keys() & cls.__struct_fields__:
            value = params[option]
            if option in ("stop", "choices", "tools"):  # JSON has no tuples
                if isinstance(value, (list, tuple)):
                    fields[option] = tuple(s for s in value if isinstance(s, str) and s)
            elif value is not None and _is_valid(option, value):
                fields[option] = value
        return cls(**fields)

    def context_of(self, maximum: int) -> int:
        return min(maximum, self.context) if self.context is not None else maximum

    def to_params(self) -> dict[str, Any]:
        """Return the options that differ from the defaults, so that old chats follow new
        defaults.
        """
        return {n: list(v) if isinstance(v, tuple) else v for n, v in changed_fields(self).items()}


def changed_fields(of: Struct) -> dict[str, Any]:
    defaults = asdict(type(of)())
    return {name: value for name, value in asdict(of).items() if value != defaults[name]}


def options_of_answer(stats: Mapping[str, Any], now: ChatOptions) -> ChatOptions | None:
    """Return an answer's options including its seed, or None if the seed is unknown.

    Older versions stored only the seed. Their other options are taken from ``now``.
    """
    seed, options = stats.get("seed"), stats.get("options")
    restored = ChatOptions.from_params(options) if isinstance(options, dict) else now
    return replace(restored, seed=seed) if is_valid("seed", seed) and seed is not None else None


def answer_markdown(message: Message) -> str:
    """Return the Markdown of an answer. JSON from a forced reply format becomes a code block.

    The code block is open, so that streaming can append text.
    """
    options = message.stats.get("options")
    is_json = isinstance(options, dict) and options.get("answer_as") in {"json", "schema"}
    return f"```json\n{message.content}" if is_json and message.content else message.content


def model_of_answer(stats: Mapping[str, Any]) -> str | None:
    """Return the model reference of an answer, or None if an older version stored the answer."""
    model = stats.get("model")
    return model if isinstance(model, str) and model else None


def vary_options(options: ChatOptions, defaults: Mapping[str, Any]) -> ChatOptions:
    """Change options so that different seeds give different replies.

    The user's values stay, except a temperature of 0, which ignores the seed.
    """
    if not options.temperature:
        default_temperature = float(defaults.get("temperature", _USUAL))
        if options.temperature == 0 or default_temperature < _USUAL:
            options = replace(options, temperature=_VARIED)
    if options.min_p is None and float(defaults.get("min_p", 0.0)) > _LEAST_P:
        options = replace(options, min_p=_LEAST_P)
    return options


_VARIED, _LEAST_P, _USUAL = 0.8, 0.05, SamplingParams().temperature
"""Sampling values that make replies differ.

At the Guide's defaults (temperature and `min_p` 0.3), four replies were identical. With these
values, two or three of them differ.
"""


_BOUNDS = ("max_tokens", "stop", "reasoning", "reproducible", "slide", "kv_bits", "context")


def continuation_options(options: ChatOptions, now: ChatOptions) -> ChatOptions:
    return replace(options, **{name: getattr(now, name) for name in _BOUNDS})


NUMBERS = (
    "temperature",
    "top_p",
    "top_k",
    "min_p",
    "typical_p",
    "xtc_probability",
    "xtc_threshold",
    "repetition_penalty",
    "presence_penalty",
    "frequency_penalty",
    "max_tokens",
)
"""Options that the engine has under the same name."""


_FILTERS = ("top_p", "top_k", "min_p")


def add_min_p(defaults: Mapping[str, Any], options: ChatOptions) -> Mapping[str, Any]:
    """Return a model's defaults, with a `min_p` if neither the model nor the user filters
    tokens.
    """
    filters = any(name in defaults or getattr(options, name) is not None for name in _FILTERS)
    return defaults if filters else {**defaults, "min_p": _LEAST_P}


def build_sampling(
    options: ChatOptions, defaults: Mapping[str, Any], tools: Sequence[dict[str, Any]] = ()
) -> SamplingParams:
    """Merge the user's values, the model's defaults and the engine's defaults.

    Without a seed, this function chooses one, so that the answer can be repeated. Raises ValueError
    with a message for the user if a value or the reply format is invalid.
    """
    defaults = add_min_p(defaults, options)
    sampling = {key: defaults[key] for key in NUMBERS if key in defaults}
    for key in NUMBERS:
        if (value := getattr(options, key)) is not None:
            sampling[key] = value
    seed = options.seed if options.seed is not None else secrets.randbelow(2**31)
    if tools:
        sampling["tools"] = list(tools)
    return SamplingParams(
        seed=seed,
        stop=options.stop,
        stop_repetition=True,
        **sampling,
        **engine_format_params(options),
    )

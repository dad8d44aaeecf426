"""Pydantic models for request bodies, with error messages.

Known fields must be valid, and nothing is converted. Unknown fields are ignored, but `read_fields`
reports them. `/openapi.json` is generated from these models.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from contextvars import ContextVar
from functools import cache, partial
from typing import Annotated, Any, ClassVar, Literal, TypeVar, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    FailFast,
    Field,
    PlainValidator,
    ValidationError,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import PydanticCustomError

from engine.messages import Audio, Image, Message, Overflow, media_in
from engine.model.info import Model
from engine.params import ABOVE_ZERO, MAX_LOGPROBS, MINIMUMS, RANGES, FormLimits, SamplingParams
from engine.serve import documents
from engine.serve.json_input import (
    SAMPLING,
    replace_surrogates,
    sampling_params,
    usual_value,
    whole_number,
)
from engine.serve.sessions import SESSION_NAME, SESSION_NAME_RULE, SessionConfig
from engine.text.tools import quote

log = logging.getLogger(__name__)

MAX_CHOICES = 128  # answers per request

B = TypeVar("B", bound="Body")
T = TypeVar("T")
JSON = dict[str, Any]
Items = Annotated[list[T], FailFast()]
"""List that stops at the first invalid item. Reporting 200,000 errors would take seconds and 300
MB.
"""


class Body(BaseModel):
    """Request body, or an object inside it.

    As in OpenAI's API, null means the field is missing.
    """

    model_config = ConfigDict(strict=True, extra="allow", frozen=True)

    refused: ClassVar[tuple[str, ...]] = ()  # unsupported fields that must not be ignored
    passes_extra: ClassVar[bool] = False  # unknown fields are used, so they aren't reported

    def asks(self, model: Model) -> Any:
        """Return what the body requests from `model`."""
        raise NotImplementedError

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        fields = {name: value for name, value in data.items() if value is not None}
        for name in cls.refused:
            if fields.pop(name, None):  # an empty value does no harm
                raise PydanticCustomError("refused_field", "{name}", {"name": name})
        return cls.renamed(fields)

    @classmethod
    def renamed(cls, body: JSON) -> JSON:
        return body


class OpenBody(Body):
    """Base for objects whose unknown fields are used."""

    passes_extra = True


class FieldError(ValueError):
    """Invalid field of a request body.

    Args:
        field: path of the field, e.g. ``messages[2].role``.
    """

    def __init__(self, words: str, field: str) -> None:
        super().__init__(words)
        self.field = field


class FieldReport:
    def __init__(self) -> None:
        self.ignored: dict[str, None] = {}
        self.renamed: dict[str, str] = {}  # maps our name to the name the client used


_report: ContextVar[FieldReport | None] = ContextVar("report", default=None)
MAX_IGNORED_FIELDS = 1000
MAX_NAMED_FIELDS = 32
MAX_LOGGED_SETS = 1000
_NOT_IN_NAMES = re.compile(r"[^\w.\[\]-]", re.ASCII)


def ignore(path: str) -> None:
    """Record that the current request has a field that is ignored."""
    report = _report.get()
    if report is not None and len(report.ignored) < MAX_IGNORED_FIELDS:
        report.ignored[_NOT_IN_NAMES.sub("_", path[:80])] = None


def read_fields(read: Callable[[], T]) -> tuple[T, str]:
    """Call ``read``. Return its result, and the names of the fields it ignored (or "").

    Raises:
        ValueError: from ``read``, with field names as the client sent them.
    """
    report = FieldReport()
    token = _report.set(report)
    try:
        result = read()
    except ValueError as error:
        words, field = str(error), getattr(error, "field", "")
        for name, sent in report.renamed.items():
            words, field = (re.sub(rf"^{name}\b", sent, text) for text in (words, field))
        raise FieldError(words, field) from None
    finally:
        _report.reset(token)
    names = sorted(report.ignored)
    omitted = len(names) - MAX_NAMED_FIELDS
    listed = ", ".join([*names[:MAX_NAMED_FIELDS], *([f"{omitted}_more"] if omitted > 0 else [])])
    if listed and log_once.cache_info().currsize < MAX_LOGGED_SETS:
        log_once(f"ignored fields in requests: {listed}")
    return result, listed


_IGNORED = "stretto.ignored"  # key in the ASGI scope


def note_ignored(scope: MutableMapping[str, Any], names: str) -> None:
    scope[_IGNORED] = names


def ignored_header(scope: Mapping[str, Any]) -> list[tuple[bytes, bytes]]:
    names = scope.get(_IGNORED, "")
    return [(b"x-stretto-ignored-fields", names.encode())] if names else []


_HINTS = frozenset(
    (
        *("allowed_callers", "betas", "cache_control", "client_metadata", "defer_loading"),
        *("diagnostics", "eager_input_streaming", "inference_geo", "input_examples", "metadata"),
        *("prediction", "prompt_cache_key", "prompt_cache_options", "prompt_cache_retention"),
        *("safety_identifier", "user", "user_profile_id"),
    )
)
"""Fields that never change the answer, so they aren't reported as ignored."""
_COPIED = frozenset(
    (
        *("action", "annotations", "caller", "citations", "encrypted_content", "execution", "id"),
        *("index", "is_error", "name", "phase", "refusal", "signature", "status", "type"),
    )
)
"""Fields that clients copy from an answer into a message or tool. They aren't reported, either."""


def _ignore_extra(body: Body, path: str) -> None:
    if body.model_extra and not body.passes_extra:
        for name in body.model_extra.keys() - _HINTS - (_COPIED if path else frozenset()):
            ignore(f"{path}{name}")
    for name, value in body.__dict__.items():
        if isinstance(value, Body):
            _ignore_extra(value, f"{path}{name}.")
        elif isinstance(value, list):
            for item in value:
                if isinstance(item, Body):
                    _ignore_extra(item, f"{path}{name}[].")


def validate(kind: type[B], value: object, path: str = "") -> B:
    """Validate a body against a model.

    Args:
        path: prefix for names of ignored fields.

    Raises:
        ValueError: names the invalid field and its valid values.
    """
    try:
        validated = kind.model_validate(value)
    except ValidationError as error:
        # Report only the first error, since there can be very many.
        first = error.errors(include_url=False)[0]
        raise FieldError(_sentence(first), _path(first["loc"])) from None
    if _report.get() is not None:
        _ignore_extra(validated, path)
    return validated


def schema_of(kind: type[Body]) -> JSON:
    schema = kind.model_json_schema()
    return cast(JSON, _inlined(schema, schema.pop("$defs", {})))


def _inlined(schema: Any, definitions: JSON) -> Any:
    if isinstance(schema, list):
        return [_inlined(value_schema, definitions) for value_schema in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _inlined(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    inlined = {
        name: {field: _inlined(value_schema, definitions) for field, value_schema in value.items()}
        if name == "properties"
        else _inlined(value, definitions)
        for name, value in schema.items()
        if name not in ("title", "default", "description")
    }
    if "oneOf" in inlined:
        inlined["anyOf"] = inlined.pop("oneOf")
    return inlined


_TYPES = {
    "bool_type": "true or false",
    "string_type": "a text",
    "string_too_short": "a non-empty string",
    "list_type": "a list",
    "too_short": "a non-empty list",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "int_type": "a whole number",
    "float_type": "a number",
}


def _sentence(error: Mapping[str, Any]) -> str:
    kind, context = error["type"], error.get("ctx", {})
    field = _path(error["loc"])
    if kind == "refused_field":
        return f"{context['name']!r} is not supported"
    if kind == "missing":
        return f"{field} is missing"
    if kind == "only":
        return f"{field} can only be {context['can']}, not {quote(error['input'])}"
    if kind == "value_error":
        return str(context["error"])
    value = error["input"]
    name = context.get("discriminator", "").removesuffix("()")
    if kind == "union_tag_not_found":
        must = f"an object with a {name}"
    elif kind == "union_tag_invalid":
        field, value = f"{field}.{name}", context["tag"].removeprefix("@")
        must = f"one of {context['expected_tags']}".replace("'", "").replace("@", "")
    elif kind == "literal_error":
        must = f"one of {context['expected']}".replace("'", "").replace(" or ", ", ")
    elif kind == "greater_than_equal":
        must = f"at least {context['ge']:g}"
    elif kind == "less_than_equal":
        must = f"at most {context['le']:g}"
    else:
        must = _TYPES.get(kind) or error["msg"]
    return f"{field or 'a body'} must be {must}, not {quote(value)}"


def _path(places: tuple[str | int, ...]) -> str:
    """Return a location such as messages[2].role. Union tags are left out."""
    path = ""
    for step in places:
        if isinstance(step, int):
            path += f"[{step}]"
        elif not step.startswith("@"):
            path += f".{step}" if path else step
    return path


_FIRST_FIELD = re.compile(r"'?([a-z]\w*)(?:\[\d+\]|\.\w+)*")


def field_of(error: ValueError, kind: type[Body]) -> str | None:
    """Return the body field that an error is about, or None if it's unknown.

    Messages of checks outside the schema start with the field's name.
    """
    if field := getattr(error, "field", ""):
        return str(field)
    field_names = {*kind.model_fields, *kind.refused, *getattr(kind, "aliases", ())}
    match = _FIRST_FIELD.match(str(error))
    return match[0].lstrip("'") if match is not None and match[1] in field_names else None


def object_schema(**fields: Any) -> JSON:
    return {"type": "object", "properties": fields, "required": list(fields)}


def validator(check: Callable[[Any], Any], schema: JSON) -> PlainValidator:
    """Return a validator. The schema is only for documentation."""
    return PlainValidator(check, json_schema_input_type=Annotated[Any, WithJsonSchema(schema)])


def single_value(only_value: Any) -> PlainValidator:
    def check(value: Any) -> Any:
        if value != only_value or type(value) is not type(only_value):
            raise PydanticCustomError("only", "{can}", {"can": json.dumps(only_value)})
        return value

    return validator(check, {"enum": [only_value]})


@cache
def log_once(words: str) -> None:
    """Log a message only once per process. It must not include text from clients."""
    log.info("%s", words)


def ignored_field(path: str, *accepted: Any) -> PlainValidator:
    """Return a validator for a field that doesn't affect the answer.

    Args:
        accepted: values that describe the actual behavior, so they aren't reported.
    """

    def check(value: Any) -> Any:
        if value is not None and value not in accepted:
            ignore(path)
        return value

    return PlainValidator(check)


IMAGES = ("image", "image_url", "input_image", "computer_screenshot")  # image part types

SOUNDS = ("audio", "input_audio")  # recording part types

UNSEEN = {
    **dict.fromkeys(IMAGES, "an image"),
    **dict.fromkeys(("file", "input_file"), "a file"),
    **dict.fromkeys(SOUNDS, "a recording"),
}
"""Part types without text, with the wording of the note that replaces them."""


MAX_IMAGES = 64
"""Images and recordings per request. Each needs a child process and takes hundreds of tokens."""

_SHOWING = ("user", "tool")  # roles whose messages may contain images


def content_of(parts: Sequence[str | JSON]) -> str | list[JSON]:
    """Join parts into message content: a string, or a list if there are images or recordings."""
    texts = [part for part in parts if isinstance(part, str)]
    if len(texts) == len(parts):
        return "".join(texts)
    return [{"type": "text", "text": item} if isinstance(item, str) else item for item in parts]


def given_image(part: JSON) -> JSON:
    """Wrap an image as sent by the client. `decode_media` decodes it if the model has vision."""
    return {"type": "image", "given": part}


def decode_media(messages: list[Message], model: Model) -> list[Message]:
    """Decode images and recordings, or replace them with a note if the model doesn't support them.

    Raises:
        ValueError: if there are too many, or if any is invalid or a link.
    """
    accepted = {"image": model.sees, "audio": model.hears}
    decoded = [
        {**message, "content": _taken(content, accepted if message["role"] in _SHOWING else {})}
        if isinstance(content := message.get("content"), list)
        else message
        for message in messages
    ]
    media = media_in(decoded)
    if len(media) > MAX_IMAGES:
        has_audio = any(isinstance(part, Audio) for part in media)
        label = "images and recordings" if has_audio else "images"
        raise ValueError(f"there are {len(media)} {label} (limit {MAX_IMAGES})")
    return decoded


def _taken(content: list[JSON], accepted: Mapping[str, bool]) -> str | list[JSON]:
    parts: list[str | JSON] = []
    for part in content:
        kind = part["type"]
        if kind == "text":
            parts.append(part["text"])
        elif not accepted.get(kind):
            parts.append(unsupported_note(kind))
        elif "given" in part:
            parts.append((_image if kind == "image" else _sound)(part["given"]))
        else:
            parts.append(part)
    return content_of(parts)


def unsupported_note(kind: str) -> str:
    ignore(kind)
    cannot = "hear" if kind in SOUNDS else "see"
    return f"[{UNSEEN[kind].capitalize()} was here. You cannot {cannot} it.]"


# Minimum length of base64 without a data: URL, to distinguish it from a path.
_MIN_BARE_CHARACTERS = 64


def _image(part: JSON) -> JSON:
    inside: Any = part.get("source", part.get("image_url"))
    if isinstance(inside, dict):
        inside = inside.get("data") if inside.get("type") == "base64" else inside.get("url")
    data = inside if isinstance(inside, str) else ""
    is_bare = len(data) >= _MIN_BARE_CHARACTERS and ":" not in data[:_MIN_BARE_CHARACTERS]
    if "source" not in part and not is_bare and not documents.is_data_url(data):
        raise ValueError(
            f"an image must come with the request, as base64 in a data: address, not as "
            f"{quote(inside)}"
        )
    try:
        return {"type": "image", "image": Image(documents.decode(data)[0])}
    except ValueError as error:
        raise ValueError(f"an image cannot be read: {error}") from None


def _sound(part: JSON) -> JSON:
    inside = part.get("input_audio", part.get("audio"))
    data = inside.get("data") if isinstance(inside, dict) else None
    if not isinstance(data, str) or not data:
        raise ValueError("a recording must come with the request, as base64 in input_audio.data")
    try:
        return {"type": "audio", "audio": Audio(documents.decode(data)[0])}
    except ValueError as error:
        raise ValueError(f"a recording cannot be read: {error}") from None


FILES = ("file", "input_file")


def _file(part: JSON) -> str:
    inside = part.get("file")
    inner = inside if isinstance(inside, dict) else part
    data, name = inner.get("file_data"), inner.get("filename")
    if not isinstance(data, str) or not data:
        return ""
    called = name if isinstance(name, str) else ""
    try:
        return f"{called}\n{documents.read(data, name=called)}".lstrip("\n")
    except ValueError as error:
        log_once("replaced an unreadable file with a note")
        return f"[The file {quote(called)} was here. It could not be read: {error}.]"


_TEXT_FIELDS = {"type", "text", "annotations", "cache_control", "citations", "logprobs"}


def join_texts(content: Any, shows: bool = False) -> str | list[JSON]:
    """Join the texts of a list of parts. A string is returned as it is.

    A note replaces an unsupported part, so that the model doesn't guess its content.

    Args:
        shows: keep images and recordings as parts. See `content_of`.
    """
    if isinstance(content, str):
        return content
    texts: list[str | JSON] = []
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            texts.append(part)
            continue
        kind = part.get("type") if isinstance(part, dict) else None
        if kind in FILES and (text := _file(part)):
            texts.append(text)
            continue
        if shows and kind in (*IMAGES, *SOUNDS):
            texts.append({"type": "image" if kind in IMAGES else "audio", "given": part})
            continue
        if isinstance(kind, str) and kind in UNSEEN:
            texts.append(unsupported_note(kind))
            continue
        part_text = part.get("text") if isinstance(part, dict) else None
        if not isinstance(part_text, str):
            raise ValueError(f"unsupported content part {quote(kind)}")
        for name in part.keys() - _TEXT_FIELDS:
            ignore(f"content[].{name}")
        texts.append(part_text)
    return content_of(texts)


def text_parts(*kinds: str, shows: bool = False) -> PlainValidator:
    """Return a validator for a string or a list of parts, which are joined by `join_texts`."""
    part = object_schema(type={"enum": list(kinds)}, text={"type": "string"})
    unseen = object_schema(type={"enum": list(UNSEEN)})
    parts = {"type": "array", "items": {"anyOf": [part, unseen]}}
    return validator(partial(join_texts, shows=shows), {"anyOf": [{"type": "string"}, parts]})


def or_text(items: Any, item: Callable[[str], JSON]) -> BeforeValidator:
    """Return a validator for a list that may also be sent as a string.

    Args:
        items: type of the list. It must not have `FailFast`, which unions don't support.
        item: converts the string to the only item of the list.
    """

    def check(content: Any) -> Any:
        return [item(content)] if isinstance(content, str) else content

    return BeforeValidator(check, json_schema_input_type=str | items)


def tagged_by(field: str, *tags: str, default: str = "") -> Discriminator:
    """Return a union discriminator whose tags are "@" plus the value of `field`.

    Args:
        tags: values with their own tag; any other value gets "@other". If empty, every value has a
            tag.
        default: value to assume if the field is missing.
    """

    def tag(item: Any) -> str | None:
        if not isinstance(item, dict):
            return None
        kind = item.get(field)
        kind = default if default and not kind else kind
        if not isinstance(kind, str):
            return None
        return f"@{kind}" if not tags or kind in tags else "@other"

    tag.__name__ = field  # shown in errors, see `_sentence`
    return Discriminator(tag)


def call_arguments(value: Any) -> dict[str, Any]:
    """Return the arguments of an earlier tool call as the object that chat templates expect.

    The model may have written something else, which the client resends with every request. It's
    passed on as `raw`.
    """
    parsed = value
    if isinstance(value, str):
        try:
            parsed = replace_surrogates(json.loads(value)) if value.strip() else {}
        except (ValueError, RecursionError):
            parsed = value
    if isinstance(parsed, dict):
        return parsed
    if parsed is None:
        return {}
    log.warning("passed arguments of a past tool call as text, since they are not a JSON object")
    return {"raw": value}


def as_history(content: Any) -> Any:
    """Return the content of an earlier message. Anything that isn't text becomes JSON.

    Never raises, because the client would resend the same content forever.
    """
    if isinstance(content, list):
        return [part if _is_part(part) else as_part(part) for part in content]
    return content if content is None or isinstance(content, str) else [as_part(content)]


def _is_part(part: Any) -> bool:
    kind = part.get("type") if isinstance(part, dict) else None
    return isinstance(kind, str) and (kind in UNSEEN or isinstance(part.get("text"), str))


def as_part(part: Any) -> JSON:
    log_once("passed non-text content of past messages as JSON")
    return {"type": "text", "text": json.dumps(part, ensure_ascii=False)}


Arguments = Annotated[
    dict[str, Any], BeforeValidator(call_arguments), WithJsonSchema({"const": "{}"})
]
Limit = Annotated[
    Annotated[int, Field(ge=1)] | None,
    BeforeValidator(partial(usual_value, "max_tokens")),
    WithJsonSchema({"type": "integer", "minimum": -2}),
]
"""Maximum number of tokens. The various ways to say "no limit" become None."""
WholeNumber = Annotated[int, BeforeValidator(whole_number)]
Choices = Annotated[WholeNumber, Field(ge=1, le=MAX_CHOICES)]
TopLogprobs = Annotated[WholeNumber, Field(ge=0, le=MAX_LOGPROBS)]
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
_BY_ITSELF = ("default", "auto", "")
Effort = Annotated[
    Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] | None,
    BeforeValidator(lambda value: None if value in _BY_ITSELF else value),
]
"""OpenAI's reasoning effort. None if it's left to the model."""


def _session_name(name: str) -> str:
    if not re.fullmatch(SESSION_NAME, name):
        raise ValueError(f"session_id {SESSION_NAME_RULE}")
    return name


SessionName = Annotated[
    str,
    AfterValidator(_session_name),
    WithJsonSchema({"type": "string", "pattern": f"^{SESSION_NAME}$"}),
]


class SessionOptions(Body):
    kv_bits: Literal[4, 8] | None = None
    on_overflow: Literal["refuse", "slide"] | None = None
    reproducible: bool | None = None

    def config(self, reasoning: bool | None, on_overflow: Overflow | None = None) -> SessionConfig:
        return SessionConfig(
            reasoning=reasoning,
            reproducible=self.reproducible,
            on_overflow=self.on_overflow or on_overflow,
            kv_bits=self.kv_bits,
        )


class InSession(Body):
    """Request that needs a model and may name a session."""

    model: str | None = None
    session_id: SessionName | None = None
    cache_prompt: Annotated[Any, ignored_field("cache_prompt", True)] = None  # from llama.cpp
    service_tier: Annotated[Any, ignored_field("service_tier", "auto", "default")] = None


class StreamOptions(Body):
    include_usage: bool = False
    include_obfuscation: Annotated[
        Any, ignored_field("stream_options.include_obfuscation", False)
    ] = None


_TEXT: JSON = {"type": "string", "minLength": 1}
_TEXTS: JSON = {"type": "array", "items": _TEXT}
_SETTINGS: JSON = {
    **{
        name: {
            "type": "number",
            "exclusiveMinimum" if name in ABOVE_ZERO else "minimum": low,
            "maximum": high,
        }
        for name, (low, high) in RANGES.items()
    },
    **{name: {"type": "integer", "minimum": low} for name, low in MINIMUMS.items()},
    "seed": {"type": "integer"},
    "logit_bias": {
        "type": "object",
        "propertyNames": {"pattern": "^[0-9]{1,9}$"},
        "additionalProperties": {"type": "number"},
    },
    "stop": {"anyOf": [_TEXT, _TEXTS]},
    "json_schema": {"anyOf": [{"type": "object"}, {"type": "string"}]},
    "regex": _TEXT,
    "choices": _TEXTS,
    "grammar": _TEXT,
    "form_limits": {
        "type": "object",
        "properties": {
            name: {"type": "integer", "minimum": 0} for name in FormLimits.__struct_fields__
        },
        "additionalProperties": False,
    },
    "stop_repetition": {"type": "boolean"},
}


def parameter(name: str, maximum: float | None = None) -> PlainValidator:
    """Return a validator for a sampling parameter. `SamplingParams` does most checks.

    Args:
        maximum: maximum in this API, if lower than the engine's.
    """

    def check(value: Any) -> Any:
        if maximum is not None and isinstance(value, (int, float)) and value > maximum:
            raise ValueError(f"{name} must be at most {maximum:g}, not {value!r}")
        return value

    return validator(check, _SETTINGS[name] | ({} if maximum is None else {"maximum": maximum}))


LENGTHS = (
    *("max_tokens", "max_completion_tokens", "max_output_tokens", "max_new_tokens"),
    *("max_tokens_to_sample", "n_predict", "num_predict"),
)
"""Names for the maximum length of a reply."""
_STRUCTURED = {"json": "json_schema", "regex": "regex", "choice": "choices"}  # vLLM's names
STOPS = ("stop", "stop_sequences", "stop_strings")


def aliases_of(name: str, names: Iterable[str]) -> dict[str, str]:
    return {alias: name for alias in names if alias != name}


class GenerationBody(InSession, SessionOptions):
    aliases: ClassVar[Mapping[str, str]] = {
        "repeat_penalty": "repetition_penalty",
        "repeat_last_n": "penalty_window",
        "typ_p": "typical_p",
        "repetition_context_size": "penalty_window",
        "random_seed": "seed",
        "think": "reasoning",
        "guided_json": "json_schema",
        "guided_regex": "regex",
        "guided_choice": "choices",
        **aliases_of("max_tokens", LENGTHS),
        **aliases_of("stop", STOPS),
    }
    """Names used by vLLM, llama.cpp, LM Studio, mlx-lm, Mistral and Ollama. They apply if the field
    isn't set under our own name."""
    stream: bool = False
    stream_options: StreamOptions | None = None
    # Limit from OpenAI's documentation.
    temperature: Annotated[Any, parameter("temperature", 2.0)] = None
    top_p: Annotated[Any, parameter("top_p")] = None
    top_k: Annotated[Any, parameter("top_k")] = None
    min_p: Annotated[Any, parameter("min_p")] = None
    typical_p: Annotated[Any, parameter("typical_p")] = None
    xtc_probability: Annotated[Any, parameter("xtc_probability")] = None
    xtc_threshold: Annotated[Any, parameter("xtc_threshold")] = None
    repetition_penalty: Annotated[Any, parameter("repetition_penalty")] = None
    presence_penalty: Annotated[Any, parameter("presence_penalty")] = None
    frequency_penalty: Annotated[Any, parameter("frequency_penalty")] = None
    penalty_window: Annotated[Any, parameter("penalty_window")] = None
    logit_bias: Annotated[Any, parameter("logit_bias")] = None
    seed: Annotated[Any, parameter("seed")] = None
    json_schema: Annotated[Any, parameter("json_schema")] = None
    regex: Annotated[Any, parameter("regex")] = None
    choices: Annotated[Any, parameter("choices")] = None
    grammar: Annotated[Any, parameter("grammar")] = None
    form_limits: Annotated[Any, parameter("form_limits")] = None
    stop_repetition: Annotated[Any, parameter("stop_repetition")] = None

    @classmethod
    def renamed(cls, body: JSON) -> JSON:
        bound = body.get("structured_outputs")
        if isinstance(bound, dict):
            del body["structured_outputs"]
            for part, value in bound.items():
                if part in _STRUCTURED and value is not None:
                    body.setdefault(_STRUCTURED[part], value)
                elif value not in (None, False):
                    ignore(f"structured_outputs.{part}")
        report = _report.get()
        for alias, name in cls.aliases.items():
            if alias in body and name in cls.model_fields and alias not in cls.model_fields:
                if name not in body:
                    body[name] = body.pop(alias)
                    if report is not None:
                        report.renamed[name] = alias
                elif body[name] == body[alias]:
                    del body[alias]
        return body

    @property
    def wants_usage(self) -> bool:
        """True if the stream should end with token counts.

        Raises:
            ValueError: if the request doesn't stream.
        """
        if self.stream_options is not None and not self.stream:
            raise ValueError("stream_options requires stream")
        return self.stream_options is not None and self.stream_options.include_usage

    def sampling(self, model: Model, **defaults: Any) -> SamplingParams:
        """Return the sampling parameters.

        Args:
            defaults: parameters that the API names differently.
        """
        values = {name: getattr(self, name) for name in SAMPLING if name in type(self).model_fields}
        values = {name: value for name, value in values.items() if value is not None}
        defaults = {name: value for name, value in defaults.items() if value is not None}
        for name in defaults:
            if values.get(name, defaults[name]) is not defaults[name]:
                raise ValueError(f"{name} is set twice; choose one")
        # Without a seed, use a random seed instead of the model's default.
        return sampling_params(
            {**values, **defaults}, {**model.defaults, "seed": None, "max_tokens": None}
        )


_RESERVED = (
    *("messages", "conversation", "tools", "documents", "add_generation_prompt", "tokenize"),
    *("continue_final_message", "chat_template", "return_dict", "return_tensors", "padding"),
    *("truncation", "max_length", "tokenizer_kwargs", "return_assistant_tokens_mask"),
)
"""Names that aren't template variables, or that the engine sets."""


class ReasoningOptions(Body):
    """Reasoning options as in OpenAI, OpenRouter and Anthropic."""

    effort: Effort = None
    enabled: bool | None = None
    type: Literal["enabled", "disabled", "adaptive", "auto"] | None = None
    exclude: bool = False  # reason, but omit the reasoning from the reply
    # Only a hint to the model. The hard limit covers the whole reply, as in Anthropic's API.
    budget_tokens: Limit = None
    max_tokens: Limit = None
    # We return reasoning in full, i.e. in its most detailed form.
    summary: Annotated[Any, ignored_field("reasoning.summary", "auto", "detailed")] = None
    generate_summary: Annotated[Any, ignored_field("reasoning.summary", "auto", "detailed")] = None
    context: Annotated[Any, ignored_field("reasoning.context", "auto")] = None
    display: Annotated[Any, ignored_field("thinking.display", "summarized")] = None

    @property
    def wanted(self) -> bool | None:
        """True or False if the request says whether to reason, else None."""
        if self.enabled is not None:
            return self.enabled
        if self.type is not None:
            return None if self.type == "auto" else self.type != "disabled"
        if self.effort is not None:
            return self.effort != "none"
        return True if self.budget_tokens or self.max_tokens else None


def _as_options(value: Any) -> Any:
    if isinstance(value, bool):
        return {"enabled": value}
    return {"effort": value} if isinstance(value, str) else value


Reasoning = Annotated[ReasoningOptions, BeforeValidator(_as_options)]
"""Accepts an object, a boolean, or an effort."""


class TemplateOptions(Body):
    """Arguments for the chat template, besides the messages."""

    chat_template_kwargs: dict[str, Any] | None = None
    enable_thinking: bool | None = None
    reasoning: Reasoning | None = None
    thinking: Reasoning | None = None
    reasoning_effort: Effort = None
    include_reasoning: bool = True

    @property
    def returns_reasoning(self) -> bool:
        options = (self.reasoning, self.thinking)
        return self.include_reasoning and not any(
            option is not None and option.exclude for option in options
        )

    def template(
        self, model: Model, reasoning: ReasoningOptions | None = None, named: str = ""
    ) -> tuple[bool | None, dict[str, Any]]:
        """Return the reasoning flag (None: the model decides), and the template's arguments.

        Raises:
            ValueError: if the template doesn't support them.
        """
        settings = dict(self.chat_template_kwargs or {})
        for name in settings:
            if name in _RESERVED or name.startswith("_"):
                raise ValueError(f"chat_template_kwargs cannot have {name!r}")
        flag = settings.pop("enable_thinking", self.enable_thinking)
        if not isinstance(flag, (bool, type(None))):
            raise ValueError("enable_thinking must be true or false")
        options = {
            "reasoning": self.reasoning,
            "thinking": self.thinking,
            "reasoning_effort": ReasoningOptions(effort=self.reasoning_effort),
            named: reasoning,
        }
        set_options = {name: value for name, value in options.items() if value is not None}
        if not model.thinking:
            for name, value in set_options.items():
                if value.wanted:
                    ignore(name)
            set_options = {name: value for name, value in set_options.items() if not value.wanted}
        flags = [flag, *(value.wanted for value in set_options.values())]
        is_enabled = next((value for value in flags if value is not None), None)
        efforts = [
            value.effort for value in set_options.values() if value.effort not in (None, "none")
        ]
        if efforts and is_enabled:
            settings = {"reasoning_effort": efforts[0], **settings}
        return is_enabled, settings


class Function(Body):
    name: Annotated[str, Field(min_length=1)]
    description: str | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | None = None


def _format(**schema: JSON) -> JSON:
    plain = object_schema(type={"enum": ["text", "json_object"]})
    return {"anyOf": [plain, object_schema(type={"const": "json_schema"}, **schema)]}


_OBJECT: JSON = {"type": "object"}
_NAMED = object_schema(name={"type": "string"}, schema=_OBJECT, strict={"type": "boolean"})
Format = Annotated[Any, WithJsonSchema(_format(json_schema={**_NAMED, "required": ["schema"]}))]
"""Response format. See `engine.serve.json_input.answer_form`."""
FlatFormat = Annotated[Any, WithJsonSchema(_format(schema=_OBJECT))]
"""Response format as in the responses API and Anthropic's messages."""

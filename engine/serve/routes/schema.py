"""Bodies of requests as pydantic models, and the sentence for one that does not fit.

A known field must have a value that fits: nothing is converted. Unknown fields are ignored and
reported by `read_fields`. `/openapi.json` is made from the same models.
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
from engine.params import ABOVE_ZERO, LEAST, MOST_LOGPROBS, RANGES, FormLimits, SamplingParams
from engine.serve import documents
from engine.serve.json_input import (
    SAMPLING,
    repaired,
    sampling_params,
    usual_value,
    whole_number,
)
from engine.serve.sessions import SESSION_NAME, SESSION_NAME_RULE, SessionConfig
from engine.text.tools import quoted

log = logging.getLogger(__name__)

MOST_CHOICES = 128  # answers to one request

B = TypeVar("B", bound="Body")
T = TypeVar("T")
JSON = dict[str, Any]
Items = Annotated[list[T], FailFast()]
"""A list whose first wrong item is told: 200,000 errors would take seconds and 300 MB."""


class Body(BaseModel):
    """A body, or an object within one. A null is as good as nothing, as with OpenAI."""

    model_config = ConfigDict(strict=True, extra="allow", frozen=True)

    refused: ClassVar[tuple[str, ...]] = ()  # names of fields that ask for what is not done here
    passes_extra: ClassVar[bool] = False  # unknown fields are used, and not ignored

    def asks(self, model: Model) -> Any:
        """What is asked of a model.

        Raises:
            ValueError: it cannot be done.
        """
        raise NotImplementedError

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        found = {name: value for name, value in given.items() if value is not None}
        for name in cls.refused:
            if found.pop(name, None):  # an empty value asks for nothing
                raise PydanticCustomError("refused_field", "{name}", {"name": name})
        return cls.renamed(found)

    @classmethod
    def renamed(cls, given: JSON) -> JSON:
        """Return the fields under the names that they have here."""
        return given


class OpenBody(Body):
    """An object whose unknown fields are used."""

    passes_extra = True


class FieldError(ValueError):
    """A field of a body has a wrong value.

    Args:
        field: where it is in the body, like ``messages[2].role``.
    """

    def __init__(self, words: str, field: str) -> None:
        super().__init__(words)
        self.field = field


class FieldReport:
    """Ignored fields of one request, and fields with another name here."""

    def __init__(self) -> None:
        self.ignored: dict[str, None] = {}
        self.renamed: dict[str, str] = {}  # by the name here, what the client calls it


_report: ContextVar[FieldReport | None] = ContextVar("report", default=None)
MAX_IGNORED_FIELDS = 1000
MAX_NAMED_FIELDS = 32
MAX_LOGGED_SETS = 1000
_NOT_IN_NAMES = re.compile(r"[^\w.\[\]-]", re.ASCII)


def ignore(path: str) -> None:
    """Report that a field of the current request is ignored."""
    report = _report.get()
    if report is not None and len(report.ignored) < MAX_IGNORED_FIELDS:
        report.ignored[_NOT_IN_NAMES.sub("_", path[:80])] = None


def read_fields(read: Callable[[], T]) -> tuple[T, str]:
    """Return what ``read`` does, and the names of the fields that it ignores, if any.

    Raises:
        ValueError: as ``read``. Fields have their client's names in it.
    """
    report = FieldReport()
    token = _report.set(report)
    try:
        found = read()
    except ValueError as error:
        words, field = str(error), getattr(error, "field", "")
        for name, sent in report.renamed.items():
            words, field = (re.sub(rf"^{name}\b", sent, text) for text in (words, field))
        raise FieldError(words, field) from None
    finally:
        _report.reset(token)
    names = sorted(report.ignored)
    more = len(names) - MAX_NAMED_FIELDS
    told = ", ".join([*names[:MAX_NAMED_FIELDS], *([f"{more}_more"] if more > 0 else [])])
    if told and told_once.cache_info().currsize < MAX_LOGGED_SETS:
        told_once(f"ignored fields in requests: {told}")
    return found, told


_IGNORED = "stretto.ignored"  # the place in a request's scope


def note_ignored(scope: MutableMapping[str, Any], names: str) -> None:
    """Note the ignored fields of a request, for the header of its response."""
    scope[_IGNORED] = names


def ignored_header(scope: Mapping[str, Any]) -> list[tuple[bytes, bytes]]:
    """Return the header that names the ignored fields, if any."""
    names = scope.get(_IGNORED, "")
    return [(b"x-stretto-ignored-fields", names.encode())] if names else []


def _ignore_extra(body: Body, path: str) -> None:
    """Report the unknown fields of a body and of all within it."""
    if body.model_extra and not body.passes_extra:
        for name in body.model_extra:
            ignore(f"{path}{name}")
    for name, value in body.__dict__.items():
        if isinstance(value, Body):
            _ignore_extra(value, f"{path}{name}.")
        elif isinstance(value, list):
            for item in value:
                if isinstance(item, Body):
                    _ignore_extra(item, f"{path}{name}[].")


def parsed(kind: type[B], given: object, path: str = "") -> B:
    """A body that fits its model.

    Args:
        path: what stands before the names of its fields, in reports of ignored ones.

    Raises:
        ValueError: a sentence says which field does not, and what it must be.
    """
    try:
        found = kind.model_validate(given)
    except ValidationError as error:
        # The first one is enough for a sentence, and all of them may be many.
        first = error.errors(include_url=False)[0]
        raise FieldError(_sentence(first), _path(first["loc"])) from None
    if _report.get() is not None:
        _ignore_extra(found, path)
    return found


def schema_of(kind: type[Body]) -> JSON:
    """The JSON schema of a body, without references to other places."""
    schema = kind.model_json_schema()
    return cast(JSON, _inlined(schema, schema.pop("$defs", {})))


def _inlined(schema: Any, known: JSON) -> Any:
    if isinstance(schema, list):
        return [_inlined(one, known) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _inlined(known[schema["$ref"].rpartition("/")[2]], known)
    found = {
        name: {field: _inlined(one, known) for field, one in value.items()}
        if name == "properties"
        else _inlined(value, known)
        for name, value in schema.items()
        if name not in ("title", "default", "description")
    }
    if "oneOf" in found:
        found["anyOf"] = found.pop("oneOf")
    return found


_TYPES = {
    "bool_type": "true or false",
    "string_type": "a text",
    "string_too_short": "a text that is not empty",
    "list_type": "a list",
    "too_short": "a list that is not empty",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "int_type": "a whole number",
    "float_type": "a number",
}


def _sentence(error: Mapping[str, Any]) -> str:
    """What is wrong with a body, from the first of pydantic's errors."""
    kind, context = error["type"], error.get("ctx", {})
    where = _path(error["loc"])
    if kind == "refused_field":
        return f"{context['name']!r} is not done here"
    if kind == "missing":
        return f"{where} is missing"
    if kind == "only":
        return f"{where} can only be {context['can']} here, not {quoted(error['input'])}"
    if kind == "value_error":
        return str(context["error"])
    value = error["input"]
    name = context.get("discriminator", "").removesuffix("()")
    if kind == "union_tag_not_found":
        must = f"an object with a {name}"
    elif kind == "union_tag_invalid":
        where, value = f"{where}.{name}", context["tag"].removeprefix("@")
        must = f"one of {context['expected_tags']}".replace("'", "").replace("@", "")
    elif kind == "literal_error":
        must = f"one of {context['expected']}".replace("'", "").replace(" or ", ", ")
    elif kind == "greater_than_equal":
        must = f"at least {context['ge']:g}"
    elif kind == "less_than_equal":
        must = f"at most {context['le']:g}"
    else:
        must = _TYPES.get(kind) or error["msg"]
    return f"{where or 'a body'} must be {must}, not {quoted(value)}"


def _path(places: tuple[str | int, ...]) -> str:
    """As clients write it: messages[2].role. The tags of unions are no part of it."""
    path = ""
    for place in places:
        if isinstance(place, int):
            path += f"[{place}]"
        elif not place.startswith("@"):
            path += f".{place}" if path else place
    return path


_FIRST_FIELD = re.compile(r"'?([a-z]\w*)(?:\[\d+\]|\.\w+)*")


def field_of(error: ValueError, kind: type[Body]) -> str | None:
    """Return the field of a body that an error is about, or None if it is about none.

    Checks that know no field begin their sentence with its name.
    """
    if field := getattr(error, "field", ""):
        return str(field)
    known = {*kind.model_fields, *kind.refused, *getattr(kind, "aliases", ())}
    named = _FIRST_FIELD.match(str(error))
    return named[0].lstrip("'") if named is not None and named[1] in known else None


# -- kinds of values ----------------------------------------------------------------------


def object_schema(**fields: Any) -> JSON:
    """Return the JSON schema of an object that must have these fields."""
    return {"type": "object", "properties": fields, "required": list(fields)}


def validator(check: Callable[[Any], Any], schema: JSON) -> PlainValidator:
    """Return a validator of values with this JSON schema, which is not checked."""
    return PlainValidator(check, json_schema_input_type=Annotated[Any, WithJsonSchema(schema)])


def only(allowed: Any) -> PlainValidator:
    """Return the validator of a field whose one value asks for what is done anyway."""

    def check(value: Any) -> Any:
        if value != allowed or type(value) is not type(allowed):
            raise PydanticCustomError("only", "{can}", {"can": json.dumps(allowed)})
        return value

    return validator(check, {"enum": [allowed]})


@cache
def told_once(words: str) -> None:
    """Log these words once while the program runs. They have no text of a client's."""
    log.info("%s", words)


def hint(path: str, *done: Any) -> PlainValidator:
    """Return the validator of a field that changes nothing in an answer.

    Args:
        path: of the field, which is reported as ignored.
        done: values that are done anyway, and not reported.
    """

    def check(value: Any) -> Any:
        if value is not None and value not in done:
            ignore(path)
        return value

    return PlainValidator(check)


IMAGES = ("image", "image_url", "input_image", "computer_screenshot")  # parts that are images

SOUNDS = ("audio", "input_audio")  # parts that are recordings

UNSEEN = {
    **dict.fromkeys(IMAGES, "an image"),
    **dict.fromkeys(("file", "input_file"), "a file"),
    **dict.fromkeys(SOUNDS, "a recording"),
}
"""Parts that are no text, and what the note that stands in their place calls them."""


MOST_IMAGES = 64
"""In a request, with recordings: each is read by a child, and takes a model hundreds of tokens."""

_SHOWING = ("user", "tool")  # whose messages may have images


def content_of(parts: Sequence[str | JSON]) -> str | list[JSON]:
    """The content of a message: one text unless some part of it is an image or a recording, still
    as it came."""
    texts = [part for part in parts if isinstance(part, str)]
    if len(texts) == len(parts):
        return "".join(texts)
    return [{"type": "text", "text": one} if isinstance(one, str) else one for one in parts]


def given_image(part: JSON) -> JSON:
    """An image of `content_of`; `shown` reads it once it is known whether the model sees."""
    return {"type": "image", "given": part}


def given_sound(part: JSON) -> JSON:
    """A recording, likewise."""
    return {"type": "audio", "given": part}


def shown(messages: list[Message], model: Model) -> list[Message]:
    """The messages as a model is given them: with images if it sees and recordings if it hears,
    else notes in their place.

    Raises:
        ValueError: one is none, or does not come with the request; or there are too many.
    """
    taken = {"image": model.sees, "audio": model.hears}
    made = [
        {**message, "content": _taken(content, taken if message["role"] in _SHOWING else {})}
        if isinstance(content := message.get("content"), list)
        else message
        for message in messages
    ]
    media = media_in(made)
    if len(media) > MOST_IMAGES:
        heard = any(isinstance(one, Audio) for one in media)
        what = "images and recordings" if heard else "images"
        raise ValueError(f"there are {len(media)} {what}, and {MOST_IMAGES} are the most")
    return made


def _taken(content: list[JSON], taken: Mapping[str, bool]) -> str | list[JSON]:
    parts: list[str | JSON] = []
    for part in content:
        kind = part["type"]
        if kind == "text":
            parts.append(part["text"])
        elif not taken.get(kind):
            parts.append(noted(kind))
        elif "given" in part:
            parts.append((_image if kind == "image" else _sound)(part["given"]))
        else:
            parts.append(part)
    return content_of(parts)


def noted(kind: str) -> str:
    """What stands in the place of a part of that type which a model is not given."""
    ignore(kind)
    cannot = "hear" if kind in SOUNDS else "see"
    return f"[Here was {UNSEEN[kind]}, which you cannot {cannot}.]"


_MIN_BARE_CHARACTERS = 64  # of an image as base64 without an address. Paths are shorter.


def _image(part: JSON) -> JSON:
    """An image as the engine takes it, from the shapes of OpenAI, Anthropic and Ollama."""
    inside: Any = part.get("source", part.get("image_url"))
    if isinstance(inside, dict):
        inside = inside.get("data") if inside.get("type") == "base64" else inside.get("url")
    data = inside if isinstance(inside, str) else ""
    is_bare = len(data) >= _MIN_BARE_CHARACTERS and ":" not in data[:_MIN_BARE_CHARACTERS]
    if "source" not in part and not is_bare and not documents.is_address(data):
        raise ValueError(
            f"an image must come with the request, as base64 in a data: address, not as "
            f"{quoted(inside)}"
        )
    try:
        return {"type": "image", "image": Image(documents.decoded(data)[0])}
    except ValueError as error:
        raise ValueError(f"an image cannot be read: {error}") from None


def _sound(part: JSON) -> JSON:
    """A recording as the engine takes it, from OpenAI's shape."""
    inside = part.get("input_audio", part.get("audio"))
    data = inside.get("data") if isinstance(inside, dict) else None
    if not isinstance(data, str) or not data:
        raise ValueError("a recording must come with the request, as base64 in input_audio.data")
    try:
        return {"type": "audio", "audio": Audio(documents.decoded(data)[0])}
    except ValueError as error:
        raise ValueError(f"a recording cannot be read: {error}") from None


FILES = ("file", "input_file")


def _file(part: JSON) -> str:
    """What is in a file; empty where it does not come with the request."""
    inside = part.get("file")
    inner = inside if isinstance(inside, dict) else part
    data, name = inner.get("file_data"), inner.get("filename")
    if not isinstance(data, str) or not data:
        return ""
    called = name if isinstance(name, str) else ""
    try:
        return f"{called}\n{documents.read(data, name=called)}".lstrip("\n")
    except ValueError as error:
        told_once("a note stands for a file that could not be read")
        return f"[Here was the file {quoted(called)}, which could not be read: {error}.]"


_TEXT_FIELDS = {"type", "text", "annotations", "cache_control", "citations", "logprobs"}


def joined(content: Any, shows: bool = False) -> str | list[JSON]:
    """Return a text, or the texts of a list of parts, joined.

    A note stands for what the model cannot see, so that it does not guess.

    Args:
        shows: images and recordings are kept, as `content_of` has them.

    Raises:
        ValueError: a part has no text.
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
            texts.append((given_image if kind in IMAGES else given_sound)(part))
            continue
        if isinstance(kind, str) and kind in UNSEEN:
            texts.append(noted(kind))
            continue
        said = part.get("text") if isinstance(part, dict) else None
        if not isinstance(said, str):
            raise ValueError(f"only text can be read, not a part of the type {quoted(kind)}")
        for name in part.keys() - _TEXT_FIELDS:
            ignore(f"content[].{name}")
        texts.append(said)
    return content_of(texts)


def text_parts(*kinds: str, shows: bool = False) -> PlainValidator:
    """Return the validator of a text, or of parts of these types, which are `joined`."""
    part = object_schema(type={"enum": list(kinds)}, text={"type": "string"})
    unseen = object_schema(type={"enum": list(UNSEEN)})
    parts = {"type": "array", "items": {"anyOf": [part, unseen]}}
    return validator(partial(joined, shows=shows), {"anyOf": [{"type": "string"}, parts]})


def or_text(items: Any, item: Callable[[str], JSON]) -> BeforeValidator:
    """Return the validator of a list for which a text may be sent.

    Args:
        items: the list's type, without `FailFast`, which no union may have.
        item: makes the list's only item of the text.
    """

    def check(content: Any) -> Any:
        return [item(content)] if isinstance(content, str) else content

    return BeforeValidator(check, json_schema_input_type=str | items)


def tagged_by(field: str, *known: str, default: str = "") -> Discriminator:
    """Return the discriminator of a union, whose tags are the values of a field after an @.

    Args:
        known: the values that are tags. All others have the tag "@other". If none are named, all
            values are tags.
        default: the value of objects without one.
    """

    def tag(item: Any) -> str | None:
        if not isinstance(item, dict):
            return None
        kind = item.get(field)
        kind = default if default and not kind else kind
        if not isinstance(kind, str):
            return None
        return f"@{kind}" if not known or kind in known else "@other"

    tag.__name__ = field  # in errors, for `_sentence`
    return Discriminator(tag)


def call_arguments(given: Any) -> dict[str, Any]:
    """Return the arguments of a past tool call as templates want them.

    Text that is not a JSON object is passed on under the name `raw`. The model wrote it, and its
    client sends it with every later request.
    """
    found = given
    if isinstance(given, str):
        try:
            found = repaired(json.loads(given)) if given.strip() else {}
        except (ValueError, RecursionError):
            found = given
    if isinstance(found, dict):
        return found
    if found is None:
        return {}
    log.warning("arguments of a past tool call are not a JSON object: passed on as text")
    return {"raw": given}


def as_history(content: Any) -> Any:
    """Return the content of a past reply or tool result with everything that is not text as JSON.

    A client sends it with every later request, so nothing in it is a reason for a refusal.
    """
    if isinstance(content, list):
        return [part if _is_part(part) else as_part(part) for part in content]
    return content if content is None or isinstance(content, str) else [as_part(content)]


def _is_part(part: Any) -> bool:
    kind = part.get("type") if isinstance(part, dict) else None
    return isinstance(kind, str) and (kind in UNSEEN or isinstance(part.get("text"), str))


def as_part(part: Any) -> JSON:
    """Return a text part that holds part of a past message as JSON."""
    told_once("content of past messages that is not text is given to models as JSON")
    return {"type": "text", "text": json.dumps(part, ensure_ascii=False)}


Arguments = Annotated[
    dict[str, Any], BeforeValidator(call_arguments), WithJsonSchema({"const": "{}"})
]
Limit = Annotated[
    Annotated[int, Field(ge=1)] | None,
    BeforeValidator(partial(usual_value, "max_tokens")),
    WithJsonSchema({"type": "integer", "minimum": -2}),
]
"""Tokens. The numbers by which clients ask for no limit stand for None."""
WholeNumber = Annotated[int, BeforeValidator(whole_number)]
Choices = Annotated[WholeNumber, Field(ge=1, le=MOST_CHOICES)]
TopLogprobs = Annotated[WholeNumber, Field(ge=0, le=MOST_LOGPROBS)]
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
_BY_ITSELF = ("default", "auto", "")
Effort = Annotated[
    Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] | None,
    BeforeValidator(lambda given: None if given in _BY_ITSELF else given),
]
"""Reasoning effort in OpenAI's words. None for words that mean the model's default."""


def _session_name(name: str) -> str:
    if not re.fullmatch(SESSION_NAME, name):
        raise ValueError(f"session_id {SESSION_NAME_RULE}")
    return name


SessionName = Annotated[
    str,
    AfterValidator(_session_name),
    WithJsonSchema({"type": "string", "pattern": f"^{SESSION_NAME}$"}),
]
Anything = Any  # the value of a field that changes nothing in an answer


# -- what several bodies have -------------------------------------------------------------


class SessionOptions(Body):
    """How a session works."""

    kv_bits: Literal[4, 8] | None = None
    on_overflow: Literal["refuse", "slide"] | None = None
    reproducible: bool | None = None

    def config(self, reasoning: bool | None, on_overflow: Overflow | None = None) -> SessionConfig:
        """How the session is to work; `on_overflow` where the body does not say."""
        return SessionConfig(
            reasoning=reasoning,
            reproducible=self.reproducible,
            on_overflow=self.on_overflow or on_overflow,
            kv_bits=self.kv_bits,
        )


class InSession(Body):
    """A request for a model, which may name a session."""

    model: str | None = None
    session_id: SessionName | None = None
    cache_prompt: Annotated[Any, hint("cache_prompt", True)] = None  # llama.cpp's


class StreamOptions(Body):
    include_usage: bool = False
    include_obfuscation: Annotated[Any, hint("stream_options.include_obfuscation", False)] = None


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
    **{name: {"type": "integer", "minimum": low} for name, low in LEAST.items()},
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


def setting(name: str, most: float | None = None) -> PlainValidator:
    """Return the validator of a setting of an answer. `SamplingParams` checks the rest.

    Args:
        name: of the setting there.
        most: an API's own limit, if it is less.
    """

    def check(value: Any) -> Any:
        if most is not None and isinstance(value, (int, float)) and value > most:
            raise ValueError(f"{name} must be at most {most:g}, not {value!r}")
        return value

    return validator(check, _SETTINGS[name] | ({} if most is None else {"maximum": most}))


LENGTHS = (
    *("max_tokens", "max_completion_tokens", "max_output_tokens", "max_new_tokens"),
    *("max_tokens_to_sample", "n_predict", "num_predict"),
)
"""Names for the longest reply."""
_STRUCTURED = {"json": "json_schema", "regex": "regex", "choice": "choices"}  # vLLM's
STOPS = ("stop", "stop_sequences", "stop_strings")


def also(name: str, names: Iterable[str]) -> dict[str, str]:
    """Return other names of a field, for `GenerationBody.aliases`."""
    return {other: name for other in names if other != name}


class GenerationBody(InSession, SessionOptions):
    """What all requests for answers may have."""

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
        **also("max_tokens", LENGTHS),
        **also("stop", STOPS),
    }
    """Names of vLLM, llama.cpp, LM Studio, mlx-lm, Mistral and Ollama, by which fields are found
    that have no value under their own name."""
    stream: bool = False
    stream_options: StreamOptions | None = None
    temperature: Annotated[Any, setting("temperature", 2.0)] = None  # as OpenAI documents it
    top_p: Annotated[Any, setting("top_p")] = None
    top_k: Annotated[Any, setting("top_k")] = None
    min_p: Annotated[Any, setting("min_p")] = None
    typical_p: Annotated[Any, setting("typical_p")] = None
    xtc_probability: Annotated[Any, setting("xtc_probability")] = None
    xtc_threshold: Annotated[Any, setting("xtc_threshold")] = None
    repetition_penalty: Annotated[Any, setting("repetition_penalty")] = None
    presence_penalty: Annotated[Any, setting("presence_penalty")] = None
    frequency_penalty: Annotated[Any, setting("frequency_penalty")] = None
    penalty_window: Annotated[Any, setting("penalty_window")] = None
    logit_bias: Annotated[Any, setting("logit_bias")] = None
    seed: Annotated[Any, setting("seed")] = None
    json_schema: Annotated[Any, setting("json_schema")] = None
    regex: Annotated[Any, setting("regex")] = None
    choices: Annotated[Any, setting("choices")] = None
    grammar: Annotated[Any, setting("grammar")] = None
    form_limits: Annotated[Any, setting("form_limits")] = None
    stop_repetition: Annotated[Any, setting("stop_repetition")] = None

    @classmethod
    def renamed(cls, given: JSON) -> JSON:
        bound = given.get("structured_outputs")
        if isinstance(bound, dict):
            del given["structured_outputs"]
            for part, value in bound.items():
                if part in _STRUCTURED and value is not None:
                    given.setdefault(_STRUCTURED[part], value)
                elif value not in (None, False):
                    ignore(f"structured_outputs.{part}")
        report = _report.get()
        for alias, name in cls.aliases.items():
            if alias in given and name in cls.model_fields and alias not in cls.model_fields:
                if name not in given:
                    given[name] = given.pop(alias)
                    if report is not None:
                        report.renamed[name] = alias
                elif given[name] == given[alias]:
                    del given[alias]
        return given

    @property
    def wants_usage(self) -> bool:
        """Whether a stream is to end with the figures.

        Raises:
            ValueError: there is no stream.
        """
        if self.stream_options is not None and not self.stream:
            raise ValueError("stream_options go with stream only")
        return self.stream_options is not None and self.stream_options.include_usage

    def sampling(self, model: Model, **own: Any) -> SamplingParams:
        """The settings of the answer.

        Args:
            own: settings that the API has under other names.

        Raises:
            ValueError: says what is wrong with them.
        """
        given = {name: getattr(self, name) for name in SAMPLING if name in type(self).model_fields}
        given = {name: value for name, value in given.items() if value is not None}
        own = {name: value for name, value in own.items() if value is not None}
        for name in own:
            if given.get(name, own[name]) is not own[name]:
                raise ValueError(f"{name} is asked for in two ways: choose one")
        # A request without a seed of its own takes a fresh one.
        return sampling_params(
            {**given, **own}, {**model.defaults, "seed": None, "max_tokens": None}
        )


class OpenAIUser(Body):
    """What OpenAI's clients may send that changes nothing in an answer."""

    user: Anything = None
    metadata: Anything = None
    client_metadata: Anything = None
    service_tier: Annotated[Any, hint("service_tier", "auto", "default")] = None
    safety_identifier: Anything = None
    prompt_cache_key: Anything = None
    prompt_cache_options: Anything = None
    prompt_cache_retention: Anything = None
    prediction: Anything = None


_RESERVED = (
    *("messages", "conversation", "tools", "documents", "add_generation_prompt", "tokenize"),
    *("continue_final_message", "chat_template", "return_dict", "return_tensors", "padding"),
    *("truncation", "max_length", "tokenizer_kwargs", "return_assistant_tokens_mask"),
)
"""These are no names of a template's own, or are given in another way."""


class ReasoningOptions(Body):
    """Reasoning options in the objects of OpenAI, OpenRouter and Anthropic."""

    effort: Effort = None
    enabled: bool | None = None
    type: Literal["enabled", "disabled", "adaptive", "auto"] | None = None
    exclude: bool = False  # reason, but do not return the reasoning
    # These are targets. The limit is that of the reply, as with Anthropic.
    budget_tokens: Limit = None
    max_tokens: Limit = None
    # The reasoning is given as it is, which is as detailed as can be.
    summary: Annotated[Any, hint("reasoning.summary", "auto", "detailed")] = None
    generate_summary: Annotated[Any, hint("reasoning.summary", "auto", "detailed")] = None
    context: Annotated[Any, hint("reasoning.context", "auto")] = None
    display: Annotated[Any, hint("thinking.display", "summarized")] = None

    @property
    def wanted(self) -> bool | None:
        """True or False if the request decides about reasoning; None leaves it to the model."""
        if self.enabled is not None:
            return self.enabled
        if self.type is not None:
            return None if self.type == "auto" else self.type != "disabled"
        if self.effort is not None:
            return self.effort != "none"
        return True if self.budget_tokens or self.max_tokens else None


def _as_options(given: Any) -> Any:
    if isinstance(given, bool):
        return {"enabled": given}
    return {"effort": given} if isinstance(given, str) else given


Reasoning = Annotated[ReasoningOptions, BeforeValidator(_as_options)]
"""An object, true, false, or how much."""


class TemplateOptions(Body):
    """What a chat template is given beside the messages."""

    chat_template_kwargs: dict[str, Any] | None = None
    enable_thinking: bool | None = None
    reasoning: Reasoning | None = None
    thinking: Reasoning | None = None
    reasoning_effort: Effort = None
    include_reasoning: bool = True

    @property
    def returns_reasoning(self) -> bool:
        """True if the reply's reasoning is returned."""
        asked = (self.reasoning, self.thinking)
        return self.include_reasoning and not any(one is not None and one.exclude for one in asked)

    def template(
        self, model: Model, own: ReasoningOptions | None = None, named: str = ""
    ) -> tuple[bool | None, dict[str, Any]]:
        """Whether to reason, and what the chat template is given.

        Args:
            own: how to reason, from a field of the API's own.
            named: that field.

        Raises:
            ValueError: the template cannot be given that.
        """
        given = dict(self.chat_template_kwargs or {})
        for name in given:
            if name in _RESERVED or name.startswith("_"):
                raise ValueError(f"chat_template_kwargs cannot have {name!r}")
        flag = given.pop("enable_thinking", self.enable_thinking)
        if not isinstance(flag, (bool, type(None))):
            raise ValueError("enable_thinking must be true or false")
        asked = {
            "reasoning": self.reasoning,
            "thinking": self.thinking,
            "reasoning_effort": ReasoningOptions(effort=self.reasoning_effort),
            named: own,
        }
        wishes = {name: one for name, one in asked.items() if one is not None}
        if not model.thinking:
            for name, one in wishes.items():
                if one.wanted:
                    ignore(name)
            wishes = {name: one for name, one in wishes.items() if not one.wanted}
        flags = [flag, *(one.wanted for one in wishes.values())]
        wanted = next((one for one in flags if one is not None), None)
        efforts = [one.effort for one in wishes.values() if one.effort not in (None, "none")]
        if efforts and wanted:
            given = {"reasoning_effort": efforts[0], **given}
        return wanted, given


class Function(Body):
    name: Annotated[str, Field(min_length=1)]
    description: str | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | None = None
    type: Anything = None
    cache_control: Anything = None
    defer_loading: Anything = None
    execution: Anything = None


def _format(**schema: JSON) -> JSON:
    plain = object_schema(type={"enum": ["text", "json_object"]})
    return {"anyOf": [plain, object_schema(type={"const": "json_schema"}, **schema)]}


_OBJECT: JSON = {"type": "object"}
_NAMED = object_schema(name={"type": "string"}, schema=_OBJECT, strict={"type": "boolean"})
Format = Annotated[Any, WithJsonSchema(_format(json_schema={**_NAMED, "required": ["schema"]}))]
"""The form of an answer, which `engine.serve.json_input.form` reads."""
FlatFormat = Annotated[Any, WithJsonSchema(_format(schema=_OBJECT))]
"""The same as responses and Anthropic's messages have it."""

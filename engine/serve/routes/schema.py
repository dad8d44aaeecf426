"""Bodies of requests as pydantic models, and the sentence for one that does not fit.

Checks are strict: nothing is converted, and an unknown field is refused with the name that is near
it. `/openapi.json` is made from the same models.
"""

from __future__ import annotations

import difflib
import json
import logging
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal, TypeVar, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    FailFast,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ValidationError,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import PydanticCustomError, core_schema

from engine.messages import Audio, Image, Message, Overflow, media_in
from engine.model.info import Model
from engine.params import ABOVE_ZERO, LEAST, MOST_LOGPROBS, RANGES, FormLimits, SamplingParams
from engine.serve import documents
from engine.serve.json_input import SAMPLING, repaired, sampling_params
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

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    refused: ClassVar[tuple[str, ...]] = ()  # names of fields that ask for what is not done here

    def asks(self, model: Model) -> Any:
        """What is asked of a model.

        Raises:
            ValueError: it cannot be done.
        """
        raise NotImplementedError

    @model_validator(mode="before")
    @classmethod
    def _known(cls, given: Any) -> Any:
        """Look at the names of fields, before any value. Only the first unknown one is told."""
        if not isinstance(given, dict):
            return given
        found = {name: value for name, value in given.items() if value is not None}
        for name in found:
            if name in cls.refused:
                raise PydanticCustomError("refused_field", "{name}", {"name": name})
            if name not in cls.model_fields and cls.model_config.get("extra") == "forbid":
                near = difflib.get_close_matches(name, cls.model_fields, 1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                raise PydanticCustomError("unknown_field", "", {"name": name, "hint": hint})
        return found

    @classmethod
    def __get_pydantic_json_schema__(cls, core: Any, handler: GetJsonSchemaHandler) -> JSON:
        schema = handler.resolve_ref_schema(handler(core))
        if cls.model_config.get("extra") == "forbid":
            # Clients write null for what they do not ask; that asks for nothing, known or not.
            schema["additionalProperties"] = {"type": "null"}
        return schema


class OpenBody(Body):
    """An object that may have more fields than are read here."""

    model_config = ConfigDict(extra="allow")


def parsed(kind: type[B], given: object) -> B:
    """A body that fits its model.

    Raises:
        ValueError: a sentence says which field does not, and what it must be.
    """
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        # The first one is enough for a sentence, and all of them may be many.
        raise ValueError(_sentence(error.errors(include_url=False)[0])) from None


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
    if kind == "unknown_field":
        place = f"in {where}" if where else "here"
        return f"there is no field {context['name']!r} {place}{context['hint']}"
    if kind == "missing":
        return f"{where} is missing"
    if kind == "only":
        return f"{where} can only be {context['can']} here, not {quoted(error['input'])}"
    if kind == "value_error":
        return str(context["error"])
    value = error["input"]
    name = "role" if "role" in context.get("discriminator", "") else "type"
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


# -- kinds of values ----------------------------------------------------------------------


class Only:
    """Values that ask for what is done anyway; the first one stands for them."""

    def __init__(self, *allowed: Any) -> None:
        self._allowed = allowed

    def _check(self, value: Any) -> Any:
        if not any(value == one and type(value) is type(one) for one in self._allowed):
            raise PydanticCustomError("only", "{can}", {"can": json.dumps(self._allowed[0])})
        return value

    def __get_pydantic_core_schema__(self, *_: object) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(self._check)

    def __get_pydantic_json_schema__(self, *_: object) -> JSON:
        return {"enum": list(self._allowed)}


_told: set[str] = set()


def told_once(words: str) -> None:
    """Say in the log, once as long as the program runs, what became of a hint.

    Args:
        words: nothing of a client's is among them.
    """
    if words not in _told:
        _told.add(words)
        log.info("%s", words)


class Hint:
    """A value that asks for no other answer: whatever it is, it is taken.

    Args:
        name: of the field, for the log.
        done: values that are done anyway.
    """

    def __init__(self, name: str, *done: Any) -> None:
        self._name = name
        self._done = done

    def _take(self, value: Any) -> Any:
        if value is not None and value not in self._done:
            told_once(f"{self._name} is taken from clients, and changes nothing here")
        return value

    def __get_pydantic_core_schema__(self, *_: object) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(self._take)

    def __get_pydantic_json_schema__(self, *_: object) -> JSON:
        return {}


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
    told_once(f"a note stands for {UNSEEN[kind]}, which models cannot be given here")
    cannot = "hear" if kind in SOUNDS else "see"
    return f"[Here was {UNSEEN[kind]}, which you cannot {cannot}.]"


def _image(part: JSON) -> JSON:
    """An image as the engine takes it, from the shapes of OpenAI, Anthropic and Ollama."""
    inside: Any = part.get("source", part.get("image_url"))
    if isinstance(inside, dict):
        inside = inside.get("data") if inside.get("type") == "base64" else inside.get("url")
    data = inside if isinstance(inside, str) else ""
    if "source" not in part and not data.startswith("data:"):
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


class TextParts:
    """A text, or a list of parts that have texts, which are joined.

    A note stands for what the model cannot see, so that it does not guess.

    Args:
        kinds: the types that parts may have.
        shows: images and recordings are kept, as `content_of` has them.
    """

    def __init__(self, *kinds: str, shows: bool = False) -> None:
        self._kinds = kinds
        self._shows = shows

    def _joined(self, content: Any) -> Any:
        if isinstance(content, str):
            return content
        texts: list[str | JSON] = []
        for part in content if isinstance(content, list) else [content]:
            kind = part.get("type") if isinstance(part, dict) else None
            if kind in FILES and (text := _file(part)):
                texts.append(text)
                continue
            if self._shows and kind in (*IMAGES, *SOUNDS):
                texts.append((given_image if kind in IMAGES else given_sound)(part))
                continue
            if isinstance(kind, str) and kind in UNSEEN:
                texts.append(noted(kind))
                continue
            if kind not in self._kinds or not isinstance(part.get("text"), str):
                raise ValueError(f"only text can be read, not a part of the type {quoted(kind)}")
            texts.append(part["text"])
        return content_of(texts)

    def __get_pydantic_core_schema__(self, *_: object) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(self._joined)

    def __get_pydantic_json_schema__(self, *_: object) -> JSON:
        part = {
            "type": "object",
            "properties": {"type": {"enum": list(self._kinds)}, "text": {"type": "string"}},
            "required": ["type", "text"],
        }
        unseen = {"type": "object", "properties": {"type": {"enum": list(UNSEEN)}}}
        parts = {"anyOf": [part, {**unseen, "required": ["type"]}]}
        return {"anyOf": [{"type": "string"}, {"type": "array", "items": parts}]}


class OrText:
    """A list, or a text that stands for a list of one item.

    Args:
        item: makes it.
    """

    def __init__(self, item: Callable[[str], JSON]) -> None:
        self._item = item

    def _items(self, content: Any) -> Any:
        return [self._item(content)] if isinstance(content, str) else content

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        return core_schema.no_info_before_validator_function(self._items, handler(source))

    def __get_pydantic_json_schema__(self, schema: Any, handler: GetJsonSchemaHandler) -> JSON:
        return {"anyOf": [{"type": "string"}, handler(schema)]}


def item_type(item: Any) -> str | None:
    """By its type an item of a union is told from the others; a message needs none."""
    kind = item.get("type") or "message" if isinstance(item, dict) else None
    return f"@{kind}" if isinstance(kind, str) else None


def turn_role(turn: Any) -> str | None:
    """As `item_type`, by the role."""
    role = turn.get("role") if isinstance(turn, dict) else None
    return f"@{role}" if isinstance(role, str) else None


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
        return [part if _is_part(part) else _as_part(part) for part in content]
    return content if content is None or isinstance(content, str) else [_as_part(content)]


def _is_part(part: Any) -> bool:
    kind = part.get("type") if isinstance(part, dict) else None
    return isinstance(kind, str) and (kind in UNSEEN or isinstance(part.get("text"), str))


def _as_part(part: Any) -> JSON:
    told_once("content of past messages that is not text is given to models as JSON")
    return {"type": "text", "text": json.dumps(part, ensure_ascii=False)}


Arguments = Annotated[
    dict[str, Any], BeforeValidator(call_arguments), WithJsonSchema({"const": "{}"})
]
Limit = Annotated[int, Field(ge=1)]
Choices = Annotated[int, Field(ge=1, le=MOST_CHOICES)]
TopLogprobs = Annotated[int, Field(ge=0, le=MOST_LOGPROBS)]
Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
"""How much to reason, in OpenAI's words."""


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


class StreamOptions(Body):
    include_usage: bool = False
    include_obfuscation: Annotated[Any, Only(False)] = None


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


class Setting:
    """A setting of an answer, which `SamplingParams` checks.

    Args:
        name: of the setting there.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __get_pydantic_json_schema__(self, *_: object) -> JSON:
        return dict(_SETTINGS[self._name])


class GenerationBody(InSession, SessionOptions):
    """What all requests for answers may have."""

    stream: bool = False
    stream_options: StreamOptions | None = None
    temperature: Annotated[Any, Setting("temperature")] = None
    top_p: Annotated[Any, Setting("top_p")] = None
    top_k: Annotated[Any, Setting("top_k")] = None
    min_p: Annotated[Any, Setting("min_p")] = None
    typical_p: Annotated[Any, Setting("typical_p")] = None
    xtc_probability: Annotated[Any, Setting("xtc_probability")] = None
    xtc_threshold: Annotated[Any, Setting("xtc_threshold")] = None
    repetition_penalty: Annotated[Any, Setting("repetition_penalty")] = None
    presence_penalty: Annotated[Any, Setting("presence_penalty")] = None
    frequency_penalty: Annotated[Any, Setting("frequency_penalty")] = None
    penalty_window: Annotated[Any, Setting("penalty_window")] = None
    logit_bias: Annotated[Any, Setting("logit_bias")] = None
    seed: Annotated[Any, Setting("seed")] = None
    json_schema: Annotated[Any, Setting("json_schema")] = None
    regex: Annotated[Any, Setting("regex")] = None
    choices: Annotated[Any, Setting("choices")] = None
    grammar: Annotated[Any, Setting("grammar")] = None
    form_limits: Annotated[Any, Setting("form_limits")] = None
    stop_repetition: Annotated[Any, Setting("stop_repetition")] = None

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
    service_tier: Annotated[Any, Hint("service_tier", "auto", "default")] = None
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


class TemplateOptions(Body):
    """What a chat template is given beside the messages."""

    chat_template_kwargs: dict[str, Any] | None = None

    def template(
        self, model: Model, reasoning: bool | None, effort: str | None, named: str
    ) -> tuple[bool | None, dict[str, Any]]:
        """Whether to reason, and what the chat template is given.

        Args:
            reasoning: what the body asks for by a flag.
            effort: how much to reason, from the field that is `named` so.

        Raises:
            ValueError: the template cannot be given that.
        """
        given = dict(self.chat_template_kwargs or {})
        for name in given:
            if name in _RESERVED or name.startswith("_"):
                raise ValueError(f"chat_template_kwargs cannot have {name!r}")
        if "enable_thinking" in given:
            reasoning = given.pop("enable_thinking")
            if not isinstance(reasoning, bool):
                raise ValueError("enable_thinking must be true or false")
        if effort is None:
            return reasoning, given
        if effort == "none":
            return False, given
        if not model.thinking:
            told_once(f"{named} changes nothing for models that do not reason")
            return reasoning, given
        return True, {"reasoning_effort": effort, **given}


class Function(OpenBody):
    name: Annotated[str, Field(min_length=1)]
    description: str | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | None = None


def _format(**schema: JSON) -> JSON:
    plain = {"properties": {"type": {"enum": ["text", "json_object"]}}, "required": ["type"]}
    bound = {
        "properties": {"type": {"const": "json_schema"}, **schema},
        "required": ["type", *schema],
    }
    return {"anyOf": [{"type": "object", **plain}, {"type": "object", **bound}]}


_OBJECT: JSON = {"type": "object"}
Format = Annotated[
    Any,
    WithJsonSchema(
        _format(
            json_schema={
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "schema": _OBJECT,
                    "strict": {"type": "boolean"},
                },
                "required": ["schema"],
            }
        )
    ),
]
"""The form of an answer, which `engine.serve.json_input.form` reads."""
FlatFormat = Annotated[Any, WithJsonSchema(_format(schema=_OBJECT))]
"""The same as responses and Anthropic's messages have it."""

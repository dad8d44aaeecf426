"""Ollama's API: chat, generate, embeddings and model routes.

Meant for clients that don't support any other API.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from engine.messages import Embeddings as Vectors
from engine.messages import Message, RawPrompt
from engine.model.info import Model
from engine.serve import bodies
from engine.serve.auth import owner_of
from engine.serve.json_input import SAMPLING, answer_form
from engine.serve.models import ModelEntry, ModelRegistry
from engine.serve.routes import base, schema
from engine.serve.routes.chat import ToolCall
from engine.serve.routes.completions import (
    EmbeddingAPI,
    EmbeddingRequest,
    EmbeddingsBody,
    as_numbers,
)
from engine.serve.routes.tools import Toolbox, with_note

VERSION = "0.14.0"  # Ollama version that we report, which clients check


class ChatMessage(schema.Body):
    role: Literal["system", "user", "assistant", "tool"]
    content: str = ""
    thinking: str | None = None
    images: list[Any] = Field(default_factory=list)
    tool_calls: schema.Items[ToolCall] = Field(default_factory=list)
    tool_name: str | None = None
    tool_call_id: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _lenient(cls, value: Any) -> Any:
        if isinstance(value, dict) and value.get("role") in ("assistant", "tool"):
            content = value.get("content")
            if not isinstance(content, str | None):
                return {**value, "content": json.dumps(content, ensure_ascii=False)}
        return value

    @property
    def as_message(self) -> Message:
        message: Message = {"role": self.role, "content": self.content}
        if self.images:
            sources = [{"type": "base64", "data": data} for data in self.images]
            images = [schema.given_image({"source": source}) for source in sources]
            message["content"] = schema.content_of([*images, self.content])
        if self.thinking:
            message["reasoning_content"] = self.thinking
        if self.tool_name:
            message["name"] = self.tool_name
        if self.tool_call_id:
            message["tool_call_id"] = self.tool_call_id
        if self.tool_calls:
            message["tool_calls"] = [call.as_message for call in self.tool_calls]
        return message


class _OllamaBody(schema.GenerationBody, schema.TemplateOptions):
    """Fields shared by `/api/chat` and `/api/generate`."""

    format: Any = None
    options: dict[str, Any] = Field(default_factory=dict)
    stream: bool = True
    temperature: Annotated[Any, schema.parameter("temperature")] = None
    think: schema.Reasoning | None = None
    keep_alive: Annotated[Any, schema.ignored_field("keep_alive")] = None
    truncate: Any = None
    shift: Any = None

    def generation(
        self, model: Model, prompt: list[Message] | RawPrompt, tools: Mapping[str, Any]
    ) -> base.Generation:
        reasoning, template = self.template(model, self.think, "think")
        shape = self.format
        bound: dict[str, Any] = {}
        if shape == "json" or isinstance(shape, dict):
            json_schema = {"type": "object"} if shape == "json" else shape
            bound = answer_form({"type": "json_schema", "schema": json_schema}, "format")
        elif shape not in (None, ""):
            raise ValueError("format must be json or a schema")
        settings: dict[str, Any] = {}
        for name, value in self.options.items():
            setting = self.aliases.get(name, name)
            if setting in SAMPLING:
                settings[setting] = value
            else:
                schema.ignore(f"options.{name}")
        return base.Generation(
            model,
            [prompt],
            self.sampling(model, **settings, **tools, **bound),
            self.config(reasoning),
            stream=self.stream,
            template=template,
            returns_reasoning=self.returns_reasoning,
        )


class OllamaBody(_OllamaBody):
    messages: Annotated[schema.Items[ChatMessage], Field(min_length=1)]
    tools: list[Any] = Field(default_factory=list)

    def asks(self, model: Model) -> base.Generation:
        box = Toolbox()
        box.add(self.tools)
        messages = schema.decode_media([message.as_message for message in self.messages], model)
        tools = box.settings(model, "auto", True)
        return self.generation(model, with_note(messages, box.note()), tools)


class GenerateBody(_OllamaBody):
    prompt: Annotated[str, Field(min_length=1)]
    suffix: Annotated[Any, schema.single_value("")] = None  # would change the meaning if ignored
    system: str = ""
    images: list[Any] = Field(default_factory=list)
    raw: bool = False

    def asks(self, model: Model) -> base.Generation:
        if self.raw:
            return self.generation(model, RawPrompt(self.prompt), {})
        message = ChatMessage(role="user", content=self.prompt, images=self.images).as_message
        head: list[Message] = [{"role": "system", "content": self.system}] if self.system else []
        return self.generation(model, schema.decode_media([*head, message], model), {})


class EmbedBody(EmbeddingsBody):
    truncate: Any = None
    options: Any = None
    keep_alive: Any = None

    @classmethod
    def renamed(cls, body: schema.JSON) -> schema.JSON:
        if "prompt" in body:  # name of the field in the older route
            body.setdefault("input", body.pop("prompt"))
        return body


class OllamaWriter(base.Writer):
    def piece(self, choice: base.Choice, piece: base.Piece) -> bytes:
        if isinstance(piece, base.Text):
            return self._line({("thinking" if piece.reasoning else "content"): piece.text})
        if isinstance(piece, base.CallComplete):
            return self._line({"tool_calls": [_call(piece)]})
        assert isinstance(piece, (base.CallStart, base.CallDelta, base.CallBroken))
        return b""  # calls aren't streamed

    def ended(self, choice: base.Choice) -> bytes:
        return b""

    def end(self) -> bytes:
        return base.encoded(self._line_json({}, **self._figures())) + b"\n"

    def sign_of_life(self) -> bytes:
        return self._line({})

    def whole(self) -> schema.JSON:
        choice = self.choices[0]
        message: schema.JSON = {"content": choice.text}
        if choice.reasoning_text:
            message["thinking"] = choice.reasoning_text
        if choice.calls:
            message["tool_calls"] = [_call(call) for call in choice.calls]
        return self._line_json(message, **self._figures())

    def _line(self, message: schema.JSON) -> bytes:
        return base.encoded(self._line_json(message, done=False)) + b"\n"

    def _line_json(self, message: schema.JSON, **fields: Any) -> schema.JSON:
        return {
            "model": self.generation.model.name,
            "created_at": datetime.now(UTC).isoformat(),
            "message": {"role": "assistant", "content": "", **message},
            **fields,
        }

    def _figures(self) -> schema.JSON:
        choice = self.choices[0]
        stats = choice.stats
        read, decode_ns = round(stats.ttft_s * 1e9), round(stats.decode_s * 1e9)
        return {
            "done": True,
            "done_reason": "length" if choice.hit_limit else "stop",
            "total_duration": read + decode_ns,
            "load_duration": 0,
            "prompt_eval_count": stats.prompt_tokens,
            "prompt_eval_duration": read,
            "eval_count": stats.generated_tokens,
            "eval_duration": decode_ns,
        }


def _call(call: base.CallComplete) -> schema.JSON:
    function = {"name": call.name, "arguments": json.loads(call.arguments)}
    return {"id": call.id, "function": function}


class GenerateWriter(OllamaWriter):
    def _line_json(self, message: schema.JSON, **fields: Any) -> schema.JSON:
        line = super()._line_json({}, **fields)
        del line["message"]
        thinking = {"thinking": message["thinking"]} if "thinking" in message else {}
        return {**line, "response": message.get("content", ""), **thinking}


class OllamaAPI(base.API):
    media_type = "application/x-ndjson"

    def failed(self, error: schema.JSON, writer: Any = None) -> bytes:
        return base.encoded(error) + b"\n"

    def comment(self, text: str) -> bytes:
        return b""


class OllamaGenerate(OllamaAPI):
    path = "/api/generate"
    summary = "Generate a single reply, in Ollama's shape."
    body = GenerateBody
    writer = GenerateWriter


class OllamaEmbedAPI(EmbeddingAPI):
    path = "/api/embed"
    summary = "Compute embeddings, in Ollama's shape."
    body = EmbedBody

    def response_body(self, request: EmbeddingRequest, result: Vectors) -> schema.JSON:
        vectors = [as_numbers(vector) for vector in result.vectors]
        counts = {"prompt_eval_count": result.tokens, "total_duration": 0, "load_duration": 0}
        return {"model": request.model.name, "embeddings": vectors, **counts}


class OllamaEmbeddingsAPI(EmbeddingAPI):
    path = "/api/embeddings"
    summary = "Compute an embedding, in Ollama's older shape."
    body = EmbedBody

    def response_body(self, request: EmbeddingRequest, result: Vectors) -> schema.JSON:
        return {"embedding": as_numbers(result.vectors[0])}


class OllamaChat(OllamaAPI):
    path = "/api/chat"
    summary = "Generate a chat reply, in Ollama's shape."
    body = OllamaBody
    writer = OllamaWriter


class ShowBody(schema.Body):
    model: str | None = None
    name: str | None = None


class OllamaModels:
    def __init__(self, served: ModelRegistry) -> None:
        self._served = served

    def routes(self) -> list[base.APIRoute]:
        return [
            base.APIRoute("GET", "/api/version", self._version, "Get the version of Ollama's API."),
            base.APIRoute("GET", "/api/tags", self._tags, "List models in Ollama's shape."),
            base.APIRoute("GET", "/api/ps", self._loaded, "List loaded models."),
            base.APIRoute("POST", "/api/show", self._show, "Get a model.", body=ShowBody),
        ]

    async def _version(self, _: Request) -> Response:
        return JSONResponse({"version": VERSION})

    async def _tags(self, request: Request) -> Response:
        loaded = self._loaded_for(request)
        return JSONResponse({"models": [_model_json(e, e in loaded) for e in self._served.entries]})

    async def _loaded(self, request: Request) -> Response:
        return JSONResponse({"models": [_model_json(e, True) for e in self._loaded_for(request)]})

    def _loaded_for(self, request: Request) -> list[ModelEntry]:
        owner = owner_of(request.scope)
        loaded = [entry for entry in self._served.entries if entry.model is not None]
        return [entry for entry in loaded if self._served.may_see_loaded(entry, owner)]

    async def _show(self, request: Request) -> Response:
        body = await bodies.read_small(request, ShowBody)
        entry = self._served.entry(body.model or body.name)
        loaded = entry in self._loaded_for(request)
        model = entry.model if loaded else None
        can = ["completion"]
        if model is None or model.tool_format:
            can.append("tools")
        if model is not None and model.thinking:
            can.append("thinking")
        if model is not None and model.sees:
            can.append("vision")
        model_info = {"general.architecture": "mlx", "mlx.context_length": entry.context_length}
        entry_json = _model_json(entry, loaded)
        return JSONResponse(
            {
                "details": entry_json["details"],
                "model_info": model_info,
                "capabilities": can,
                "template": "",
            }
        )


def _model_json(entry: ModelEntry, loaded: bool) -> schema.JSON:
    details = {"format": "mlx", "family": "mlx", "families": ["mlx"], "parent_model": ""}
    return {
        "name": entry.name,
        "model": entry.name,
        "modified_at": "1970-01-01T00:00:00Z",
        "size": entry.model.nbytes if loaded and entry.model is not None else 0,
        "digest": "",
        "details": {**details, "parameter_size": "", "quantization_level": ""},
    }

"""OpenAI's `/v1/completions` (raw prompts) and `/v1/embeddings`."""

from __future__ import annotations

import base64
import struct
from typing import Annotated, Any, Literal

from msgspec import Struct
from pydantic import BeforeValidator, Field, PlainValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from engine.messages import Embeddings as Vectors
from engine.messages import RawPrompt
from engine.model.info import Model
from engine.serve.errors import RequestError
from engine.serve.json_input import answer_form
from engine.serve.routes import base, schema
from engine.serve.routes.chat import OpenAIWriter, reason


def prompts(value: Any) -> list[RawPrompt]:
    if isinstance(value, str):
        return [RawPrompt(value)]
    if isinstance(value, list) and value:
        if all(isinstance(item, str) for item in value):
            return [RawPrompt(item) for item in value]
        lists = [value] if all(_is_id(item) for item in value) else value
        if all(isinstance(ids, list) and ids and all(map(_is_id, ids)) for ids in lists):
            return [RawPrompt(None, tuple(ids)) for ids in lists]
    raise PydanticCustomError("prompts", "a text, a list of texts, or token ids")


def _is_id(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31


_IDS: schema.JSON = {"type": "array", "items": {"type": "integer", "minimum": 0}, "minItems": 1}
Prompts = Annotated[
    list[RawPrompt],
    PlainValidator(prompts),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string"},
                {"type": "array", "items": {"type": "string"}, "minItems": 1},
                _IDS,
                {"type": "array", "items": _IDS, "minItems": 1},
            ]
        }
    ),
]


class CompletionsBody(schema.GenerationBody):
    refused = ("suffix",)  # would change the meaning if ignored

    prompt: Prompts
    echo: bool = False
    logprobs: Annotated[
        schema.TopLogprobs | None, BeforeValidator(lambda v: v if v is not False else None)
    ] = None
    n: schema.Choices = 1
    best_of: schema.Choices | None = None
    response_format: schema.Format = None
    max_tokens: schema.Limit = None
    stop: Annotated[Any, schema.parameter("stop")] = None

    def asks(self, model: Model) -> base.Generation:
        if self.echo and any(prompt.text is None for prompt in self.prompt):
            raise ValueError("echo requires text prompts, not token ids")
        if self.echo and self.logprobs is not None:
            raise ValueError("echo and logprobs cannot be combined")
        if self.best_of not in (None, self.n):
            raise ValueError(f"best_of must equal n ({self.n}), not {self.best_of}")
        if self.n * len(self.prompt) > schema.MAX_CHOICES:
            raise ValueError(f"n times the prompts must be at most {schema.MAX_CHOICES}")
        bound = answer_form(self.response_format, "response_format")
        return base.Generation(
            model,
            self.prompt,
            self.sampling(model, max_tokens=self.max_tokens, logprobs=self.logprobs, **bound),
            self.config(None),
            self.n,
            self.stream,
            usage=self.wants_usage,
            extra={"echo": [prompt.text for prompt in self.prompt] if self.echo else []},
        )


class CompletionsWriter(OpenAIWriter):
    def __init__(self, generation: base.Generation, choices: list[base.Choice]) -> None:
        super().__init__(generation, choices, "cmpl", "text_completion")
        self._sent: dict[int, int] = {}  # text offset of each choice, in characters

    def begin(self) -> bytes:
        if not self.generation.extra["echo"]:
            return b""
        return b"".join(self._chunk_of(c, self._echo(c), None) for c in self.choices)

    def piece(self, choice: base.Choice, piece: base.Piece) -> bytes:
        assert isinstance(piece, base.Text)
        before = self._sent.get(choice.index, 0)
        odds = base.odds_columns(piece.odds, before) if piece.odds else None
        if odds is not None:
            self._sent[choice.index] = before + sum(map(len, odds["tokens"]))
        return self._chunk_of(choice, piece.text, None, odds)

    def ended(self, choice: base.Choice) -> bytes:
        return self._chunk_of(choice, "", reason(choice))

    def sign_of_life(self) -> bytes:
        return self._chunk_of(self.open_choice, "", None)

    def _choice(self, choice: base.Choice) -> schema.JSON:
        odds = (
            None if self.generation.params.logprobs is None else base.odds_columns(choice.odds, 0)
        )
        return {
            "index": choice.index,
            "text": self._echo(choice) + choice.text,
            "logprobs": odds,
            "finish_reason": reason(choice),
        }

    def _echo(self, choice: base.Choice) -> str:
        echoed = self.generation.extra["echo"]
        return str(echoed[choice.prompt]) if echoed else ""

    def _chunk_of(
        self,
        choice: base.Choice,
        text: str,
        finish_reason: str | None,
        odds: schema.JSON | None = None,
    ) -> bytes:
        entry = {
            "index": choice.index,
            "text": text,
            "logprobs": odds,
            "finish_reason": finish_reason,
        }
        return self._chunk([entry])


class Completions(base.API):
    path = "/v1/completions"
    summary = "Continue texts without a chat template."
    body = CompletionsBody
    writer = CompletionsWriter


MAX_TEXTS = 2048  # OpenAI's limit per request


class EmbeddingsBody(schema.InSession):
    input: Prompts
    dimensions: Annotated[schema.WholeNumber, Field(ge=1)] | None = None
    encoding_format: Literal["float", "base64"] = "float"

    def asks(self, model: Model) -> EmbeddingRequest:
        if len(self.input) > MAX_TEXTS:
            count = len(self.input)
            raise ValueError(f"input must have at most {MAX_TEXTS:,} texts, not {count:,}")
        if any(prompt.text == "" for prompt in self.input):
            raise ValueError("input must not contain empty texts")
        if not model.embeds:
            raise ValueError(f"{model.name} does not support embeddings")
        texts = [prompt.tokens if prompt.text is None else prompt.text for prompt in self.input]
        return EmbeddingRequest(model, texts, self.encoding_format == "base64", self.dimensions)


class EmbeddingRequest(Struct, frozen=True):
    model: Model
    texts: list[str | tuple[int, ...]]  # prompts as text or token ids
    as_base64: bool = False
    dimensions: int | None = None  # embedding size expected by the client

    def check(self, result: Vectors) -> None:
        size = len(result.vectors[0]) // 4
        if self.dimensions not in (None, size):
            raise RequestError(
                400,
                f"dimensions must be {size:,} for {self.model.name}, not {self.dimensions:,}.",
            )


def as_numbers(vector: bytes) -> list[float]:
    return list(struct.unpack(f"<{len(vector) // 4}f", vector))


class EmbeddingAPI(base.API):
    def response_body(self, request: EmbeddingRequest, result: Vectors) -> schema.JSON:
        raise NotImplementedError


class EmbeddingsAPI(EmbeddingAPI):
    path = "/v1/embeddings"
    summary = "Compute embeddings: normalized mean hidden states of texts."
    body = EmbeddingsBody

    def response_body(self, request: EmbeddingRequest, result: Vectors) -> schema.JSON:
        vectors = [
            base64.b64encode(data).decode() if request.as_base64 else as_numbers(data)
            for data in result.vectors
        ]
        return {
            "object": "list",
            "data": [
                {"object": "embedding", "index": index, "embedding": vector}
                for index, vector in enumerate(vectors)
            ],
            "model": request.model.name,
            "usage": {"prompt_tokens": result.tokens, "total_tokens": result.tokens},
        }

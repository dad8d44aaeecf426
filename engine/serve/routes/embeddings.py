"""OpenAI's `/v1/embeddings`: the directions of texts' mean hidden states."""

from __future__ import annotations

import base64
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from engine.messages import Embeddings as Vectors
from engine.model.info import Model
from engine.serve.routes.chat import Prompts
from engine.serve.routes.schema import JSON, InSession, OpenAIUser, parsed

MOST_TEXTS = 2048
"""In one request, as with OpenAI."""


class EmbeddingsBody(InSession, OpenAIUser):
    refused = ("dimensions",)

    input: Prompts
    encoding_format: Literal["float", "base64"] = "float"


@dataclass(frozen=True)
class Embedding:
    """What a request wants to be embedded.

    Attributes:
        texts: texts, or token ids.
    """

    model: Model
    texts: list[str | tuple[int, ...]]
    as_base64: bool


class Embeddings:
    """Embeddings, where the model gives hidden states."""

    path = "/v1/embeddings"
    summary = "The directions of texts' mean hidden states."
    body = EmbeddingsBody

    def read(self, body: Mapping[str, Any], model: Model) -> Embedding:
        """What a body asks for.

        Raises:
            ValueError: says what is wrong with it, or what cannot be done.
        """
        asked = parsed(EmbeddingsBody, body)
        if len(asked.input) > MOST_TEXTS:
            count = len(asked.input)
            raise ValueError(f"input must have at most {MOST_TEXTS:,} texts, not {count:,}")
        if any(prompt.text == "" for prompt in asked.input):
            raise ValueError("input cannot have a text that is empty")
        if not model.embeds:
            raise ValueError(f"{model.name} gives no embeddings")
        texts = [prompt.tokens if prompt.text is None else prompt.text for prompt in asked.input]
        return Embedding(model, texts, asked.encoding_format == "base64")


def written(asked: Embedding, found: Vectors) -> JSON:
    """The answer."""
    return {
        "object": "list",
        "data": [
            {"object": "embedding", "index": index, "embedding": _vector(data, asked.as_base64)}
            for index, data in enumerate(found.vectors)
        ],
        "model": asked.model.name,
        "usage": {"prompt_tokens": found.tokens, "total_tokens": found.tokens},
    }


def _vector(data: bytes, as_base64: bool) -> Any:
    if as_base64:
        return base64.b64encode(data).decode()
    return list(struct.unpack(f"<{len(data) // 4}f", data))

"""`/v1/embeddings`: the direction of a text's mean hidden state."""

from __future__ import annotations

import base64
import struct
from dataclasses import dataclass
from typing import Any

from engine.messages import Embeddings
from engine.model.info import Model
from engine.openai.schemas import PROMPT
from engine.serve.routes.base import Body, OpenAIErrors
from engine.serve.routes.chat import prompts_of
from engine.serve.routes.fields import MODEL, USER, Fields, Kind, Table, one_of

MOST_TEXTS = 2048
"""In one request, as with OpenAI."""


@dataclass(frozen=True)
class AskedVectors:
    """A request as it was understood."""

    model: Model
    texts: list[str | tuple[int, ...]]
    as_base64: bool


class EmbeddingsDoor(OpenAIErrors):
    """Embeddings, where the model gives hidden states."""

    path = "/v1/embeddings"
    about = "The directions of texts' mean hidden states."
    table = Table(
        {
            **MODEL,
            **USER,
            "input": Kind(PROMPT),
            "encoding_format": one_of("float", "base64"),
        },
        required=("input",),
        refused=("dimensions",),
    )

    def read(self, body: Body, model: Model) -> AskedVectors:
        """The body in our own terms.

        Raises:
            ValueError: says what is wrong with it, or what cannot be done.
        """
        fields = Fields(body, self.table)
        fields.ignore((*MODEL, *USER))
        prompts = prompts_of(fields.take("input"), "input")
        kind = fields.take("encoding_format")
        fields.end()
        if len(prompts) > MOST_TEXTS:
            raise ValueError(f"input must have at most {MOST_TEXTS:,} texts, not {len(prompts):,}")
        if any(p.text == "" for p in prompts):
            raise ValueError("input cannot have a text that is empty")
        if not model.embeds:
            raise ValueError(f"{model.name} gives no embeddings")
        texts = [p.tokens if p.text is None else p.text for p in prompts]
        return AskedVectors(model, texts, kind == "base64")

    def whole(self, asked: AskedVectors, found: Embeddings) -> Body:
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

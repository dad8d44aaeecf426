"""In the child: a model's template and tokenizer, by two ways that give the same.

Most models need `tokenizers` and `jinja2` only. Where a model has Python code of transformers' or
mlx-lm's for it, both are imported here: 70 MB and two seconds.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys
import zlib
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from tokenizers import Tokenizer

from engine.core.confined.templates import Template
from engine.errors import EngineError
from engine.text import import_structure, pieces, rendering
from engine.text.rendering import Asked, InProcess, TooLongError, render


class Plain:
    """A tokenizer as transformers had set it up, and its template.

    Args:
        known: what `check` found out: the template, the special tokens.
        packed: the tokenizer as compressed JSON.
    """

    def __init__(self, known: dict[str, Any], packed: bytes) -> None:
        self.tokenizer = Tokenizer.from_str(zlib.decompress(packed).decode())
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        self.tokenizer.encode_special_tokens = known["split_special_tokens"]
        sources = (known["template"], known.get("tools_template"))
        self._template, self._with_tools = (
            None if source is None else Template(source, known["special"]) for source in sources
        )
        self._bos = known["bos"]

    def render(
        self,
        asked: list[Asked],
        reasoning: bool | None,
        template: Mapping[str, Any] | None = None,
    ) -> list[str | EngineError]:
        """The text of each, or why there is none."""
        chosen = self._with_tools if template and template.get("tools") else None
        chosen = chosen or self._template
        apply = None if chosen is None else chosen.render
        return [render(apply, self._bos, m, reasoning, opening, template) for m, opening in asked]

    def encode(self, texts: list[str], most: int | None = None) -> list[list[int]]:
        """The tokens of each; `TooLongError` where the first has more than `most`."""
        encode, found = self.tokenizer.encode, list[list[int]]()
        for text in texts:
            found.append(
                pieces.tokens_across_gaps(lambda t: encode(t, add_special_tokens=False).ids, text)
            )
            if most is not None and len(found[0]) > most:
                raise TooLongError(len(found[0]))
        return found


def load_wrapper(folder: str, eos: list[int] | None, defaults: dict[str, Any] | None) -> Any:
    """A tokenizer as the engine's own process loads it."""
    where = Path(folder)
    extra = rendering.template_arguments(where)
    wrapper = mlx_lm_tokenizers().load(where, extra, eos_token_ids=eos, defaults=defaults)
    rendering.settle_template(wrapper)
    return wrapper


def whole(folder: str, eos: list[int] | None, defaults: dict[str, Any] | None) -> InProcess:
    """The reader with all that the engine's own process has, for every other model."""
    return InProcess(load_wrapper(folder, eos, defaults))


def mlx_lm_tokenizers() -> Any:
    """`mlx_lm.tokenizer_utils` without the rest of mlx-lm, which would start MLX."""
    if "mlx_lm" not in sys.modules:
        spec = importlib.util.find_spec("mlx_lm")
        package = ModuleType("mlx_lm")
        package.__path__ = list((spec and spec.submodule_search_locations) or [])
        package.__spec__ = spec
        sys.modules["mlx_lm"] = package
    import_structure.prepare()
    return importlib.import_module("mlx_lm.tokenizer_utils")


def describe(wrapper: Any) -> tuple[dict[str, Any], bytes] | None:
    """What `Plain` needs to do as `wrapper` does; None where it could not."""
    inner = wrapper._tokenizer
    backend = getattr(inner, "backend_tokenizer", None)
    if backend is None or wrapper._chat_template is not None:
        return None
    template = with_tools = None
    if wrapper.has_chat_template:
        try:
            template = inner.get_chat_template()
            if isinstance(inner.chat_template, dict):
                with_tools = inner.chat_template.get(rendering.TOOLS)
        except Exception:
            return None
    known = {
        "template": template,
        "tools_template": with_tools,
        "special": dict(inner.special_tokens_map),
        "bos": getattr(wrapper, "bos_token", None) or "",
        "split_special_tokens": bool(getattr(inner, "split_special_tokens", False)),
    }
    try:
        text = backend.to_str()
        json.dumps(known).encode()
    except Exception:
        return None
    return known, zlib.compress(text.encode(), 1)

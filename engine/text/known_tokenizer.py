"""Tables that turn tokens into text without a tokenizer.

Loading a tokenizer with 150,000 tokens takes seconds and 150 MB, and repeatedly holds the GIL for
half a second. A child process (`sandbox`) loads it and tokenizes prompts, and the engine's process
only gets a table of tokens.
"""

from __future__ import annotations

import copy
import importlib
import json
import logging
import zlib
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

from engine.text import contents, pieces, recognition

log = logging.getLogger(__name__)

_PARSERS = "mlx_lm.tool_parsers"
_OF_WRAPPER = ("think_start", "think_end", "tool_call_start", "tool_call_end")
_OF_TOKENIZER = ("eos_token_id", "bos_token", "bos_token_id", "chat_template", "model_max_length")
_FACTS = frozenset((*_OF_WRAPPER, *_OF_TOKENIZER, "has_chat_template", "renderer", "marks"))


def describe(wrapper: Any, largest: int) -> tuple[dict[str, Any], bytes] | None:
    """Return the arguments of a `KnownTokenizer`. Runs in a child process.

    Returns:
        A JSON-compatible dict and the packed table. None if the tokenizer has a custom detokenizer
        or tool parser.
    """
    kind = _kind(wrapper._detokenizer)
    if kind is None:
        return None
    inner = wrapper._tokenizer
    parser = wrapper.tool_parser if wrapper.has_tool_calling else None
    texts = {"a", wrapper.think_start, wrapper.think_end}
    texts |= {wrapper.tool_call_start, wrapper.tool_call_end}
    texts |= recognition.recognize(wrapper).markers.all
    marks, folds = contents.marks_of(wrapper)
    facts = {
        **kind,
        **{name: getattr(wrapper, name) for name in _OF_WRAPPER},
        **{name: getattr(inner, name, None) for name in _OF_TOKENIZER},
        "length": len(wrapper),
        "eos_token_ids": sorted(wrapper.eos_token_ids),
        "tool_parser": None if parser is None else parser.__module__,
        "has_chat_template": bool(wrapper.has_chat_template),
        "renderer": recognition.renderer(wrapper),
        "added": dict(inner.get_added_vocab()),
        "marks": {"marks": marks, "folds": folds},
        "encoded": {
            text: [list(wrapper.encode(text, add_special_tokens=full)) for full in (True, False)]
            for text in sorted(filter(None, texts))
        },
    }
    if parser is not None and not parser.__module__.startswith(f"{_PARSERS}."):
        return None
    tokens = inner.convert_ids_to_tokens(list(range(largest + 1)))
    try:
        json.dumps(facts)
        return facts, pieces.pack_table(tokens)
    except (TypeError, ValueError):
        return None


def _kind(detokenizer: Any) -> dict[str, Any] | None:
    from mlx_lm.tokenizer_utils import BPEStreamingDetokenizer, SPMStreamingDetokenizer

    if type(detokenizer) is BPEStreamingDetokenizer:
        return {"kind": "bpe"}
    if type(detokenizer) is SPMStreamingDetokenizer:
        return {"kind": "spm", "trim_space": bool(detokenizer.trim_space)}
    return None


class KnownTokenizer:
    """Replacement for mlx-lm's `TokenizerWrapper` that doesn't load the tokenizer.

    If an unknown attribute or text is needed, the tokenizer is loaded after all.

    Args:
        facts, table: results of `describe`.
    """

    def __init__(
        self, facts: Mapping[str, Any], table: bytes, packed: bytes, load: Callable[[], Any]
    ) -> None:
        self._facts = facts
        self._packed = packed
        self._load = load
        self._tokens = pieces.unpack_table(table)

    def __len__(self) -> int:
        return int(self._facts["length"])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in _FACTS:
            return self._facts[name]
        log.info("loading the whole tokenizer for its %s", name)
        return getattr(self._real_tokenizer, name)

    @cached_property
    def _real_tokenizer(self) -> Any:
        return self._load()

    @cached_property
    def eos_token_ids(self) -> set[int]:
        return set(self._facts["eos_token_ids"])

    @property
    def has_tool_calling(self) -> bool:
        return self._facts["tool_call_start"] is not None

    @cached_property
    def tool_parser(self) -> Any:
        module = self._facts["tool_parser"]
        return None if module is None else importlib.import_module(module).parse_tool_call

    @property
    def detokenizer(self) -> Any:
        fresh = copy.copy(self._detokenizer)
        fresh.reset()
        return fresh

    @cached_property
    def _detokenizer(self) -> Any:
        from mlx_lm.tokenizer_utils import BPEStreamingDetokenizer, SPMStreamingDetokenizer

        if self._facts["kind"] == "bpe":
            return BPEStreamingDetokenizer(self)
        return SPMStreamingDetokenizer(self, self._facts["trim_space"])

    def convert_ids_to_tokens(self, ids: Iterable[int]) -> list[str | None]:
        tokens = self._tokens
        return [tokens[i] if i < len(tokens) else None for i in ids]

    def get_vocab(self) -> dict[str, int]:
        return {token: i for i, token in enumerate(self._tokens) if token is not None}

    def get_added_vocab(self) -> dict[str, int]:
        return dict(self._facts["added"])

    def encode(self, text: str, add_special_tokens: bool = True) -> list[int]:
        """Tokenize text. Markers don't need the real tokenizer."""
        encodings = self._facts["encoded"].get(text)
        added = self._facts["added"].get(text)
        if encodings is None and added is not None and not add_special_tokens:
            return [int(added)]
        if encodings is None:
            log.info("loading the whole tokenizer to encode a text")
            return list(self._real_tokenizer.encode(text, add_special_tokens=add_special_tokens))
        return list(encodings[0 if add_special_tokens else 1])

    def to_json(self) -> str:
        return zlib.decompress(self._packed).decode()

"""Checks a model's tokenizer in a child process, before the engine's process loads it.

The engine's process detokenizes one token at a time. The check therefore rejects decoders that use
regular expressions or make texts much longer, and tokens with thousands of characters.
"""

from __future__ import annotations

import base64
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from engine.sandbox.folders import nesting_depth, read_file
from engine.sandbox.prompts import PlainTokenizer, describe_tokenizer, load_wrapper
from engine.sandbox.protocol import RefusedError
from engine.text.known_tokenizer import describe

_MAX_JSON_BYTES = 256 * 2**20
_MAX_DEPTH = 32
_MAX_COMPONENTS = 200  # limit per normalizer or decoder; real files have about ten components
_MAX_GROWTH = 1000  # maximum factor by which a text may get longer
_MAX_STRING_CHARACTERS = 4096  # limit for patterns; real patterns have a few hundred characters
# Limit for `precompiled_charsmap`, which has about 300 KB in practice.
_MAX_CHARSMAP_CHARACTERS = 8 * 2**20
_MAX_IDS_BEYOND_EMBEDDING = 1024  # limit for special tokens without an embedding
_MAX_TOKEN_CHARACTERS = 2048  # the longest known tokens have a few hundred spaces
_SAMPLES = (
    "a ,b",
    "".join(map(chr, range(32, 127))),
    "Grüße 👋🏽 日本語 text\n\n  def f(x):\n\t\treturn 'x'\r\n<think></think><tool_call>",
    "hello world " * 100,
    "e" * 300 + " " * 300,
)
# If a model's own code overrides any of these, `PlainTokenizer` can't be used.
_CUSTOM_METHODS = {
    *("encode", "__call__", "_encode_plus", "tokenize", "apply_chat_template"),
    *("get_chat_template", "prepare_for_tokenization", "special_tokens_map"),
}


def check(
    folder: Path, rows: int | None, eos: list[int] | None, defaults: dict[str, Any] | None
) -> tuple[dict[str, Any], tuple[bytes, ...]]:
    """Load a tokenizer as the engine does, and test it.

    Args:
        defaults: mlx-lm's `TOKENIZER_DEFAULTS` for the model type.

    Returns:
        "largest_id" (including special tokens), "longest_token" in characters, "known" for
            `PlainTokenizer` (its tokenizer is the first blob), and "table" for `KnownTokenizer`
            (its tokens are the second blob). The last two are None if the model needs code of its
            own.

    Raises:
        RefusedError: if the tokenizer can't be used.
    """
    _check_description(folder / "tokenizer.json")
    if "mlx_lm" not in sys.modules:
        _try_without_transformers(folder / "tokenizer.json", rows)
    wrapper = load_wrapper(str(folder), eos, defaults)
    vocabulary: dict[str, int] = wrapper.get_vocab()
    largest, longest = _check_ids(wrapper, vocabulary, rows)
    for sample in _SAMPLES:
        _try_text(wrapper, sample, longest)
    _try_ids(wrapper, vocabulary, longest)
    described = describe_tokenizer(wrapper) if _is_plain(wrapper) else None
    if described is not None and not _encodes_equally(wrapper, PlainTokenizer(*described)):
        described = None
    facts = {"largest_id": largest, "longest_token": longest, "known": None, "table": None}
    if described is None:
        return facts, ()
    parts = describe(wrapper, largest)
    if parts is None:
        return {**facts, "known": described[0]}, (described[1],)
    return {**facts, "known": described[0], "table": parts[0]}, (described[1], parts[1])


def _check_description(path: Path) -> None:
    if not path.exists():
        return
    try:
        content = json.loads(read_file(path, _MAX_JSON_BYTES).decode())
    except RecursionError:
        raise RefusedError("Its tokenizer.json is nested too deeply.") from None
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise RefusedError("Its tokenizer.json is not valid JSON.") from None
    except (OSError, ValueError) as error:
        raise RefusedError(f"Its tokenizer.json cannot be read: {error}.") from None
    if not isinstance(content, dict):
        raise RefusedError("Its tokenizer.json is not an object.")
    for name in ("normalizer", "pre_tokenizer", "post_processor", "decoder"):
        if nesting_depth(content.get(name)) > _MAX_DEPTH:
            raise RefusedError(f"Its tokenizer has a {name} that is nested too deeply.")
        growth = 1.0
        for number, part in enumerate(_components(content.get(name))):
            if number >= _MAX_COMPONENTS:
                raise RefusedError(
                    f"Its tokenizer has a {name} of more than {_MAX_COMPONENTS} parts."
                )
            growth *= _check_component(name, part)
        if growth > _MAX_GROWTH:
            raise RefusedError(f"Its tokenizer has a {name} that makes texts too long.")


def _check_component(name: str, part: dict[str, Any]) -> float:
    for key, value in part.items():
        max_characters = (
            _MAX_CHARSMAP_CHARACTERS if key == "precompiled_charsmap" else _MAX_STRING_CHARACTERS
        )
        if isinstance(value, str) and len(value) > max_characters:
            raise RefusedError(
                f"Its tokenizer has a {name} with a string of {len(value):,} characters."
            )
        if key == "precompiled_charsmap" and not _is_charsmap(value):
            raise RefusedError(f"Its tokenizer has a {name} with a damaged character table.")
    kind, pattern = part.get("type"), part.get("pattern")
    if kind in ("Replace", "Split") and isinstance(pattern, dict):
        if "" in pattern.values():
            raise RefusedError(f"Its tokenizer has a {name} that searches for an empty string.")
        # Decoding runs in the engine's process for every token, so it has to be fast.
        if name == "decoder" and "Regex" in pattern:
            raise RefusedError("Its tokenizer decodes with a pattern, which is not supported.")
        content = part.get("content")
        if isinstance(content, str) and "String" in pattern:
            return max(1.0, len(content) / len(str(pattern["String"])))
    if kind == "FixedLength" and part.get("length") == 0:
        raise RefusedError(f"Its tokenizer has a {name} that splits texts into empty pieces.")
    return 1.0


def _is_charsmap(value: Any) -> bool:
    try:
        table = base64.b64decode(value, validate=True)
    except (TypeError, ValueError):
        return False
    return 4 <= 4 + int.from_bytes(table[:4], "little") <= len(table)


def _components(content: Any) -> Iterator[dict[str, Any]]:
    waiting = [content]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            yield part
            waiting += [value for key, value in part.items() if key not in ("vocab", "merges")]
        elif isinstance(part, list):
            waiting += part


def _try_without_transformers(path: Path, rows: int | None) -> None:
    """Try the tokenizer without transformers, whose import takes seconds, to reject it early."""
    if not path.exists():
        return
    tokenizer = Tokenizer.from_file(str(path))
    words = tokenizer.get_vocab(with_added_tokens=False)
    _check_largest_id(max(words.values(), default=0), rows)
    for sample in _SAMPLES:
        ids = tokenizer.encode(sample, add_special_tokens=False).ids
        _check_growth(sample, len(ids))
        tokenizer.decode(ids)


def _check_growth(sample: str, tokens: int) -> None:
    if tokens > 8 * len(sample.encode()) + 16:
        raise RefusedError(f"Its tokenizer makes {tokens:,} tokens of {len(sample)} characters.")


def _check_largest_id(largest: int, rows: int | None) -> None:
    if rows is not None and largest >= rows:
        raise RefusedError(
            f"Its tokenizer does not match the model: it has token {largest:,}, but the model has "
            f"{rows:,} tokens."
        )


def _check_ids(wrapper: Any, vocabulary: dict[str, int], rows: int | None) -> tuple[int, int]:
    """Return the largest id and the length of the longest token.

    Rejects ordinary tokens outside the embedding. Special tokens may be outside: for instance,
    Gemma 3's text models have a token for images.
    """
    if not vocabulary:
        raise RefusedError("Its tokenizer has no vocabulary.")
    added = set(wrapper.added_tokens_decoder)
    largest = max(vocabulary.values())
    _check_largest_id(max((i for i in vocabulary.values() if i not in added), default=0), rows)
    if rows is not None and len([i for i in added if i >= rows]) > _MAX_IDS_BEYOND_EMBEDDING:
        _check_largest_id(largest, rows)
    longest = max(map(len, vocabulary))
    if longest > _MAX_TOKEN_CHARACTERS:
        raise RefusedError(f"Its tokenizer has a token of {longest:,} characters.")
    return largest, longest


def _try_text(wrapper: Any, sample: str, longest: int) -> None:
    ids = list(wrapper.encode(sample, add_special_tokens=False))
    _check_growth(sample, len(ids))
    max_characters = 8 * longest * (len(ids) + 1)
    detokenizer = wrapper.detokenizer
    for token in ids:
        detokenizer.add_token(token)
    detokenizer.finalize()
    for text in (wrapper.decode(ids), detokenizer.text):
        if len(text) > max_characters:
            raise RefusedError(
                f"Its tokenizer makes {len(text):,} characters of {len(ids)} tokens."
            )


def _try_ids(wrapper: Any, vocabulary: dict[str, int], longest: int) -> None:
    ids = sorted(vocabulary.values())
    sample = random.Random(0).sample(ids, min(200, len(ids)))
    groups = [ids[at : at + 1000] for at in range(0, len(ids), 1000)]
    for group in [*groups, *([i] for i in sample)]:
        length = len(wrapper.decode(group))
        if length > 8 * longest * (len(group) + 1):
            raise RefusedError(f"Its tokenizer makes {length:,} characters of {len(group)} tokens.")


def _is_plain(wrapper: Any) -> bool:
    from transformers import PreTrainedTokenizerFast

    inner = wrapper._tokenizer
    if not isinstance(inner, PreTrainedTokenizerFast):
        return False
    order = type(inner).__mro__
    custom = order[: order.index(PreTrainedTokenizerFast)]
    return not any(_CUSTOM_METHODS & set(vars(kind)) for kind in custom)


def _encodes_equally(wrapper: Any, plain: PlainTokenizer) -> bool:
    texts = [*_SAMPLES, "".join(wrapper.all_special_tokens)]
    want = [list(wrapper.encode(t, add_special_tokens=False)) if t else [] for t in texts]
    return plain.encode(texts) == want

"""In the child: a model's tokenizer, loaded and tried before the engine's own process does so.

Prompts are tokenised in children; detokenising stays beside the chats, one token at a time. What of
it could be hostile is refused here: a decoder that searches by an expression, or makes a text far
longer, and tokens of thousands of characters. `ReplyText` bounds bytes that become no character.
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

from engine.sandbox.folders import depth, read
from engine.sandbox.prompts import Plain, describe, load_wrapper
from engine.sandbox.protocol import RefusedError
from engine.text.known_tokenizer import tell

_MOST_JSON = 256 * 2**20
_DEEPEST = 32
_MOST_PARTS = 200  # of a normalizer or decoder; real ones have ten
_MOST_GROWTH = 1000
_LONGEST_PART = 4096  # characters; expressions have a few hundred
_LONGEST_MAP = 8 * 2**20  # of a `precompiled_charsmap`; real ones have 300 KB
_MOST_STRANGERS = 1024  # special tokens beyond the embedding
_LONGEST_TOKEN = 2048  # characters; the longest known are some hundred blanks
_SAMPLES = (
    "a ,b",
    "".join(map(chr, range(32, 127))),
    "Grüße 👋🏽 日本語 text\n\n  def f(x):\n\t\treturn 'x'\r\n<think></think><tool_call>",
    "hello world " * 100,
    "e" * 300 + " " * 300,
)
# How a model's own Python code shows that it does something else than `Plain`.
_OWN_WAYS = {
    *("encode", "__call__", "_encode_plus", "tokenize", "apply_chat_template"),
    *("get_chat_template", "prepare_for_tokenization", "special_tokens_map"),
}


def check(
    folder: Path, rows: int | None, eos: list[int] | None, defaults: dict[str, Any] | None
) -> tuple[dict[str, Any], tuple[bytes, ...]]:
    """Load a tokenizer as the engine would and try it.

    Args:
        rows: of the model's embedding.
        eos: the ids that end a turn, by the model's config.
        defaults: mlx-lm's `TOKENIZER_DEFAULTS` of the model's type.

    Returns:
        "largest_id" (special tokens included), "longest_token" in characters, "known" (with the
        tokenizer itself as the first blob) for `Plain`, and "table" (with the tokens as the second)
        for `KnownTokenizer`; None where the model needs its own code.

    Raises:
        RefusedError: it cannot be used.
    """
    _look(folder / "tokenizer.json")
    if "mlx_lm" not in sys.modules:
        _try_alone(folder / "tokenizer.json", rows)
    wrapper = load_wrapper(str(folder), eos, defaults)
    vocabulary: dict[str, int] = wrapper.get_vocab()
    largest, longest = _check_ids(wrapper, vocabulary, rows)
    for sample in _SAMPLES:
        _try(wrapper, sample, longest)
    _try_ids(wrapper, vocabulary, longest)
    described = describe(wrapper) if _is_plain(wrapper) else None
    if described is not None and not _same(wrapper, Plain(*described)):
        described = None
    found = {"largest_id": largest, "longest_token": longest, "known": None, "table": None}
    if described is None:
        return found, ()
    parts = tell(wrapper, largest)
    if parts is None:
        return {**found, "known": described[0]}, (described[1],)
    return {**found, "known": described[0], "table": parts[0]}, (described[1], parts[1])


def _look(path: Path) -> None:
    """Refuse what is known to make the library panic, or a text explode, by its description."""
    if not path.exists():
        return
    try:
        content = json.loads(read(path, _MOST_JSON).decode())
    except RecursionError:
        raise RefusedError("Its tokenizer.json is nested too deeply.") from None
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise RefusedError("Its tokenizer.json is not valid JSON.") from None
    except (OSError, ValueError) as error:
        raise RefusedError(f"Its tokenizer.json cannot be read: {error}.") from None
    if not isinstance(content, dict):
        raise RefusedError("Its tokenizer.json is not an object.")
    for place in ("normalizer", "pre_tokenizer", "post_processor", "decoder"):
        if depth(content.get(place)) > _DEEPEST:
            raise RefusedError(f"Its tokenizer has a {place} that is nested too deeply.")
        growth = 1.0
        for number, part in enumerate(_parts(content.get(place))):
            if number >= _MOST_PARTS:
                raise RefusedError(f"Its tokenizer has a {place} of more than {_MOST_PARTS} parts.")
            growth *= _look_at(place, part)
        if growth > _MOST_GROWTH:
            raise RefusedError(f"Its tokenizer has a {place} that makes texts far too long.")


def _look_at(place: str, part: dict[str, Any]) -> float:
    """How many times longer a part of it may make a text."""
    for key, value in part.items():
        most = _LONGEST_MAP if key == "precompiled_charsmap" else _LONGEST_PART
        if isinstance(value, str) and len(value) > most:
            raise RefusedError(
                f"Its tokenizer has a {place} with a text of {len(value):,} characters."
            )
        if key == "precompiled_charsmap" and not _is_map(value):
            raise RefusedError(f"Its tokenizer has a {place} with a damaged table of characters.")
    kind, pattern = part.get("type"), part.get("pattern")
    if kind in ("Replace", "Split") and isinstance(pattern, dict):
        if "" in pattern.values():
            raise RefusedError(f"Its tokenizer has a {place} that looks for an empty text.")
        # Decoding happens token by token beside the chats, so it must not search for long.
        if place == "decoder" and "Regex" in pattern:
            raise RefusedError("Its tokenizer decodes by an expression, which is not supported.")
        content = part.get("content")
        if isinstance(content, str) and "String" in pattern:
            return max(1.0, len(content) / len(str(pattern["String"])))
    if kind == "FixedLength" and part.get("length") == 0:
        raise RefusedError(f"Its tokenizer has a {place} that cuts texts into pieces of length 0.")
    return 1.0


def _is_map(value: Any) -> bool:
    """Whether a table of characters is as long as it claims: the library takes its word for it."""
    try:
        table = base64.b64decode(value, validate=True)
    except (TypeError, ValueError):
        return False
    return 4 <= 4 + int.from_bytes(table[:4], "little") <= len(table)


def _parts(content: Any) -> Iterator[dict[str, Any]]:
    waiting = [content]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            yield part
            waiting += [value for key, value in part.items() if key not in ("vocab", "merges")]
        elif isinstance(part, list):
            waiting += part


def _try_alone(path: Path, rows: int | None) -> None:
    """Let the library do what it can without transformers, which takes seconds to import."""
    if not path.exists():
        return
    tokenizer = Tokenizer.from_file(str(path))
    words = tokenizer.get_vocab(with_added_tokens=False)
    _check_words(max(words.values(), default=0), rows)
    for sample in _SAMPLES:
        ids = tokenizer.encode(sample, add_special_tokens=False).ids
        _check_growth(sample, len(ids))
        tokenizer.decode(ids)


def _check_growth(sample: str, tokens: int) -> None:
    if tokens > 8 * len(sample.encode()) + 16:
        raise RefusedError(f"Its tokenizer makes {tokens:,} tokens of {len(sample)} characters.")


def _check_words(largest: int, rows: int | None) -> None:
    if rows is not None and largest >= rows:
        raise RefusedError(
            f"Its tokenizer does not belong to it: it has a token {largest:,}, and the model knows "
            f"{rows:,}."
        )


def _check_ids(wrapper: Any, vocabulary: dict[str, int], rows: int | None) -> tuple[int, int]:
    """The largest id and the longest token; refuses words beyond the embedding.

    Special tokens may lie there: Gemma 3's text models have one for images that they were not
    made for. A prompt with one in it is refused (`Confined.encode`).
    """
    if not vocabulary:
        raise RefusedError("Its tokenizer has no vocabulary.")
    added = set(wrapper.added_tokens_decoder)
    largest = max(vocabulary.values())
    _check_words(max((i for i in vocabulary.values() if i not in added), default=0), rows)
    if rows is not None and len([i for i in added if i >= rows]) > _MOST_STRANGERS:
        _check_words(largest, rows)
    longest = max(map(len, vocabulary))
    if longest > _LONGEST_TOKEN:
        raise RefusedError(f"Its tokenizer has a token of {longest:,} characters.")
    return largest, longest


def _try(wrapper: Any, sample: str, longest: int) -> None:
    """Encode and decode a text, at once and token by token."""
    ids = list(wrapper.encode(sample, add_special_tokens=False))
    _check_growth(sample, len(ids))
    most = 8 * longest * (len(ids) + 1)
    detokenizer = wrapper.detokenizer
    for token in ids:
        detokenizer.add_token(token)
    detokenizer.finalize()
    for text in (wrapper.decode(ids), detokenizer.text):
        if len(text) > most:
            raise RefusedError(
                f"Its tokenizer makes {len(text):,} characters of {len(ids)} tokens."
            )


def _try_ids(wrapper: Any, vocabulary: dict[str, int], longest: int) -> None:
    """Decode all ids, a thousand at a time, and some alone."""
    ids = sorted(vocabulary.values())
    some = random.Random(0).sample(ids, min(200, len(ids)))
    groups = [ids[at : at + 1000] for at in range(0, len(ids), 1000)]
    for group in [*groups, *([i] for i in some)]:
        length = len(wrapper.decode(group))
        if length > 8 * longest * (len(group) + 1):
            raise RefusedError(f"Its tokenizer makes {length:,} characters of {len(group)} tokens.")


def _is_plain(wrapper: Any) -> bool:
    """Whether no code of the model's own comes between it and the library."""
    from transformers import PreTrainedTokenizerFast

    inner = wrapper._tokenizer
    if not isinstance(inner, PreTrainedTokenizerFast):
        return False
    order = type(inner).__mro__
    own = order[: order.index(PreTrainedTokenizerFast)]
    return not any(_OWN_WAYS & set(vars(kind)) for kind in own)


def _same(wrapper: Any, plain: Plain) -> bool:
    texts = [*_SAMPLES, "".join(wrapper.all_special_tokens)]
    want = [list(wrapper.encode(t, add_special_tokens=False)) if t else [] for t in texts]
    return plain.encode(texts) == want

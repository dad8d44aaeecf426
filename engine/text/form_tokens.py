"""Assembly of llguidance's tokenizer from prepared parts, so that the GIL is never held for long.

Building it from JSON is one call of 1.5 s for 200,000 tokens, during which no reply can continue.
The child process that checked the form returns the parts of its tokenizer (`extract`). The
engine's process assembles the same tokenizer (`assemble`) in calls that take at most a quarter of
that time.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby
from typing import Any, overload

from engine.text import pieces

_BPE = (
    *("dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix"),
    *("fuse_unk", "byte_fallback", "ignore_merges"),
)

TokenizerData = tuple[dict[str, Any], tuple[bytes, ...]]


def extract(tokenizer: Any, text: str) -> TokenizerData | None:
    """Return the parts for `assemble`. Runs in a child process.

    Args:
        text: the tokenizer in the JSON format of `tokenizers`.

    Returns:
        A JSON-compatible dict, and the packed words, their lengths, the vocabulary and the merges.
        None if the type of tokenizer isn't supported.
    """
    description = json.loads(text)
    model, added = description["model"], description["added_tokens"]
    if model.get("type") != "BPE":
        return None
    vocabulary: dict[str, int] = model["vocab"]
    tokens: list[str | None] = [None] * (max(vocabulary.values(), default=-1) + 1)
    for token, i in vocabulary.items():
        tokens[i] = token
    pairs = (pair.split(" ") if isinstance(pair, str) else pair for pair in model["merges"])
    merges = array("I", (vocabulary[half] for pair in pairs for half in pair))
    special = [i for i in range(tokenizer.vocab_size) if tokenizer.is_special_token(i)]
    words = [tokenizer.decode_bytes([i]) for i in range(tokenizer.vocab_size)]
    # llguidance's notation for a token without text.
    words = [b"" if word == f"<[{i}]>".encode() else word for i, word in enumerate(words)]
    bare = {**description, "added_tokens": [], "model": {"type": "BPE", "vocab": {}, "merges": []}}
    bare["normalizer"] = _remove_prefix(description.get("normalizer"))
    bare["pre_tokenizer"] = _remove_prefix(description.get("pre_tokenizer"))
    facts = {
        "bare": json.dumps(bare),
        "model": {name: model.get(name) for name in _BPE if model.get(name) is not None},
        "added": added,
        "special": special,
    }
    blobs = (
        b"".join(words),
        array("I", map(len, words)).tobytes(),
        pieces.pack_table(tokens),
        merges.tobytes(),
    )
    return facts, blobs


def _remove_prefix(part: Any) -> Any:
    """Remove what prepends a space from a normalizer or pre-tokenizer, as llguidance does."""
    if not isinstance(part, dict):
        return part
    kind = part.get("type")
    if kind == "Prepend":
        return None
    if kind == "Metaspace":
        return {**part, "prepend_scheme": "never"}
    for parts in ("normalizers", "pretokenizers"):
        if kind == "Sequence" and parts in part:
            children = [
                rest for child in part[parts] if (rest := _remove_prefix(child)) is not None
            ]
            return {**part, parts: children} if children else None
    return part


def assemble(data: TokenizerData, ends: list[int]) -> Any:
    """Return llguidance's tokenizer. Raises errors of the libraries if the parts don't match."""
    import llguidance

    facts, (words, lengths, vocabulary, merges) = data
    tokenizer = _tokenizer(facts, vocabulary, merges)
    parts = _Parts(_Words(words, array("I", lengths)), facts["special"], ends[0], tokenizer)
    # Skipping precomputed slices makes this a third faster, without slowing down later use.
    return llguidance.LLTokenizer(parts, eos_token=ends, slices=[])


def _tokenizer(facts: dict[str, Any], vocabulary: bytes, merges: bytes) -> Any:
    from tokenizers import AddedToken, Tokenizer, models

    tokens: Any = pieces.unpack_table(vocabulary)
    halves = iter(array("I", merges))
    # Use a Python loop, so that other threads can run.
    pairs = [(tokens[left], tokens[right]) for left, right in zip(halves, halves, strict=True)]
    ids = {token: i for i, token in enumerate(tokens) if token is not None}
    tokenizer = Tokenizer.from_str(facts["bare"])
    tokenizer.model = models.BPE(ids, pairs, **facts["model"])
    for special, entries in groupby(facts["added"], lambda entry: bool(entry["special"])):
        listed = list(entries)
        add = tokenizer.add_special_tokens if special else tokenizer.add_tokens
        add([AddedToken(**{k: v for k, v in entry.items() if k != "id"}) for entry in listed])
        if any(tokenizer.token_to_id(entry["content"]) != entry["id"] for entry in listed):
            raise ValueError("an added token has an unexpected id")
    return tokenizer


class _Words(Sequence[bytes]):
    """Tokens as bytes. llguidance reads them one by one, so other threads can run in between."""

    def __init__(self, words: bytes, lengths: Sequence[int]) -> None:
        self._words = words
        self._ends = [0, *accumulate(lengths)]

    def __len__(self) -> int:
        return len(self._ends) - 1

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[bytes]: ...
    def __getitem__(self, index: int | slice) -> bytes | Sequence[bytes]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        return self._words[self._ends[index] : self._ends[index + 1]]

    def __iter__(self) -> Iterator[bytes]:
        return (self[i] for i in range(len(self)))


class _Parts:
    """Tokenizer with the interface that llguidance expects."""

    is_tokenizer_wrapper = True
    bos_token_id = None

    def __init__(self, tokens: _Words, special: list[int], eos: int, tokenizer: Any) -> None:
        self.tokens = tokens
        self.special_token_ids = special
        self.eos_token_id = eos
        self._tokenizer = tokenizer

    def __call__(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)

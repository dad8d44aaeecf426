"""Comparing two models' vocabularies by their files."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from engine.hub import vocabulary
from engine.hub.vocabulary import may_share, vocabulary_of

TOKENS = {"vocab": 0, "merges": 1, "a b": 2, "ä": 3, '"': 4}
ADDED = [{"content": "vocab", "id": 9}]


def write(folder: Path, name: str = "tokenizer.json", **more: Any) -> str:
    indent = more.pop("indent", None)
    tokens = more.pop("vocab", TOKENS)
    model = {"type": "BPE", "vocab": tokens, "merges": more.pop("merges", ["a b"])}
    data = {"added_tokens": more.pop("added", ADDED), "model": model}
    folder.mkdir(exist_ok=True)
    text = json.dumps(data, indent=indent, ensure_ascii=False)
    (folder / name).write_text(text, encoding="utf-8")
    return vocabulary_of(folder)


def test_same_tokens_match_in_any_file_format(tmp_path: Path) -> None:
    own = write(tmp_path / "own")
    assert own
    assert write(tmp_path / "indented", indent=2) == own
    assert write(tmp_path / "newer", merges=[["a", "b"], ["c", "d"]]) == own
    assert write(tmp_path / "flags", added=[]) == own
    (tmp_path / "apart").mkdir()
    (tmp_path / "apart" / "vocab.json").write_text(json.dumps(TOKENS, ensure_ascii=False))
    assert vocabulary_of(tmp_path / "apart") == own
    assert write(tmp_path / "other", vocab={**TOKENS, "ö": 3}) != own
    assert write(tmp_path / "more", vocab={**TOKENS, "c": 5}) != own
    assert write(tmp_path / "list", vocab=[["a", 0.0], ["b", -1.5]]) not in ("", own)


def test_pieces_do_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = write(tmp_path / "own", indent=2)
    monkeypatch.setattr(vocabulary, "_CHUNK_BYTES", 7)
    assert vocabulary_of(tmp_path / "own") == own


def test_unknown_vocabulary_may_match(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = write(tmp_path / "own")
    assert vocabulary_of(tmp_path / "none") == ""
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "tokenizer.json").write_text('{"model": {"vocab": 7}}')
    assert vocabulary_of(tmp_path / "odd") == ""
    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe" / "tokenizer.json")
    assert vocabulary_of(tmp_path / "pipe") == ""
    monkeypatch.setattr(vocabulary, "_MAX_FILE_BYTES", 10)
    assert vocabulary_of(tmp_path / "own") == ""
    assert may_share("", own)
    assert may_share(own, own)
    assert not may_share(own, own[:-1])


def test_vocabulary_check_allows_equal_tokens_in_other_bytes(tmp_path: Path) -> None:
    own = write(tmp_path / "own")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "tokenizer.model").write_bytes(b"do re mi")
    other = vocabulary_of(tmp_path / "other")
    assert other
    assert may_share(own, other)
    assert may_share(own, write(tmp_path / "list", vocab=[["a", 0.0], ["b", -1.5]]))
    (tmp_path / "escaped").mkdir()
    data = {"model": {"vocab": TOKENS, "merges": []}}
    (tmp_path / "escaped" / "tokenizer.json").write_text(json.dumps(data))
    assert vocabulary_of(tmp_path / "escaped") == ""
    for token in ("\\u00e9", "\\\\u", "\\usepackage", "\x00", "\x1f"):  # as JSON escapes them
        told = write(tmp_path / "slashes", vocab={**TOKENS, token: 5})
        assert told
        assert not may_share(own, told)


@pytest.mark.parametrize("tail", [b" ,\n" * 700_000, b"," * 2**21, b" " * 2**21 + b'"merges":['])
def test_malformed_tokenizers_are_read_quickly(tmp_path: Path, tail: bytes) -> None:
    file = tmp_path / "tokenizer.json"
    file.write_bytes(b'{"model":{"vocab":{"a":0}')
    own = vocabulary_of(tmp_path)
    file.write_bytes(file.read_bytes() + tail)
    began = time.process_time()
    assert vocabulary_of(tmp_path) == own
    assert time.process_time() - began < 0.1  # a pure Python loop took 0.3 s or more


def test_vocabulary_reading_stops_when_canceled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert write(tmp_path / "own")
    monkeypatch.setattr(vocabulary, "_CHUNK_BYTES", 7)
    looked = iter([False] * 5)
    assert vocabulary_of(tmp_path / "own", lambda: next(looked, True)) == ""
    assert next(looked, None) is None

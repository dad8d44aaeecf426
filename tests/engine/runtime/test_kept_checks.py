"""Results of tokenizer checks that are kept in files."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine import Engine
from engine.params import SamplingParams
from engine.runtime import candidate
from engine.runtime.result_files import TokenizerCheckFile
from engine.sandbox.confined import CheckedTokenizer, Sandbox

GREEDY = SamplingParams(max_tokens=8, temperature=0.0)

CHECKED = CheckedTokenizer(
    key="first",
    folder="/models/first",
    rows=300,
    largest_id=299,
    longest_token=12,
    eos=[2],
    defaults={"eos_token_id": 2},
    known={"template": "{{ messages }}", "special": {"bos_token": "<s>"}},
    packed=b"tokenizer" * 1000,
    table={"kind": "bpe", "encoded": {"a": [[1], [1]]}},
    tokens=b"\x00tokens\n",
)


def checked_file(folder: Path, contents: str = "abc", rows: int = 300) -> TokenizerCheckFile:
    return TokenizerCheckFile(folder, contents, rows, [2], {"eos_token_id": 2})


def test_kept_check_is_equal_in_every_field(tmp_path: Path) -> None:
    checked_file(tmp_path).write(CHECKED)
    for result in (CHECKED, replace(CHECKED, known=None, packed=b"", table=None, tokens=b"")):
        checked_file(tmp_path).write(result)
        found = checked_file(tmp_path).read(Path("/models/moved"))
        assert found is not None
        assert found.key != result.key
        assert replace(found, key="first", folder="/models/first") == result


def test_kept_check_counts_for_same_contents_and_rows_only(tmp_path: Path) -> None:
    checked_file(tmp_path).write(CHECKED)
    assert checked_file(tmp_path, contents="abd").read(Path()) is None
    assert checked_file(tmp_path, rows=301).read(Path()) is None


def of_another(path: Path) -> None:
    other = checked_file(path.parent, contents="another")
    other.write(CHECKED)
    other.path.replace(path)


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:-1]),
    "changed": lambda path: path.write_bytes(path.read_bytes().replace(b"r", b"R", 1)),
    "empty": lambda path: path.write_bytes(b""),
    "of another": of_another,
    "pipe": pipe,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_check_is_written_again(tmp_path: Path, damage: str) -> None:
    file = checked_file(tmp_path / "ways")
    file.write(CHECKED)
    DAMAGES[damage](file.path)
    assert file.read(Path()) is None
    file.write(CHECKED)
    assert file.read(Path()) is not None
    assert file.path.stat().st_mode & 0o777 == 0o600


def test_oldest_checks_make_room_and_probes_stay(tmp_path: Path) -> None:
    (tmp_path / "probe.json").write_text("{}")
    for number in range(TokenizerCheckFile.MAX_FILES + 3):
        file = checked_file(tmp_path, contents=str(number))
        file.write(CHECKED)
        os.utime(file.path, (number, number))
    kept = {path.name for path in tmp_path.iterdir()}
    assert len(kept) == TokenizerCheckFile.MAX_FILES + 1
    assert {"probe.json", file.path.name} <= kept
    assert checked_file(tmp_path, contents="0").path.name not in kept


def test_tokenizer_is_checked_again_only_if_folder_has_changed(
    model_folder: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, ways = model_folder("plain"), tmp_path / "ways"
    checks: list[Path] = []
    real = Sandbox.check_tokenizer

    def counted(self: Sandbox, place: Path, *more: Any) -> CheckedTokenizer:
        checks.append(place)
        return real(self, place, *more)

    def answer() -> list[int]:
        candidate._checked.clear()  # as in a new process
        with Engine(ways_dir=ways) as engine:
            return engine.open_session(engine.load(folder)).send("Hi", GREEDY).tokens()

    monkeypatch.setattr(Sandbox, "check_tokenizer", counted)
    first = answer()
    assert answer() == first
    assert checks == [folder]
    settings = folder / "tokenizer_config.json"
    before = settings.read_bytes()
    settings.write_bytes(before + b"\n")
    try:
        assert answer() == first
    finally:
        settings.write_bytes(before)
    assert checks == [folder, folder]
